// The position explorer's charts: curves over the offset, waves, and the picture of all numbers.

const CURVE = { width: 460, height: 250, left: 52, right: 14, top: 14, bottom: 42 };
const WAVE = { width: 620, height: 96, left: 34, right: 12, top: 8, bottom: 20 };
const DIAL = 62;

// Score over offset: one line for each reference position.
function curveChart(length) {
  const box = CURVE,
    floor = box.height - box.bottom,
    right = box.width - box.right;
  const x = (offset) => box.left + ((offset + length - 1) / (2 * length - 2)) * (right - box.left);
  const quarter = Math.floor(length / 4) * 2;
  const below = [-quarter, -quarter / 2, 0, quarter / 2, quarter].map((at) => [
    svg("line", { class: "guide", x1: x(at), x2: x(at), y1: box.top, y2: floor }),
    svg("text", {
      class: "tick",
      x: x(at),
      y: floor + 16,
      "text-anchor": "middle",
      text: at > 0 ? `+${at}` : format(at, 0),
    }),
  ]);
  const side = svg("g");
  const lines = STYLES.map((style) => svg("path", { class: `curve ${style}` }));
  const name = svg("text", {
    class: "tick",
    x: (box.left + right) / 2,
    y: box.height - 6,
    "text-anchor": "middle",
    text: "offset: key position − reference position",
  });
  const node = svg(
    "svg",
    { viewBox: `0 0 ${box.width} ${box.height}`, role: "img" },
    below,
    side,
    svg("path", { class: "axis", d: `M${box.left} ${floor}H${right}` }),
    name,
    lines,
  );
  const draw = (matrix, [least, most], references, told) => {
    const margin = (most - least || Math.abs(most) || 1) * 0.05;
    const low = least - margin,
      high = most + margin;
    const y = (value) => floor - ((value - low) / (high - low)) * (floor - box.top);
    const { list, digits } = ticks(low, high, 5);
    side.replaceChildren(
      ...list.flatMap((at) => [
        svg("line", { class: at === 0 ? "guide zero" : "guide", x1: box.left, x2: right, y1: y(at), y2: y(at) }),
        svg("text", { class: "tick", x: box.left - 6, y: y(at) + 4, "text-anchor": "end", text: format(at, digits) }),
      ]),
    );
    lines.forEach((line, n) => {
      const i = references[n];
      const points = Array.from({ length }, (_, j) => `${x(j - i).toFixed(1)} ${y(matrix[i * length + j]).toFixed(1)}`);
      line.setAttribute("d", `M${points.join("L")}`);
    });
    node.setAttribute("aria-label", told);
  };
  return { node, draw };
}

// One clock hand with its wave beside it: a pair of features of `width` wide waves.
function wavePair(length) {
  let waves, width, pair;
  const at = (p, k) => waves[p * width + 2 * pair + k];
  const middle = DIAL / 2,
    reach = middle - 5;
  const hand = svg("line", { class: "hand", x1: middle, y1: middle });
  const tip = svg("circle", { class: "tip", r: 4 });
  const dial = svg(
    "svg",
    { class: "dial", viewBox: `0 0 ${DIAL} ${DIAL}`, "aria-hidden": "true" },
    svg("circle", { class: "rim", cx: middle, cy: middle, r: reach }),
    svg("path", { class: "guide", d: `M${middle} 5V${DIAL - 5}M5 ${middle}H${DIAL - 5}` }),
    hand,
    tip,
  );
  const floor = WAVE.height - WAVE.bottom;
  const x = (p) => WAVE.left + (p / (length - 1)) * (WAVE.width - WAVE.left - WAVE.right);
  const y = (value) => WAVE.top + ((1 - value) / 2) * (floor - WAVE.top);
  const curves = ["sine", "cosine"].map((name) => svg("path", { class: `curve ${name}` }));
  const path = (k) => `M${Array.from({ length }, (_, p) => `${x(p).toFixed(1)} ${y(at(p, k)).toFixed(1)}`).join("L")}`;
  const here = svg("line", { class: "here", y1: WAVE.top, y2: floor });
  const dots = [0, 1].map((k) => svg("circle", { class: k ? "dot cosine" : "dot sine", r: 4.5 }));
  const chart = svg(
    "svg",
    { class: "wave", viewBox: `0 0 ${WAVE.width} ${WAVE.height}`, "aria-hidden": "true" },
    [-1, 0, 1].map((level) => [
      svg("line", { class: "guide", x1: WAVE.left, x2: WAVE.width - WAVE.right, y1: y(level), y2: y(level) }),
      svg("text", { class: "tick", x: WAVE.left - 6, y: y(level) + 4, "text-anchor": "end", text: format(level, 0) }),
    ]),
    Array.from({ length: Math.floor((length - 1) / 8) + 1 }, (_, n) =>
      svg("text", { class: "tick", x: x(8 * n), y: WAVE.height - 4, "text-anchor": "middle", text: 8 * n }),
    ),
    curves,
    here,
    dots,
  );
  const sum = element("div", { class: "number pe-sum" });
  const node = element("div", { class: "pe-pair" }, dial, element("div", { class: "grow" }, sum, chart));
  const set = (newWaves, newWidth, newPair) => {
    [waves, width, pair] = [newWaves, newWidth, newPair];
    curves.forEach((curve, k) => curve.setAttribute("d", path(k)));
  };
  const draw = (p) => {
    const [sine, cosine] = [at(p, 0), at(p, 1)];
    setAttributes(hand, { x2: middle + reach * cosine, y2: middle - reach * sine });
    setAttributes(tip, { cx: middle + reach * cosine, cy: middle - reach * sine });
    setAttributes(here, { x1: x(p), x2: x(p) });
    dots.forEach((dot, k) => setAttributes(dot, { cx: x(p), cy: y(at(p, k)) }));
    const angle = format(p / 10000 ** ((2 * pair) / width));
    const written = (name, value) =>
      `${name}(${p} / 10000^(${2 * pair}/${width})) = ${name}(${angle}) = ${format(value)}`;
    sum.replaceChildren(
      element("b", { class: "sine-text", text: written("sin", sine) }),
      element("br"),
      element("b", { class: "cosine-text", text: written("cos", cosine) }),
    );
  };
  return { node, set, draw };
}

// The picture of all numbers, and what is read from it.
function numberPicture({ root, length, arrays, chosen, variant, showsVectors }) {
  // ---------------------------------------------------------------- the picture
  const painting = element("canvas", focusable({ class: "pe-canvas", role: "img" }));
  const caption = element("div", { class: "pe-title" });
  const read = element("div", { class: "note pe-read" });
  const ends = [element("span"), element("span")];
  const bar = element("i");

  const shownMatrix = () => {
    const { scores, limits, vectors } = arrays[chosen().name];
    return showsVectors()
      ? { values: vectors, columns: chosen().features, limits: range(vectors) }
      : { values: scores[variant()], columns: length, limits };
  };

  function paint() {
    const { values, columns, limits } = shownMatrix();
    const limit = Math.max(-limits[0], limits[1]) || 1;
    const table = new Uint32Array(colourTable(root, "diverging").buffer);
    painting.width = columns;
    painting.height = length;
    const context = painting.getContext("2d");
    const image = context.createImageData(columns, length);
    const pixels = new Uint32Array(image.data.buffer);
    values.forEach((value, i) => {
      pixels[i] = table[clamp(Math.floor((value / limit) * 127.5 + 128), 0, 255)];
    });
    context.putImageData(image, 0, 0);
    const digits = limit < 10 ? 2 : 0;
    ends[0].textContent = format(-limit, digits);
    ends[1].textContent = format(limit, digits);
    bar.style.background = divergingRamp(root, 5);
    const what = showsVectors() ? chosen().vectorsAre : `${chosen().measures}, query position by key position`;
    caption.replaceChildren(what, " ", element("span", { class: "shape", text: `(${length}, ${columns})` }));
    const [low, high] = range(values);
    painting.setAttribute("aria-label", `${chosen().name}: ${what}, from ${format(low)} to ${format(high)}.`);
  }

  // ---------------------------------------------------------------- reading numbers
  const cursor = { column: 0 };
  function tell(row, column) {
    const { values, columns } = shownMatrix();
    cursor.column = clamp(column, 0, columns - 1);
    const value = format(values[row * columns + cursor.column], 3);
    read.textContent = showsVectors()
      ? `position ${row}, feature ${cursor.column}: ${value}`
      : `query at ${row}, key at ${cursor.column}, offset ${format(cursor.column - row, 0)}: ${value}`;
  }
  const cell = (event) => {
    const box = painting.getBoundingClientRect();
    const { columns } = shownMatrix();
    return [
      clamp(Math.floor(((event.clientY - box.top) / box.height) * length), 0, length - 1),
      Math.floor(((event.clientX - box.left) / box.width) * columns),
    ];
  };
  return { painting, caption, read, ends, bar, paint, tell, cell, shownMatrix, cursor };
}
