// The attention stepper's cells and its table of one word. `view` is {root, signal, state, data, watch, choose,
// tell}: what is given to `watch` paints again whenever a choice, the sentence or the theme has changed.

import { element, focusable, listen, setAttributes, uniqueId, word } from "../_kit/elements.js";
import { clamp, format } from "../_kit/format.js";
import { diverging, look, sequentialColor, theme } from "../_kit/theme.js";
import { rowText, wordColumns } from "./columns.js";
import { rowOf, vectorText } from "./numbers.js";

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

// Colors of a vector that follow it. They are the hard stops of one CSS gradient: a canvas for each strip would be a
// layer of its own, and a hundred layers make every frame slow.
function band(view, read, limit, css = "as-band") {
  const node = element("div", { class: css });
  let shown = null;
  view.watch(() => {
    const values = read();
    const mark = `${placeOf(view.data, values) ?? view.state.query} ${view.data.loads} ${theme(view.root)}`;
    if (mark === shown) return;
    shown = mark;
    node.style.background = gradient(values, limit(), colorNames(view.root));
    node.style.setProperty("--count", values.length);
  });
  return node;
}

// A vector as a colored strip with the chosen component marked and printed; `before` lies over it when it starts.
function strip(view, { read, limit, before }) {
  const colors = band(view, read, limit);
  const printed = element("span", { class: "number" });
  view.watch(() => {
    const values = read();
    write(printed, format(values[Math.min(view.state.component, values.length - 1)]));
  });
  if (before) colors.append(band(view, before, limit, "as-before"));
  listen(colors, ["pointermove", "pointerdown"], view.signal, (event) => {
    const box = colors.getBoundingClientRect();
    const count = read().length;
    const c = clamp(Math.floor(((event.clientX - box.left) / box.width) * count), 0, count - 1);
    if (c !== view.state.component) view.choose({ component: c });
  });
  return element("div", { class: "as-strip as-moves" }, colors, printed);
}

// A number as a bar: signed bars start in the middle, weights (without a limit) at the left.
function bar(view, { read, limit, digits = 2, starts = 0 }) {
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
  return element("div", { class: "as-bar as-moves", style: { "--starts": starts } }, number, track);
}

// One cell of a column for key word j, with what is carried into it and what falls from it.
function cellOf(view, column, j) {
  const { kind, dots, before } = column;
  const of = (each) => ({ ...each, read: () => each.read(j), before: each.before && (() => each.before(j)) });
  const ghost = (each, css) => band(view, () => each.read(j), each.limit, `as-ghost ${css}`);
  return [
    (kind === "bar" ? bar : strip)(view, of(column)),
    dots ? ghost(dots, "as-dots") : null,
    before ? ghost(column, "as-falls") : null,
  ];
}

// The table of one word: a row for each key word and a column for each step, which stays where it is. How far the
// steps have gone is `--at` in the style of what is around it: the stylesheet makes places, sizes and shades of it.
export function wordStage(view) {
  const { state, data } = view;
  const columns = wordColumns(data, state);
  const width = ({ kind }) => (kind === "strip" ? 1.25 : 0.85);
  const place = ({ step, from, seen, ...column }, i) => {
    const way = from === undefined ? 0 : columns.slice(from, i).reduce((all, each) => all + width(each), 0);
    return {
      class: ["as-cell", "as-in", ...seen.map((each) => `in-${each}`)].join(" "),
      "data-step": step,
      style: {
        "--step": step,
        "--wide": way / width(column),
        "--hops": way ? i - from : 0,
        "--near": step === 5 ? 2 : 1,
      },
    };
  };
  const cells = (make) => columns.map((column, i) => element("div", place(column, i), make(column, i)));
  const following = (make) => {
    const node = element("span", {});
    view.watch(() => node.replaceChildren(...make()));
    return node;
  };
  const under = ({ scale, note }) => (scale ? scaleBar(view, scale) : following(() => [note()]));
  const [last, ofQuery] = [columns.length - 1, (name) => rowOf(data.tensors[name], state.query)];
  const { query, value } = data.tensors;
  const rows = data.tokens.map((_, j) => {
    const made = cells((column) => cellOf(view, column, j));
    return wordRow(view, j, made);
  });
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
  const made = following(() => ["sum = ", vectorText("context", data.tokens[state.query])]);
  const asks = { read: () => ofQuery("query"), limit: () => query.limit };
  const sums = { read: () => ofQuery("context"), limit: () => value.limit };
  const total = cells((_, i) => (i === last ? [element("span", { class: "as-made" }, made), strip(view, sums)] : null));
  setAttributes(total[last], { "data-step": 6, style: { "--step": 6, "--wide": 0, "--hops": 0 } });
  const table = element(
    "div",
    {
      class: "as-word-table",
      style: {
        "--columns": ["var(--first)", ...columns.map((column) => `minmax(0, ${width(column)}fr)`)].join(" "),
        "--n": rows.length,
      },
    },
    element(
      "div",
      { class: "as-row as-head" },
      element("div", { class: "as-word" }),
      cells((column) => [element("div", {}, column.head), element("div", { class: "as-under" }, under(column))]),
    ),
    element(
      "div",
      { class: "as-row as-lead" },
      element("div", { class: "as-word" }, asking),
      cells((_, i) => (i === 0 ? strip(view, asks) : null)),
    ),
    list,
    element("div", { class: "as-row as-total" }, element("div", { class: "as-word" }), total),
  );
  // A click on a column goes to its step, and in a row also to that word.
  listen(table, "click", view.signal, ({ target }) => {
    const j = rows.indexOf(target.closest("[role=option]"));
    const step = target.closest("[data-step]")?.dataset.step;
    const next = { ...(j < 0 ? {} : { key: j }), ...(step ? { step: Number(step) } : {}) };
    if (Object.keys(next).length) view.choose(next);
  });
  return table;
}

function wordRow(view, j, cells) {
  const { state, data } = view;
  const name = word("");
  const spoken = element("span", { class: "visually-hidden" });
  const named = element("div", { class: "as-word" }, name, spoken);
  const node = element(
    "div",
    {
      class: "as-row",
      role: "option",
      id: uniqueId("row"),
      style: { "--i": j, "--late": j / Math.max(1, data.tokens.length - 1) },
    },
    named,
    element("div", { class: "as-cells", "aria-hidden": "true" }, cells),
  );
  view.watch(() => {
    node.setAttribute("aria-selected", String(j === state.key));
    node.classList.toggle("is-query", j === state.query);
    write(name, data.tokens[j]);
    named.title = data.tokens[j]; // a long word is cut
    write(spoken, `: ${rowText(state.step, data, state.query, j)}`);
  });
  return node;
}
