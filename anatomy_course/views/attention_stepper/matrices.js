// The attention stepper's matrices: all words at once, a table of what stands in each step, and a matrix on canvas.

import { arrowMove } from "../_kit/controls.js";
import { announce, element, focusable, listen, setAttributes, shorten, word } from "../_kit/elements.js";
import { clamp, format } from "../_kit/format.js";
import { colorTable, theme } from "../_kit/theme.js";
import { placeOf, scaleBar, write } from "./cells.js";
import { roleText, rowOf, transposed } from "./numbers.js";

const AXES = { hidden: "d_model", query: "d_head", key: "d_head", value: "d_value", context: "d_value" };

const WIDE = 900; // pixels of a card from which matrices have their full size
const LABEL_ROOM = 12; // pixels that a word beside a row needs
const K_TURNED = ["K", { raised: "T" }];
const written = (text) => [text].flat().map((part) => (part.raised ? element("sup", { text: part.raised }) : part));
const spoken = (text) =>
  [text]
    .flat()
    .map((part) => (part.raised ? " transposed" : part))
    .join("");

// What stands in each step from left to right: signs between matrices {name, text, read(), limit(), …}. A matrix has
// a row for every word; its columns are words (`square`) or components. `labels` writes the words beside it, `turned`
// exchanges rows and columns, `most` is the largest height of a row.
function matrixParts(step, data, state) {
  const { tensors, raw } = data;
  const of = (name, text, more) => ({
    name,
    text,
    read: () => tensors[name].values,
    limit: () => tensors[name].limit,
    ...more,
  });
  const scores = (text, more) => of("scores", text, { limit: () => raw.limit, square: true, ...more });
  const rawScores = (text, more) => scores(text, { read: () => raw.values, ...more });
  const weights = (more) => of("weights", "weights", { limit: () => 1, map: "sequential", square: true, ...more });
  const weighted = () => {
    const row = rowOf(tensors.weights, state.query);
    const { columns, values } = tensors.value;
    return Float32Array.from(values, (number, i) => number * row[Math.floor(i / columns)]);
  };
  const [labels, most] = [true, 16];
  return [
    [
      of("hidden", "X hidden states", { labels }),
      "→",
      of("query", "Q = X W_Q"),
      of("key", "K = X W_K"),
      of("value", "V = X W_V"),
    ],
    [
      of("query", "Q", { labels, most }),
      "×",
      of("key", K_TURNED, { turned: true, most }),
      "=",
      rawScores(["scores = Q ", ...K_TURNED], { most }),
    ],
    [rawScores(["Q ", ...K_TURNED], { labels }), `÷ √${tensors.key.columns} =`, scores("scaled scores")],
    [scores("scaled scores", { labels, limit: () => tensors.scores.limit }), "→", weights()],
    [weights({ labels }), "×", of("value", "V", { labels }), "→", of("value", "weights × value", { read: weighted })],
    [
      weights({ labels }),
      "×",
      of("value", "V"),
      "=",
      of("context", "context", { labels, limit: () => tensors.value.limit }),
    ],
  ][step - 1];
}

export function matrixStage(view, step) {
  const parts = matrixParts(step, view.data, view.state);
  const figures = parts.map((part, i) => {
    if (typeof part === "string") return null;
    const before = typeof parts[i - 1] === "string" ? parts[i - 1] : null; // a sign stays with the matrix after it
    const sign = before && element("span", { class: "as-sign", "aria-hidden": "true", text: before });
    return element("div", { class: "as-part" }, sign, matrix(view, part));
  });
  return element("div", { class: "as-matrices" }, figures);
}

// Paints numbers one pixel each; the page stretches the canvas. The same numbers are not painted twice.
function paintPixels(view, node, values, columns, limit, map) {
  const place = placeOf(view.data, values);
  const mark = place && `${place} ${limit} ${map} ${theme(view.root)}`;
  if (mark && node.painted === mark) return;
  node.painted = mark;
  const rows = values.length / columns;
  if (node.width !== columns) node.width = columns;
  if (node.height !== rows) node.height = rows;
  const table = new Uint32Array(colorTable(view.root, map).buffer);
  const context = node.getContext("2d");
  const image = context.createImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const [factor, shift] = map === "sequential" ? [255 / limit, 0.5] : [127.5 / limit, 128];
  for (let i = 0; i < values.length; i += 1) pixels[i] = table[clamp(Math.floor(values[i] * factor + shift), 0, 255)];
  context.putImageData(image, 0, 0);
}

// A frame around row or column `i` of `count`.
function outlineStyle(i, count, upright) {
  const [start, size] = [`calc(${(i / count) * 100}% - 2px)`, `calc(${100 / count}% + 4px)`];
  return upright
    ? { left: start, width: size, top: "-2px", bottom: "-2px" }
    : { top: start, height: size, left: "-2px", right: "-2px" };
}

function matrix(view, part) {
  const {
    name,
    text,
    read,
    limit,
    map = "diverging",
    square = false,
    labels = false,
    turned = false,
    most = 20,
  } = part;
  const { state, data } = view;
  const rows = data.tokens.length;
  const columns = square ? rows : data.tensors[name].columns;
  const [ofRows, ofColumns] = [["key", "value"].includes(name) ? "key" : "query", square ? "key" : "component"];
  const scale = clamp(view.root.clientWidth / WIDE, 0.6, 1);
  const side = clamp(Math.floor((260 * scale) / rows), 8, most);
  const across = square ? columns * side : Math.round(clamp(columns * 4, 50, name === "hidden" ? 190 : 135) * scale);
  const [height, width] = turned ? [across, rows * side] : [rows * side, across];
  const words = () => data.tokens.map(() => word(""));
  const apart = Math.ceil(LABEL_ROOM / side); // rows from one label to the next; the chosen one is always there
  const labelled = (i, chosen) => i === chosen || (i % apart === 0 && Math.abs(i - chosen) >= apart);
  const node = element("canvas", focusable({ role: "application", "aria-roledescription": "matrix" }));
  const rowLine = element("span", { class: ofRows === "key" ? "as-outline column" : "as-outline" });
  const columnLine = square ? element("span", { class: "as-outline column" }) : null;
  const rowsStyle = { "grid-template-rows": `repeat(${rows}, ${side}px)` };
  const left = labels && !turned ? element("div", { class: "as-left", style: rowsStyle }, words()) : null;
  const crown = square || turned ? element("div", { class: "as-top", style: { width: `${width}px` } }, words()) : null;
  const column = () => (square ? state.key : Math.min(state.component, columns - 1));
  const at = (values, r, c) => format(values[r * columns + c], 3);

  view.watch(() => {
    const values = read();
    const [r, c] = [state[ofRows], column()];
    paintPixels(view, node, turned ? transposed(values, columns) : values, turned ? rows : columns, limit(), map);
    setAttributes(rowLine, { style: outlineStyle(r, rows, turned) });
    if (columnLine) setAttributes(columnLine, { style: outlineStyle(state.key, columns, true) });
    left?.childNodes.forEach((label, i) => {
      write(label, labelled(i, r) ? data.tokens[i] : "");
      label.classList.toggle(`is-${ofRows}`, i === r);
    });
    crown?.childNodes.forEach((label, j) => {
      write(label, labelled(j, state.key) ? shorten(data.tokens[j], 10) : "");
      label.classList.toggle("is-key", j === state.key);
    });
    const chosen = `Row ${data.tokens[r]}, column ${square ? data.tokens[c] : c}: ${at(values, r, c)}`;
    const [high, wide] = turned ? [columns, rows] : [rows, columns];
    node.setAttribute("aria-label", `${spoken(text)}: ${high} by ${wide}. ${chosen}. Arrow keys move.`);
  });

  const pointed = (event) => {
    const box = node.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    const [r, c] = turned ? [x, y] : [y, x];
    return [clamp(Math.floor(r * rows), 0, rows - 1), clamp(Math.floor(c * columns), 0, columns - 1)];
  };
  const take = ([r, c]) => view.choose({ [ofRows]: r, [ofColumns]: c });
  listen(node, "click", view.signal, (event) => take(pointed(event)));
  listen(node, "pointermove", view.signal, (event) => {
    const [r, c] = pointed(event);
    const where = square ? ["”, column “", word(data.tokens[c]), "”"] : [`”, component ${c}`];
    view.tell(`${spoken(text)}: row “`, word(data.tokens[r]), ...where, ` is ${at(read(), r, c)}`);
  });
  listen(node, "keydown", view.signal, (event) => {
    const from = [state[ofRows], state[ofColumns]];
    const to = turned
      ? arrowMove(event, from[1], from[0], columns, rows)?.reverse()
      : arrowMove(event, ...from, rows, columns);
    if (!to) return;
    event.preventDefault();
    take(to);
    const where = square ? data.tokens[to[1]] : `component ${to[1]}`;
    announce(view.root, `${data.tokens[to[0]]}, ${where}: ${at(read(), ...to)}`);
  });

  const axis = square ? "key" : AXES[name];
  const rowAxis = name === "hidden" ? "position" : ofRows;
  const sizes = turned ? `(${columns} ${axis}, ${rows} key)` : `(${rows} ${rowAxis}, ${columns} ${axis})`;
  const caption = element(
    "figcaption",
    { style: { width: `${Math.max(width, 96)}px` } },
    roleText(name, written(text)),
    element("span", { class: "shape", text: sizes }),
    scaleBar(view, limit, map),
  );
  const band = element(
    "div",
    { class: "as-band", style: { height: `${height}px`, width: `${width}px` } },
    node,
    rowLine,
    columnLine,
  );
  return element("figure", { class: "as-matrix" }, caption, crown, left, band);
}
