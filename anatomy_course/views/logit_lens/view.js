// The logit lens: a table of what the model would say after each layer, five candidates of a cell, the final token's
// curves.

import { arrowMove, heading } from "../_kit/controls.js";
import { lineChart } from "../_kit/curves.js";
import { announce, element, focusable, listen, shorten, uniqueId, word } from "../_kit/elements.js";
import { clamp, floats, format } from "../_kit/format.js";
import { change, frame, onChange, onWidth, widgetRoot } from "../_kit/life.js";
import { request, sentenceForm } from "../_kit/request.js";
import { spokenAs } from "../_kit/spoken.js";
import { onTheme, readableOn, sequentialColor } from "../_kit/theme.js";

const CELL_TEXT = 9; // letters that fit a cell

function chancePercent(probability) {
  if (probability > 0 && probability < 0.0005) return "< 0.1 %";
  return `${format(probability * 100, 1)} %`;
}

// The grid of layers and positions, shaded by how sure each layer is.
function lensGrid({ root, model, signal, lens, said, sure, finalWord, settled, form, choose, point, layer, position }) {
  const grid = element(
    "div",
    focusable({
      class: "ll-grid",
      role: "grid",
      "aria-label": "The likeliest next token after each layer, the last layer on top",
    }),
  );

  // ---------------------------------------------------------------- drawing
  function buildGrid() {
    const header = element(
      "div",
      { class: "ll-row ll-head", role: "row" },
      element(
        "span",
        { role: "columnheader", class: "ll-layer" },
        element("span", { class: "visually-hidden", text: "layer" }),
      ),
      lens.tokens.map((text) => element("span", { role: "columnheader", title: text }, word(shorten(text, CELL_TEXT)))),
    );
    lens.cells = Array.from({ length: lens.layers }, (_, at) =>
      lens.tokens.map((_, column) => {
        const node = element(
          "span",
          { role: "gridcell", id: uniqueId("cell"), class: "ll-cell" },
          word(shorten(said(at, column), CELL_TEXT)),
        );
        const stays = settled(column) === at ? ", from here on it stays" : "";
        spokenAs(node, `${said(at, column)}, ${chancePercent(sure(at, column))}${stays}`);
        if (said(at, column) === finalWord(column)) node.classList.add("final");
        if (settled(column) === at) node.classList.add("settled");
        listen(node, "pointerenter", signal, () => point([at, column]));
        listen(node, "click", signal, () => choose(at, column));
        return node;
      }),
    );
    const rows = lens.cells.map((row, at) =>
      element(
        "div",
        { class: "ll-row", role: "row" },
        element("span", { role: "rowheader", class: "ll-layer", text: at }),
        row,
      ),
    );
    grid.style.setProperty("--columns", lens.tokens.length);
    grid.replaceChildren(header, ...rows.reverse());
    form.set(model.get("text"));
    shade();
  }

  function shade() {
    lens.cells.forEach((row, at) =>
      row.forEach((node, column) => {
        const tone = sequentialColor(root, sure(at, column));
        node.style.background = tone;
        node.style.color = readableOn(tone);
      }),
    );
  }

  function drawChosen() {
    const chosen = lens.cells[layer()][position()];
    grid.querySelectorAll("[aria-selected=true]").forEach((node) => node.removeAttribute("aria-selected"));
    chosen.setAttribute("aria-selected", "true");
    grid.setAttribute("aria-activedescendant", chosen.id);
  }
  return { grid, drawChosen, buildGrid, shade };
}

// How the final word's chance and rank grow from layer to layer.
function lensCurves({ lens, finalWord, finalShare, finalRank, layer, position, settled }) {
  const chances = lineChart({ height: 146, xLabel: "layer", yLabel: "probability" });
  const ranks = lineChart({ height: 146, xLabel: "layer", yLabel: "rank (1: likeliest)", log: true });
  const curveTitle = element("div", { class: "ll-title" });

  function drawCurves() {
    const column = position(),
      last = lens.layers - 1;
    const line = (f) => Array.from({ length: lens.layers }, (_, at) => [at, f(at, column)]);
    const worst = Math.max(10, ...line(finalRank).map(([, y]) => y));
    const cursor = (low, high) => [
      {
        points: [
          [layer(), low],
          [layer(), high],
        ],
        class: "cursor",
      },
      {
        points: [
          [settled(column), low],
          [settled(column), high],
        ],
        class: "level",
      },
    ];
    const from = settled(column);
    curveTitle.replaceChildren(
      "The way of “",
      word(finalWord(column)),
      `” after “`,
      word(lens.tokens[column]),
      `”: on top for good from layer ${from} on`,
    );
    chances.draw([...cursor(0, 1), { points: line(finalShare), class: "share", name: "probability" }], {
      x: [0, last],
      y: [0, 1],
      told:
        `Probability of ${finalWord(column)} after ${lens.tokens[column]} from ` +
        `${chancePercent(finalShare(0, column))} before the first layer to ` +
        `${chancePercent(finalShare(last, column))} after layer ${last}; the likeliest for good from layer ` +
        `${from} on.`,
    });
    ranks.draw([...cursor(1, worst), { points: line(finalRank), class: "rank", name: "rank" }], {
      x: [0, last],
      y: [1, worst],
      told:
        `Rank of ${finalWord(column)} after ${lens.tokens[column]} from ${finalRank(0, column)} before the ` +
        `first layer to ${finalRank(last, column)} after layer ${last}.`,
    });
  }
  return { chances, ranks, curveTitle, drawCurves };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("lens");
  const lens = {
    tokens: [],
    words: [],
    layers: 0,
    most: 0,
    top: null,
    probabilities: null,
    final: null,
    cells: [],
    pointed: null,
  };
  const place = (layer, position) => (layer * lens.tokens.length + position) * lens.most;
  const said = (layer, position, k = 0) => lens.words[lens.top[place(layer, position) + k]];
  const sure = (layer, position, k = 0) => lens.probabilities[place(layer, position) + k];
  const finalWord = (position) => said(lens.layers - 1, position);
  const finalShare = (layer, position) => lens.final[layer * lens.tokens.length + position];
  const finalRank = (layer, position) => lens.final[(lens.layers + layer) * lens.tokens.length + position];
  const layer = () => clamp(model.get("layer"), 0, lens.layers - 1);
  const position = () => clamp(model.get("position"), 0, lens.tokens.length - 1);
  const layerName = (at) =>
    at === 0 ? "before the first layer" : at === lens.layers - 1 ? `after layer ${at}, the last` : `after layer ${at}`;
  // The layer from which on the final token is the likeliest, and stays it.
  const settled = (at) => {
    let from = lens.layers - 1;
    while (from > 0 && said(from - 1, at) === finalWord(at)) from -= 1;
    return from;
  };

  // ---------------------------------------------------------------- parts
  const questions = request({
    model,
    signal,
    onBusy: (on) => form.busy(on),
    onAnswer: () => announce(root, `Read. In the end it says ${finalWord(position())}.`),
  });
  const form = sentenceForm({
    value: model.get("text"),
    label: "Text",
    action: "Read",
    signal,
    onSentence: (text) => questions.ask({ text }),
  });
  const { grid, drawChosen, buildGrid, shade } = lensGrid({
    root,
    model,
    signal,
    lens,
    said,
    sure,
    finalWord,
    settled,
    form,
    choose,
    point,
    layer,
    position,
  });
  const scroll = element("div", { class: "scroll" }, grid);
  const title = element("div", { class: "ll-title" });
  const list = element("div", {
    class: "ll-five",
    role: "list",
    "aria-label": "The likeliest tokens of the chosen cell",
  });
  const summary = element("div", { class: "note" });
  const { chances, ranks, curveTitle, drawCurves } = lensCurves({
    lens,
    finalWord,
    finalShare,
    finalRank,
    layer,
    position,
    settled,
  });
  const key = element(
    "div",
    { class: "row ll-key", "aria-hidden": "true" },
    element("span", { class: "ll-shades" }, "probability 0", element("i"), "1"),
    element("span", {}, element("b", { text: "bold:" }), "what it says in the end"),
    element("span", {}, element("i", { class: "ll-mark" }), "from here on it stays"),
  );
  root.append(
    heading(model.get("label")),
    form.node,
    questions.line,
    element(
      "div",
      { class: "ll-two" },
      element("div", { class: "panel ll-table" }, key, scroll),
      element(
        "div",
        { class: "ll-told" },
        element("div", { class: "panel" }, title, list, summary),
        element(
          "div",
          { class: "panel" },
          curveTitle,
          element("div", { class: "ll-charts" }, chances.node, ranks.node),
        ),
      ),
    ),
  );
  listen(grid, "keydown", signal, (event) => {
    const to = arrowMove(event, lens.layers - 1 - layer(), position(), lens.layers, lens.tokens.length);
    if (!to) return;
    event.preventDefault();
    lens.pointed = null;
    choose(lens.layers - 1 - to[0], to[1]);
    lookAtChosen();
    announce(
      root,
      `${layerName(layer())}, after ${lens.tokens[position()]}: ${said(layer(), position())}, ` +
        `${chancePercent(sure(layer(), position()))}`,
    );
  });
  listen(grid, "pointerleave", signal, () => point(null));

  // The page keeps how far a longer text was scrolled.
  function lookAtChosen() {
    const cell = lens.cells[layer()][position()];
    const left = cell.offsetLeft - scroll.offsetLeft;
    scroll.scrollLeft = clamp(scroll.scrollLeft, left + cell.offsetWidth - scroll.clientWidth, Math.max(0, left - 30));
  }
  function choose(at, column) {
    change(model, { layer: at, position: column });
  }
  function point(cell) {
    lens.pointed = cell;
    redrawCell();
  }

  function drawCell() {
    const [at, column] = lens.pointed ?? [layer(), position()];
    title.replaceChildren(`Behind “`, word(lens.tokens[column]), `”, ${layerName(at)}, it would say`);
    list.replaceChildren(
      ...Array.from({ length: lens.most }, (_, k) => {
        const text = said(at, column, k);
        return element(
          "div",
          { class: "ll-one", role: "listitem" },
          word(shorten(text, 18), { class: text === finalWord(column) ? "word ll-final" : "word", title: text }),
          element("span", { class: "ll-track" }, element("i", { style: { width: `${sure(at, column, k) * 100}%` } })),
          element("span", { class: "number", text: chancePercent(sure(at, column, k)) }),
        );
      }),
    );
    summary.replaceChildren(
      "In the end it says “",
      word(finalWord(column)),
      `”: here ${chancePercent(finalShare(at, column))}, rank ${finalRank(at, column)}.`,
    );
  }

  function load() {
    [lens.tokens, lens.words, lens.layers, lens.most] = ["tokens", "words", "layers", "most"].map((name) =>
      model.get(name),
    );
    const view = model.get("top");
    lens.top = new Uint16Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
    [lens.probabilities, lens.final] = ["probabilities", "final"].map((name) => floats(model.get(name)));
    const size = lens.layers * lens.tokens.length;
    return (
      lens.top.length === size * lens.most &&
      lens.probabilities.length === size * lens.most &&
      lens.final.length === size * 2
    ); // else the rest of an answer is on its way
  }

  const redrawCell = frame(drawCell, signal);
  const redraw = frame(() => {
    drawChosen();
    drawCell();
    drawCurves();
  }, signal);
  const reload = () => {
    if (!load()) return;
    lens.pointed = null;
    buildGrid();
    drawChosen();
    drawCell();
    drawCurves();
    lookAtChosen();
  };
  onChange(model, signal, ["tokens", "words", "top", "probabilities", "final", "layers"], frame(reload, signal));
  onChange(model, signal, ["layer", "position"], redraw);
  onTheme(root, signal, shade);
  onWidth(scroll, signal, lookAtChosen);
  reload();
  return cleanup;
}

export default { render };
