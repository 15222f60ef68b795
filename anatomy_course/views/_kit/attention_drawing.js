// What an attention map is drawn and read with.

import { element, shorten, word } from "./elements.js";
import { format } from "./format.js";
import { color, readableOn, sequentialColor, theme } from "./theme.js";

export const STEPS = 255; // a weight is a whole number of 255ths

// The positions of the `count` largest values, largest first.
export function placesOfLargest(values, count) {
  return Array.from(values, (value, i) => i)
    .sort((a, b) => values[b] - values[a] || a - b)
    .slice(0, count);
}

const CELL_MAX = 34;
export const LABEL_SIZE = 12;
const LABEL_ROOM = 14; // pixels one label needs
const LABEL_MAX = 110;
const STRONGEST = 5;

// A map reduced to at most `side` × `side` blocks; a block is as strong as its strongest weight, so no spike is lost.
export function pooled(data, start, queries, keys, side) {
  const rows = Math.min(queries, side);
  const columns = Math.min(keys, side);
  const small = new Uint8Array(rows * columns);
  for (let q = 0; q < queries; q += 1) {
    const row = Math.floor((q * rows) / queries) * columns;
    const line = start + q * keys;
    for (let k = 0; k < keys; k += 1) {
      const place = row + Math.floor((k * columns) / keys);
      if (data[line + k] > small[place]) small[place] = data[line + k];
    }
  }
  return { small, rows, columns };
}

// Every how many positions a label fits.
function labelStep(cell) {
  return Math.max(1, Math.ceil(LABEL_ROOM / cell));
}

// The map on its canvas: {measure(), drawMap()}.
export function mapDrawing({ root, queryTokens, keyTokens, queries, keys, kept, map, view, tallest, pointed }) {
  // ---- drawing
  function measure() {
    const font = `${LABEL_SIZE}px ${getComputedStyle(root).fontFamily}`;
    const wide = Math.floor(view.clientWidth);
    map.context.font = `700 ${font}`; // the chosen token is bold
    const width = (tokens) =>
      Math.ceil(Math.min(LABEL_MAX, Math.max(...tokens.map((token) => map.context.measureText(token).width))));
    const margin = Math.min(width(queryTokens) + 10, Math.floor(wide * 0.34));
    const crown = Math.min(width(keyTokens) + 10, LABEL_MAX) + 16;
    const written = { query: fitting(queryTokens, margin - 6), key: fitting(keyTokens, crown - 22) };
    const cell = Math.min(CELL_MAX, (wide - margin - 18) / keys, Math.max(2, (tallest - crown) / queries));
    kept.geometry = { font, written, margin: margin + 16, crown, cell };
    map.resize(Math.ceil(kept.geometry.margin + keys * cell + 2), Math.ceil(crown + queries * cell + 2));
  }

  function drawMap() {
    const { context } = map;
    const { margin, crown, cell, font } = kept.geometry;
    const [q, k] = pointed();
    context.clearRect(0, 0, map.node.width, map.node.height);
    context.imageSmoothingEnabled = cell * (globalThis.devicePixelRatio || 1) < 1;
    context.drawImage(kept.large, margin, crown, keys * cell, queries * cell);
    context.strokeStyle = color(root, "faint");
    context.lineWidth = 1;
    if (cell >= 10) {
      context.beginPath();
      for (let i = 1; i < keys; i += 1)
        (context.moveTo(margin + i * cell, crown), context.lineTo(margin + i * cell, crown + queries * cell));
      for (let i = 1; i < queries; i += 1)
        (context.moveTo(margin, crown + i * cell), context.lineTo(margin + keys * cell, crown + i * cell));
      context.globalAlpha = 0.55;
      context.stroke();
      context.globalAlpha = 1;
    }
    context.strokeRect(margin - 0.5, crown - 0.5, keys * cell + 1, queries * cell + 1);
    // Axis names say the reading order.
    context.font = font;
    context.textBaseline = "alphabetic";
    context.fillStyle = color(root, "query");
    context.save();
    context.translate(11, crown + (queries * cell) / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText("query (attends) ", 0, 0);
    context.restore();
    context.fillStyle = color(root, "key");
    context.textAlign = "left";
    context.fillText("key (attended to) →", margin, 11);
    labels(queryTokens, q, "query", (i) => [margin - 6, crown + (i + 0.5) * cell], "right", 0);
    labels(keyTokens, k, "key", (i) => [margin + (i + 0.5) * cell, crown - 6], "left", -Math.PI / 2);
    // The query's row, the key's column and the cell where they meet.
    context.lineWidth = cell < 6 ? 1 : 2;
    context.strokeStyle = color(root, "query");
    context.strokeRect(margin - 1, crown + q * cell - 1, keys * cell + 2, cell + 2);
    if (k !== null) {
      context.lineWidth = cell < 6 ? 1 : 1.5;
      context.strokeStyle = color(root, "key");
      context.setLineDash([4, 3]);
      context.strokeRect(margin + k * cell - 1, crown - 1, cell + 2, queries * cell + 2);
      context.setLineDash([]);
      context.lineWidth = 2;
      context.strokeStyle = color(root, "ink");
      context.strokeRect(margin + k * cell - 1, crown + q * cell - 1, cell + 2, cell + 2);
    }
  }

  // Token labels along one axis: all that fit, and always the pointed one, which pushes its neighbors aside.
  function labels(tokens, chosen, role, place, align, turn) {
    const { context } = map;
    const step = labelStep(kept.geometry.cell);
    const room = LABEL_ROOM / kept.geometry.cell;
    context.textAlign = align;
    context.textBaseline = "middle";
    for (let i = 0; i < tokens.length; i += 1) {
      const strong = i === chosen;
      if (!strong && (i % step || (chosen !== null && Math.abs(i - chosen) < room))) continue;
      const [x, y] = place(i);
      context.fillStyle = color(root, strong ? role : "ink");
      context.font = strong ? `700 ${kept.geometry.font}` : kept.geometry.font;
      context.save();
      context.translate(x, y);
      context.rotate(turn);
      context.fillText(kept.geometry.written[role][i], 0, 0);
      context.restore();
    }
  }

  // The tokens, shortened where they are wider than `limit` pixels.
  function fitting(tokens, limit) {
    return tokens.map((token) => {
      let text = token;
      for (let letters = 16; map.context.measureText(text).width > limit && letters > 1; letters -= 1)
        text = shorten(token, letters);
      return text;
    });
  }
  return { measure, drawMap };
}

// What is read from the map: the weight under the pointer, the tokens shaded by a row, its strongest keys.
export function wordReading({
  root,
  queryTokens,
  keyTokens,
  keys,
  state,
  kept,
  read,
  weightAt,
  pointed,
  strongest,
  strip,
  queryWords,
  keyWords,
  tone,
}) {
  function readOut() {
    if (state.said) return void read.replaceChildren(...state.said);
    const [q, k] = pointed();
    const quoted = (text, role) => [element("span", { class: role }, "“", word(text), "”")];
    if (k === null) {
      read.replaceChildren(
        "Query ",
        ...quoted(queryTokens[q], "query"),
        " is outlined. Point at a cell for its exact weight, or use the arrow keys.",
      );
    } else {
      const exact = kept.current.values[q * keys + k];
      read.replaceChildren(
        "Query ",
        ...quoted(queryTokens[q], "query"),
        ` (${q}) → key `,
        ...quoted(keyTokens[k], "key"),
        ` (${k}): weight `,
        element("span", { class: "number", text: exact ? format(weightAt(q, k), 3) : "below 0.002" }),
        element("div", { class: "note", text: kept.current.exactness(exact) }),
      );
    }
  }

  function shadeWords() {
    if (!theme(root)) return;
    const [q, k] = pointed();
    keyWords.forEach((node, i) => node.classList.toggle("pointed", i === k));
    if (kept.shaded === q) return;
    kept.shaded = q;
    const row = kept.current.values.subarray(q * keys, (q + 1) * keys);
    keyWords.forEach((node, i) => {
      const background = sequentialColor(root, tone(row[i] * kept.current.unit * STEPS));
      node.style.background = background;
      node.style.color = readableOn(background);
    });
    queryWords.forEach((node, i) => node.setAttribute("aria-selected", String(i === q)));
    strip.setAttribute("aria-activedescendant", queryWords[q].id);
    strongest.replaceChildren(
      element("div", { class: "caption" }, "“", word(queryTokens[q]), "” attends most to"),
      ...placesOfLargest(row, Math.min(STRONGEST, keys)).map((i) =>
        element(
          "div",
          { class: "av-bar" },
          word(shorten(keyTokens[i], 16)),
          element("i", { style: { width: `${row[i] * kept.current.unit * 100}%` } }),
          element("span", { class: "number", text: format(row[i] * kept.current.unit, 3) }),
        ),
      ),
    );
  }
  return { readOut, shadeWords };
}
