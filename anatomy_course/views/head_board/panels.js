// The head board's panels: what it is sorted by, the switches, and the effect of heads that are off.

import { placesOfLargest, STEPS } from "../_kit/attention_drawing.js";
import { button, select, slider, toggleButton } from "../_kit/controls.js";
import { announce, element, listen, setAttributes, shorten, word } from "../_kit/elements.js";
import { clamp, floats, format, mean } from "../_kit/format.js";
import { prefersReducedMotion } from "../_kit/life.js";
import { request } from "../_kit/request.js";

export const PAIR = "the chosen pair";

const ORDERS = [
  { value: "highest", label: "highest first" },
  { value: "lowest", label: "lowest first" },
  { value: "layer", label: "by layer" },
];

// How many decimals tell the values of a measure apart.
function digitsFor(values) {
  return Math.max(...values) < 0.1 ? 3 : 2;
}

const MOST_BARS = 24; // tokens whose movement is drawn
const MOVE = 420; // milliseconds of a re-ordering

// Places in the order asked for; equal values keep the model's order.
function sortedPlaces(values, order) {
  const sign = { layer: 0, highest: -1, lowest: 1 }[order];
  return Array.from(values, (value, i) => i).sort((a, b) => sign * (values[a] - values[b]) || a - b);
}

// What the query attends to, and once heads are off what that did to the output: {tellEffect()}.
export function effectPanel(view, effect) {
  const { model, tokens, state, tiles, map } = view;
  function tellEffect() {
    if (!model.get("can_switch")) {
      const note = "Heads can be switched off where the widget was given a model.";
      effect.replaceChildren(map.strongest, element("p", { class: "note", text: note }));
      return;
    }
    const [before, after, moved] = ["before", "after", "moved"].map((name) => floats(model.get(name)));
    const gone = model.get("off").length;
    const cell = state.query * tokens.length + state.key;
    const difference = after[cell] - before[cell];
    const places = placesOfLargest(moved, MOST_BARS).sort((a, b) => a - b);
    const digits = Math.max(...moved) < 0.1 ? 3 : 2;
    const most = tokens.length > MOST_BARS ? `the ${MOST_BARS} largest; ` : "";
    effect.replaceChildren(
      gone
        ? element(
            "div",
            { class: "hb-moved" },
            element(
              "h4",
              {},
              "How far each token's output vector moved ",
              element("span", { class: "shape", text: `${most}1 − cosine, a full bar is 1` }),
            ),
            element(
              "div",
              { class: "hb-bars" },
              places.map((i) =>
                element(
                  "div",
                  { class: "av-bar" },
                  word(shorten(tokens[i], 14)),
                  element(
                    "span",
                    { class: "hb-track" },
                    element("i", { style: { width: `${Math.min(1, moved[i]) * 100}%` } }),
                  ),
                  element("span", { class: "number", text: format(moved[i], digits) }),
                ),
              ),
            ),
          )
        : map.strongest,
      element(
        "div",
        { class: "hb-pair" },
        element(
          "h4",
          {},
          "Outputs of ",
          word(shorten(tokens[state.query], 14), { class: "word query" }),
          " and ",
          word(shorten(tokens[state.key], 14), { class: "word key" }),
        ),
        element(
          "div",
          { class: "hb-big" },
          element("span", { class: "number", text: format(before[cell]) }),
          gone ? [" → ", element("span", { class: "number hb-now", text: format(after[cell]) })] : null,
          element("span", {
            class: "note",
            text: gone ? ` cosine (${difference < 0 ? "" : "+"}${format(difference)})` : " cosine, all heads on",
          }),
        ),
        gone
          ? element(
              "p",
              { class: "note" },
              `Without ${gone} of ${tiles.length} the outputs moved by `,
              element("span", { class: "number", text: format(mean(moved), 3) }),
              " on average. The maps are those with all heads on.",
            )
          : element("p", { class: "note", text: "Switch a head off: the model then runs again without it." }),
      ),
    );
  }
  return { tellEffect };
}

// Measuring all heads, and showing those that are left in their order.
export function boardOrder(view) {
  const { model, layers, heads, queries, keys, data, measures, tiles, board, none, count } = view;
  const { state, filter, sorted, top, quoted, off } = view;
  const rankName = () =>
    state.rank === PAIR ? `the weight from ${quoted(state.query)} to ${quoted(state.key)}` : state.rank;

  function measureHeads() {
    if (state.rank !== PAIR) sorted.values = measures.find(({ name }) => name === state.rank).values;
    else {
      const cell = state.query * keys + state.key;
      sorted.values = Array.from({ length: layers * heads }, (_, place) => data[place * queries * keys + cell] / STEPS);
    }
  }

  // ---- drawing the board
  function sortBoard(moving = true) {
    const old = new Map(
      moving && !prefersReducedMotion()
        ? sorted.shown.map((place) => [place, tiles[place].getBoundingClientRect()])
        : [],
    );
    sorted.shown = sortedPlaces(sorted.values, state.order).filter(
      (place) =>
        sorted.values[place] >= filter.least * top() - 1e-9 &&
        (filter.layer === "all" || Math.floor(place / heads) === Number(filter.layer)),
    );
    board.replaceChildren(...sorted.shown.map((place) => tiles[place]));
    none.hidden = sorted.shown.length > 0;
    board.hidden = !sorted.shown.length;
    const some = sorted.shown.length;
    count.textContent = some < tiles.length ? `${some} of ${tiles.length} heads` : `${layers} layers × ${heads} heads`;
    for (const [place, was] of old) {
      const is = tiles[place].getBoundingClientRect();
      const [x, y] = [was.x - is.x, was.y - is.y];
      if (is.width && (x || y))
        tiles[place].animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], {
          duration: MOVE,
          easing: "ease-in-out",
        });
    }
    tellTiles();
  }

  function tellTiles() {
    const chosen = state.layer * heads + state.head;
    const digits = digitsFor(sorted.values);
    const gone = off();
    for (const place of sorted.shown) {
      const tile = tiles[place];
      const [value, bar] = [...tile.children].slice(-2);
      value.textContent = gone.has(place) ? "off" : format(sorted.values[place], digits);
      bar.style.setProperty("--part", clamp(sorted.values[place] / top(), 0, 1));
      tile.classList.toggle("hb-gone", gone.has(place));
      tile.setAttribute("aria-selected", String(place === chosen));
    }
    if (sorted.shown.includes(chosen)) board.setAttribute("aria-activedescendant", tiles[chosen].id);
    else board.removeAttribute("aria-activedescendant");
    board.setAttribute(
      "aria-label",
      `Heads, ${ORDERS.find(({ value }) => value === state.order).label}: ${rankName()}. Arrow keys choose a head${
        model.get("can_switch") ? ", Space switches it" : ""
      }.`,
    );
  }
  return { sortBoard, tellTiles, measureHeads, rankName };
}

// What the board is sorted and thinned out by.
export function boardControls(view, sortBoard) {
  const { signal, state, filter, choose, layers, sorted, top, tokens } = view;
  // ---- the board and its controls
  const rank = select({
    label: "Rank by",
    options: [PAIR],
    signal,
    onChange: (value) => {
      filter.least = 0;
      choose({ rank: value, order: state.order === "layer" ? "highest" : state.order });
    },
  });
  const order = select({
    label: "Order",
    options: ORDERS,
    value: state.order,
    signal,
    onChange: (value) => choose({ order: value }),
  });
  const layerFilter = select({
    label: "Layer",
    options: [{ value: "all", label: "all" }, ...Array.from({ length: layers }, (_, i) => i)],
    value: "all",
    signal,
    onChange: (value) => {
      filter.layer = value;
      sortBoard();
    },
  });
  const least = slider({
    label: "At least",
    min: 0,
    max: 1,
    value: 0,
    signal,
    format: (part) => format(part * top(), digitsFor(sorted.values)),
    onInput: (part) => {
      filter.least = part;
      sortBoard(false);
    },
  });
  const tokenOptions = tokens.map((token, i) => ({ value: i, label: `${shorten(token, 16)} (${i})` }));
  const from = select({
    label: "Pair: from",
    options: tokenOptions,
    signal,
    onChange: (value) => choose({ query: Number(value) }),
  });
  const to = select({
    label: "to",
    options: tokenOptions,
    signal,
    onChange: (value) => choose({ key: Number(value) }),
  });
  return { rank, order, layerFilter, least, from, to };
}

// Switching heads off and on.
export function switches(view, tellTiles) {
  const { root, model, signal, heads, state, headName, off } = view;
  const { ask, line } = request({
    model,
    signal,
    onBusy: (on) => setAttributes(panel, { "aria-busy": on ? "true" : null }),
    onAnswer: () => announce(root, `The output moved by ${format(mean(floats(model.get("moved"))), 3)} on average.`),
  });
  // ---- switching off
  const switchButton = toggleButton({ label: "", signal, onToggle: () => toggle(state.layer * heads + state.head) });
  const allOn = button({ label: "All heads on", signal, onClick: () => setOff([]) });
  const offList = element("div", { class: "row hb-off", role: "group", "aria-label": "Heads that are off" });
  const effect = element("div", { class: "hb-effect" });
  const panel = element(
    "section",
    { class: "panel hb-switch", "aria-label": "Switch heads off" },
    model.get("can_switch") ? element("div", { class: "row" }, switchButton.node, allOn, offList) : null,
    line,
    effect,
  );

  // ---- what switching off does
  function tellSwitch() {
    const place = state.layer * heads + state.head;
    switchButton.node.textContent = `Switch ${headName(place)} off`;
    switchButton.set(off().has(place));
    allOn.disabled = !off().size;
    const [chips, rest] = [[...off()].slice(0, 24), Math.max(0, off().size - 24)];
    offList.replaceChildren(
      ...chips.map((gone) =>
        button({
          signal,
          onClick: () => toggle(gone),
          label: [
            element("span", { class: "visually-hidden", text: `Switch ${headName(gone)} on again: ` }),
            `${Math.floor(gone / heads)}·${gone % heads} ✕`,
          ],
        }),
      ),
      rest ? `and ${rest} more` : "",
    );
  }

  function toggle(place) {
    const gone = off();
    if (!gone.delete(place)) gone.add(place);
    setOff([...gone]);
    announce(root, `${headName(place)} ${gone.has(place) ? "off" : "on"}`);
  }

  function setOff(places) {
    const gone = places.map((place) => [Math.floor(place / heads), place % heads]);
    ask({ off: gone }, { off: gone });
    tellSwitch();
    tellTiles();
  }
  return { panel, tellSwitch, effect, toggle };
}

// The board by keyboard: arrows go from tile to tile, and a letter switches one off.
export function boardKeys(view, { toggle, rankName }) {
  const { root, model, signal, heads, state, sorted, filter, board, tiles, headName, choose, map } = view;
  listen(board, "keydown", signal, (event) => {
    const chosen = state.layer * heads + state.head;
    if (event.key === " " && model.get("can_switch")) toggle(chosen);
    else {
      const { columns } = filter;
      const at = Math.max(0, sorted.shown.indexOf(chosen));
      const step = {
        ArrowLeft: -1,
        ArrowRight: 1,
        ArrowUp: -columns,
        ArrowDown: columns,
        Home: -at,
        End: sorted.shown.length - 1 - at,
      }[event.key];
      if (step === undefined) return;
      const next = sorted.shown.includes(chosen) ? (sorted.shown[at + step] ?? chosen) : sorted.shown[0];
      choose({ layer: Math.floor(next / heads), head: next % heads });
      tiles[next].scrollIntoView({ block: "nearest" });
      announce(
        root,
        `${headName(next)}, ${rankName()} ${format(sorted.values[next], digitsFor(sorted.values))}: ${map.inWords()}`,
      );
    }
    event.preventDefault();
  });
}
