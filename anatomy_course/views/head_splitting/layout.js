// The two lanes of the splitting into heads: where every cell stands at each step.

import { arrowMove } from "../_kit/controls.js";
import { announce, element, focusable, listen, shorten, word } from "../_kit/elements.js";
import { clamp, format } from "../_kit/format.js";
import { diverging, readableOn } from "../_kit/theme.js";

export const LANES = ["right", "wrong"];

// Where the numbers lie: "flat" (position, d_model), "cut" (position, heads, d_head), "heads" (heads, position,
// d_head).
export const PLACES = {
  right: ["flat", "flat", "cut", "heads", "heads", "cut", "flat", "flat"],
  wrong: ["flat", "flat", "heads", "heads", "heads", "heads", "flat", "flat"],
};

export const TENSORS = ["hidden_states", "value", "value", "value", "context", "context", "context", "output"];
export const TITLES = { right: "Right: view, then transpose", wrong: "Wrong: view alone" };
const LABEL = 62; // pixels of a word beside its row
const PIECE = 86; // pixels of a piece of a word, such as “animal 4–7”
const HEAD_LABEL = 48; // pixels of “head 0”
const CELL_MAX = 34;
const CELL_MIN = 15;
const BLOCK_CELL_MIN = 24; // pixels of a cell from which two blocks stand side by side
const NUMBER_ROOM = 25; // pixels that a number needs
const GAP = 16;
const TITLE = 20; // pixels of a block's title

// Where each cell and label stands in a lane of so many pixels: {layOut(lane)}.
export function layouts(journey, lanes) {
  const { root, tokens, heads, d, positions, width, limits, state, rowName, numberAt, home, origin } = journey;
  // ---- layout: where each cell and label stands in a lane of so many pixels
  // The blocks of a layout: [{title, rows: [names], x, y, cell, row}]; two stand side by side where there is room.
  function blocksOf(lane, place, wide) {
    if (place === "flat") {
      const cell = clamp((wide - LABEL) / d, CELL_MIN, CELL_MAX);
      return [
        {
          rows: tokens.map((token) => shorten(token, 8)),
          x: LABEL,
          y: TITLE,
          title: "",
          cell,
          row: Math.max(cell, 18),
        },
      ];
    }
    const [count, rows] = place === "cut" ? [positions, heads] : [heads, positions];
    const margin = place === "cut" ? HEAD_LABEL : lane === "wrong" ? PIECE : LABEL;
    const room = ((wide + GAP) / 2 - margin - GAP) / width;
    const [side, cell] =
      room >= BLOCK_CELL_MIN ? [2, Math.min(room, CELL_MAX)] : [1, clamp((wide - margin) / width, CELL_MIN, CELL_MAX)];
    const row = clamp(Math.round(cell * 0.72), 17, 22);
    return Array.from({ length: count }, (_, b) => ({
      title: place === "cut" ? tokens[b] : `head ${b}`,
      cell,
      row,
      rows: Array.from({ length: rows }, (_, r) => (place === "cut" ? `head ${r}` : rowName(lane, b, r))),
      x: (b % side) * (margin + width * cell + GAP) + margin,
      y: Math.floor(b / side) * (rows * row + TITLE + 8) + TITLE,
    }));
  }

  function layOut(lane) {
    const { labels, cells, stage } = lanes[lane];
    const wide = stage.clientWidth;
    const place = PLACES[lane][state.step];
    const blocks = blocksOf(lane, place, wide);
    const tallest = Math.max(
      ...["flat", "cut", "heads"].flatMap((name) =>
        LANES.flatMap((each) => blocksOf(each, name, wide).map((block) => block.y + block.rows.length * block.row)),
      ),
    );
    stage.style.height = `${tallest + 6}px`;
    const name = TENSORS[state.step];
    cells.forEach((node, at) => {
      const [p, f] = [Math.floor(at / d), at % d];
      const [head, r, i] = home[lane](p, f);
      const [block, across, down] =
        place === "flat" ? [0, f, p] : place === "cut" ? [p, f % width, Math.floor(f / width)] : [head, i, r];
      const value = numberAt(lane, p, f);
      const background = diverging(root, value / limits[name]);
      const { x, y, cell, row } = blocks[block];
      node.style.transform = `translate(${x + across * cell}px, ${y + down * row}px)`;
      node.style.width = `${cell}px`;
      node.style.height = `${row}px`;
      node.style.background = background;
      node.style.color = readableOn(background);
      node.textContent = cell < NUMBER_ROOM ? "" : format(value, 1);
      node.classList.toggle("of-word", p === state.position);
      node.classList.toggle("followed", p === state.position && f === state.feature);
      node.classList.toggle("reached", reached(lane, p, f));
    });
    const chosenRow = (b, r) =>
      place === "flat"
        ? r === state.position
        : place === "cut"
          ? b === state.position
          : origin[lane](b, r)[0] === state.position;
    labels.replaceChildren(
      ...blocks
        .flatMap((block, b) => [
          block.title
            ? element(
                "div",
                { class: "ht-title", style: { left: `${block.x}px`, top: `${block.y - TITLE}px` } },
                word(shorten(block.title, 12)),
              )
            : null,
          ...(place === "flat"
            ? Array.from({ length: d }, (_, f) =>
                element("div", {
                  class: f === state.feature ? "ht-column chosen" : "ht-column",
                  text: f,
                  style: { left: `${block.x + f * block.cell}px`, top: `${block.y - 17}px`, width: `${block.cell}px` },
                }),
              )
            : []),
          ...block.rows.map((text, r) =>
            element(
              "div",
              {
                class: chosenRow(b, r) ? "ht-row chosen" : "ht-row",
                style: {
                  right: `${wide - block.x + 5}px`,
                  top: `${block.y + r * block.row}px`,
                  "line-height": `${block.row}px`,
                },
              },
              word(text),
            ),
          ),
        ])
        .filter(Boolean),
    );
  }

  // Which cells the followed number has just had a share in, besides its own.
  function reached(lane, p, f) {
    if (state.step === 7) return p === state.position;
    if (state.step < 4) return false;
    const [head, , i] = home[lane](state.position, state.feature);
    const [otherHead, , other] = home[lane](p, f);
    return head === otherHead && i === other;
  }
  return { layOut };
}

// A lane: one way of the numbers, as cells that can be chosen.
export function laneOf(lane, journey, signal, choose) {
  const { root, tokens, d, positions, state, numberAt, indexOf } = journey;
  const code = element("code", { class: "ht-code" });
  const shape = element("span", { class: "shape" });
  const labels = element("div", { "aria-hidden": "true" });
  const told = element("div", { class: "ht-told" });
  const cells = [];
  const stage = element(
    "div",
    focusable({ class: "ht-stage", role: "application", "aria-roledescription": "tensor" }),
    labels,
  );
  for (let p = 0; p < positions; p += 1) {
    for (let f = 0; f < d; f += 1) {
      const cell = element("div", { class: "ht-cell", "aria-hidden": "true" });
      listen(cell, "click", signal, () => choose({ position: p, feature: f }));
      cells.push(cell);
      stage.append(cell);
    }
  }
  listen(stage, "keydown", signal, (event) => {
    const to = arrowMove(event, state.position, state.feature, positions, d);
    if (!to) return;
    event.preventDefault();
    choose({ position: to[0], feature: to[1] });
    announce(
      root,
      `${tokens[to[0]]}, feature ${to[1]}: ${format(numberAt(lane, ...to), 3)} at ` +
        `[${indexOf(lane, ...to).join(", ")}]`,
    );
  });
  const node = element(
    "section",
    { class: `ht-lane ht-${lane}`, "aria-label": TITLES[lane] },
    element("h4", { class: lane === "right" ? "ok" : "wrong", text: TITLES[lane] }),
    element("div", { class: "ht-line" }, code),
    element("div", { class: "ht-line" }, shape),
    stage,
    told,
  );
  return { node, code, shape, labels, cells, stage, told };
}
