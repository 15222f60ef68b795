// The mixer: a few vectors on a map, weights that always sum to 1, and the vector that they mix.

import { button, heading, slider } from "../_kit/controls.js";
import { announce, element, shorten, word } from "../_kit/elements.js";
import { clamp, floats, format } from "../_kit/format.js";
import { change, onChange, promptly, tween, widgetRoot } from "../_kit/life.js";
import { average, drawMap, weightsTowards } from "./map.js";

const STEP = 0.01;
const DIGITS = 2;
const MOVE_MS = 450;

// The weights after word `index` was dragged to `weight`: the others keep the proportions they had in `before`.
function renormalised(before, index, weight) {
  const rest = before.reduce((total, value, i) => (i === index ? total : total + value), 0);
  const others = before.length - 1;
  const after = before.map((value, i) => {
    if (i === index) return weight;
    return rest > 1e-9 ? (value / rest) * (1 - weight) : (1 - weight) / others;
  });
  return exactly(after);
}

// Takes the rounding error out of the largest weight, so that the sum is 1.
function exactly(weights) {
  const total = weights.reduce((sum, value) => sum + value, 0);
  const largest = weights.indexOf(Math.max(...weights));
  return weights.map((value, i) => (i === largest ? value + 1 - total : value));
}

// Weights as printed: rounded so that the printed numbers also add up to 1 (largest remainders are rounded up).
function printedShares(weights, digits = DIGITS) {
  const unit = 10 ** digits;
  const floors = weights.map((value) => Math.floor(value * unit + 1e-9));
  const missing = unit - floors.reduce((sum, value) => sum + value, 0);
  const byRemainder = weights.map((value, i) => [value * unit - floors[i], i]).sort((a, b) => b[0] - a[0]);
  for (const [, i] of byRemainder.slice(0, Math.max(0, missing))) floors[i] += 1;
  return floors.map((value) => value / unit);
}

const pair = ([x, y]) => `(${format(x)}, ${format(y)})`;
const vectorName = (text, mark = "x") =>
  element("span", { class: "vector" }, mark, element("sub", {}, word(shorten(text, 12))));

// One row of the table: the word, its slider, its weight, its vector, and their product.
function weightRow(text, { signal, isFocus, onInput }) {
  const caption = word(shorten(text, 12), { title: text });
  const control = slider({
    label: `weight of ${text}`,
    caption,
    min: 0,
    max: 1,
    step: STEP,
    value: 0,
    tint: "weights",
    signal,
    onInput,
  });
  const place = element("span", { class: "number vector-value" });
  const product = element("span", { class: "number product" });
  const node = element(
    "div",
    { class: isFocus ? "weight-row focus" : "weight-row", role: "group", "aria-label": text },
    control.node,
    place,
    product,
  );
  const draw = (weight, printed, vector) => {
    place.textContent = `· ${pair(vector)}`;
    if (document.activeElement !== control.input || Math.abs(control.get() - weight) > STEP / 2) control.set(weight);
    control.output.textContent = format(printed);
    control.input.setAttribute("aria-valuetext", format(printed));
    product.textContent = `= ${pair([weight * vector[0], weight * vector[1]])}`;
    node.classList.toggle("idle", printed === 0);
  };
  return { node, draw };
}

// Which of the two axes' words the new vector is nearer to, by how much, and how that was without a mixture.
function leadOf(towards, [x, y]) {
  return x < y ? [towards[1], y - x] : [towards[0], x - y];
}

function equation(words, focus, towards) {
  const terms = words.map((text) => ({ factor: element("span", { class: "number factor" }), name: vectorName(text) }));
  const result = element("span", { class: "number result-value" });
  const sum = element("span", { class: "number" });
  const lead = element("div", { class: "line lead-line", hidden: towards.length < 2 });
  const node = element(
    "div",
    { class: "panel equation" },
    element(
      "div",
      { class: "line" },
      vectorName(words[focus], "x′"),
      " = ",
      terms.map(({ factor, name }, i) => [i ? " + " : "", element("span", { class: "term" }, factor, " ", name)]),
    ),
    element(
      "div",
      { class: "line" },
      " = ",
      result,
      element("span", { class: "note" }, " The weights add up to ", sum, "."),
    ),
    lead,
  );
  const draw = (printed, at, own) => {
    printed.forEach((value, i) => {
      terms[i].factor.textContent = format(value);
      terms[i].factor.parentElement.classList.toggle("idle", value === 0);
    });
    result.textContent = pair(at);
    sum.textContent = format(printed.reduce((total, value) => total + value, 0));
    if (towards.length < 2) return;
    const [[name, by], [alone, byAlone]] = [leadOf(towards, at), leadOf(towards, own)];
    lead.replaceChildren(
      element("span", { class: "lead-sample", "aria-hidden": "true" }),
      "lead of ",
      element("b", { text: name }),
      ": ",
      element("b", { class: "number", text: format(by, 3) }),
      element("span", { class: "note", text: ` (${words[focus]} alone: ${alone} by ${format(byAlone, 3)})` }),
    );
  };
  return { node, draw };
}

function render({ model, el }) {
  const words = model.get("words"),
    focus = model.get("focus"),
    axes = model.get("axes"),
    towards = model.get("towards") ?? [];
  const flat = floats(model.get("vector_bytes"));
  const vectors = words.map((_, i) => [flat[2 * i], flat[2 * i + 1]]);
  const own = vectors.map((vector) => [...vector]);
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("mixer");
  let weights = [...model.get("weights")];
  let shown = weights;
  let anchor = { index: -1, weights };
  let stop = () => {};

  const map = drawMap({ words, vectors, focus, axes, towards, signal, onWord: moveWord, onResult: moveResult });
  const sums = equation(words, focus, towards);
  const rows = words.map((text, i) =>
    weightRow(text, { signal, isFocus: i === focus, onInput: (value) => drag(i, value) }),
  );
  const draw = () => {
    const printed = printedShares(shown);
    rows.forEach((row, i) => row.draw(shown[i], printed[i], vectors[i]));
    home.disabled = vectors.every(([x, y], i) => x === own[i][0] && y === own[i][1]);
    sums.draw(printed, map.draw(shown), vectors[focus]);
  };
  const redraw = promptly(draw, signal);

  function save(next) {
    weights = next;
    change(model, { weights });
  }
  function drag(index, value) {
    stop();
    if (anchor.index !== index) anchor = { index, weights };
    save(renormalised(anchor.weights, index, clamp(value, 0, 1)));
    shown = weights;
    redraw();
  }
  const told = () => {
    const [x, y] = average(weights, vectors);
    const [name, by] = leadOf(towards, [x, y]);
    const lead = name ? ` Lead of ${name}: ${format(by, 3)}.` : "";
    return `the new vector of ${words[focus]} is ${format(x)}, ${format(y)}.${lead}`;
  };
  function place(next) {
    next.forEach((vector, i) => vectors[i].splice(0, 2, ...vector));
    redraw();
  }
  function saveWords() {
    change(model, { vector_bytes: new DataView(Float32Array.from(vectors.flat()).buffer) });
  }
  function moveWord(index, vector, done) {
    place(vectors.map((each, i) => (i === index ? vector : each)));
    if (!done) return;
    saveWords();
    announce(root, `${words[index]} moved: ${told()}`);
  }
  function moveResult(target, done) {
    stop();
    anchor = { index: -1, weights };
    save(exactly(weightsTowards(target, weights, vectors)));
    shown = weights;
    redraw();
    if (done) announce(root, told());
  }
  function moveTo(next) {
    stop();
    anchor = { index: -1, weights: next };
    stop = tween(
      shown,
      next,
      MOVE_MS,
      (between) => {
        shown = between;
        draw();
      },
      signal,
    );
  }
  const choose = (name, next) => {
    save(exactly(next));
    moveTo(weights);
    announce(root, `${name}: ${told()}`);
  };
  const home = button({
    label: "words back in place",
    signal,
    onClick: () => {
      place(own);
      saveWords();
      announce(root, `The words are back: ${told()}`);
    },
  });
  const even = words.map(() => 1 / words.length);
  const only = words.map((_, i) => (i === focus ? 1 : 0));
  const presets = [
    ...model.get("presets").map(({ name, weights: wanted }) => [name, wanted]),
    ["all alike", even],
    [`only ${shorten(words[focus], 12)}`, only],
  ];
  root.append(
    heading(model.get("label")),
    element(
      "div",
      { class: "row presets", role: "group", "aria-label": "presets" },
      presets.map(([name, wanted]) => button({ label: word(name), signal, onClick: () => choose(name, wanted) })),
      home,
    ),
    element(
      "div",
      { class: "columns body" },
      map.node,
      element(
        "div",
        { class: "grow stack weights" },
        element(
          "div",
          { class: "weight-head", "aria-hidden": "true" },
          ["word j and its weight", "· vector x", "= product"].map((text) => element("span", { text })),
        ),
        rows.map((row) => row.node),
        sums.node,
        element(
          "p",
          { class: "note" },
          "Drag the diamond, and the weights follow; drag a word, and its vector changes. ",
          "The shaded shape holds every average there is: no weights take the new vector outside it.",
        ),
      ),
    ),
  );
  onChange(model, signal, "vector_bytes", () => {
    const next = floats(model.get("vector_bytes"));
    place(words.map((_, i) => [next[2 * i], next[2 * i + 1]]));
  });
  onChange(model, signal, "weights", () => {
    const next = model.get("weights");
    if (next.every((weight, i) => Math.abs(weight - weights[i]) < 1e-6)) return;
    weights = [...next];
    moveTo(weights);
  });
  draw();
  return cleanup;
}

export default { render };
