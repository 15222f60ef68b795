// The scale explorer: why scores are divided by √dₖ, measured on random queries and keys of growing width.

import { button, heading, slider, toggleButton } from "../_kit/controls.js";
import { announce, element, listen } from "../_kit/elements.js";
import { format, mean, softmax } from "../_kit/format.js";
import { change, onChange, promptly, widgetRoot } from "../_kit/life.js";
import { curveKey, histogram, LARGEST, measureCard, MEASURES, NUM_KEYS, POWERS, weightBars } from "./charts.js";

const NUM_QUERIES = 256;
const KEY_SETS = 8;
const STOPS = [...new Set(Array.from({ length: 37 }, (_, i) => Math.round(2 ** (i / 4))))];
const MOST_BITS = Math.log2(NUM_KEYS);

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

// Frobenius norm of the softmax's Jacobian diag(w) minus w times w transposed, in closed form.
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
  let sample, sampledSeed, curves;
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
  const scores = histogram(signal),
    weights = weightBars(signal);
  const cards = Object.fromEntries(Object.keys(MEASURES).map((name) => [name, measureCard(name, signal)]));
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
      `Measured on ${NUM_QUERIES} random queries with ${NUM_KEYS} keys each (normal entries, variance 1). ` +
        "Entropy: mean over the ",
      "queries. Gradient: ‖∂weights/∂scores‖, the Frobenius norm of the softmax's Jacobian diag(w) − w w",
      element("sup", { text: "T" }),
      ", median over the queries.",
    ),
  );
  const resample = (seed) => {
    sampledSeed = seed;
    sample = newSample(seed);
    curves = measureAll(sample);
  };
  const draw = () => {
    const d = model.get("d_head"),
      scaled = model.get("scaled");
    if (sampledSeed !== model.get("seed")) resample(model.get("seed"));
    const found = measure(rawScores(sample, d), d, scaled);
    const expected = scaled ? 1 : d;
    scoreTitle.textContent = `${found.scores.length} scores ${scaled ? "q · k ÷ √dₖ" : "q · k"}`;
    const largest = format(Math.max(...found.rows[0]));
    const average = format(found.largest);
    weightNote.textContent = `largest ${largest}, mean of all queries ${average}; dashed: an even share`;
    scores.draw(found, scaled, Math.sqrt(expected));
    weights.draw(found.rows[0], scaled);
    cards.variance.draw(curves, d, scaled, found.variance, `expected: ${scaled ? "1" : `dₖ = ${d}`}`);
    cards.entropy.draw(curves, d, scaled, found.entropy, `of at most ${format(MOST_BITS, 0)} bits`);
    cards.gradient.draw(curves, d, scaled, found.gradient, "norm for the typical query");
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
  for (const control of [divide.node, again]) listen(control, "click", signal, () => requestAnimationFrame(tell));
  say();
  return cleanup;
}

export default { render };
