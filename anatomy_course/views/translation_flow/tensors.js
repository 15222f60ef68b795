// The tensors of the translation's steps, as ids, vectors, maps and bars.

import { element, shorten, word } from "../_kit/elements.js";
import { format, indexOfLargest } from "../_kit/format.js";
import { canvas, color, diverging, sequentialColor } from "../_kit/theme.js";
import { shownWord } from "../_kit/tokens.js";

const LABEL = 74; // pixels of a word beside its row
const ROW = 12; // pixels of a row
const FEATURE = 9; // pixels of a feature
const LETTERS = "12px sans-serif";

// What a tensor is called in words, by the end of its name.
const NAMED = {
  input_ids: "input_ids: numbers of the tokens",
  decoder_input_ids: "decoder_input_ids: numbers of the tokens",
  tokens: "token vectors",
  "positions(…)": "position vectors",
  query: "queries",
  key: "keys",
  value: "values",
  weights: "attention weights",
  hidden: "features in between",
  "feed_forward(…)": "what feed-forward gives",
  hidden_states: "the decoder's output",
};

function inWords(name) {
  const last = name.split(".").at(-1);
  return NAMED[last] ?? last.replaceAll("_", " ");
}

// A step's tensors: ids, vectors and attention maps of the tokens that are there.
export function tensorDrawings({ root, round, numbers, words }) {
  const sizesOf = ({ axes, sizes }) =>
    axes.map((axis, i) => `${axis} ${axis === "target" ? round() : sizes[i]}`).join(", ");
  const rowsOf = ({ axes, kind }) => axes.at(kind === "ids" ? -1 : -2);
  const visible = (axis, list) => (axis === "target" ? list.slice(0, round()) : list);

  function drawTensor(tensor) {
    const size = tensor.stored.reduce((product, each) => product * each, 1);
    const values = numbers.subarray(tensor.start, tensor.start + size);
    const name = element(
      "div",
      { class: "fl-name" },
      element("b", { class: tensor.name.split(".").at(-1), title: tensor.name, text: inWords(tensor.name) }),
      " ",
      element("span", { class: "shape", text: `(${sizesOf(tensor)})` }),
    );
    const drawn = { vectors: drawVectors, weights: drawWeights, ids: drawIds }[tensor.kind](tensor, values);
    return element("div", { class: `fl-tensor ${tensor.kind}` }, name, drawn);
  }

  function drawIds(tensor, values) {
    const list = visible(rowsOf(tensor), words[rowsOf(tensor)]);
    return element(
      "div",
      { class: "fl-ids" },
      list.map((text, i) =>
        element("span", { class: "fl-id" }, word(text), element("b", { class: "number", text: String(values[i]) })),
      ),
    );
  }

  function drawVectors(tensor, values) {
    const [, features] = tensor.stored;
    const list = visible(rowsOf(tensor), words[rowsOf(tensor)]);
    const limit = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    const now = rowsOf(tensor) === "target" ? list.length - 1 : -1;
    const { node, context, resize } = canvas({ role: "img" });
    resize(LABEL + features * FEATURE + 4, list.length * ROW + 4);
    rowLabels(context, list, 2, now);
    list.forEach((_, i) => {
      for (let j = 0; j < features; j += 1) {
        context.fillStyle = diverging(root, values[i * features + j] / limit);
        context.fillRect(LABEL + j * FEATURE, 2 + i * ROW, FEATURE - 0.5, ROW - 1);
      }
    });
    if (now >= 0) outline(context, LABEL, 2 + now * ROW, features * FEATURE);
    const all = tensor.sizes.at(-1);
    const shown = features < all ? `first ${features} of ${all} numbers` : `${features} numbers`;
    const of = tensor.sizes.length === 4 ? `head 0 of 0–${tensor.sizes[1] - 1}, ` : "";
    const row = now >= 0 ? now : 0;
    const begin = Array.from(values.subarray(row * features, row * features + 4), (value) => format(value)).join(", ");
    node.setAttribute(
      "aria-label",
      `${inWords(tensor.name)} (${sizesOf(tensor)}), ${of}${shown}; ${list[row]}: ${begin} …`,
    );
    return [
      node,
      element("div", { class: "note fl-scale", text: `${of}${shown}, ±${format(limit, limit < 10 ? 2 : 0)}` }),
    ];
  }

  function rowLabels(context, list, top, now) {
    context.textAlign = "right";
    context.textBaseline = "middle";
    list.forEach((text, i) => {
      context.font = `${i === now ? "bold " : ""}${LETTERS}`;
      context.fillStyle = color(root, i === now ? "query" : "ink");
      context.fillText(shorten(text, 12), LABEL - 5, top + i * ROW + ROW / 2);
    });
  }

  function outline(context, x, y, wide) {
    context.strokeStyle = color(root, "query");
    context.lineWidth = 1.5;
    context.strokeRect(x - 1, y - 0.5, wide + 1, ROW);
  }

  function drawWeights(tensor, values) {
    const [heads, rows, columns] = tensor.stored;
    const [rowAxis, columnAxis] = tensor.axes.slice(-2);
    const [rowWords, columnWords] = [visible(rowAxis, words[rowAxis]), visible(columnAxis, words[columnAxis])];
    const now = rowAxis === "target" ? rowWords.length - 1 : -1;
    const maps = Array.from({ length: heads }, (_, head) => {
      const at = (i, j) => values[(head * rows + i) * columns + j];
      const { node, context, resize } = canvas({ role: "img" });
      const cell = ROW - 1;
      context.font = LETTERS;
      const above = Math.ceil(Math.max(...columnWords.map((text) => context.measureText(shorten(text, 12)).width))) + 8;
      resize(LABEL + columnWords.length * cell + 4, above + rowWords.length * ROW + 4);
      rowLabels(context, rowWords, above, now);
      columnWords.forEach((text, j) => {
        context.save();
        context.translate(LABEL + (j + 0.5) * cell, above - 4);
        context.rotate(-Math.PI / 2);
        context.textAlign = "left";
        context.font = LETTERS;
        context.fillStyle = color(root, "ink");
        context.fillText(shorten(text, 12), 0, 0.5);
        context.restore();
      });
      rowWords.forEach((_, i) =>
        columnWords.forEach((__, j) => {
          const [x, y] = [LABEL + j * cell, above + i * ROW];
          if (tensor.causal && j > i) {
            context.strokeStyle = color(root, "masked");
            context.lineWidth = 0.7;
            context.beginPath();
            context.moveTo(x + 1, y + ROW - 2);
            context.lineTo(x + cell - 2, y + 1);
            context.stroke();
            return;
          }
          context.fillStyle = sequentialColor(root, at(i, j));
          context.fillRect(x, y, cell, ROW);
          context.strokeStyle = color(root, "faint");
          context.lineWidth = 0.5;
          context.strokeRect(x, y, cell, ROW);
        }),
      );
      if (now >= 0) outline(context, LABEL, above + now * ROW, columnWords.length * cell);
      // What is said of the map: the row at work, or the largest weight of all.
      const row =
        now >= 0
          ? now
          : Math.floor(indexOfLargest(values.subarray(head * rows * columns, (head + 1) * rows * columns)) / columns);
      const most = indexOfLargest(columnWords.map((_, j) => at(row, j)));
      const best = `${rowWords[row]} → ${columnWords[most]} ${format(at(row, most))}`;
      node.setAttribute("aria-label", `Head ${head}: ${best}`);
      return element(
        "div",
        { class: "fl-map" },
        node,
        element("div", { class: "note fl-scale" }, `head ${head}: ${best}`),
      );
    });
    return [
      element("div", { class: "fl-maps" }, maps),
      element("div", { class: "note fl-scale", text: "0 (the page's color) to 1; each row sums to 1" }),
    ];
  }
  return { drawTensor };
}

// The likeliest next tokens, as logits or as probabilities.
export function choiceBars({ model, written, round }) {
  function drawChoices(part) {
    const list = model.get("choices")[round() - 1];
    if (part === "next_token")
      return [
        element(
          "div",
          { class: "fl-chosen" },
          word(written[round() - 1]),
          element("span", {
            class: "note",
            text:
              round() === written.length
                ? "the end token: the translation is done"
                : "is appended to the target; the next decoding step reads it",
          }),
        ),
      ];
    const logits = part === "final_linear";
    const values = list.map((each) => (logits ? each.logit : each.probability));
    const most = Math.max(...values.map(Math.abs)) || 1;
    return [
      element("div", { class: "fl-name" }, logits ? "The largest logits" : "The likeliest next tokens", ", last row"),
      ...list.map(({ word: text }, i) =>
        element(
          "div",
          { class: "fl-choice" },
          word(shownWord(text)),
          element(
            "span",
            { class: "fl-bar" },
            element("i", { style: { width: `${(100 * Math.max(0, values[i])) / (logits ? most : 1)}%` } }),
          ),
          element("span", { class: "number", text: format(values[i], logits ? 2 : 3) }),
        ),
      ),
    ];
  }
  return { drawChoices };
}
