// One word's attention as six columns, and as each step's equation with its numbers.

import { element, shorten, word } from "../_kit/elements.js";
import { format, limitOf, sum } from "../_kit/format.js";
import {
  ATTENTION_STEPS,
  beginning,
  product,
  roleText,
  rowOf,
  scaled,
  shapeText,
  signedText,
  tallest,
  vectorText,
} from "./numbers.js";

// The columns of one word's table, from left to right. A column has the `step` that fills it, the column whose numbers
// are carried into it (`from`), a head, what stands below that (`scale`: what a color bar ends at, or `note()`), and
// cells as data: {kind: "strip" | "bar", read(j), limit(), …} with j the key word's place. `before` is a strip as it is
// when it starts, `dots` is one that shrinks to the bar; `seen` are the steps that show the column on a narrow card.
export function wordColumns(data, state) {
  const { query, key, value } = data.tensors;
  const [n, d] = [data.tokens.length, key.columns];
  const ofQuery = (tensor) => rowOf(tensor, state.query);
  const weight = (j) => ofQuery(data.tensors.weights)[j];
  const largest = () => Math.max(...Array.from(ofQuery(data.raw), Math.abs)) || 1;
  const productLimit = () => limitOf(key.values.map((number, k) => number * ofQuery(query)[k % d]));
  const strips = (name, seen) => {
    const tensor = data.tensors[name];
    const limit = () => tensor.limit;
    const head = [roleText(name, name), " ", shapeText(n, tensor.columns)];
    return { step: 1, seen, kind: "strip", head, scale: limit, read: (j) => rowOf(tensor, j), limit };
  };
  const bars = { kind: "bar", limit: largest };
  return [
    strips("key", [1, 2]),
    strips("value", [1, 5]),
    {
      ...bars,
      step: 2,
      from: 0,
      seen: [2, 3],
      head: [roleText("query", "q"), " · ", roleText("key", "k")],
      note: () => "score",
      read: (j) => ofQuery(data.raw)[j],
      dots: { read: (j) => product(ofQuery(query), rowOf(key, j)), limit: productLimit },
    },
    {
      ...bars,
      step: 3,
      from: 2,
      seen: [3, 4],
      head: [roleText("scores", `÷ √${d}`)],
      note: () => "same axis",
      read: (j) => ofQuery(data.raw)[j] / Math.sqrt(d),
      starts: Math.sqrt(d), // as long as the bar that it comes from
    },
    {
      kind: "bar",
      limit: null,
      digits: 3,
      step: 4,
      from: 3,
      seen: [4, 5, 6],
      head: [roleText("weights", "weight")],
      note: () => `sum ${format(sum(ofQuery(data.tensors.weights)), 3)}`,
      read: weight,
    },
    {
      kind: "strip",
      step: 5,
      from: 1,
      seen: [5, 6],
      head: [roleText("weights", "weight"), " × ", roleText("value", "value")],
      note: () => "same colors",
      read: (j) => scaled(rowOf(value, j), weight(j)),
      before: (j) => rowOf(value, j),
      limit: () => value.limit,
    },
  ];
}

// What a row of the table says in words.
export function rowText(step, data, i, j) {
  const { key, value, scores, weights } = data.tensors;
  const raw = `score ${format(rowOf(data.raw, i)[j])}`;
  const score = format(rowOf(scores, i)[j]);
  const weight = `weight ${format(rowOf(weights, i)[j], 3)}`;
  return [
    `key ${beginning(rowOf(key, j))}, value ${beginning(rowOf(value, j))}`,
    raw,
    `${raw}, scaled ${score}`,
    `scaled score ${score}, ${weight}`,
    `${weight}, value ${beginning(rowOf(value, j))}`,
    weight,
  ][step - 1];
}

// The equation of a step for the chosen query, key and component, as nodes and texts.
export function stepEquation(data, { step, query: i, key: j, component }) {
  const { tokens, tensors } = data;
  const { hidden, query, key, value, context } = tensors;
  const d = key.columns;
  const c = Math.min(component, value.columns - 1);
  const weights = rowOf(tensors.weights, i);
  const scores = rowOf(tensors.scores, i);
  const raw = roleText("scores", format(rowOf(data.raw, i)[j]));
  const vector = (name, k) => vectorText(name, tokens[k]);
  const quiet = (text) => element("i", { text });
  const number = (name, value, digits) => roleText(name, format(value, digits));
  const signed = (name, value) => roleText(name, signedText(value));
  const first = (name, k) => roleText(name, beginning(rowOf(tensors[name], k)));
  const added = (items) => items.flatMap((item, k) => (k ? [" + ", ...item] : item));
  const smaller = (count, what) => (count > 0 ? quiet(` + ${count} smaller ${what}`) : "");
  const lines = [
    () => [
      vector("query", i),
      " = ",
      vector("hidden", i),
      " W",
      element("sub", { text: "Q" }),
      " + b",
      element("sub", { text: "Q" }),
      quiet(": "),
      shapeText(hidden.columns),
      " × ",
      shapeText(hidden.columns, d),
      " → ",
      shapeText(d),
      " = ",
      first("query", i),
      quiet("; in the same way "),
      vector("key", j),
      " = ",
      first("key", j),
      quiet(" and "),
      vector("value", j),
      " = ",
      first("value", j),
    ],
    () => {
      const [of, by] = [rowOf(query, i), rowOf(key, j)];
      const terms = tallest(product(of, by), 3).map((k) => [number("query", of[k]), " × ", signed("key", by[k])]);
      return [vector("query", i), " · ", vector("key", j), " = ", added(terms), smaller(d - 3, "products"), " = ", raw];
    },
    () => [
      vector("query", i),
      " · ",
      vector("key", j),
      ` / √${d} = `,
      raw,
      ` / ${format(Math.sqrt(d))} = `,
      number("scores", rowOf(data.raw, i)[j] / Math.sqrt(d)),
    ],
    () => {
      const largest = Math.max(...scores);
      const total = sum(Array.from(scores, (score) => Math.exp(score - largest)));
      const pair = [word(shorten(tokens[i], 12)), " → ", word(shorten(tokens[j], 12))];
      return [
        roleText("weights", "weight", pair),
        " = exp(",
        number("scores", scores[j]),
        " − ",
        format(largest),
        ") / ",
        quiet("sum of all "),
        ` = ${format(Math.exp(scores[j] - largest), 3)} / ${format(total, 3)} = `,
        number("weights", weights[j], 3),
        quiet("  (subtracting the largest score changes no weight; it keeps exp small)"),
      ];
    },
    () => {
      const part = rowOf(value, j)[c];
      return [
        number("weights", weights[j], 3),
        " × ",
        vector("value", j),
        `[${c}] = `,
        number("weights", weights[j], 3),
        " × ",
        signed("value", part),
        ` = ${format(weights[j] * part, 3)}`,
      ];
    },
    () => {
      const parts = tokens.map((_, k) => rowOf(value, k)[c]);
      const terms = tallest(product(weights, parts), 3).map((k) => [
        number("weights", weights[k], 3),
        " × ",
        signed("value", parts[k]),
        element("sub", {}, word(shorten(tokens[k], 10))),
      ]);
      return [
        vector("context", i),
        `[${c}] = `,
        added(terms),
        smaller(tokens.length - 3, "terms"),
        " = ",
        number("context", rowOf(context, i)[c], 3),
      ];
    },
  ];
  return lines[step - 1]()
    .flat(Infinity)
    .filter((part) => part !== "");
}

// The formula of attention with the part of this step lit: {content, label}.
export function formulaOf(step, d_head) {
  const lit = (steps) => (steps.includes(step) ? "on" : null);
  const plain = (text, steps) => element("span", { class: lit(steps) ? "on ink" : "", text });
  const tinted = (name, text, steps) => element("span", { class: [lit(steps), name].filter(Boolean).join(" "), text });
  const content = [
    plain("softmax", [4]),
    "( ",
    tinted("query", "Q", [1, 2]),
    " ",
    element("span", { class: [lit([1, 2]), "key"].filter(Boolean).join(" ") }, "K", element("sup", { text: "T" })),
    " ",
    plain(`/ √${d_head}`, [3]),
    " ) ",
    tinted("value-role", "V", [1, 5, 6]),
  ];
  const formula = `softmax of Q K transposed divided by the square root of ${d_head}, times V`;
  return { content, label: `${formula}; now: ${ATTENTION_STEPS[step - 1]}` };
}
