const LARGEST = 512,
  NUM_QUERIES = 256,
  NUM_KEYS = 16,
  KEY_SETS = 8;
const POWERS = Array.from({ length: 10 }, (_, i) => 2 ** i);
const STOPS = [...new Set(Array.from({ length: 37 }, (_, i) => Math.round(2 ** (i / 4))))];
const MOST_BITS = Math.log2(NUM_KEYS);
const HISTOGRAM = { width: 440, height: 190, left: 14, right: 14, top: 12, bottom: 26, reach: 60 };
const WEIGHTS = { width: 440, height: 190, left: 34, right: 8, top: 14, bottom: 26 };
const CURVE = { width: 290, height: 150, left: 40, right: 14, top: 12, bottom: 24 };
const MEASURES = {
  variance: { title: "Variance of the scores", low: 0.3, high: 2000, log: true, ticks: [1, 10, 100, 1000] },
  entropy: { title: "Entropy of the weights", low: 0, high: 4.4, log: false, ticks: [0, 1, 2, 3, 4] },
  gradient: {
    title: "Gradient through the softmax",
    low: 1e-4,
    high: 1,
    log: true,
    ticks: [0.0001, 0.001, 0.01, 0.1, 1],
  },
};

// Repeatable random numbers from 0 to 1 (mulberry32).
function uniform(seed) {
  let state = (seed * 2654435761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// Independent normal numbers of mean 0 and variance 1 (Box and Muller's method).
function normals(count, next) {
  const list = new Float32Array(count);
  for (let i = 0; i < count; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - next())),
      angle = 2 * Math.PI * next();
    list[i] = radius * Math.cos(angle);
    if (i + 1 < count) list[i + 1] = radius * Math.sin(angle);
  }
  return list;
}

// Queries and keys of the largest dₖ; a smaller dₖ uses their first entries, so that the slider changes nothing else.
function newSample(seed) {
  const next = uniform(seed + 1);
  return { query: normals(NUM_QUERIES * LARGEST, next), key: normals(KEY_SETS * NUM_KEYS * LARGEST, next) };
}

// Adds the entries `from` … `to` of queries and keys to the scores q · k, (query, key); each eighth of the queries has
// keys of its own.
function addToScores(scores, { query, key }, from, to) {
  const perSet = NUM_QUERIES / KEY_SETS;
  for (let i = 0; i < NUM_QUERIES; i += 1) {
    const set = Math.floor(i / perSet) * NUM_KEYS;
    for (let j = 0; j < NUM_KEYS; j += 1) {
      const mine = i * LARGEST,
        theirs = (set + j) * LARGEST;
      let total = 0;
      for (let k = from; k < to; k += 1) total += query[mine + k] * key[theirs + k];
      scores[i * NUM_KEYS + j] += total;
    }
  }
  return scores;
}

function rawScores(sample, d) {
  return addToScores(new Float64Array(NUM_QUERIES * NUM_KEYS), sample, 0, d);
}

// What the curves show: every power of two, divided and not.
function measureAll(sample) {
  const scores = new Float64Array(NUM_QUERIES * NUM_KEYS);
  const curves = { true: [], false: [] };
  POWERS.forEach((d, i) => {
    addToScores(scores, sample, i ? POWERS[i - 1] : 0, d);
    for (const scaled of [true, false]) curves[scaled].push(measure(scores, d, scaled));
  });
  return curves;
}

function median(values) {
  const sorted = Float64Array.from(values).sort();
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

// Entropy in bits of one row of weights.
function entropy(weights) {
  let bits = 0;
  for (const weight of weights) if (weight > 0) bits -= weight * Math.log2(weight);
  return bits;
}

// Frobenius norm of the softmax's Jacobian diag(w) − w wᵀ, in closed form.
function jacobianNorm(weights) {
  let squares = 0,
    cubes = 0;
  for (const weight of weights) {
    squares += weight ** 2;
    cubes += weight ** 3;
  }
  return Math.sqrt(Math.max(0, squares - 2 * cubes + squares ** 2));
}

// Everything shown for one dₖ, measured on the sample.
function measure(raw, d, scaled) {
  const scores = scaled ? raw.map((score) => score / Math.sqrt(d)) : raw;
  const middle = mean(scores);
  const rows = Array.from({ length: NUM_QUERIES }, (_, i) =>
    softmax(scores.subarray(i * NUM_KEYS, (i + 1) * NUM_KEYS)),
  );
  return {
    scores,
    rows,
    variance: mean(scores.map((score) => (score - middle) ** 2)),
    entropy: mean(rows.map(entropy)),
    largest: mean(rows.map((row) => Math.max(...row))),
    gradient: median(rows.map(jacobianNorm)),
  };
}

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

// Names the powers of two below the slider.
function withTicks(size) {
  const marks = POWERS.map((d) => {
    const part = STOPS.indexOf(d) / (STOPS.length - 1);
    return element("span", { style: { left: `calc(9px + ${part} * (100% - 18px))` }, text: String(d) });
  });
  const scale = element("div", { class: "slider-scale" });
  size.input.replaceWith(scale);
  scale.append(size.input, element("div", { class: "slider-marks", "aria-hidden": "true" }, marks));
}

function nearestStop(d) {
  return STOPS.reduce(
    (best, stop, i) => (Math.abs(Math.log(stop / d)) < Math.abs(Math.log(STOPS[best] / d)) ? i : best),
    0,
  );
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("scale");
  let sample, sampledSeed;
  const size = slider({
    label: "dₖ, the width of queries and keys",
    caption: element("span", {}, element("i", { text: "d" }), element("sub", { text: "k" })),
    min: 0,
    max: STOPS.length - 1,
    step: 1,
    value: nearestStop(model.get("d_head")),
    format: (i) => String(STOPS[i]),
    signal,
    onInput: (i) => change(model, { d_head: STOPS[i] }),
  });
  const divide = toggleButton({
    label: "divide by √dₖ",
    pressed: model.get("scaled"),
    signal,
    onToggle: (on) => change(model, { scaled: on }),
  });
  const again = button({
    label: "new sample",
    signal,
    onClick: () => change(model, { seed: (model.get("seed") + 1) % 2 ** 31 }),
  });
  const scores = histogram(),
    weights = weightBars();
  const cards = Object.fromEntries(Object.keys(MEASURES).map((name) => [name, measureCard(name)]));
  const scoreTitle = element("div", { class: "measure-title" });
  const scoreNote = element("div", { class: "note", text: "dashed: the spread that theory expects" });
  const weightTitle = element("div", {
    class: "measure-title",
    text: `Softmax weights of one query over its ${NUM_KEYS} keys`,
  });
  const weightNote = element("div", { class: "note" });
  withTicks(size);
  root.append(
    heading(model.get("label")),
    element("div", { class: "row controls" }, size.node, divide.node, again),
    element(
      "div",
      { class: "pair" },
      element("div", { class: "panel" }, scoreTitle, scoreNote, scores.node),
      element("div", { class: "panel" }, weightTitle, weightNote, weights.node),
    ),
    curveKey(),
    element(
      "div",
      { class: "triple" },
      Object.values(cards).map((card) => card.node),
    ),
    element(
      "p",
      { class: "note" },
      `Measured on ${NUM_QUERIES} random queries with ${NUM_KEYS} keys each (normal entries, variance 1). Entropy: mean over the `,
      "queries. Gradient: ‖∂weights/∂scores‖, the Frobenius norm of the softmax's Jacobian diag(w) − w wᵀ, median over the queries.",
    ),
  );
  const resample = (seed) => {
    sampledSeed = seed;
    sample = newSample(seed);
    const curves = measureAll(sample);
    Object.values(cards).forEach((card) => card.setCurves(curves));
  };
  const draw = () => {
    const d = model.get("d_head"),
      scaled = model.get("scaled");
    if (sampledSeed !== model.get("seed")) resample(model.get("seed"));
    const found = measure(rawScores(sample, d), d, scaled);
    const expected = scaled ? 1 : d;
    scoreTitle.textContent = `${found.scores.length} scores ${scaled ? "q · k ÷ √dₖ" : "q · k"}`;
    const largest = `largest ${format(Math.max(...found.rows[0]))}, on average over all queries ${format(found.largest)}`;
    weightNote.textContent = `${largest}; dashed: all alike`;
    scores.draw(found, Math.sqrt(expected));
    weights.draw(found.rows[0]);
    cards.variance.draw(d, scaled, found.variance, `expected: ${scaled ? "1" : `dₖ = ${d}`}`);
    cards.entropy.draw(d, scaled, found.entropy, `of at most ${format(MOST_BITS, 0)} bits`);
    cards.gradient.draw(d, scaled, found.gradient, "norm for the typical query");
  };
  const redraw = promptly(draw, signal);
  const say = () => {
    if (STOPS[size.get()] !== model.get("d_head")) {
      size.set(nearestStop(model.get("d_head")));
      size.output.textContent = String(model.get("d_head"));
      size.input.setAttribute("aria-valuetext", String(model.get("d_head")));
    }
    divide.set(model.get("scaled"));
    redraw();
  };
  onChange(model, signal, ["d_head", "scaled", "seed"], say);
  const tell = () => {
    const parts = [`dₖ ${model.get("d_head")}`, ...Object.values(cards).map((card) => card.told())];
    announce(root, `${parts.join(", ")}.`);
  };
  for (const control of [divide.node, again])
    control.addEventListener("click", () => requestAnimationFrame(tell), { signal });
  draw();
  return cleanup;
}

export default { render };
