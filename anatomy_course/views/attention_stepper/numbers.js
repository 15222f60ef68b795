// The attention stepper's numbers and names: one head on one sentence, as vectors and matrices.

import { element, shorten, word } from "../_kit/elements.js";
import { format, limitOf } from "../_kit/format.js";

const STEP_TENSORS = ["hidden", "query", "key", "value", "scores", "weights", "context"];
export const ATTENTION_STEPS = ["Project", "Score", "Scale", "Softmax", "Weigh", "Sum"];
const ROLE_CLASS = {
  query: "query",
  key: "key",
  value: "value-role",
  scores: "weights",
  weights: "weights",
  hidden: "residual",
  context: "value-role",
};
const LETTERS = { hidden: "x", query: "q", key: "k", value: "v", context: "z" };

// The numbers of a sentence: {tokens, tensors, raw, loads}; `raw` are the scores before scaling, `loads` counts the
// sentences. A sentence of as many tokens as the last one is written into the same tensors: what was built on them
// stays.
export function sentenceNumbers(last, { tokens, shapes, arrived }) {
  const alike = last !== null && JSON.stringify(last.shapes) === JSON.stringify(shapes);
  const data = alike ? last : { loads: 0, shapes, ...unpackSteps(arrived, shapes) };
  if (alike) data.numbers.set(arrived);
  data.tokens = tokens;
  data.loads += 1;
  for (const tensor of Object.values(data.tensors)) tensor.limit = limitOf(tensor.values);
  const factor = Math.sqrt(data.tensors.key.columns);
  data.tensors.scores.values.forEach((score, i) => {
    data.raw.values[i] = score * factor;
  });
  data.raw.limit = limitOf(data.raw.values);
  return { data, alike };
}

// Cuts the one buffer of numbers into named tensors: {values, rows, columns}.
function unpackSteps(numbers, shapes) {
  const tensors = {};
  let start = 0;
  for (const name of STEP_TENSORS) {
    const [rows, columns] = shapes[name];
    tensors[name] = { values: numbers.subarray(start, start + rows * columns), rows, columns };
    start += rows * columns;
  }
  const { rows } = tensors.scores;
  return { numbers, tensors, raw: { values: new Float32Array(rows * rows), rows, columns: rows } };
}

export function rowOf(tensor, i) {
  return tensor.values.subarray(i * tensor.columns, (i + 1) * tensor.columns);
}

export function product(one, other) {
  return Float32Array.from(one, (value, i) => value * other[i]);
}

export function scaled(vector, factor) {
  return Float32Array.from(vector, (value) => value * factor);
}

// The places of the `count` terms that matter most, in their own order.
export function tallest(terms, count) {
  const places = Array.from(terms, (_, i) => i).sort((a, b) => Math.abs(terms[b]) - Math.abs(terms[a]));
  return places.slice(0, count).sort((a, b) => a - b);
}

export function transposed(values, columns) {
  const rows = values.length / columns;
  return Float32Array.from(values, (_, i) => values[(i % rows) * columns + Math.floor(i / rows)]);
}

// ---- how numbers and names are written

export function roleText(name, text, below) {
  return element("span", { class: ROLE_CLASS[name] }, text, below === undefined ? null : element("sub", {}, below));
}

export function shapeText(...sizes) {
  return element("span", { class: "shape", text: `(${sizes.join(", ")})` });
}

// A vector's letter with its word below.
export function vectorText(name, token) {
  return roleText(name, LETTERS[name], word(shorten(token, 12)));
}

export function signedText(value, digits = 2) {
  return value < 0 ? `(${format(value, digits)})` : format(value, digits);
}

// The first three numbers of a vector.
export function beginning(values) {
  const shown = Array.from(values.slice(0, 3), (value) => format(value)).join(", ");
  return `[${shown}${values.length > 3 ? ", …" : ""}]`;
}
