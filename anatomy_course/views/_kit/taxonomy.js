// What the widgets of the family tree share: numbers in words, costs at a length, blocks, masks.

import { slider } from "./controls.js";
import { element, svg } from "./elements.js";
import { grouped } from "./format.js";

export const SHORTEST = 7; // powers of two: 128 …
export const LONGEST = 17; // … 131 072 tokens

// A card's {fixed, once, growing} at a length.
export function quantityAt({ fixed, once, growing }, length) {
  return growing.reduce((sum, [each, reach]) => sum + each * Math.min(length, reach ?? length), fixed + once / length);
}

// A number in up to three digits and a word: 124 million.
export function roughly(number) {
  const words = ["", "thousand", "million", "billion", "trillion", "quadrillion"];
  const power = number < 10000 ? 0 : Math.min(words.length - 1, Math.floor(Math.log10(number) / 3));
  return power ? `${Number((number / 1000 ** power).toPrecision(3))} ${words[power]}` : grouped(number);
}

// A slider over lengths of text, doubling from step to step: {node, set(length)}.
export function lengthSlider({ value, signal, onLength }) {
  const length = (power) => Math.round(2 ** power);
  const made = slider({
    label: "Length of the text",
    min: SHORTEST,
    max: LONGEST,
    step: 0.25,
    value: Math.log2(value),
    signal,
    tint: "residual",
    format: (power) => `${grouped(length(power))} tokens`,
    onInput: (power) => onLength(length(power)),
  });
  return { node: made.node, set: (next) => made.set(Math.log2(next)) };
}

// How many positions a model's table holds, or null where it has none.
export function tableEnd(model) {
  const part = model.parts.find(({ name }) => name === "positions in a table");
  const numbers = (part?.value.match(/\d+(?! offsets|\d)/g) ?? []).map(Number);
  return numbers.length && !part.value.includes("offsets") ? Math.min(...numbers) : null;
}

// The names of the parts in which two models differ: of all, or of those that are no mere numbers.
export function differing(one, other, design = false) {
  const value = (name) => other.parts.find((part) => part.name === name)?.value;
  return new Set(
    one.parts.filter((part) => !(design && part.is_size) && value(part.name) !== part.value).map(({ name }) => name),
  );
}

// A stack as blocks from the bottom up; a block that shows a part in `changed` is marked, by a sign and in words.
export function stackDrawing({ name, repeats, below, layer, above }, changed, several) {
  const block = ({ label, role, parts }) => {
    if (label === "+")
      return element(
        "li",
        { class: "tx-sum" },
        element("span", { class: "tx-plus", "aria-hidden": "true", text: "+" }),
        element("span", { class: "visually-hidden", text: "add what went in" }),
      );
    const different = parts.filter((part) => changed.has(part));
    return element(
      "li",
      {
        class: different.length ? "tx-block changed" : "tx-block",
        style: { "--role": `var(--${role.replaceAll("_", "-")})` },
      },
      element("span", { text: label.replace("\n", " ") }),
      different.length
        ? element(
            "span",
            { class: "tx-changed" },
            element("span", { "aria-hidden": "true", text: "≠ " }),
            different.join(", "),
          )
        : null,
    );
  };
  return element(
    "div",
    { class: "tx-stack" },
    several ? element("div", { class: "tx-name", text: name }) : null,
    element(
      "ol",
      { class: "tx-blocks", "aria-label": `${name}, from the bottom up` },
      below.map(block),
      element(
        "li",
        { class: "tx-layer" },
        element("span", { class: "tx-times", text: `${repeats} ×` }),
        element("ol", { class: "tx-blocks", "aria-label": `one of ${repeats} layers` }, layer.map(block)),
      ),
      above.map(block),
    ),
  );
}

// Who may attend to whom: a small grid, filled where a query (row) sees a key (column).
export function maskDrawing({ name, rows }) {
  const size = rows.length,
    keys = rows[0].length;
  const seen = rows.flat().reduce((sum, each) => sum + each, 0);
  const cells = rows.flatMap((row, q) =>
    row.map((on, k) =>
      svg("rect", { class: on ? "seen" : "unseen", x: k * 7 + 0.5, y: q * 7 + 0.5, width: 6, height: 6 }),
    ),
  );
  return element(
    "figure",
    { class: "tx-mask" },
    svg(
      "svg",
      {
        viewBox: `0 0 ${keys * 7} ${size * 7}`,
        role: "img",
        "aria-label": `${name}: ${seen} of ${size * keys} pairs of a query and a key are seen`,
      },
      cells,
    ),
    element("figcaption", {}, name, element("span", { class: "shape", text: ` ${seen} of ${size * keys}` })),
  );
}

// A table of a card: the names of its columns, "" for one without and [] for none at all, and its rows.
export function cardTable(heads, ...rows) {
  const head = (text) => (text ? element("th", { scope: "col", text }) : element("td"));
  return element(
    "table",
    { class: "tx-table" },
    heads.length ? element("thead", {}, element("tr", {}, heads.map(head))) : null,
    element("tbody", {}, rows),
  );
}
