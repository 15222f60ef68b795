// The attention stepper's cells and its table of one word. `view` is {root, signal, state, data, watch, choose,
// tell}: what is given to `watch` paints again whenever a choice, the sentence or the theme has changed.

import { element, focusable, listen, uniqueId, word } from "../_kit/elements.js";
import { clamp, format } from "../_kit/format.js";
import { diverging, look, sequentialColor, theme } from "../_kit/theme.js";
import { FINE, rowText, wordColumns } from "./columns.js";
import { averaged, vectorText } from "./numbers.js";

// New text, and the work of laying it out, only where it is another one.
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// A view of the model's own numbers is recognised by its place, so that it is not painted twice; null for other
// numbers.
export function placeOf(data, values) {
  return values.buffer === data.numbers.buffer ? `${data.loads} ${values.byteOffset}` : null;
}

// A color bar with its ends printed.
export function scaleBar(view, limitNow, map = "diverging") {
  const [low, high, bar] = [element("span"), element("span"), element("i")];
  const colors = (i) => (map === "sequential" ? sequentialColor(view.root, i / 8) : diverging(view.root, i / 4 - 1));
  view.watch(() => {
    const limit = limitNow();
    const digits = limit < 10 ? 1 : 0;
    write(low, map === "sequential" ? "0" : format(-limit, digits));
    write(high, format(limit, digits));
    if (bar.dataset.theme === theme(view.root)) return;
    bar.dataset.theme = theme(view.root);
    bar.style.background = `linear-gradient(to right, ${Array.from({ length: 9 }, (_, i) => colors(i)).join(", ")})`;
  });
  return element("span", { class: `as-scale ${map}` }, low, bar, high);
}

// The diverging map's 256 colors as CSS writes them, worked out once for each theme.
function colorNames(root) {
  const { tables } = look(root);
  tables.names ??= Array.from({ length: 256 }, (_, i) => diverging(root, i / 127.5 - 1));
  return tables.names;
}

// Signed numbers as a gradient of equally wide colors; a stop at 0 starts where the last one ended.
function gradient(values, limit, names) {
  let stops = "linear-gradient(to right";
  for (let i = 0; i < values.length; i += 1) {
    const name = names[clamp(Math.floor((values[i] * 127.5) / limit + 128), 0, 255)];
    stops += `,${name} 0 ${((100 * (i + 1)) / values.length).toFixed(2)}%`;
  }
  return `${stops})`;
}

// A vector as a colored strip with the chosen component marked and printed. The colors are the hard stops of one CSS
// gradient: a canvas for each strip would be a layer of its own, and a hundred layers make every frame slow.
// A fine strip has too many components to print one; `name` says what it is where one is pointed at.
function strip(view, read, limit, name = null) {
  const band = element("div", { class: name ? "as-band fine" : "as-band" });
  const printed = name ? null : element("span", { class: "number" });
  let shown = null;
  view.watch(() => {
    const values = read();
    if (printed) write(printed, format(values[Math.min(view.state.component, values.length - 1)]));
    const place = placeOf(view.data, values);
    const mark = place && `${place} ${theme(view.root)}`;
    if (mark && mark === shown) return;
    shown = mark;
    band.style.background = gradient(name ? averaged(values, FINE) : values, limit(), colorNames(view.root));
    band.style.setProperty("--count", values.length);
  });
  listen(band, ["pointermove", "pointerdown"], view.signal, (event) => {
    const values = read();
    const box = band.getBoundingClientRect();
    const c = clamp(Math.floor(((event.clientX - box.left) / box.width) * values.length), 0, values.length - 1);
    if (name) view.tell(`${name()}: component ${c} is ${format(values[c], 3)}`);
    else if (c !== view.state.component) view.choose({ component: c });
  });
  return element("div", { class: "as-strip" }, band, printed);
}

// A number as a bar: signed bars start in the middle, weights (without a limit) at the left.
function bar(view, read, limit, digits = 2) {
  const filled = element("span", { class: "as-fill" });
  const number = element("span", { class: "number" });
  const track = element("span", { class: limit ? "as-track signed" : "as-track" }, filled);
  view.watch(() => {
    const value = read();
    write(number, format(value, digits));
    const part = clamp(Math.abs(value) / (limit ? limit() : 1), 0, 1) * (limit ? 50 : 100);
    filled.style.width = `${part}%`;
    filled.style.left = limit ? `${value < 0 ? 50 - part : 50}%` : "0";
    filled.classList.toggle("minus", value < 0);
  });
  return element("div", { class: "as-bar" }, number, track);
}

function textCell(view, read) {
  const node = element("span", { class: "number" });
  view.watch(() => write(node, read()));
  return node;
}

// One cell of the column tables for key word j; nothing where the column has none.
function cellOf(view, cell, j) {
  if (!cell) return "";
  const read = () => cell.read(j);
  if (cell.kind === "text") return textCell(view, read);
  if (cell.kind === "bar") return bar(view, read, cell.limit, cell.digits);
  const made = strip(view, read, cell.limit, cell.tell ? () => cell.tell(j) : null);
  if (!cell.only) return made;
  const box = element("div", {}, made);
  const idle = element("span", { class: "as-idle", text: "not asked" });
  view.watch(() => {
    box.hidden = !cell.only(j);
    idle.hidden = cell.only(j);
  });
  return [box, idle];
}

// The table of a step for one word: a row for each key word, and above and below it what belongs to all of them.
export function wordStage(view, step) {
  const { state, data } = view;
  const columns = wordColumns(step, data, state);
  const cells = (make) => columns.map((column) => element("div", { class: "as-cell" }, make(column)));
  const named = (css, name, make) =>
    element("div", { class: `as-row ${css}` }, element("div", { class: "as-word" }, name), make);
  const following = (make) => {
    const node = element("span", {});
    view.watch(() => node.replaceChildren(...make()));
    return node;
  };
  const rows = data.tokens.map((_, j) =>
    wordRow(
      view,
      step,
      j,
      cells((column) => cellOf(view, column.cell, j)),
    ),
  );
  const list = element(
    "div",
    focusable({ class: "as-table", role: "listbox", "aria-label": "Key word of the equation" }),
    rows,
  );
  view.watch(() => list.setAttribute("aria-activedescendant", rows[state.key].id));
  listen(list, "keydown", view.signal, (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1, Home: -rows.length, End: rows.length }[event.key];
    const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined && along === undefined) return;
    event.preventDefault();
    if (by) view.choose({ key: clamp(state.key + by, 0, rows.length - 1) });
    else view.choose({ component: clamp(state.component + along, 0, data.tensors.key.columns - 1) });
  });
  const asking = following(() => [vectorText("query", data.tokens[state.query])]);
  const adding = step === 6 ? following(() => ["= ", vectorText("context", data.tokens[state.query])]) : "sum";
  const heads = columns.map(({ fresh, head, scale }) =>
    element("div", { class: fresh ? "as-cell fresh" : "as-cell" }, head, scale ? scaleBar(view, scale) : null),
  );
  const widths = ["var(--first)", ...columns.map(({ width }) => `minmax(0, ${width})`)].join(" ");
  return element(
    "div",
    { style: { "--columns": widths } },
    named("as-head", "", heads),
    columns.some(({ lead }) => lead)
      ? named(
          "as-lead",
          asking,
          cells((column) => cellOf(view, column.lead)),
        )
      : null,
    list,
    columns.some(({ total }) => total)
      ? named(
          "as-total",
          adding,
          cells((column) => cellOf(view, column.total)),
        )
      : null,
  );
}

function wordRow(view, step, j, cells) {
  const { state, data } = view;
  const name = word("");
  const spoken = element("span", { class: "visually-hidden" });
  const named = element("div", { class: "as-word" }, name, spoken);
  const node = element(
    "div",
    { class: "as-row", role: "option", id: uniqueId("row") },
    named,
    element("div", { class: "as-cells", "aria-hidden": "true" }, cells),
  );
  listen(node, "click", view.signal, () => view.choose({ key: j }));
  view.watch(() => {
    node.setAttribute("aria-selected", String(j === state.key));
    node.classList.toggle("is-query", j === state.query);
    write(name, data.tokens[j]);
    named.title = data.tokens[j]; // a long word is cut
    write(spoken, `: ${rowText(step, data, state.query, j)}`);
  });
  return node;
}
