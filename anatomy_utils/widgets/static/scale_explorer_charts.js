// The scale explorer's charts: a histogram, bars, and a card for each measure.

const HISTOGRAM = { width: 440, height: 190, left: 14, right: 14, top: 12, bottom: 26, reach: 60 };
const WEIGHTS = { width: 440, height: 190, left: 34, right: 8, top: 14, bottom: 26 };
const CURVE = { width: 290, height: 150, left: 40, right: 14, top: 12, bottom: 24 };

// Small and large numbers with about three digits.
function brief(value) {
  if (value >= 0.01 || value === 0) return format(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
  if (value >= 0.0001) return format(value, 4);
  const power = Math.floor(Math.log10(value));
  return `${format(value / 10 ** power, 0)}·10${superscript(power)}`;
}

// A small text below an axis.
function tick(x, y, text, anchor = "middle") {
  return svg("text", { class: "tick", x, y, "text-anchor": anchor, text });
}

function axisLine(box) {
  return svg("path", { class: "axis", d: `M${box.left} ${box.height - box.bottom}H${box.width - box.right}` });
}

// The histogram of all scores on one fixed axis, with the normal curve that theory expects.
function histogram() {
  const box = HISTOGRAM,
    count = 2 * box.reach + 1;
  const inner = box.width - box.left - box.right,
    floor = box.height - box.bottom,
    tall = floor - box.top;
  const x = (score) => box.left + ((score + box.reach + 0.5) / count) * inner;
  const bars = svg("path", { class: "scores" });
  const expected = svg("path", { class: "expected" });
  const marks = [-50, -25, 0, 25, 50].map((at) => tick(x(at), floor + 16, format(at, 0)));
  const node = svg(
    "svg",
    { viewBox: `0 0 ${box.width} ${box.height}`, role: "img" },
    bars,
    axisLine(box),
    expected,
    marks,
  );
  const draw = ({ scores }, deviation) => {
    const bins = new Float64Array(count);
    for (const score of scores) bins[clamp(Math.round(score) + box.reach, 0, count - 1)] += 1 / scores.length;
    const density = (at) => Math.exp(-0.5 * (at / deviation) ** 2) / (deviation * Math.sqrt(2 * Math.PI));
    const highest = Math.max(...bins, density(0));
    const y = (share) => floor - (share / highest) * tall;
    bars.setAttribute(
      "d",
      Array.from(bins, (share, i) => {
        const left = x(i - box.reach - 0.5),
          wide = inner / count;
        return share ? `M${left.toFixed(1)} ${floor}V${y(share).toFixed(1)}h${(wide * 0.86).toFixed(2)}V${floor}Z` : "";
      }).join(""),
    );
    const points = Array.from({ length: 8 * box.reach + 1 }, (_, i) => i / 4 - box.reach);
    expected.setAttribute("d", `M${points.map((at) => `${x(at).toFixed(1)} ${y(density(at)).toFixed(1)}`).join("L")}`);
    const spread = `their standard deviation is about ${brief(deviation)}`;
    node.setAttribute("aria-label", `Histogram of ${scores.length} scores; ${spread}.`);
  };
  return { node, draw };
}

// The softmax weights of the first query over its 16 keys.
function weightBars() {
  const box = WEIGHTS,
    floor = box.height - box.bottom,
    tall = floor - box.top;
  const wide = (box.width - box.left - box.right) / NUM_KEYS;
  const left = (j) => box.left + j * wide;
  const lines = [0.5, 1].map((at) => [
    svg("line", {
      class: "guide",
      x1: box.left,
      x2: box.width - box.right,
      y1: floor - at * tall,
      y2: floor - at * tall,
    }),
    tick(box.left - 6, floor - at * tall + 4, format(at, 1), "end"),
  ]);
  const alike = floor - tall / NUM_KEYS;
  const keys = Array.from({ length: NUM_KEYS }, (_, j) => j);
  const bars = keys.map((j) => svg("rect", { class: "bar", x: left(j) + 3, width: wide - 6, rx: 1.5 }));
  const names = keys.map((j) => tick(left(j) + wide / 2, floor + 16, String(j + 1)));
  const peak = svg("text", { class: "peak", "text-anchor": "middle" });
  const node = svg(
    "svg",
    { viewBox: `0 0 ${box.width} ${box.height}`, role: "img" },
    lines,
    bars,
    axisLine(box),
    svg("line", { class: "alike", x1: box.left, x2: box.width - box.right, y1: alike, y2: alike }),
    names,
    peak,
  );
  const draw = (row) => {
    row.forEach((weight, j) => setAttributes(bars[j], { y: floor - weight * tall, height: weight * tall }));
    const j = row.indexOf(Math.max(...row));
    setAttributes(peak, {
      x: left(j) + wide / 2,
      y: Math.max(box.top - 2, floor - row[j] * tall - 5),
      text: format(row[j]),
    });
    const told = Array.from(row, (weight, k) => `key ${k + 1} ${format(weight)}`).join(", ");
    node.setAttribute("aria-label", `Weights of one query: ${told}.`);
  };
  return { node, draw };
}

// One measure: its number in large print and its two curves over dₖ, the chosen one marked.
function measureCard(name) {
  const { title, low, high, log, ticks } = MEASURES[name];
  const box = CURVE,
    floor = box.height - box.bottom,
    right = box.width - box.right;
  const share = (value) =>
    log ? Math.log(clamp(value, low, high) / low) / Math.log(high / low) : (value - low) / (high - low);
  const x = (d) => box.left + (Math.log2(d) / 9) * (right - box.left);
  const y = (value) => floor - share(value) * (floor - box.top);
  const label = (at) => (at >= 0.01 || at === 0 ? String(at) : `10${superscript(Math.log10(at))}`);
  const guides = ticks.map((at) => [
    svg("line", { class: "guide", x1: box.left, x2: right, y1: y(at), y2: y(at) }),
    tick(box.left - 6, y(at) + 4, label(at), "end"),
  ]);
  const below = [1, 8, 64, 512].map((d) => tick(x(d), floor + 16, String(d)));
  const lines = { true: svg("path", { class: "curve scaled" }), false: svg("path", { class: "curve plain" }) };
  const here = svg("line", { class: "here", y1: box.top, y2: floor });
  const dot = svg("circle", { class: "dot", r: 5.5 });
  const number = element("span", { class: "big number" });
  const note = element("span", { class: "note" });
  const drawing = svg(
    "svg",
    { viewBox: `0 0 ${box.width} ${box.height}`, "aria-hidden": "true" },
    guides,
    below,
    here,
    lines.false,
    lines.true,
    dot,
  );
  const node = element(
    "div",
    { class: "panel measure", role: "group", "aria-label": title },
    element("div", { class: "measure-title", text: title }),
    element("div", { class: "measure-value" }, number, " ", note),
    drawing,
  );
  const setCurves = (curves) => {
    for (const scaled of [true, false]) {
      const points = POWERS.map((d, i) => `${x(d).toFixed(1)} ${y(curves[scaled][i][name]).toFixed(1)}`);
      lines[scaled].setAttribute("d", `M${points.join("L")}`);
    }
  };
  const draw = (d, scaled, value, text) => {
    number.textContent = brief(value);
    note.textContent = text;
    setAttributes(here, { x1: x(d), x2: x(d) });
    setAttributes(dot, { cx: x(d), cy: y(value), class: scaled ? "dot scaled" : "dot plain" });
    for (const which of [true, false]) lines[which].classList.toggle("chosen", which === scaled);
  };
  return { node, draw, setCurves, told: () => `${title} ${number.textContent}` };
}

// The key to the curves: colour and dash.
function curveKey() {
  const sample = (kind) =>
    svg(
      "svg",
      { class: "sample", viewBox: "0 0 34 10", "aria-hidden": "true" },
      svg("path", { class: `curve chosen ${kind}`, d: "M1 5H33" }),
    );
  return element(
    "div",
    { class: "row key-line" },
    element("span", { class: "note", text: "Over all dₖ, from this sample:" }),
    sample("scaled"),
    element("span", { text: "divided by √dₖ" }),
    sample("plain"),
    element("span", { text: "not divided" }),
  );
}
