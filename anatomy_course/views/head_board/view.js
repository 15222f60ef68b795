// The head board: all heads as small maps that a measure sorts and filters, one of them large
// (_kit/attention_map.js), and what becomes of the output when heads are switched off (the kernel answers).

import { STEPS } from "../_kit/attention_drawing.js";
import { attentionMap, exactByte, smallMaps } from "../_kit/attention_map.js";
import { heading } from "../_kit/controls.js";
import { element, focusable, listen, uniqueId } from "../_kit/elements.js";
import { bytes, clamp } from "../_kit/format.js";
import { change, frame, onChange, onWidth, widgetRoot } from "../_kit/life.js";
import { boardControls, boardKeys, boardOrder, effectPanel, PAIR, switches } from "./panels.js";

const MAP_TALLEST = 400; // pixels of the large map
const TILE = 39; // least pixels of a small map with its number
const THUMB = 48; // most pixels of a small map
const MOST_COLUMNS = 16;

// A head as a small map with its name, its number and a bar.
function headTile(layer, head) {
  return element(
    "div",
    { class: "hb-tile", role: "option", id: uniqueId("head") },
    element("span", { class: "hb-map" }),
    element("span", { class: "visually-hidden", text: `Layer ${layer}, head ${head}: ` }),
    element("span", { class: "hb-name", "aria-hidden": "true", text: `${layer}·${head}` }),
    element("span", { class: "hb-value" }),
    element("span", { class: "hb-bar" }),
  );
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("hb");
  const shape = model.get("shape");
  const [layers, heads, queries, keys] = shape;
  const tokens = model.get("tokens");
  const data = bytes(model.get("weights"));
  const measures = model.get("measures");
  const thumbnails = smallMaps(data, shape, THUMB);
  const TRAITS = ["layer", "head", "query", "key", "rank", "order"];
  const state = Object.fromEntries(TRAITS.map((trait) => [trait, model.get(trait)]));
  const filter = { layer: "all", least: 0, columns: Math.min(heads, MOST_COLUMNS) };
  const sorted = { values: [0], shown: [] }; // shown: places in the order of the board

  const top = () => Math.max(...sorted.values) || 1;
  const none = element("p", {
    class: "note",
    text: "No head reaches that value: lower “At least”, or show all layers.",
  });
  const count = element("span", { class: "shape" });
  const board = element("div", focusable({ class: "hb-board", role: "listbox", "aria-label": "Heads" }));
  const quoted = (i) => `“${tokens[i]}”`;
  const headName = (place) => `layer ${Math.floor(place / heads)}, head ${place % heads}`;

  // ---- numbers
  const off = () => new Set(model.get("off").map(([layer, head]) => layer * heads + head));
  // What all parts of the board share.
  const view = { root, model, signal, layers, heads, queries, keys, tokens, data, measures, state, filter, sorted };
  Object.assign(view, { none, count, board, top, quoted, headName, off, choose });
  const { rank, order, layerFilter, least, from, to } = boardControls(view, (moving) => sortBoard(moving));
  const tiles = Array.from({ length: layers * heads }, (_, place) => {
    const [layer, head] = [Math.floor(place / heads), place % heads];
    const tile = headTile(layer, head);
    listen(tile, "click", signal, () => {
      choose({ layer, head });
      board.focus({ preventScroll: true });
    });
    return tile;
  });
  const map = attentionMap({
    root,
    signal,
    queryTokens: tokens,
    keyTokens: model.get("key_tokens"),
    query: state.query,
    key: state.key,
    tallest: MAP_TALLEST,
    hint: " click to choose a pair",
    onPoint: (query, key) => choose(key === null ? { query } : { query, key }),
    onColors: () => {
      const small = thumbnails(map);
      tiles.forEach((tile, place) => tile.firstChild.replaceChildren(small[place]));
    },
  });
  Object.assign(view, { tiles, map });
  const { panel, tellSwitch, effect, toggle } = switches(view, () => tellTiles());

  root.append(
    heading(model.get("label"), count, map.legend, from.node, to.node),
    element("div", { class: "row hb-controls" }, rank.node, order.node, layerFilter.node, least.node),
    element("div", { class: "av-maps" }, element("div", { class: "av-view" }, board, none, map.read), map.view),
    panel,
  );
  onWidth(board, signal, (width) => {
    filter.columns = clamp(Math.floor(width / TILE), 1, Math.min(heads, MOST_COLUMNS));
    board.style.setProperty("--columns", filter.columns);
  });
  const { sortBoard, tellTiles, measureHeads, rankName } = boardOrder(view);

  function tellPair() {
    rank.setOptions([
      ...measures.map(({ name }) => name),
      { value: PAIR, label: `${PAIR}, ${quoted(state.query)} to ${quoted(state.key)}` },
    ]);
    rank.set(state.rank);
    from.set(state.query);
    to.set(state.key);
    tellEffect();
  }

  function rankHeads() {
    measureHeads();
    rank.set(state.rank);
    order.set(state.order);
    least.set(filter.least);
    sortBoard();
  }

  function showHead() {
    const place = state.layer * heads + state.head;
    map.show({
      name: headName(place),
      values: data.subarray(place * queries * keys, (place + 1) * queries * keys),
      unit: 1 / STEPS,
      exactness: exactByte,
    });
    tellSwitch();
  }
  const { tellEffect } = effectPanel(view, effect);

  onChange(model, signal, ["after", "moved"], frame(tellEffect, signal));
  onChange(model, signal, "off", () => {
    tellSwitch();
    tellTiles();
  });

  // ---- choosing
  function choose(changes) {
    Object.assign(state, changes);
    change(model, changes);
    apply(changes);
  }

  function apply(changes) {
    const pair = "query" in changes || "key" in changes;
    if (pair) {
      map.point(state.query, state.key);
      tellPair();
    }
    if ("rank" in changes || "order" in changes || (pair && state.rank === PAIR)) rankHeads();
    if ("layer" in changes || "head" in changes) {
      showHead();
      tellTiles();
    }
  }
  boardKeys(view, { toggle, rankName });
  for (const trait of TRAITS) {
    onChange(model, signal, trait, () => {
      if (model.get(trait) === state[trait]) return;
      state[trait] = model.get(trait);
      apply({ [trait]: state[trait] });
    });
  }
  tellPair();
  rankHeads();
  showHead();
  return cleanup;
}

export default { render };
