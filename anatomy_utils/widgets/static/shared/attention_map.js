// One attention map and what is read from it: cells on a canvas, the weight under the pointer, the tokens shaded by a row.
// The attention viewer and the head board share it.

const STEPS = 255; // a weight is a whole number of 255ths
const CELL_MAX = 34;
const LABEL_SIZE = 12;
const LABEL_ROOM = 14; // pixels one label needs
const LABEL_MAX = 110;
const STRONGEST = 5;

// A map reduced to at most `side` × `side` blocks; a block is as strong as its strongest weight, so no spike is lost.
function pooled(data, start, queries, keys, side) {
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

// The positions of the `count` largest values, largest first.
function placesOfLargest(values, count) {
  return Array.from(values, (value, i) => i)
    .sort((a, b) => values[b] - values[a] || a - b)
    .slice(0, count);
}

// Every how many positions a label fits.
function labelStep(cell) {
  return Math.max(1, Math.ceil(LABEL_ROOM / cell));
}

// How exact the weight of one head is, as a remark.
function exactByte(exact) {
  return `${exact}/255: weights are kept in steps of 1/255, so this is exact to ±\u00a00.002.`;
}

// Small canvases of all heads' maps, in the order of the weights: thumbnails(map) paints them in the map's colours.
function smallMaps(data, [layers, heads, queries, keys], side) {
  let small = null;
  return (map) => {
    small ??= Array.from({ length: layers * heads }, (_, i) => pooled(data, i * queries * keys, queries, keys, side));
    return small.map(({ small: values, rows, columns }) => map.pixels(columns, rows, values, 1 / STEPS));
  };
}

// `show` takes {values, unit, name, exactness(value)}; `say(nodes)` puts something else in the place of the read-out until
// it is called with null. `onPoint(query, key)` tells a choice, `onColours` and `onResize` that all is to be drawn anew.
function attentionMap({ root, signal, queryTokens, keyTokens, query, key = null, onPoint, onColours, onResize }) {
  const [queries, keys] = [queryTokens.length, keyTokens.length];
  const self = queries === keys && queryTokens.every((token, i) => token === keyTokens[i]);
  const state = { query, key, over: null, lifted: Math.max(queries, keys) > 32, said: null };
  let current = null; // {values, unit, name, exactness}: the map's numbers and what one of them is worth
  let table = null;
  let large = null;
  let geometry = null;
  let shaded = null; // the query whose weights shade the tokens

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
      recolour();
    },
  });
  const view = element("div", { class: "av-view av-map" }, title, map.node);
  const told = element("div", { class: "av-told" }, read, strongest);
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
      element("span", { class: "row" }, element("span", { class: "av-scale" }, "0", bar, "1"), liftToggle.node),
    ),
    strip,
    keyStrip,
  );

  // ---- numbers
  const weightAt = (q, k) => current.values[q * keys + k] * current.unit;
  const tone = (byte) => (state.lifted ? Math.sqrt(byte / STEPS) : byte / STEPS);

  function show(next) {
    current = next;
    paint();
    draw(); // first, because a canvas that sets its font has the page laid out where anything is changed
    title.replaceChildren(
      `${current.name.replace("layer", "Layer")} `,
      element("span", { class: "shape", text: `(${queries} query, ${keys} key)` }),
    );
    map.node.setAttribute(
      "aria-label",
      `Attention weights of ${current.name}: ${queries} queries by ${keys} keys. Arrow keys move from cell to cell.`,
    );
  }

  // ---- colours and images
  function recolour() {
    if (!theme(root)) return;
    table = colourTable(root);
    bar.style.background = `linear-gradient(to right, ${Array.from({ length: 17 }, (_, i) => sequentialColour(root, tone((i / 16) * STEPS))).join(", ")})`;
    paint();
    onColours?.();
    draw();
  }

  function pixels(width, height, values, unit) {
    const node = element("canvas", { width, height });
    const context = node.getContext("2d");
    const image = context.createImageData(width, height);
    for (let i = 0; i < values.length; i += 1) {
      const place = Math.round(tone(values[i] * unit * STEPS) * 255) * 4;
      image.data[i * 4] = table[place];
      image.data[i * 4 + 1] = table[place + 1];
      image.data[i * 4 + 2] = table[place + 2];
      image.data[i * 4 + 3] = 255;
    }
    context.putImageData(image, 0, 0);
    return node;
  }

  function paint() {
    shaded = null;
    if (table && current) large = pixels(keys, queries, current.values, current.unit);
  }

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
    const cell = Math.min(CELL_MAX, (wide - margin - 18) / keys, Math.max(2, 620 / queries));
    geometry = { font, written, margin: margin + 16, crown, cell };
    map.resize(Math.ceil(geometry.margin + keys * cell + 2), Math.ceil(crown + queries * cell + 2));
  }

  function drawMap() {
    const { context } = map;
    const { margin, crown, cell, font } = geometry;
    const [q, k] = pointed();
    context.clearRect(0, 0, map.node.width, map.node.height);
    context.imageSmoothingEnabled = cell * (globalThis.devicePixelRatio || 1) < 1;
    context.drawImage(large, margin, crown, keys * cell, queries * cell);
    context.strokeStyle = colour(root, "faint");
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
    context.fillStyle = colour(root, "query");
    context.save();
    context.translate(11, crown + (queries * cell) / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText("query (attends) ", 0, 0);
    context.restore();
    context.fillStyle = colour(root, "key");
    context.textAlign = "left";
    context.fillText("key (attended to) →", margin, 11);
    labels(queryTokens, q, "query", (i) => [margin - 6, crown + (i + 0.5) * cell], "right", 0);
    labels(keyTokens, k, "key", (i) => [margin + (i + 0.5) * cell, crown - 6], "left", -Math.PI / 2);
    // The query's row, the key's column and the cell where they meet.
    context.lineWidth = cell < 6 ? 1 : 2;
    context.strokeStyle = colour(root, "query");
    context.strokeRect(margin - 1, crown + q * cell - 1, keys * cell + 2, cell + 2);
    if (k !== null) {
      context.lineWidth = cell < 6 ? 1 : 1.5;
      context.strokeStyle = colour(root, "key");
      context.setLineDash([4, 3]);
      context.strokeRect(margin + k * cell - 1, crown - 1, cell + 2, queries * cell + 2);
      context.setLineDash([]);
      context.lineWidth = 2;
      context.strokeStyle = colour(root, "ink");
      context.strokeRect(margin + k * cell - 1, crown + q * cell - 1, cell + 2, cell + 2);
    }
  }

  // Token labels along one axis: all that fit, and always the pointed one, which pushes its neighbours aside.
  function labels(tokens, chosen, role, place, align, turn) {
    const { context } = map;
    const step = labelStep(geometry.cell);
    const room = LABEL_ROOM / geometry.cell;
    context.textAlign = align;
    context.textBaseline = "middle";
    for (let i = 0; i < tokens.length; i += 1) {
      const strong = i === chosen;
      if (!strong && (i % step || (chosen !== null && Math.abs(i - chosen) < room))) continue;
      const [x, y] = place(i);
      context.fillStyle = colour(root, strong ? role : "ink");
      context.font = strong ? `700 ${geometry.font}` : geometry.font;
      context.save();
      context.translate(x, y);
      context.rotate(turn);
      context.fillText(geometry.written[role][i], 0, 0);
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

  // The cell spoken of: under the pointer, else the one last chosen.
  function pointed() {
    return state.over ?? [state.query, state.key];
  }

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
      const exact = current.values[q * keys + k];
      read.replaceChildren(
        "Query ",
        ...quoted(queryTokens[q], "query"),
        ` (${q}) → key `,
        ...quoted(keyTokens[k], "key"),
        ` (${k}): weight `,
        element("span", { class: "number", text: exact ? format(weightAt(q, k), 3) : "below 0.002" }),
        element("div", { class: "note", text: current.exactness(exact) }),
      );
    }
  }

  function shadeWords() {
    if (!theme(root)) return;
    const [q, k] = pointed();
    keyWords.forEach((node, i) => node.classList.toggle("pointed", i === k));
    if (shaded === q) return;
    shaded = q;
    const row = current.values.subarray(q * keys, (q + 1) * keys);
    keyWords.forEach((node, i) => {
      const background = sequentialColour(root, tone(row[i] * current.unit * STEPS));
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
          element("i", { style: { width: `${row[i] * current.unit * 100}%` } }),
          element("span", { class: "number", text: format(row[i] * current.unit, 3) }),
        ),
      ),
    );
  }

  const draw = promptly(() => {
    if (!theme(root) || !current) return;
    if (!large) return void recolour();
    if (!geometry && root.clientWidth) measure();
    if (!geometry) return;
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
    if (!geometry) return null;
    const box = map.node.getBoundingClientRect();
    const k = Math.floor((event.clientX - box.left - geometry.margin) / geometry.cell);
    const q = Math.floor((event.clientY - box.top - geometry.crown) / geometry.cell);
    return q >= 0 && q < queries && k >= 0 && k < keys ? [q, k] : null;
  }

  const listen = (node, type, act) => node.addEventListener(type, act, { signal });
  listen(map.node, "pointermove", (event) => {
    state.over = cellAt(event);
    draw();
  });
  listen(map.node, "pointerleave", () => {
    state.over = null;
    draw();
  });
  listen(map.node, "click", (event) => {
    const cell = cellAt(event);
    if (cell) choose(...cell);
  });
  listen(map.node, "keydown", (event) => {
    const to = arrowMove(event, state.query, state.key ?? 0, queries, keys);
    if (to) choose(...(state.key === null ? [state.query, 0] : to));
    else if (event.key === "Escape") choose(state.query, null);
    else return;
    event.preventDefault();
  });
  listen(strip, "keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -queries, End: queries };
    if (!(event.key in steps)) return;
    event.preventDefault();
    choose(clamp(state.query + steps[event.key], 0, queries - 1), state.key);
    queryWords[state.query].scrollIntoView({ block: "nearest" });
  });
  queryWords.forEach((node, i) => listen(node, "click", () => choose(i, state.key)));

  let measuredAt = 0; // only a new width changes the drawing; the root's height changes with every word told
  const resized = new ResizeObserver(() => {
    if (root.clientWidth === measuredAt) return;
    measuredAt = root.clientWidth;
    geometry = null;
    onResize?.();
    draw();
  });
  resized.observe(root);
  signal.addEventListener("abort", () => resized.disconnect());
  onTheme(root, signal, recolour);

  // Which key the chosen query attends to most, in words.
  const inWords = () => {
    const [q] = pointed();
    const best = placesOfLargest(current.values.subarray(q * keys, (q + 1) * keys), 1)[0];
    return `${queryTokens[q]} attends most to ${keyTokens[best]}, ${format(weightAt(q, best), 3)}`;
  };
  return { view, told, words, self, show, point, say, pixels, inWords };
}
