// The mask painter: scores on the left, weights on the right, and cells that nobody may attend to.

import { arrowMove, heading, radioRow, toggleButton } from "../_kit/controls.js";
import { announce, element, focusable, listen, setAttributes, shorten, word } from "../_kit/elements.js";
import { bytes, clamp, floats, format, softmax } from "../_kit/format.js";
import { change, onChange, onWidth, promptly, widgetRoot } from "../_kit/life.js";
import { diverging, onTheme, readableOn, sequentialColor, theme } from "../_kit/theme.js";

const SMALL_FROM = 13,
  TINY_FROM = 19;
const LONG_NAME = 5;
const CELL = { least: 24, most: 50, gap: 2, beside: 148 }; // pixels; `beside` a grid: its words and its sums
const TWO_DIGITS_FROM = 42; // pixels of a cell

function grid(length, fillWith) {
  return Uint8Array.from({ length: length * length }, (_, i) => (fillWith(Math.floor(i / length), i % length) ? 1 : 0));
}

// The masks behind the buttons, for `real[j]` = key j is no padding.
function presets(length, real) {
  const list = [
    ["all open", () => true],
    ["causal", (query, key) => key <= query],
    ["padding", (query, key) => real[key]],
    ["causal and padding", (query, key) => key <= query && real[key]],
    ["none", () => false],
  ];
  const padded = real.some((one) => !one);
  return list
    .filter(([name]) => padded || !name.includes("and"))
    .map(([name, open]) => ({ name, mask: grid(length, open), idle: name === "padding" && !padded }));
}

// One row's weights: −∞ before the softmax, or (wrong) 0 after it.
function rowWeights(scores, open, zeroAfter) {
  if (!zeroAfter) return softmax(scores.map((score, j) => (open[j] ? score : -Infinity)));
  return softmax(scores).map((weight, j) => (open[j] ? weight : 0));
}

function headerCell(text, attributes) {
  return element("th", { title: text, ...attributes }, element("span", { class: "token" }, word(shorten(text, 10))));
}

// A table, (query, key), with its cells by row: {node, cells, rows}.
function table(tokens, { label, role, last }) {
  const upright = tokens.some((text) => Array.from(text).length > LONG_NAME) || tokens.length >= SMALL_FROM;
  const head = element(
    "tr",
    {},
    element("td", { class: "corner" }, element("span", { class: "visually-hidden", text: "query" })),
    tokens.map((text) => headerCell(text, { scope: "col", class: upright ? "upright" : null })),
    last ? element("th", { scope: "col", class: "sum-head", text: last }) : null,
  );
  const cells = tokens.map(() => tokens.map(() => element("td", { role: role === "grid" ? "gridcell" : null })));
  const sums = tokens.map(() => (last ? element("td", { class: "sum" }) : null));
  const rows = tokens.map((text, i) => element("tr", {}, headerCell(text, { scope: "row" }), cells[i], sums[i]));
  const node = element("table", { role, "aria-label": label }, element("thead", {}, head), element("tbody", {}, rows));
  return { node, cells, rows, sums };
}

// What a row of weights adds up to, and whether that is right.
function sumText(total, anyOpen) {
  if (!anyOpen) return { text: "empty", kind: "empty" };
  return Math.abs(total - 1) < 0.0005 ? { text: format(total), kind: "ok" } : { text: format(total), kind: "wrong" };
}

function fillCell(cell, open, text, tone) {
  cell.textContent = text;
  cell.className = open ? "cell" : "cell masked-cell";
  cell.style.backgroundColor = open ? tone : "";
  cell.style.color = open ? readableOn(tone) : "";
}

// One or two sentences about all rows: which are empty, which have lost weight.
function rowsVerdict(kinds, tokens, zeroAfter) {
  const wrong = kinds.filter((kind) => kind === "wrong").length;
  const empty = tokens.filter((_, i) => kinds[i] === "empty");
  if (empty.length === kinds.length) return "No row has anything to attend to: all weights are 0.";
  const names =
    empty
      .slice(0, 4)
      .map((text) => `“${shorten(text, 10)}”`)
      .join(", ") + (empty.length > 4 ? " and more" : "");
  const first = empty.length
    ? `${names} ${empty.length > 1 ? "have" : "has"} nothing to attend to: all weights are 0. `
    : "";
  const lost = "rows no longer sum to 1: the masked keys still took their share in the softmax.";
  if (wrong) return `${first}${wrong} of ${kinds.length} ${lost}`;
  if (zeroAfter) return `${first}No row has lost weight yet: close a cell and look at its row's sum.`;
  return `${first}${empty.length ? "Every other" : "Every"} row sums to 1.`;
}

// One row of scores and weights, and its cells.
function rowDrawing({ root, tokens, length, flat, kept, left, right, drawn }) {
  const scores = tokens.map((_, i) => Array.from(flat.subarray(i * length, (i + 1) * length)));
  const limit = Math.max(1e-6, ...scores.flat().map(Math.abs));
  function drawCell(i, j, open, weight) {
    const was = drawn[i][j];
    if (was && was.open === open && was.weight === weight && was.theme === theme(root)) return;
    drawn[i][j] = { open, weight, theme: theme(root) };
    const score = format(scores[i][j], kept.digits);
    fillCell(left.cells[i][j], open, open ? score : "−∞", diverging(root, scores[i][j] / limit));
    fillCell(right.cells[i][j], open, open ? format(weight, kept.digits) : "0", sequentialColor(root, weight));
    left.cells[i][j].setAttribute(
      "aria-label",
      `query ${tokens[i]}, key ${tokens[j]}: ${open ? `may attend, score ${score}` : "masked"}, weight ` +
        `${format(weight)}`,
    );
  }
  return { scores, drawCell };
}

// Opening and closing cells: by a stroke of the pointer, or by arrow keys and space.
function brushing({ root, model, signal, kept, left, right, paint, save, length, real, redrawAll }) {
  function focusCell([i, j], move = true) {
    left.cells[kept.at[0]][kept.at[1]].tabIndex = -1;
    kept.at = [i, j];
    left.cells[i][j].tabIndex = 0;
    if (move) left.cells[i][j].focus();
  }
  function here(i, j) {
    root.querySelectorAll(".here").forEach((node) => node.classList.remove("here"));
    if (i === undefined) return;
    left.rows[i].classList.add("here");
    right.rows[i].classList.add("here");
    for (const side of [left, right]) side.node.tHead.rows[0].cells[j + 1].classList.add("here");
  }
  function cellOf(node) {
    const cell = node?.closest?.("td.cell");
    const i = cell && left.node.contains(cell) ? left.rows.indexOf(cell.parentElement) : -1;
    return i < 0 ? null : [i, left.cells[i].indexOf(cell)];
  }
  listen(left.node, "pointermove", signal, (event) => {
    const found = cellOf(document.elementFromPoint(event.clientX, event.clientY));
    here(...(found ?? []));
    if (kept.brush === null || !found) return;
    if (found[0] !== kept.at[0] || found[1] !== kept.at[1]) focusCell(found);
    paint(...found, kept.brush);
  });
  listen(left.node, "pointerleave", signal, () => here());
  for (const end of ["pointerup", "pointercancel"]) {
    listen(window, end, signal, () => {
      if (kept.brush === null) return;
      kept.brush = null;
      save();
    });
  }
  listen(left.node, "keydown", signal, (event) => {
    const to = arrowMove(event, ...kept.at, length, length);
    if (to) {
      event.preventDefault();
      const open = kept.mask[kept.at[0] * length + kept.at[1]];
      focusCell(to);
      if (event.shiftKey) {
        paint(...to, open);
        save();
      }
    } else if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      paint(...kept.at, kept.mask[kept.at[0] * length + kept.at[1]] ? 0 : 1);
      save();
    }
  });
  listen(left.node, "focusin", signal, (event) => {
    const found = cellOf(event.target);
    if (!found) return;
    here(...found);
    if (found[0] !== kept.at[0] || found[1] !== kept.at[1]) focusCell(found, false);
  });

  const masks = presets(length, real);
  const chooser = radioRow({
    label: "whole masks",
    choices: Object.fromEntries(masks.map(({ name }) => [name, name])),
    signal,
    onChoose: (chosen) => {
      kept.mask = masks.find(({ name }) => name === chosen).mask.slice();
      save();
      redrawAll();
      announce(root, `mask: ${chosen}`);
    },
  });
  chooser.nodes.forEach((node, i) => {
    node.disabled = masks[i].idle;
    if (masks[i].idle) node.title = "There is no padding token in this sentence.";
  });
  const tellMask = () => {
    const same = masks.find(({ mask, idle }) => !idle && mask.every((open, i) => open === kept.mask[i]));
    chooser.set(same?.name);
  };
  const onToggle = (on) => {
    change(model, { zero_after: on });
  };
  return { chooser, tellMask, focusCell, cellOf, onToggle };
}

function render({ model, el }) {
  const tokens = model.get("tokens"),
    length = tokens.length;
  const flat = floats(model.get("score_bytes"));
  const real = Array.from(bytes(model.get("padding_bytes")), Boolean);
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("painter", length >= TINY_FROM ? "tiny" : length >= SMALL_FROM ? "small" : "roomy");
  // What this view remembers between drawings; digits: of the numbers in the cells.
  const kept = { mask: bytes(model.get("mask")), at: [0, 0], brush: null, digits: length >= SMALL_FROM ? 1 : 2 };

  const left = table(tokens, { label: "mask over the scores; rows are queries, columns are keys", role: "grid" });
  const right = table(tokens, { label: "weights; rows are queries, columns are keys", last: "Σ" });
  const line = element("p", { class: "verdict", role: "status" });
  const kinds = tokens.map(() => "ok");
  const stale = new Set(tokens.keys());
  const drawn = tokens.map(() => []);
  const { scores, drawCell } = rowDrawing({ root, tokens, length, flat, kept, left, right, drawn });

  function drawRow(i) {
    const open = kept.mask.subarray(i * length, (i + 1) * length);
    const weights = rowWeights(scores[i], open, model.get("zero_after"));
    let total = 0;
    for (let j = 0; j < length; j += 1) {
      total += weights[j];
      drawCell(i, j, Boolean(open[j]), weights[j]);
    }
    const { text, kind } = sumText(total, open.some(Boolean));
    kinds[i] = kind;
    right.sums[i].textContent = text;
    right.sums[i].className = `sum ${kind}`;
  }
  function draw() {
    if (!theme(root)) return; // not attached yet: the first theme event draws
    for (const i of stale) drawRow(i);
    stale.clear();
    line.textContent = rowsVerdict(kinds, tokens, model.get("zero_after"));
    line.className = kinds.includes("wrong") ? "verdict wrong" : "verdict";
    tellMask();
  }
  const redraw = promptly(draw, signal);
  function redrawAll() {
    for (const i of tokens.keys()) stale.add(i);
    redraw();
  }
  function save() {
    change(model, { mask: new DataView(kept.mask.slice().buffer) });
  }
  function paint(i, j, open) {
    if (kept.mask[i * length + j] === open) return;
    kept.mask[i * length + j] = open;
    stale.add(i);
    redraw();
  }
  const { chooser, tellMask, focusCell, cellOf, onToggle } = brushing({
    root,
    model,
    signal,
    kept,
    left,
    right,
    paint,
    save,
    length,
    real,
    redrawAll,
  });

  left.cells.forEach((row, i) =>
    row.forEach((cell, j) => setAttributes(cell, focusable({ tabindex: i || j ? -1 : 0 }))),
  );
  listen(left.node, "pointerdown", signal, (event) => {
    const found = cellOf(event.target);
    if (!found || event.button !== 0) return;
    event.preventDefault();
    kept.brush = kept.mask[found[0] * length + found[1]] ? 0 : 1;
    event.target.releasePointerCapture?.(event.pointerId);
    focusCell(found);
    paint(...found, kept.brush);
  });
  const wrongWay = toggleButton({
    label: "0 after the softmax (wrong)",
    pressed: model.get("zero_after"),
    signal,
    onToggle,
  });
  const shape = element("span", { class: "shape", text: `${length} queries × ${length} keys` });
  const stage = element("span", { class: "stage" });
  const drawStage = () => {
    stage.textContent = model.get("zero_after") ? "softmax, then 0 where masked" : "−∞ where masked, then softmax";
    wrongWay.set(model.get("zero_after"));
  };
  root.append(
    heading(model.get("label"), wrongWay.node),
    chooser.node,
    element(
      "div",
      { class: "columns" },
      element(
        "div",
        { class: "side" },
        element("div", { class: "side-title" }, "Scores under the mask ", shape),
        element("div", { class: "scroll" }, left.node),
      ),
      element(
        "div",
        { class: "side" },
        element("div", { class: "side-title" }, "Weights: ", stage),
        element("div", { class: "scroll" }, right.node),
      ),
    ),
    line,
    element(
      "p",
      { class: "note" },
      "Rows are queries, columns are keys; a hatched cell is masked. ",
      "Drag over the left cells to paint, or use the arrow keys and Space; hold Shift to go on painting.",
    ),
  );
  onChange(model, signal, "mask", () => {
    const next = bytes(model.get("mask"));
    if (kept.brush !== null || next.length !== kept.mask.length || next.every((open, i) => open === kept.mask[i]))
      return;
    kept.mask = next;
    redrawAll();
  });
  onChange(model, signal, "zero_after", () => {
    drawStage();
    redrawAll();
  });
  onTheme(root, signal, redrawAll);
  onWidth(left.node.closest(".columns"), signal, (width) => {
    if (length >= SMALL_FROM) return;
    const wide = Math.floor((width - CELL.beside) / length) - CELL.gap;
    const cell = clamp(wide, CELL.least, CELL.most);
    root.style.setProperty("--cell-width", `${cell}px`);
    kept.digits = cell < TWO_DIGITS_FROM ? 1 : 2;
    drawn.forEach((row) => row.splice(0));
    redrawAll();
  });
  drawStage();
  draw();
  return cleanup;
}

export default { render };
