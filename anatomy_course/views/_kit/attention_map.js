// One attention map and what is read from it: cells on a canvas, the weight under the pointer, the tokens shaded by a
// row. The attention viewer and the head board share it.

import { mapDrawing, placesOfLargest, pooled, STEPS, wordReading } from "./attention_drawing.js";
import { arrowMove, toggleButton } from "./controls.js";
import { announce, element, focusable, listen, uniqueId, word } from "./elements.js";
import { clamp, format } from "./format.js";
import { promptly } from "./life.js";
import { canvas, colorTable, onTheme, sequentialColor, theme } from "./theme.js";

// How exact the weight of one head is, as a remark.
export function exactByte(exact) {
  return `${exact}/255: kept in steps of 1/255, exact to ±\u00a00.002.`;
}

// Small canvases of all heads' maps, in the order of the weights: thumbnails(map) paints them in the map's colors.
export function smallMaps(data, [layers, heads, queries, keys], side) {
  let small = null;
  return (map) => {
    small ??= Array.from({ length: layers * heads }, (_, i) => pooled(data, i * queries * keys, queries, keys, side));
    return small.map(({ small: values, rows, columns }) => map.pixels(columns, rows, values, 1 / STEPS));
  };
}

// `show` takes {values, unit, name, exactness(value)}; `say(nodes)` puts something else in the place of the read-out
// until it is called with null. `onPoint(query, key)` tells a choice, `onColors` and `onResize` that all is to be
// drawn anew. `tallest` is the height that the map may have, `hint` a remark behind its title.
export function attentionMap({
  root,
  signal,
  queryTokens,
  keyTokens,
  query,
  key = null,
  tallest = 470,
  hint = "",
  onPoint,
  onColors,
  onResize,
}) {
  const [queries, keys] = [queryTokens.length, keyTokens.length];
  const self = queries === keys && queryTokens.every((token, i) => token === keyTokens[i]);
  const state = { query, key, over: null, lifted: Math.max(queries, keys) > 32, said: null };
  // {values, unit, name, exactness}: the map's numbers and what one of them is worth
  const kept = { current: null, table: null, large: null, geometry: null, shaded: null };

  // the query whose weights shade the tokens

  // ---- elements
  const map = canvas(focusable({ role: "application", "aria-roledescription": "attention map" }));
  const title = element("h4", {});
  const read = element("div", { class: "av-read" });
  const strongest = element("div", { class: "av-strongest" });
  const strip = element(
    "div",
    focusable({ class: "av-words", role: "listbox", "aria-label": "Query token", "aria-orientation": "horizontal" }),
  );
  const keyStrip = self ? null : element("div", { class: "av-words", "aria-hidden": "true" });
  const queryWords = queryTokens.map((token, i) =>
    word(token || " ", { id: uniqueId("token"), role: "option", "aria-label": `${token}, position ${i}` }),
  );
  const keyWords = self ? queryWords : keyTokens.map((token) => word(token || " ", { class: "word plain" }));
  strip.append(...queryWords);
  keyStrip?.append(...keyWords);
  const bar = element("i", {});
  const liftToggle = toggleButton({
    label: "Lift faint weights",
    pressed: state.lifted,
    signal,
    onToggle: (lifted) => {
      state.lifted = lifted;
      recolor();
    },
  });
  const view = element("div", { class: "av-view av-map" }, title, map.node);
  const told = element("div", { class: "av-told" }, read, strongest);
  const legend = element(
    "span",
    { class: "row av-legend" },
    element("span", { class: "av-scale" }, "0", bar, "1"),
    liftToggle.node,
  );
  const words = element(
    "div",
    {},
    element(
      "div",
      { class: "row av-choose" },
      element(
        "span",
        { class: "caption" },
        self
          ? "Choose a query token; each token is shaded by the weight that the query gives it."
          : "Choose a query token; below, each key token is shaded by the weight that the query gives it.",
      ),
      legend,
    ),
    strip,
    keyStrip,
  );

  // ---- numbers
  const weightAt = (q, k) => kept.current.values[q * keys + k] * kept.current.unit;
  const tone = (byte) => (state.lifted ? Math.sqrt(byte / STEPS) : byte / STEPS);

  function show(next) {
    kept.current = next;
    paint();
    draw(); // first, because a canvas that sets its font has the page laid out where anything is changed
    title.replaceChildren(
      `${kept.current.name.replace("layer", "Layer")} `,
      element("span", { class: "shape", text: `(${queries} query, ${keys} key)` }),
      hint ? element("span", { class: "av-hint note", text: hint }) : "",
    );
    map.node.setAttribute(
      "aria-label",
      `Attention weights of ${kept.current.name}: ${queries} queries by ${keys} keys. Arrow keys move from ` +
        "cell to cell.",
    );
  }

  // ---- colors and images
  function recolor() {
    if (!theme(root)) return;
    kept.table = colorTable(root);
    bar.style.background =
      "linear-gradient(to right, " +
      `${Array.from({ length: 17 }, (_, i) => sequentialColor(root, tone((i / 16) * STEPS))).join(", ")})`;
    paint();
    onColors?.();
    draw();
  }

  function pixels(width, height, values, unit) {
    const node = element("canvas", { width, height });
    const context = node.getContext("2d");
    const image = context.createImageData(width, height);
    for (let i = 0; i < values.length; i += 1) {
      const place = Math.round(tone(values[i] * unit * STEPS) * 255) * 4;
      image.data[i * 4] = kept.table[place];
      image.data[i * 4 + 1] = kept.table[place + 1];
      image.data[i * 4 + 2] = kept.table[place + 2];
      image.data[i * 4 + 3] = 255;
    }
    context.putImageData(image, 0, 0);
    return node;
  }

  function paint() {
    kept.shaded = null;
    if (kept.table && kept.current) kept.large = pixels(keys, queries, kept.current.values, kept.current.unit);
  }
  const { measure, drawMap } = mapDrawing({
    root,
    queryTokens,
    keyTokens,
    queries,
    keys,
    kept,
    map,
    view,
    tallest,
    pointed,
  });

  // The cell spoken of: under the pointer, else the one last chosen.
  function pointed() {
    return state.over ?? [state.query, state.key];
  }
  const { readOut, shadeWords } = wordReading({
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
  });

  const draw = promptly(() => {
    if (!theme(root) || !kept.current) return;
    if (!kept.large) return void recolor();
    if (!kept.geometry && root.clientWidth) measure();
    if (!kept.geometry) return;
    drawMap();
    shadeWords();
    readOut();
  }, signal);

  // ---- choosing
  function point(q, k = state.key) {
    if (q === state.query && k === state.key && !state.over) return;
    Object.assign(state, { query: q, key: k, over: null });
    draw();
  }

  function choose(q, k) {
    point(q, k);
    onPoint(q, k);
    if (k !== null) announce(root, `query ${queryTokens[q]}, key ${keyTokens[k]}: weight ${format(weightAt(q, k), 3)}`);
  }

  function say(nodes) {
    state.said = nodes;
    draw();
  }

  function cellAt(event) {
    if (!kept.geometry) return null;
    const box = map.node.getBoundingClientRect();
    const k = Math.floor((event.clientX - box.left - kept.geometry.margin) / kept.geometry.cell);
    const q = Math.floor((event.clientY - box.top - kept.geometry.crown) / kept.geometry.cell);
    return q >= 0 && q < queries && k >= 0 && k < keys ? [q, k] : null;
  }

  listen(map.node, "pointermove", signal, (event) => {
    state.over = cellAt(event);
    draw();
  });
  listen(map.node, "pointerleave", signal, () => {
    state.over = null;
    draw();
  });
  listen(map.node, "click", signal, (event) => {
    const cell = cellAt(event);
    if (cell) choose(...cell);
  });
  listen(map.node, "keydown", signal, (event) => {
    const to = arrowMove(event, state.query, state.key ?? 0, queries, keys);
    if (to) choose(...(state.key === null ? [state.query, 0] : to));
    else if (event.key === "Escape" && state.key !== null) choose(state.query, null);
    else return;
    event.preventDefault();
  });
  listen(strip, "keydown", signal, (event) => {
    const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -queries, End: queries };
    if (!(event.key in steps)) return;
    event.preventDefault();
    choose(clamp(state.query + steps[event.key], 0, queries - 1), state.key);
    queryWords[state.query].scrollIntoView({ block: "nearest" });
  });
  queryWords.forEach((node, i) => listen(node, "click", signal, () => choose(i, state.key)));

  let measuredAt = 0; // only a new width changes the drawing; the root's height changes with every word told
  const resized = new ResizeObserver(() => {
    if (root.clientWidth === measuredAt) return;
    measuredAt = root.clientWidth;
    kept.geometry = null;
    onResize?.();
    draw();
  });
  resized.observe(root);
  signal.addEventListener("abort", () => resized.disconnect());
  onTheme(root, signal, recolor);

  // Which key the chosen query attends to most, in words.
  const inWords = () => {
    const [q] = pointed();
    const best = placesOfLargest(kept.current.values.subarray(q * keys, (q + 1) * keys), 1)[0];
    return `${queryTokens[q]} attends most to ${keyTokens[best]}, ${format(weightAt(q, best), 3)}`;
  };
  return { view, told, words, legend, read, strongest, self, show, point, say, pixels, inWords };
}
