// One word's attention as columns, a table for each step, and as the step's equation with its numbers.

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

export const FINE = 128; // colors of a strip that has far more components than pixels

// The columns of each step. A column has a head, what its head's color bar ends at (`scale`), a width, `fresh` where
// it is new in this step, and cells as data: {kind: "strip" | "bar" | "text", read(j), limit(), …} with j the key
// word's place. `total` is the cell below all words, `lead` the one above.
export function wordColumns(step, data, state) {
  const { query, key, value, context } = data.tensors;
  const [n, d] = [data.tokens.length, key.columns];
  const ofQuery = (tensor) => rowOf(tensor, state.query);
  const raw = (j) => ofQuery(data.raw)[j];
  const score = (j) => raw(j) / Math.sqrt(d);
  const weight = (j) => ofQuery(data.tensors.weights)[j];
  const rawLimit = () => Math.max(...Array.from(ofQuery(data.raw), Math.abs)) || 1;
  const scoreLimit = () => Math.max(...Array.from(ofQuery(data.tensors.scores), Math.abs)) || 1;
  const exponential = (each) => Math.exp(each - Math.max(...ofQuery(data.tensors.scores)));
  const productLimit = remembered(
    () => `${data.loads} ${state.query}`,
    () => limitOf(Float32Array.from(key.values, (number, k) => number * ofQuery(query)[k % d])),
  );

  const strips = (name, { text = name, sizes = [n, data.tensors[name].columns], width = "1fr", ...more } = {}) => {
    const tensor = data.tensors[name];
    const limit = () => tensor.limit;
    const { fresh, lead, ...cell } = more;
    const head = [roleText(name, text), " ", shapeText(...sizes)];
    return {
      head,
      scale: limit,
      width,
      fresh,
      lead,
      cell: { kind: "strip", read: (j) => rowOf(tensor, j), limit, ...cell },
    };
  };
  const rawBars = (head, width, fresh = false) => ({
    head,
    width,
    fresh,
    cell: { kind: "bar", read: raw, limit: rawLimit },
  });
  const weightBars = (width, more) => ({
    head: [roleText("weights", "weight")],
    width,
    cell: { kind: "bar", read: weight, limit: null, digits: 3 },
    ...more,
  });
  const weighted = (more) => ({
    head: [roleText("weights", "weight"), " × ", roleText("value", "value"), " ", shapeText(n, value.columns)],
    cell: { kind: "strip", read: (j) => scaled(rowOf(value, j), weight(j)), limit: () => value.limit },
    ...more,
  });
  const weightSum = { kind: "text", read: () => format(sum(ofQuery(data.tensors.weights)), 3) };
  const exponentialSum = {
    kind: "text",
    read: () => format(sum(Array.from(ofQuery(data.tensors.scores), exponential)), 3),
  };
  const scoreHead = (text) => [roleText("scores", text), " ", shapeText(n)];

  const columns = [
    () => [
      strips("hidden", { text: "x hidden state", width: "var(--wider)", tell: (j) => `x of ${data.tokens[j]}` }),
      strips("query", { sizes: [d], fresh: true, only: (j) => j === state.query }),
      strips("key", { fresh: true }),
      strips("value", { fresh: true }),
    ],
    () => [
      strips("key", { lead: { kind: "strip", read: () => ofQuery(query), limit: () => query.limit } }),
      {
        head: [roleText("query", "query"), " × ", roleText("key", "key"), " by component "],
        scale: productLimit,
        width: "1fr",
        fresh: true,
        cell: { kind: "strip", read: (j) => product(ofQuery(query), rowOf(key, j)), limit: productLimit },
      },
      rawBars(scoreHead("sum = score"), "1fr", true),
    ],
    () => [
      rawBars(scoreHead("score"), "1fr"),
      {
        head: scoreHead(`score ÷ √${d}`),
        width: "1fr",
        fresh: true,
        cell: { kind: "bar", read: score, limit: rawLimit },
      },
    ],
    () => [
      { head: scoreHead("scaled score"), width: "0.9fr", cell: { kind: "bar", read: score, limit: scoreLimit } },
      {
        head: ["exp(score − largest)"],
        width: "0.7fr",
        fresh: true,
        total: exponentialSum,
        cell: { kind: "text", read: (j) => format(exponential(score(j)), 3) },
      },
      weightBars("1.2fr", { head: [roleText("weights", "weight"), " ", shapeText(n)], fresh: true, total: weightSum }),
    ],
    () => {
      const products = weighted({ width: "1fr", fresh: true });
      return [weightBars("0.8fr"), strips("value"), { ...products, head: [...products.head, " same colors"] }];
    },
    () => [
      weightBars("0.7fr", { total: weightSum }),
      weighted({
        width: "1.3fr",
        scale: () => value.limit,
        total: { kind: "strip", read: () => ofQuery(context), limit: () => value.limit },
      }),
    ],
  ];
  return columns[step - 1]();
}

// A value that is worked out anew only when what it hangs on has changed.
function remembered(key, make) {
  let of = null;
  let value = null;
  return () => {
    if (of !== key()) [of, value] = [key(), make()];
    return value;
  };
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
