// The attention viewer: an overview of small maps (layers × heads) and one large map (query × key), both on canvas.

const STEPS = 255; // a weight is a whole number of 255ths
const SMALL_MIN = 14; // CSS pixels of a small map
const SMALL_MAX = 64;
const SMALL_GAP = 3;
const CELL_MAX = 34;
const LABEL_SIZE = 12;
const LABEL_ROOM = 14; // pixels one label needs
const LABEL_MAX = 110;
const STRONGEST = 5;

// The sum over heads of one layer's maps: (query key) whole numbers up to 255 × heads.
function summed(data, [, heads, queries, keys], layer) {
  const size = queries * keys;
  const total = new Uint32Array(size);
  for (let head = 0; head < heads; head += 1) {
    const start = (layer * heads + head) * size;
    for (let i = 0; i < size; i += 1) total[i] += data[start + i];
  }
  return total;
}

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
function largest(values, count) {
  return Array.from(values, (value, i) => i).sort((a, b) => values[b] - values[a] || a - b).slice(0, count);
}

// Every how many positions a label fits.
function labelStep(cell) {
  return Math.max(1, Math.ceil(LABEL_ROOM / cell));
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  const shape = model.get("shape");
  const [layers, heads, queries, keys] = shape;
  const queryTokens = model.get("tokens");
  const keyTokens = model.get("key_tokens");
  const self = queries === keys && queryTokens.every((token, i) => token === keyTokens[i]);
  const data = bytes(model.get("weights"));
  const state = {
    layer: model.get("layer"), head: model.get("head"), average: model.get("average"), query: model.get("query"),
    key: null, over: null, overHead: null, lifted: Math.max(queries, keys) > 32,
  };
  let current = null; // {values, unit}: the large map's numbers and what one of them is worth
  let table = null;
  let atlas = null;
  let large = null;
  let geometry = null;
  let small = null;
  let shaded = null; // the query whose weights shade the tokens

  // ---- what is shown
  const layerChoice = select({ label: "Layer", options: Array.from({ length: layers }, (_, i) => i), value: state.layer, signal,
    onChange: (value) => choose({ layer: Number(value) }) });
  const headChoice = select({ label: "Head", options: Array.from({ length: heads }, (_, i) => i), value: state.head, signal,
    onChange: (value) => choose({ head: Number(value), average: false }) });
  const averageToggle = toggleButton({ label: "Mean over heads", pressed: state.average, signal, onToggle: (average) => choose({ average }) });
  const liftToggle = toggleButton({ label: "Lift faint weights", pressed: state.lifted, signal, onToggle: (lifted) => {
    state.lifted = lifted;
    recolour();
  } });
  const bar = element("i", {});
  const scale = element("span", { class: "av-scale" }, "0", bar, "1");

  const overview = canvas(focusable({ role: "application", "aria-roledescription": "overview of all heads" }));
  const map = canvas(focusable({ role: "application", "aria-roledescription": "attention map" }));
  const mapTitle = element("h4", {});
  const read = element("div", { class: "av-read" });
  const strip = element("div", focusable({ class: "av-words", role: "listbox", "aria-label": "Query token", "aria-orientation": "horizontal" }));
  const keyStrip = self ? null : element("div", { class: "av-words", "aria-hidden": "true" });
  const queryWords = queryTokens.map((token, i) => word(token || " ", { id: uniqueId("token"), role: "option", "aria-label": `${token}, position ${i}` }));
  const keyWords = self ? queryWords : keyTokens.map((token) => word(token || " ", { class: "word plain" }));
  strip.append(...queryWords);
  keyStrip?.append(...keyWords);
  const strongest = element("div", { class: "av-strongest" });

  root.append(
    heading(model.get("label"), layerChoice.node, headChoice.node, averageToggle.node),
    element("div", { class: "av-maps" },
      element("div", { class: "av-view av-overview" },
        element("h4", {}, "Every head ", element("span", { class: "shape", text: `(${layers} layers, ${heads} heads)` })), overview.node),
      element("div", { class: "av-view av-map" }, mapTitle, map.node),
      element("div", { class: "av-told" }, read, strongest)),
    element("div", { class: "row av-choose" },
      element("span", { class: "caption" }, self
        ? "Choose a query token; each token is shaded by the weight that the query gives it."
        : "Choose a query token; below, each key token is shaded by the weight that the query gives it."),
      element("span", { class: "row" }, scale, liftToggle.node)),
    strip, keyStrip ?? "",
  );

  // ---- numbers
  const weightAt = (q, k) => current.values[q * keys + k] * current.unit;
  const tone = (byte) => (state.lifted ? Math.sqrt(byte / STEPS) : byte / STEPS);
  const name = () => (state.average ? `layer ${state.layer}, mean over ${heads} heads` : `layer ${state.layer}, head ${state.head}`);

  function refresh() {
    const size = queries * keys;
    if (state.average) current = { values: summed(data, shape, state.layer), unit: 1 / (STEPS * heads) };
    else {
      const start = (state.layer * heads + state.head) * size;
      current = { values: data.subarray(start, start + size), unit: 1 / STEPS };
    }
    layerChoice.set(state.layer);
    headChoice.set(state.head);
    averageToggle.set(state.average);
    mapTitle.replaceChildren(`${name().replace("layer", "Layer")} `,
      element("span", { class: "shape", text: `(${queries} query, ${keys} key)` }));
    overview.node.setAttribute("aria-label",
      `Overview of ${layers} layers and ${heads} heads; ${name()} is shown large. Arrow keys choose another.`);
    map.node.setAttribute("aria-label",
      `Attention weights of ${name()}: ${queries} queries by ${keys} keys. Arrow keys move from cell to cell.`);
    paintLarge();
    shaded = null;
    shadeWords();
    drawAll();
  }

  // ---- colours and images
  function recolour() {
    if (!theme(root)) return;
    table = colourTable(root);
    bar.style.background = `linear-gradient(to right, ${Array.from({ length: 17 }, (_, i) => sequentialColour(root, tone((i / 16) * STEPS))).join(", ")})`;
    paintAtlas();
    paintLarge();
    shaded = null;
    shadeWords();
    drawAll();
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

  function paintLarge() {
    if (table) large = pixels(keys, queries, current.values, current.unit);
  }

  function paintAtlas() {
    small ??= Array.from({ length: layers * heads }, (_, i) => pooled(data, i * queries * keys, queries, keys, SMALL_MAX));
    atlas = small.map(({ small: values, rows, columns }) => pixels(columns, rows, values, 1 / STEPS));
  }

  // ---- drawing
  function measure() {
    const style = getComputedStyle(root);
    const font = `${LABEL_SIZE}px ${style.fontFamily}`;
    const wide = (node) => Math.floor(node.parentElement.clientWidth);
    // Overview: as large as fits, within reason.
    const left = 36;
    const top = 34;
    const side = clamp(Math.floor((wide(overview.node) - left) / heads) - SMALL_GAP, 5, SMALL_MAX);
    const high = clamp(Math.round((side * queries) / keys), Math.min(side, SMALL_MIN), side * 2);
    // Large map: square cells between the labels' margins.
    map.context.font = `700 ${font}`; // the chosen token is bold
    const width = (tokens) => Math.ceil(Math.min(LABEL_MAX, Math.max(...tokens.map((token) => map.context.measureText(token).width))));
    const margin = Math.min(width(queryTokens) + 10, Math.floor(wide(map.node) * 0.34));
    const crown = Math.min(width(keyTokens) + 10, LABEL_MAX) + 16;
    const written = { query: fitting(queryTokens, margin - 6), key: fitting(keyTokens, crown - 22) };
    const cell = Math.min(CELL_MAX, (wide(map.node) - margin - 18) / keys, Math.max(2, 620 / queries));
    geometry = { font, written, left, top, side, high, margin: margin + 16, crown, cell };
    overview.resize(left + heads * (side + SMALL_GAP), top + layers * (high + SMALL_GAP));
    map.resize(Math.ceil(geometry.margin + keys * cell + 2), Math.ceil(crown + queries * cell + 2));
  }

  function drawOverview() {
    const { context } = overview;
    const { left, top, side, high, font } = geometry;
    context.clearRect(0, 0, overview.node.width, overview.node.height);
    context.font = font;
    context.fillStyle = colour(root, "ink");
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    context.fillText("head", left + (heads * (side + SMALL_GAP)) / 2, 11);
    context.save();
    context.translate(10, top + (layers * (high + SMALL_GAP)) / 2);
    context.rotate(-Math.PI / 2);
    context.fillText("layer", 0, 0);
    context.restore();
    context.imageSmoothingEnabled = false;
    const every = Math.ceil(16 / (side + SMALL_GAP));
    for (let head = 0; head < heads; head += every) context.fillText(head, left + head * (side + SMALL_GAP) + side / 2, top - 7);
    const down = Math.ceil(13 / (high + SMALL_GAP));
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (let layer = 0; layer < layers; layer += down) context.fillText(layer, left - 5, top + layer * (high + SMALL_GAP) + high / 2);
    for (let layer = 0; layer < layers; layer += 1) {
      for (let head = 0; head < heads; head += 1) {
        const x = left + head * (side + SMALL_GAP);
        const y = top + layer * (high + SMALL_GAP);
        context.drawImage(atlas[layer * heads + head], x, y, side, high);
        context.strokeStyle = colour(root, "faint");
        context.lineWidth = 1;
        context.strokeRect(x - 0.5, y - 0.5, side + 1, high + 1);
      }
    }
    const frameAround = (layer, first, last, role, width) => {
      context.strokeStyle = colour(root, role);
      context.lineWidth = width;
      context.strokeRect(left + first * (side + SMALL_GAP) - 1.5, top + layer * (high + SMALL_GAP) - 1.5,
        (last - first) * (side + SMALL_GAP) + side + 3, high + 3);
    };
    if (state.overHead) frameAround(state.overHead[0], state.overHead[1], state.overHead[1], "ink", 1.5);
    frameAround(state.layer, state.average ? 0 : state.head, state.average ? heads - 1 : state.head, "query", 3);
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
      for (let i = 1; i < keys; i += 1) context.moveTo(margin + i * cell, crown), context.lineTo(margin + i * cell, crown + queries * cell);
      for (let i = 1; i < queries; i += 1) context.moveTo(margin, crown + i * cell), context.lineTo(margin + keys * cell, crown + i * cell);
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
      for (let letters = 16; map.context.measureText(text).width > limit && letters > 1; letters -= 1) text = shorten(token, letters);
      return text;
    });
  }

  // The cell spoken of: under the pointer, else the one last chosen.
  function pointed() {
    return state.over ?? [state.query, state.key];
  }

  function readOut() {
    const [q, k] = pointed();
    const quoted = (text, role) => [element("span", { class: role }, "“", word(text), "”")];
    if (state.overHead) {
      read.replaceChildren(`Layer ${state.overHead[0]}, head ${state.overHead[1]}: click to show it large.`);
    } else if (k === null) {
      read.replaceChildren("Query ", ...quoted(queryTokens[q], "query"), " is outlined. Point at a cell for its exact weight, or use the arrow keys.");
    } else {
      const exact = current.values[q * keys + k];
      read.replaceChildren("Query ", ...quoted(queryTokens[q], "query"), ` (${q}) → key `, ...quoted(keyTokens[k], "key"), ` (${k}): weight `,
        element("span", { class: "number", text: exact ? format(weightAt(q, k), 3) : "below 0.002" }),
        element("div", { class: "note", text: state.average
          ? `The mean of ${heads} weights, each kept in steps of 1/255.`
          : `${exact}/255: weights are kept in steps of 1/255, so this is exact to ± 0.002.` }));
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
      ...largest(row, Math.min(STRONGEST, keys)).map((i) => element("div", { class: "av-bar" },
        word(shorten(keyTokens[i], 16)), element("i", { style: { width: `${row[i] * current.unit * 100}%` } }),
        element("span", { class: "number", text: format(row[i] * current.unit, 3) }))));
  }

  const drawAll = frame(() => {
    if (!theme(root) || !root.clientWidth) return;
    if (!atlas) return recolour();
    if (!geometry) measure();
    drawOverview();
    drawMap();
    readOut();
  }, signal);

  const drawPointed = frame(() => {
    if (!geometry || !large) return;
    drawMap();
    shadeWords();
    readOut();
  }, signal);

  // ---- choosing
  function choose(change) {
    Object.assign(state, change);
    for (const trait of ["layer", "head", "average", "query"]) if (trait in change) model.set(trait, state[trait]);
    model.save_changes();
    refresh();
  }

  function point(q, k) {
    Object.assign(state, { query: q, key: k, over: null });
    model.set("query", q);
    model.save_changes();
    drawPointed();
    if (k !== null) announce(root, `query ${queryTokens[q]}, key ${keyTokens[k]}: weight ${format(weightAt(q, k), 3)}`);
  }

  function cellAt(event) {
    if (!geometry) return null;
    const box = map.node.getBoundingClientRect();
    const k = Math.floor((event.clientX - box.left - geometry.margin) / geometry.cell);
    const q = Math.floor((event.clientY - box.top - geometry.crown) / geometry.cell);
    return q >= 0 && q < queries && k >= 0 && k < keys ? [q, k] : null;
  }

  function headAt(event) {
    if (!geometry) return null;
    const box = overview.node.getBoundingClientRect();
    const head = Math.floor((event.clientX - box.left - geometry.left) / (geometry.side + SMALL_GAP));
    const layer = Math.floor((event.clientY - box.top - geometry.top) / (geometry.high + SMALL_GAP));
    return layer >= 0 && layer < layers && head >= 0 && head < heads ? [layer, head] : null;
  }

  const listen = (node, type, act) => node.addEventListener(type, act, { signal });
  listen(map.node, "pointermove", (event) => {
    state.over = cellAt(event);
    drawPointed();
  });
  listen(map.node, "pointerleave", () => {
    state.over = null;
    drawPointed();
  });
  listen(map.node, "click", (event) => {
    const cell = cellAt(event);
    if (cell) point(...cell);
  });
  listen(map.node, "keydown", (event) => {
    const to = arrowMove(event, state.query, state.key ?? 0, queries, keys);
    if (to) point(...(state.key === null ? [state.query, 0] : to));
    else if (event.key === "Escape") point(state.query, null);
    else return;
    event.preventDefault();
  });
  listen(overview.node, "pointermove", (event) => {
    state.overHead = headAt(event);
    drawAll();
  });
  listen(overview.node, "pointerleave", () => {
    state.overHead = null;
    drawAll();
  });
  listen(overview.node, "click", (event) => {
    const place = headAt(event);
    if (place) choose({ layer: place[0], head: place[1], average: false });
  });
  listen(overview.node, "keydown", (event) => {
    const to = arrowMove(event, state.layer, state.head, layers, heads);
    if (!to) return;
    event.preventDefault();
    choose({ layer: to[0], head: to[1], average: false });
    const [q] = pointed();
    const best = largest(current.values.subarray(q * keys, (q + 1) * keys), 1)[0];
    announce(root, `${name()}: ${queryTokens[q]} attends most to ${keyTokens[best]}, ${format(weightAt(q, best), 3)}`);
  });
  listen(strip, "keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -queries, End: queries };
    if (!(event.key in steps)) return;
    event.preventDefault();
    point(clamp(state.query + steps[event.key], 0, queries - 1), state.key);
    queryWords[state.query].scrollIntoView({ block: "nearest" });
  });
  queryWords.forEach((node, i) => listen(node, "click", () => point(i, state.key)));

  for (const trait of ["layer", "head", "average", "query"]) {
    onChange(model, signal, trait, () => {
      if (model.get(trait) === state[trait]) return;
      state[trait] = model.get(trait);
      refresh();
    });
  }
  let measuredAt = 0; // only a new width changes the drawing; the root's height changes with every word told
  const resized = new ResizeObserver(() => {
    if (root.clientWidth === measuredAt) return;
    measuredAt = root.clientWidth;
    geometry = null;
    drawAll();
  });
  resized.observe(root);
  signal.addEventListener("abort", () => resized.disconnect());
  onTheme(root, signal, recolour);
  refresh();
  return cleanup;
}

export default { render };
