// The position explorer: one scheme's picture, its score over the offset, and the waves worked out by hand.

import { arrowMove, heading, radioRow, select, slider } from "../_kit/controls.js";
import { announce, element, focusable, listen, prose, svg } from "../_kit/elements.js";
import { clamp, floats, format } from "../_kit/format.js";
import { change, frame, onChange, widgetRoot } from "../_kit/life.js";
import { sameRoom } from "../_kit/same_room.js";
import { onTheme } from "../_kit/theme.js";
import { curveChart, numberPicture, offsetTable, range, STYLES, wavePair } from "./charts.js";

const SAME = 1e-3; // scores at one offset that differ by no more than this share of all their range count as the same
const COMPARED = [0.25, 0.5, 0.75]; // where, as parts of the length, the other reference positions stand

// Cuts the buffer into {name: {scores: [matrix], limits, vectors}} and the waves of the worked example. `limits` are
// the lowest and highest of all its matrices, so that one scale serves to compare them.
function unpackSchemes(data, schemes, length) {
  const arrays = {};
  let start = 0;
  const take = (count) => data.subarray(start, (start += count));
  for (const { name, variants, features } of schemes) {
    const scores = Array.from({ length: variants }, () => take(length * length));
    const ranges = scores.map(range);
    const limits = [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))];
    arrays[name] = { scores, limits, vectors: features ? take(length * features) : null };
  }
  return { arrays, waves: data.subarray(start) };
}

// How much scores of one offset differ between reference positions, as a share of the range of all scores.
function spread(matrix, length) {
  const [low, high] = range(matrix);
  let widest = 0;
  for (let offset = 1 - length; offset < length; offset += 1) {
    const diagonal = [];
    for (let i = Math.max(0, -offset); i < Math.min(length, length - offset); i += 1)
      diagonal.push(matrix[i * length + i + offset]);
    const [least, most] = range(diagonal);
    widest = Math.max(widest, most - least);
  }
  return { share: widest / (high - low || 1), widest };
}

// The numbers over the offset, and whether they depend on it alone.
function offsetPanel({ root, model, signal, length, arrays, chosen, variant }) {
  const verdict = element("div", { class: "pe-verdict", role: "status" });
  const chart = curveChart(length, signal, drawKey);
  const near = offsetTable(length);
  const chartTitle = element("div", { class: "pe-title" });
  const key = element("div", { class: "row pe-key" });
  const references = () => [model.get("position"), ...COMPARED.map((part) => Math.round(part * (length - 1)))];

  function drawCurves() {
    const { scores, limits } = arrays[chosen().name];
    const matrix = scores[variant()];
    const found = spread(matrix, length);
    const same = found.share <= SAME;
    verdict.className = same ? "pe-verdict ok" : "pe-verdict wrong";
    verdict.textContent = same
      ? "Depends only on the offset: all curves lie on each other " +
        `(${found.widest ? "rounding apart, " : ""}equal numbers at equal offsets).`
      : `Not only on the offset: at equal offsets the numbers differ by up to ${format(found.widest)}.`;
    chartTitle.textContent = `Over the offset: ${chosen().measures}`;
    const list = references();
    near.draw(matrix, list);
    chart.draw(
      matrix,
      limits,
      list,
      `${chosen().name}, ${chosen().measures} over the offset from positions ${list.join(", ")}. ` +
        `${verdict.textContent}`,
    );
    drawKey(null);
  }

  // The samples of the lines and, at an offset that is pointed at, their numbers.
  function drawKey(offset) {
    const matrix = arrays[chosen().name].scores[variant()];
    const numberFrom = (i) => {
      const inside = offset !== null && i + offset >= 0 && i + offset < length;
      return inside ? format(matrix[i * length + i + offset]) : "";
    };
    const sign = offset > 0 ? `+${offset}` : format(offset ?? 0, 0);
    key.replaceChildren(
      element("span", { class: "note", text: offset === null ? "from position" : `at offset ${sign}, from position` }),
      ...references().map((i, n) =>
        element(
          "span",
          { class: "pe-sample" },
          svg(
            "svg",
            { width: 26, height: 10, "aria-hidden": "true" },
            svg("path", { class: `curve ${STYLES[n]}`, d: "M1 5H25" }),
          ),
          `${i}`,
          element("b", { text: numberFrom(i) }),
        ),
      ),
    );
    if (document.activeElement === chart.node && offset !== null) announce(root, key.textContent);
  }
  return { verdict, chart, chartTitle, key, near, drawCurves };
}

function render({ model, el }) {
  const schemes = model.get("schemes"),
    length = model.get("length");
  const { arrays, waves } = unpackSchemes(floats(model.get("data")), schemes, length);
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("positions");
  const chosen = () => schemes.find(({ name }) => name === model.get("scheme")) ?? schemes[0];
  const variant = () => clamp(model.get("variant"), 0, chosen().variants - 1);
  const showsVectors = () => Boolean(chosen().features) && model.get("picture") === "vectors";

  // ---------------------------------------------------------------- choices
  const choices = Object.fromEntries(schemes.map(({ name }) => [name, name]));
  const names = radioRow({
    label: "Scheme",
    choices,
    signal,
    onChoose: (scheme) => change(model, { scheme, variant: 0 }),
  });
  const variants = select({
    label: "Drawn for",
    options: [""],
    signal,
    onChange: (value) => change(model, { variant: Number(value) }),
  });
  const pictures = select({
    label: "Picture",
    options: [
      { value: "vectors", label: "the vectors" },
      { value: "scores", label: "position by position" },
    ],
    signal,
    onChange: (value) => change(model, { picture: value }),
  });
  const place = slider({
    label: "reference position",
    min: 0,
    max: length - 1,
    step: 1,
    value: model.get("position"),
    format: (p) => String(p),
    signal,
    onInput: (p) => change(model, { position: p }),
  });
  const { painting, caption, read, ends, bar, paint, tell, cell, shownMatrix, cursor } = numberPicture({
    root,
    length,
    arrays,
    chosen,
    variant,
    showsVectors,
  });
  const line = element("span", { class: "pe-line", "aria-hidden": "true" });
  const frameBox = element("div", { class: "pe-frame" }, painting, line);
  const abouts = sameRoom(
    schemes.map(({ how, formula, source }) =>
      element(
        "div",
        {},
        element("p", { class: "pe-how" }, prose(how)),
        element(
          "div",
          { class: "row" },
          element("div", { class: "pe-formula number", text: formula }),
          element("span", { class: "note", text: source }),
        ),
      ),
    ),
    { class: "pe-about" },
  );
  const { verdict, chart, chartTitle, key, near, drawCurves } = offsetPanel({
    root,
    model,
    signal,
    length,
    arrays,
    chosen,
    variant,
  });
  const wide = schemes.find(({ name }) => name === "sinusoidal");
  const pairs = model.get("has_waves") && wide ? [0, 1, 2].map(() => wavePair(length, signal)) : [];
  const pairSlider = slider({
    label: "pair of features",
    min: 0,
    max: wide ? wide.features / 2 - 1 : 0,
    step: 1,
    value: 4,
    format: (i) => `${2 * i}, ${2 * i + 1}`,
    signal,
    onInput: (i) => pairs[2].set(wide.features, i),
  });
  const vectorText = element("b", { class: "number pe-vector" });
  const byHand = (title, ...parts) =>
    element(
      "div",
      { class: "panel", role: "group", "aria-label": "Worked example" },
      element("div", { class: "pe-title" }, title, " ", parts[0]),
      parts.slice(1),
    );
  const table = byHand(
    "By hand: the numbers at the nearest offsets; equal columns mean that only the offset counts",
    "",
    element(
      "div",
      focusable({ class: "scroll", role: "group", "aria-label": "Numbers at the nearest offsets" }),
      near.table,
    ),
  );
  const example = byHand(
    "By hand, with d_model = 4: two clock hands, one fast, one slow.",
    vectorText,
    element(
      "div",
      { class: "pe-pairs" },
      pairs.map(({ node }, i) =>
        element(
          "div",
          {},
          i < 2 ? element("div", { class: "pe-which", text: `features ${2 * i} and ${2 * i + 1}` }) : pairSlider.node,
          node,
        ),
      ),
    ),
  );
  const examples = sameRoom(pairs.length ? [table, example] : [table], { class: "pe-example" });
  root.append(
    heading(model.get("label")),
    names.node,
    abouts.node,
    element("div", { class: "row pe-controls" }, place.node, pictures.node, variants.node),
    element(
      "div",
      { class: "pe-two" },
      element(
        "div",
        { class: "panel" },
        caption,
        frameBox,
        element("div", { class: "pe-scale" }, ends[0], bar, ends[1]),
        read,
      ),
      element("div", { class: "panel" }, chartTitle, chart.node, key, verdict),
    ),
    examples.node,
  );

  function drawPosition() {
    const p = model.get("position");
    line.style.top = `${(p / length) * 100}%`;
    line.style.height = `${100 / length}%`;
    drawCurves();
    if (!pairs.length) return;
    pairs.forEach((pair) => pair.draw(p));
    const numbers = Array.from(waves.subarray(4 * p, 4 * p + 4), (value) => format(value));
    vectorText.textContent = `position ${p} → (${numbers.join(", ")})`;
  }

  function draw() {
    const scheme = chosen();
    names.set(scheme.name);
    abouts.show(schemes.indexOf(scheme));
    variants.setOptions(scheme.variantNames.map((label, value) => ({ value, label })));
    variants.set(variant());
    variants.node.classList.toggle("away", scheme.variants < 2);
    pictures.node.classList.toggle("away", !scheme.features);
    pictures.set(model.get("picture"));
    examples.show(pairs.length && scheme.name === "sinusoidal" ? 1 : 0);
    read.textContent = "Point at the picture, or use the arrow keys on it.";
    paint();
    drawPosition();
  }
  const redraw = frame(draw, signal);
  const move = frame(drawPosition, signal);
  listen(painting, "pointermove", signal, (event) => tell(...cell(event)));
  listen(painting, "pointerdown", signal, (event) => change(model, { position: cell(event)[0] }));
  listen(painting, "keydown", signal, (event) => {
    const to = arrowMove(event, model.get("position"), cursor.column, length, shownMatrix().columns);
    if (!to) return;
    event.preventDefault();
    if (to[0] !== model.get("position")) change(model, { position: to[0] });
    tell(...to);
    announce(root, read.textContent);
  });

  onChange(model, signal, ["scheme", "variant", "picture"], redraw);
  onChange(model, signal, "position", () => {
    if (place.get() !== model.get("position")) place.set(model.get("position"));
    move();
  });
  onTheme(root, signal, redraw);
  pairs.forEach((pair, i) => pair.set(i < 2 ? 4 : wide.features, i < 2 ? i : pairSlider.get()));
  draw();
  return cleanup;
}

export default { render };
