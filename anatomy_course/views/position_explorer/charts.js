// The position explorer's charts: curves over the offset, waves, and the picture of all numbers.

import { element, focusable, listen, setAttributes, svg } from "../_kit/elements.js";
import { clamp, format, ticks } from "../_kit/format.js";
import { onWidth } from "../_kit/life.js";
import { colorTable, divergingRamp } from "../_kit/theme.js";

export const STYLES = ["chosen", "one", "two", "three"];

export function range(values) {
  let low = Infinity,
    high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

const CURVE = { height: 196, left: 46, right: 14, top: 8, bottom: 38 };
const WAVE = { height: 84, left: 26, right: 8, top: 8, bottom: 20 };
const DIAL = 62;
const FINE = 4; // points of a wave per position: whole positions make a zigzag of a fast one

// Score over offset: one line for each reference position. `onPoint(offset)` hears which offset is pointed at.
export function curveChart(length, signal, onPoint) {
  const floor = CURVE.height - CURVE.bottom;
  const lines = STYLES.map((style) => svg("path", { class: `curve ${style}` }));
  const behind = svg("g");
  const name = svg("text", {
    class: "tick",
    y: CURVE.height - 5,
    "text-anchor": "middle",
    text: "offset: key position − reference position",
  });
  const here = svg("line", { class: "here", y1: CURVE.top, y2: floor });
  const parts = [behind, name, lines, here];
  const node = svg("svg", focusable({ class: "pe-curves", role: "img", height: CURVE.height }), parts);
  let pointed = null;
  let wide = 460; // until it is laid out
  let last = null;

  const x = (offset) => CURVE.left + ((offset + length - 1) / (2 * length - 2)) * (wide - CURVE.right - CURVE.left);

  const draw = (matrix, [least, most], references, told) => {
    last = [matrix, [least, most], references, told];
    const right = wide - CURVE.right;
    const margin = (most - least || Math.abs(most) || 1) * 0.05;
    const low = least - margin,
      high = most + margin;
    const y = (value) => floor - ((value - low) / (high - low)) * (floor - CURVE.top);
    const { list, digits } = ticks(low, high, 4);
    const quarter = Math.floor(length / 4) * 2;
    behind.replaceChildren(
      ...[-quarter, -quarter / 2, 0, quarter / 2, quarter].flatMap((at) => [
        svg("line", { class: "guide", x1: x(at), x2: x(at), y1: CURVE.top, y2: floor }),
        svg("text", {
          class: "tick",
          x: x(at),
          y: floor + 15,
          "text-anchor": "middle",
          text: at > 0 ? `+${at}` : format(at, 0),
        }),
      ]),
      ...list.flatMap((at) => [
        svg("line", { class: at === 0 ? "guide zero" : "guide", x1: CURVE.left, x2: right, y1: y(at), y2: y(at) }),
        svg("text", { class: "tick", x: CURVE.left - 6, y: y(at) + 4, "text-anchor": "end", text: format(at, digits) }),
      ]),
      svg("path", { class: "axis", d: `M${CURVE.left} ${floor}H${right}` }),
    );
    name.setAttribute("x", (CURVE.left + right) / 2);
    lines.forEach((line, n) => {
      const i = references[n];
      const points = Array.from({ length }, (_, j) => `${x(j - i).toFixed(1)} ${y(matrix[i * length + j]).toFixed(1)}`);
      line.setAttribute("d", `M${points.join("L")}`);
    });
    node.setAttribute("aria-label", told);
    point(null);
  };

  const point = (offset) => {
    pointed = offset === null ? null : clamp(offset, 1 - length, length - 1);
    setAttributes(here, { x1: x(pointed ?? 0), x2: x(pointed ?? 0), class: pointed === null ? "here away" : "here" });
    onPoint(pointed);
  };
  listen(node, "pointermove", signal, (event) => {
    const part = (event.clientX - node.getBoundingClientRect().left - CURVE.left) / (wide - CURVE.right - CURVE.left);
    point(Math.round(part * (2 * length - 2)) - (length - 1));
  });
  listen(node, ["pointerleave", "blur"], signal, () => point(null));
  listen(node, "keydown", signal, (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    point((pointed ?? -by) + by);
  });
  onWidth(node, signal, (width) => {
    wide = width;
    if (last) draw(...last);
  });
  return { node, draw };
}

// The scores at the nearest offsets, a row for each reference position: equal in every column, or not.
export function offsetTable(length) {
  const table = element("table", { class: "pe-table number" });
  const draw = (matrix, references) => {
    const offsets = Array.from({ length: 9 }, (_, n) => n - 4);
    const at = (i, offset) => (i + offset >= 0 && i + offset < length ? matrix[i * length + i + offset] : null);
    const sign = (offset) => (offset > 0 ? `+${offset}` : format(offset, 0));
    table.replaceChildren(
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("th", { scope: "col", text: "offset" }),
          offsets.map((offset) => element("th", { scope: "col", text: sign(offset) })),
        ),
      ),
      element(
        "tbody",
        {},
        references.map((i) =>
          element(
            "tr",
            {},
            element("th", { scope: "row", text: `from ${i}` }),
            offsets.map((offset) => element("td", { text: at(i, offset) === null ? "" : format(at(i, offset)) })),
          ),
        ),
      ),
    );
  };
  return { table, draw };
}

// One clock hand with its wave below: features 2 · pair and 2 · pair + 1 of `width` wide waves.
export function wavePair(length, signal) {
  let [width, pair, position] = [4, 0, 0];
  let wide = 240;
  const angle = (p) => p / 10000 ** ((2 * pair) / width);
  const middle = DIAL / 2,
    reach = middle - 5;
  const hand = svg("line", { class: "hand", x1: middle, y1: middle });
  const tip = svg("circle", { class: "tip", r: 4 });
  const dial = svg(
    "svg",
    { class: "dial", width: DIAL, height: DIAL, "aria-hidden": "true" },
    svg("circle", { class: "rim", cx: middle, cy: middle, r: reach }),
    svg("path", { class: "guide", d: `M${middle} 5V${DIAL - 5}M5 ${middle}H${DIAL - 5}` }),
    hand,
    tip,
  );
  const floor = WAVE.height - WAVE.bottom;
  const x = (p) => WAVE.left + (p / (length - 1)) * (wide - WAVE.left - WAVE.right);
  const y = (value) => WAVE.top + ((1 - value) / 2) * (floor - WAVE.top);
  const curves = [Math.sin, Math.cos].map((wave, k) => ({
    wave,
    path: svg("path", { class: `curve ${k ? "cosine" : "sine"}` }),
    dot: svg("circle", { class: k ? "dot cosine" : "dot sine", r: 4.5 }),
  }));
  const behind = svg("g");
  const here = svg("line", { class: "here", y1: WAVE.top, y2: floor });
  const chart = svg(
    "svg",
    { class: "wave", height: WAVE.height, "aria-hidden": "true" },
    behind,
    curves.map(({ path }) => path),
    here,
    curves.map(({ dot }) => dot),
  );
  const sum = element("div", { class: "number pe-sum" });
  const node = element("div", { class: "pe-pair" }, sum, element("div", { class: "pe-hand" }, dial, chart));

  function drawWave() {
    const step = Math.max(1, Math.ceil(length / 8 / Math.max(1, Math.floor(wide / 34)))) * 8;
    behind.replaceChildren(
      ...[-1, 0, 1].flatMap((level) => [
        svg("line", { class: "guide", x1: WAVE.left, x2: wide - WAVE.right, y1: y(level), y2: y(level) }),
        svg("text", { class: "tick", x: WAVE.left - 6, y: y(level) + 4, "text-anchor": "end", text: format(level, 0) }),
      ]),
      ...Array.from({ length: Math.floor((length - 1) / step) + 1 }, (_, n) =>
        svg("text", { class: "tick", x: x(step * n), y: WAVE.height - 4, "text-anchor": "middle", text: step * n }),
      ),
    );
    for (const { wave, path } of curves) {
      const points = Array.from({ length: FINE * (length - 1) + 1 }, (_, n) => n / FINE);
      path.setAttribute("d", `M${points.map((p) => `${x(p).toFixed(1)} ${y(wave(angle(p))).toFixed(1)}`).join("L")}`);
    }
    draw(position);
  }

  const set = (newWidth, newPair) => {
    [width, pair] = [newWidth, newPair];
    drawWave();
  };
  const draw = (p) => {
    position = p;
    const [sine, cosine] = curves.map(({ wave }) => wave(angle(p)));
    setAttributes(hand, { x2: middle + reach * cosine, y2: middle - reach * sine });
    setAttributes(tip, { cx: middle + reach * cosine, cy: middle - reach * sine });
    setAttributes(here, { x1: x(p), x2: x(p) });
    curves.forEach(({ dot }, k) => setAttributes(dot, { cx: x(p), cy: y(k ? cosine : sine) }));
    const written = (name, value) =>
      `${name}(${p}/10000^(${2 * pair}/${width})) = ${name}(${format(angle(p))}) = ${format(value)}`;
    sum.replaceChildren(
      element("b", { class: "sine-text", text: written("sin", sine) }),
      element("br"),
      element("b", { class: "cosine-text", text: written("cos", cosine) }),
    );
  };
  onWidth(chart, signal, (now) => {
    wide = now;
    drawWave();
  });
  return { node, set, draw };
}

// The picture of all numbers, and what is read from it.
export function numberPicture({ root, length, arrays, chosen, variant, showsVectors }) {
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
    const table = new Uint32Array(colorTable(root, "diverging").buffer);
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
