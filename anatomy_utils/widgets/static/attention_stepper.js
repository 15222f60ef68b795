// The attention stepper: six steps of one head on a real sentence, for one query word or for all words at once.

const PLAY_PAUSE = 3200; // milliseconds per step
const PATIENCE = 20000; // milliseconds until a sentence without an answer is given up
const FINE = 128; // colours of a strip that has far more components than pixels
const TENSORS = ["hidden", "query", "key", "value", "scores", "weights", "context"];
const NAMES = ["Project", "Score", "Scale", "Softmax", "Weigh", "Sum"];
const ROLE_CLASS = { query: "query", key: "key", value: "value-role", scores: "weights", weights: "weights", hidden: "residual", context: "value-role" };
const AXES = { hidden: "d_model", query: "d_head", key: "d_head", value: "d_value", context: "d_value" };
const SAY = {
  word: [
    "Each word's vector is projected three times. The query asks for the chosen word; keys and values are made for every word.",
    "The query is compared with every key: multiply number by number, add up. The sum is the score of that pair.",
    "Dot products grow with the number of components, so every score is divided by the square root of d_head.",
    "Softmax turns the scores into weights: all positive, and together 1. A little more score is a lot more weight.",
    "Each value is multiplied by its word's weight: what weighs little fades away.",
    "The weighted values are added up. The sum is the chosen word's new vector, its context.",
  ],
  matrix: [
    "All words at once: one matrix product each gives the queries, the keys and the values, a row per word.",
    "One matrix product compares every query with every key: row = query, column = key.",
    "The whole matrix is divided by the square root of d_head.",
    "Softmax works on each row by itself: every row of weights adds up to 1.",
    "A row of weights says how much of each value row to take: here the outlined query's row, laid on the values.",
    "The product of weights and values adds all of it up: one context row per word.",
  ],
};

// Cuts the one buffer of numbers into named tensors: {values, rows, columns, limit}.
function unpack(numbers, shapes) {
  const tensors = {};
  let start = 0;
  for (const name of TENSORS) {
    const [rows, columns] = shapes[name];
    const values = numbers.subarray(start, start + rows * columns);
    start += rows * columns;
    tensors[name] = { values, rows, columns, limit: limitOf(values) };
  }
  return tensors;
}

// The colour limit: nearly the largest size, so that one outlier does not make everything else pale.
function limitOf(values) {
  const sizes = Float32Array.from(values, Math.abs).sort();
  return sizes[Math.floor((sizes.length - 1) * 0.995)] || 1;
}

function row(tensor, i) {
  return tensor.values.subarray(i * tensor.columns, (i + 1) * tensor.columns);
}

function product(one, other) {
  return Float32Array.from(one, (value, i) => value * other[i]);
}

function scaled(vector, factor) {
  return Float32Array.from(vector, (value) => value * factor);
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

function indexOfLargest(values) {
  return values.reduce((best, value, i) => (value > values[best] ? i : best), 0);
}

// At most `count` means of neighbours.
function averaged(values, count) {
  const size = Math.ceil(values.length / count);
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) => {
    const part = values.subarray(i * size, (i + 1) * size);
    return sum(part) / part.length;
  });
}

// The places of the `count` terms that matter most, in their own order.
function tallest(terms, count) {
  return Array.from(terms, (value, i) => i).sort((a, b) => Math.abs(terms[b]) - Math.abs(terms[a])).slice(0, count).sort((a, b) => a - b);
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("stepper");
  const state = { step: model.get("step"), level: model.get("level"), query: model.get("query"), key: 0, component: 0 };
  let tokens = [];
  let numbers = new Float32Array(0); // one buffer, cut into `tensors`
  let tensors = {};
  let shapes = "";
  let loads = 0; // counts the sentences
  let raw = null; // scores before scaling, from query · key
  let painters = []; // what brings the body being built up to date when a choice or the theme changes
  let bodies = new Map(); // of each level and step that was looked at: {node, painters, columns, stamp}
  let shown = null; // the one in sight
  let stamp = 0; // counts the changes; a body with an older stamp is out of date
  let timer = 0;
  let waiting = 0;

  // ---------------------------------------------------------------- frame of the widget
  const field = textField({ label: "Sentence", value: model.get("sentence"), signal, onCommit: ask });
  const go = button({ label: "Compute", primary: true, signal, onClick: () => ask(field.get()) });
  const levels = { word: "One word", matrix: "All words at once" };
  const levelButtons = Object.entries(levels).map(([level, label]) => [level,
    button({ label, signal, onClick: () => change({ level }) })]);
  levelButtons.forEach(([, node]) => node.setAttribute("role", "radio"));
  const levelGroup = element("div", { class: "row", role: "radiogroup", "aria-label": "How many words" }, levelButtons.map(([, node]) => node));
  const wordsList = element("div", focusable({ role: "listbox", "aria-label": "Query word", "aria-orientation": "horizontal" }));
  const stepButtons = NAMES.map((label, i) => button({ label: "", name: `Step ${i + 1} ${label}`, signal, onClick: () => {
    pause();
    change({ step: i + 1 });
  } }));
  stepButtons.forEach((node, i) => node.append(element("b", { text: i + 1 }), " ", element("span", { text: NAMES[i] })));
  const back = button({ label: "◀ Back", name: "Back", signal, onClick: () => {
    pause();
    change({ step: Math.max(1, state.step - 1) });
  } });
  const next = button({ label: "Next ▶", name: "Next", primary: true, signal, onClick: () => {
    pause();
    change({ step: Math.min(6, state.step + 1) });
  } });
  const play = toggleButton({ label: "Play", signal, onToggle: (on) => (on ? start() : pause()) });
  const formula = element("div", { class: "as-formula", role: "img" });
  const stage = element("div", { class: "as-stage" });
  root.append(
    heading(model.get("label"), levelGroup),
    element("div", { class: "as-type" }, field.node, go),
    element("div", { class: "as-words" }, element("span", { class: "caption", text: "Query word:" }), wordsList),
    element("ol", { class: "as-steps", "aria-label": "Steps" }, stepButtons.map((node) => element("li", {}, node))),
    element("div", { class: "as-go" }, back, next, play.node, formula),
    stage,
  );

  // ---------------------------------------------------------------- small pieces
  const role = (name, text, below) => element("span", { class: ROLE_CLASS[name] }, text, below === undefined ? null : element("sub", {}, below));
  const letter = { hidden: "x", query: "q", key: "k", value: "v", context: "z" };
  const vector = (name, i) => role(name, letter[name], word(shorten(tokens[i], 12)));
  const shape = (...sizes) => element("span", { class: "shape", text: `(${sizes.join(", ")})` });
  const quiet = (text) => element("i", { text });
  const signed = (value, digits = 2) => (value < 0 ? `(${format(value, digits)})` : format(value, digits));
  const some = (values) => `[${Array.from(values.slice(0, 3), (value) => format(value)).join(", ")}${values.length > 3 ? ", …" : ""}]`;

  // New text, and the work of laying it out, only where it is another one.
  const write = (node, text) => {
    if (node.textContent !== text) node.textContent = text;
  };

  function watchPaint(paint) {
    painters.push(paint);
  }

  // Paints numbers one pixel each; the page stretches the canvas.
  function paintPixels(node, values, columns, limit, map) {
    const mark = values.buffer === tensors.hidden.values.buffer ? `${loads} ${values.byteOffset} ${limit} ${map}` : null;
    if (mark && painted.get(node) === mark) return;
    painted.set(node, mark);
    const rows = values.length / columns;
    if (node.width !== columns) node.width = columns;
    if (node.height !== rows) node.height = rows;
    const table = colours(map);
    const context = node.getContext("2d");
    const image = context.createImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    const [factor, shift] = map === "sequential" ? [255 / limit, 0.5] : [127.5 / limit, 128];
    for (let i = 0; i < values.length; i += 1) pixels[i] = table[clamp(Math.floor(values[i] * factor + shift), 0, 255)];
    context.putImageData(image, 0, 0);
  }

  let tables = {};
  let painted = new WeakMap();
  function colours(map) {
    tables[map] ??= new Uint32Array(colourTable(root, map).buffer);
    return tables[map];
  }

  // The diverging map's 256 colours as CSS writes them.
  function colourNames() {
    tables.names ??= Array.from({ length: 256 }, (_, i) => diverging(root, i / 127.5 - 1));
    return tables.names;
  }

  // A colour bar with its ends printed.
  function scaleBar(limitNow, map) {
    const bar = element("i");
    const [low, high] = [element("span"), element("span")];
    watchPaint(() => {
      const limit = limitNow();
      write(low, map === "sequential" ? "0" : format(-limit, limit < 10 ? 1 : 0));
      write(high, format(limit, limit < 10 ? 1 : 0));
      if (bar.dataset.theme === theme(root)) return;
      bar.dataset.theme = theme(root);
      const stops = Array.from({ length: 9 }, (_, i) => (map === "sequential" ? sequentialColour(root, i / 8) : diverging(root, i / 4 - 1)));
      bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
    });
    return element("span", { class: "as-scale" }, low, bar, high);
  }

  // A vector as a coloured strip with the chosen component marked and printed. The colours are the hard stops of one CSS
  // gradient: a canvas for each strip would be a layer of its own, and a hundred layers make every frame slow.
  // A fine strip has too many components to print one; `tell` names it where one is pointed at.
  function strip(read, limit, tell = null) {
    const band = element("div", { class: tell ? "as-band fine" : "as-band" });
    const printed = tell ? null : element("span", { class: "number" });
    let shown = null;
    watchPaint(() => {
      const values = read();
      if (printed) write(printed, format(values[Math.min(state.component, values.length - 1)]));
      // A view of the model's own numbers is recognised by its place and not painted twice.
      const mark = values.buffer === tensors.hidden.values.buffer ? `${loads} ${values.byteOffset} ${theme(root)}` : null;
      if (mark && mark === shown) return;
      shown = mark;
      band.style.background = gradient(tell ? averaged(values, FINE) : values, limit());
      band.style.setProperty("--count", values.length);
    });
    const point = (event) => {
      const values = read();
      const box = band.getBoundingClientRect();
      const c = clamp(Math.floor(((event.clientX - box.left) / box.width) * values.length), 0, values.length - 1);
      if (tell) told.textContent = `${tell()}: component ${c} is ${format(values[c], 3)}`;
      else if (c !== state.component) change({ component: c });
    };
    band.addEventListener("pointermove", point, { signal });
    band.addEventListener("pointerdown", point, { signal });
    return element("div", { class: "as-strip" }, band, printed);
  }

  // Signed numbers as a gradient of equally wide colours; a stop at 0 starts where the last one ended.
  function gradient(values, limit) {
    const names = colourNames();
    let stops = "linear-gradient(to right";
    for (let i = 0; i < values.length; i += 1) {
      stops += `,${names[clamp(Math.floor((values[i] * 127.5) / limit + 128), 0, 255)]} 0 ${((100 * (i + 1)) / values.length).toFixed(2)}%`;
    }
    return `${stops})`;
  }

  // A number as a bar: signed bars start in the middle, weights at the left.
  function bar(read, limit, digits = 2) {
    const fillNode = element("span", { class: "as-fill" });
    const number = element("span", { class: "number" });
    const track = element("span", { class: limit ? "as-track signed" : "as-track" }, fillNode);
    watchPaint(() => {
      const value = read();
      write(number, format(value, digits));
      const part = clamp(Math.abs(value) / (limit ? limit() : 1), 0, 1) * (limit ? 50 : 100);
      fillNode.style.width = `${part}%`;
      fillNode.style.left = limit ? `${value < 0 ? 50 - part : 50}%` : "0";
      fillNode.classList.toggle("minus", value < 0);
    });
    return element("div", { class: "as-bar" }, number, track);
  }

  function lineOf(read) {
    const node = element("span", { class: "number" });
    watchPaint(() => {
      write(node, read());
    });
    return node;
  }

  // ---------------------------------------------------------------- one word: a row per key word
  // Columns of one step: {head, width, cell(j), total?}; `fresh` ones are new in this step and light up.
  function wordColumns(step) {
    const { hidden, query, key, value, context } = tensors;
    const n = tokens.length;
    const i = () => state.query;
    const d = key.columns;
    const root_d = Math.sqrt(d);
    const rawLimit = () => Math.max(...Array.from(row(raw, i()), Math.abs)) || 1;
    const scoreAt = (j) => row(raw, i())[j] / root_d;
    const weight = (j) => row(tensors.weights, i())[j];
    const top = () => Math.max(...row(tensors.scores, i()));
    const weighted = (j) => scaled(row(value, j), weight(j));
    const head = (name, text, sizes, limit, map = "diverging") => [role(name, text), " ", sizes ? shape(...sizes) : null, limit ? scaleBar(limit, map) : null];
    let products = { of: "", limit: 1 }; // of all keys with the chosen query
    const productLimit = () => {
      if (products.of !== `${loads} ${i()}`) {
        products = { of: `${loads} ${i()}`, limit: limitOf(Float32Array.from(key.values, (number, k) => number * row(query, i())[k % d])) };
      }
      return products.limit;
    };
    const queryOnly = (j) => {
      const box = element("div", {}, strip(() => row(query, j), () => query.limit));
      const idle = element("span", { class: "as-idle", text: "not asked" });
      watchPaint(() => {
        box.hidden = j !== i();
        idle.hidden = j === i();
      });
      return [box, idle];
    };
    return [
      () => [
        { head: head("hidden", "x hidden state", [n, hidden.columns], () => hidden.limit), width: "1.4fr", cell: (j) => strip(() => row(hidden, j), () => hidden.limit, () => `x of ${tokens[j]}`) },
        { head: head("query", "query", [d], () => query.limit), width: "1fr", fresh: true, cell: queryOnly },
        { head: head("key", "key", [n, d], () => key.limit), width: "1fr", fresh: true, cell: (j) => strip(() => row(key, j), () => key.limit) },
        { head: head("value", "value", [n, value.columns], () => value.limit), width: "1fr", fresh: true, cell: (j) => strip(() => row(value, j), () => value.limit) },
      ],
      () => [
        { head: head("key", "key", [n, d], () => key.limit), width: "1fr", cell: (j) => strip(() => row(key, j), () => key.limit),
          lead: () => strip(() => row(query, i()), () => query.limit) },
        { head: [role("query", "query"), " × ", role("key", "key"), " by component ", scaleBar(productLimit, "diverging")], width: "1fr", fresh: true,
          cell: (j) => strip(() => product(row(query, i()), row(key, j)), productLimit) },
        { head: [role("scores", "sum = score"), " ", shape(n)], width: "1fr", fresh: true, cell: (j) => bar(() => row(raw, i())[j], rawLimit) },
      ],
      () => [
        { head: [role("scores", "score"), " ", shape(n)], width: "1fr", cell: (j) => bar(() => row(raw, i())[j], rawLimit) },
        { head: [role("scores", `score ÷ √${d}`), " ", shape(n)], width: "1fr", fresh: true, cell: (j) => bar(() => scoreAt(j), rawLimit) },
      ],
      () => [
        { head: [role("scores", "scaled score"), " ", shape(n)], width: "0.9fr", cell: (j) => bar(() => scoreAt(j), () => Math.max(...Array.from(row(tensors.scores, i()), Math.abs)) || 1) },
        { head: ["exp(score − largest)"], width: "0.7fr", fresh: true, cell: (j) => lineOf(() => format(Math.exp(scoreAt(j) - top()), 3)),
          total: () => lineOf(() => format(sum(Array.from(row(tensors.scores, i()), (s) => Math.exp(s - top()))), 3)) },
        { head: [role("weights", "weight"), " ", shape(n)], width: "1.2fr", fresh: true, cell: (j) => bar(() => weight(j), null, 3), total: () => lineOf(() => format(sum(row(tensors.weights, i())), 3)) },
      ],
      () => [
        { head: [role("weights", "weight")], width: "0.8fr", cell: (j) => bar(() => weight(j), null, 3) },
        { head: head("value", "value", [n, value.columns], () => value.limit), width: "1fr", cell: (j) => strip(() => row(value, j), () => value.limit) },
        { head: [role("weights", "weight"), " × ", role("value", "value"), " ", shape(n, value.columns), " same colours"], width: "1fr", fresh: true, cell: (j) => strip(() => weighted(j), () => value.limit) },
      ],
      () => [
        { head: [role("weights", "weight")], width: "0.7fr", cell: (j) => bar(() => weight(j), null, 3), total: () => lineOf(() => format(sum(row(tensors.weights, i())), 3)) },
        { head: [role("weights", "weight"), " × ", role("value", "value"), " ", shape(n, value.columns), scaleBar(() => value.limit, "diverging")], width: "1.3fr", cell: (j) => strip(() => weighted(j), () => value.limit),
          total: () => strip(() => row(context, i()), () => value.limit) },
      ],
    ][step - 1]();
  }

  function wordStage(step) {
    const columns = wordColumns(step);
    const template = ["minmax(48px, 88px)", ...columns.map((column) => `minmax(0, ${column.width})`)].join(" ");
    const cells = (make) => columns.map((column) => element("div", { class: "as-cell" }, make(column) ?? ""));
    const rows = tokens.map((_, j) => {
      const name = word("");
      const spoken = element("span", { class: "visually-hidden" });
      const node = element("div", { class: "as-row", role: "option", id: uniqueId("row") },
        element("div", { class: "as-word" }, name, spoken), element("div", { class: "as-cells", "aria-hidden": "true" }, cells((column) => column.cell(j))));
      node.addEventListener("click", () => change({ key: j }), { signal });
      watchPaint(() => {
        node.setAttribute("aria-selected", String(j === state.key));
        node.classList.toggle("is-query", j === state.query);
        write(name, tokens[j]);
        write(spoken, `: ${rowText(step, j)}`);
      });
      return node;
    });
    const list = element("div", focusable({ class: "as-table", role: "listbox", "aria-label": "Key word of the equation" }), rows);
    watchPaint(() => list.setAttribute("aria-activedescendant", rows[state.key].id));
    list.addEventListener("keydown", (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1, Home: -tokens.length, End: tokens.length }[event.key];
      if (by !== undefined) change({ key: clamp(state.key + by, 0, tokens.length - 1) });
      else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
        change({ component: clamp(state.component + (event.key === "ArrowLeft" ? -1 : 1), 0, tensors.key.columns - 1) });
      } else return;
      event.preventDefault();
    }, { signal });
    const leadName = element("span", {});
    watchPaint(() => leadName.replaceChildren(vector("query", state.query)));
    const lead = columns.some((column) => column.lead)
      ? element("div", { class: "as-row as-lead" }, element("div", { class: "as-word" }, leadName), cells((column) => column.lead?.()))
      : null;
    const total = columns.some((column) => column.total)
      ? element("div", { class: "as-row as-total" }, element("div", { class: "as-word" }, step === 6 ? totalName() : "sum"), cells((column) => column.total?.()))
      : null;
    return element("div", { style: { "--columns": template } },
      element("div", { class: "as-row as-head" }, element("div", { class: "as-word", text: "" }), columns.map((column) => element("div", { class: column.fresh ? "as-cell fresh" : "as-cell" }, column.head))),
      lead, list, total);
  }

  function totalName() {
    const node = element("span", {});
    watchPaint(() => node.replaceChildren("sum = ", vector("context", state.query)));
    return node;
  }

  function rowText(step, j) {
    const i = state.query;
    const texts = [
      () => `key ${some(row(tensors.key, j))}, value ${some(row(tensors.value, j))}`,
      () => `score ${format(row(raw, i)[j])}`,
      () => `score ${format(row(raw, i)[j])}, scaled ${format(row(tensors.scores, i)[j])}`,
      () => `scaled score ${format(row(tensors.scores, i)[j])}, weight ${format(row(tensors.weights, i)[j], 3)}`,
      () => `weight ${format(row(tensors.weights, i)[j], 3)}, value ${some(row(tensors.value, j))}`,
      () => `weight ${format(row(tensors.weights, i)[j], 3)}`,
    ];
    return texts[step - 1]();
  }

  // ---------------------------------------------------------------- all words: matrices
  // A matrix on canvas: rows are words; columns are words (`square`) or components.
  function matrix(name, text, read, { limit, map = "diverging", square = false, labels = false, turned = false, most = 20 }) {
    const rows = tokens.length;
    const columns = square ? rows : tensors[name].columns;
    const axis = square ? "key" : AXES[name];
    const rowsAre = name === "key" || name === "value" ? "key" : "query"; // which choice a row stands for
    const side = clamp(Math.floor(300 / rows), 9, most);
    const across = square ? columns * side : clamp(columns * 4, 50, name === "hidden" ? 190 : 135);
    const size = turned ? [across, rows * side] : [rows * side, across];
    const node = element("canvas", focusable({ role: "application", "aria-roledescription": "matrix" }));
    const rowLine = element("span", { class: "as-outline" });
    const columnLine = square ? element("span", { class: "as-outline column" }) : null;
    const band = element("div", { class: "as-band", style: { height: `${size[0]}px`, width: `${size[1]}px` } }, node, rowLine, columnLine);
    const left = labels && !turned ? element("div", { class: "as-left", style: { "grid-template-rows": `repeat(${rows}, ${side}px)` } }, tokens.map(() => word(""))) : null;
    const crown = square || turned ? element("div", { class: "as-top", style: { width: `${size[1]}px` } }, tokens.map(() => word(""))) : null;
    watchPaint(() => {
      const values = read();
      const drawn = turned ? transposed(values, columns) : values;
      paintPixels(node, drawn, turned ? rows : columns, limit(), map);
      const chosen = state[rowsAre];
      const part = 100 / rows;
      setAttributes(rowLine, { style: turned
        ? { left: `calc(${chosen * part}% - 2px)`, width: `calc(${part}% + 4px)`, top: "-2px", bottom: "-2px" }
        : { top: `calc(${chosen * part}% - 2px)`, height: `calc(${part}% + 4px)`, left: "-2px", right: "-2px" } });
      rowLine.classList.toggle("column", rowsAre === "key");
      if (columnLine) setAttributes(columnLine, { style: { left: `calc(${(state.key / columns) * 100}% - 2px)`, width: `calc(${100 / columns}% + 4px)`, top: "-2px", bottom: "-2px" } });
      left?.childNodes.forEach((label, i) => {
        write(label, tokens[i]);
        label.classList.toggle(`is-${rowsAre}`, i === chosen);
      });
      crown?.childNodes.forEach((label, j) => {
        write(label, shorten(tokens[j], 10));
        label.classList.toggle("is-key", j === state.key);
      });
      const [q, c] = [chosen, square ? state.key : Math.min(state.component, columns - 1)];
      node.setAttribute("aria-label", `${text}: ${rows} by ${columns}. Row ${tokens[q]}, column ${square ? tokens[c] : c}: ${format(values[q * columns + c], 3)}. Arrow keys move.`);
    });
    const placeOf = (event) => {
      const box = node.getBoundingClientRect();
      const x = (event.clientX - box.left) / box.width;
      const y = (event.clientY - box.top) / box.height;
      const [r, c] = turned ? [x, y] : [y, x];
      return [clamp(Math.floor(r * rows), 0, rows - 1), clamp(Math.floor(c * columns), 0, columns - 1)];
    };
    const take = ([r, c]) => change({ [rowsAre]: r, [square ? "key" : "component"]: c });
    node.addEventListener("pointermove", (event) => {
      const [r, c] = placeOf(event);
      told.replaceChildren(`${text}: row “`, word(tokens[r]), square ? "”, column “" : `”, component ${c}`, square ? word(tokens[c]) : "", square ? "”" : "",
        ` is ${format(read()[r * columns + c], 3)}`);
    }, { signal });
    node.addEventListener("click", (event) => take(placeOf(event)), { signal });
    node.addEventListener("keydown", (event) => {
      const from = [state[rowsAre], square ? state.key : state.component];
      const to = turned
        ? arrowMove(event, from[1], from[0], columns, rows)?.reverse()
        : arrowMove(event, from[0], from[1], rows, columns);
      if (!to) return;
      event.preventDefault();
      take(to);
      announce(root, `${tokens[to[0]]}, ${square ? tokens[to[1]] : `component ${to[1]}`}: ${format(read()[to[0] * columns + to[1]], 3)}`);
    }, { signal });
    const sizes = turned ? `(${columns} ${axis}, ${rows} key)` : `(${rows} ${square || name === "query" || name === "context" ? "query" : rowsAre === "key" ? "key" : "position"}, ${columns} ${axis})`;
    return element("figure", { class: "as-matrix" },
      element("figcaption", {}, role(name, text), element("span", { class: "shape", text: sizes }), scaleBar(limit, map)), crown, left, band);
  }

  function transposed(values, columns) {
    const rows = values.length / columns;
    return Float32Array.from(values, (_, i) => values[(i % rows) * columns + Math.floor(i / rows)]);
  }

  function matrixStage(step) {
    const { hidden, query, key, value, context } = tensors;
    const sign = (text) => element("span", { class: "as-sign", "aria-hidden": "true", text });
    const read = (name) => () => tensors[name].values;
    const rowsWeighted = () => {
      const weights = row(tensors.weights, state.query);
      return Float32Array.from(value.values, (number, i) => number * weights[Math.floor(i / value.columns)]);
    };
    const parts = [
      () => [matrix("hidden", "X hidden states", read("hidden"), { limit: () => hidden.limit, labels: true }), sign("→"),
        matrix("query", "Q = X W_Q", read("query"), { limit: () => query.limit }), matrix("key", "K = X W_K", read("key"), { limit: () => key.limit }),
        matrix("value", "V = X W_V", read("value"), { limit: () => value.limit })],
      () => [matrix("query", "Q", read("query"), { limit: () => query.limit, labels: true, most: 16 }), sign("×"),
        matrix("key", "Kᵀ", read("key"), { limit: () => key.limit, turned: true, most: 16 }), sign("="),
        matrix("scores", "scores = Q Kᵀ", () => raw.values, { limit: () => raw.limit, square: true, most: 16 })],
      () => [matrix("scores", "Q Kᵀ", () => raw.values, { limit: () => raw.limit, square: true, labels: true }), sign(`÷ √${key.columns} =`),
        matrix("scores", "scaled scores", read("scores"), { limit: () => raw.limit, square: true })],
      () => [matrix("scores", "scaled scores", read("scores"), { limit: () => tensors.scores.limit, square: true, labels: true }), sign("→"),
        matrix("weights", "weights", read("weights"), { limit: () => 1, map: "sequential", square: true })],
      () => [matrix("weights", "weights", read("weights"), { limit: () => 1, map: "sequential", square: true, labels: true }), sign("×"),
        matrix("value", "V", read("value"), { limit: () => value.limit, labels: true }), sign("→"),
        matrix("value", "weights × value", rowsWeighted, { limit: () => value.limit })],
      () => [matrix("weights", "weights", read("weights"), { limit: () => 1, map: "sequential", square: true, labels: true }), sign("×"),
        matrix("value", "V", read("value"), { limit: () => value.limit }), sign("="),
        matrix("context", "context", read("context"), { limit: () => value.limit, labels: true })],
    ];
    return element("div", { class: "as-matrices" }, parts[step - 1]());
  }

  // ---------------------------------------------------------------- the equation of the step, with its numbers
  function equation() {
    const { hidden, query, key, value, context } = tensors;
    const [i, j, d] = [state.query, state.key, key.columns];
    const c = Math.min(state.component, value.columns - 1);
    const weights = row(tensors.weights, i);
    const scoresRow = row(tensors.scores, i);
    const terms = product(row(query, i), row(key, j));
    const shownTerms = tallest(terms, 3);
    const parts = product(weights, Float32Array.from(tokens, (_, k) => row(value, k)[c]));
    const shownParts = tallest(parts, 3);
    const largest = Math.max(...scoresRow);
    const total = sum(Array.from(scoresRow, (score) => Math.exp(score - largest)));
    const at = (name, k) => [vector(name, k), `[${c}]`];
    const join = (items) => items.flatMap((item, k) => (k ? [" + ", ...item] : item));
    return [
      () => [vector("query", i), " = ", vector("hidden", i), " W", element("sub", { text: "Q" }), " + b", element("sub", { text: "Q" }), quiet(": "),
        shape(hidden.columns), " × ", shape(hidden.columns, d), " → ", shape(d), " = ", role("query", some(row(query, i))),
        quiet("; in the same way "), vector("key", j), " = ", role("key", some(row(key, j))), quiet(" and "), vector("value", j), " = ", role("value", some(row(value, j)))],
      () => [vector("query", i), " · ", vector("key", j), " = ",
        join(shownTerms.map((k) => [role("query", format(row(query, i)[k])), " × ", role("key", signed(row(key, j)[k]))])),
        d > 3 ? quiet(` + ${d - 3} smaller products`) : "", " = ", role("scores", format(row(raw, i)[j]))],
      () => [vector("query", i), " · ", vector("key", j), ` / √${d} = `, role("scores", format(row(raw, i)[j])), ` / ${format(Math.sqrt(d))} = `,
        role("scores", format(row(raw, i)[j] / Math.sqrt(d)))],
      () => [role("weights", "weight", [word(shorten(tokens[i], 12)), " → ", word(shorten(tokens[j], 12))]), " = exp(", role("scores", format(scoresRow[j])), " − ", format(largest), ") / ",
        quiet("sum of all "), " = ", format(Math.exp(scoresRow[j] - largest), 3), " / ", format(total, 3), " = ", role("weights", format(weights[j], 3)),
        quiet("  (subtracting the largest score changes no weight; it keeps exp small)")],
      () => [role("weights", format(weights[j], 3)), " × ", at("value", j), " = ", role("weights", format(weights[j], 3)), " × ", role("value", signed(row(value, j)[c])), " = ", format(parts[j], 3)],
      () => [at("context", i), " = ", join(shownParts.map((k) => [role("weights", format(weights[k], 3)), " × ", role("value", signed(row(value, k)[c])), element("sub", {}, word(shorten(tokens[k], 10)))])),
        tokens.length > 3 ? quiet(` + ${tokens.length - 3} smaller terms`) : "", " = ", role("context", format(row(context, i)[c], 3))],
    ][state.step - 1]();
  }

  function drawFormula() {
    const on = (steps, ...content) => element("span", { class: steps.includes(state.step) ? "on ink" : "" }, content);
    const tinted = (name, text, steps) => element("span", { class: steps.includes(state.step) ? `on ${ROLE_CLASS[name]}` : ROLE_CLASS[name], text });
    formula.replaceChildren(
      on([4], "softmax"), "( ", tinted("query", "Q", [1, 2]), " ", tinted("key", "Kᵀ", [1, 2]), " ", on([3], `/ √${tensors.key.columns}`), " ) ", tinted("value", "V", [1, 5, 6]));
    formula.setAttribute("aria-label", `softmax of Q K transposed divided by the square root of ${tensors.key.columns}, times V; now: ${NAMES[state.step - 1]}`);
  }

  // ---------------------------------------------------------------- putting it together
  const say = element("p", { class: "as-say" });
  const line = element("div", { class: "as-equation", dir: "ltr" });
  const told = element("span", {});
  const component = slider({ label: "Printed component", min: 0, max: 1, step: 1, value: 0, signal, tint: "residual",
    format: (value) => `${value} of ${shown?.columns}`, onInput: (value) => change({ component: value }) });
  const holder = element("div", { class: "as-bodies" });
  stage.append(say, line, holder, element("div", { class: "as-foot" }, component.node, told));
  let callOff = () => {}; // what is being prepared


  // Every step's body is built when it is first looked at (or the page is idle) and kept: another step is a matter of
  // hiding one and showing the other, which leaves both laid out.
  function bodyOf(level, step) {
    const name = `${level} ${step}`;
    if (!bodies.has(name)) {
      painters = [];
      const node = element("div", { class: "as-body", inert: true }, level === "word" ? wordStage(step) : matrixStage(step));
      bodies.set(name, { node, painters, columns: (step < 3 ? tensors.key : tensors.value).columns, stamp: -1 });
      holder.append(node);
    }
    return bodies.get(name);
  }

  function refresh(body) {
    if (body.stamp === stamp) return;
    body.stamp = stamp;
    body.painters.forEach((paint) => paint());
  }

  function prepare() {
    callOff();
    const step = NAMES.findIndex((_, i) => !bodies.has(`${state.level} ${i + 1}`)) + 1;
    if (!step) return;
    callOff = whenIdle(() => {
      const body = bodyOf(state.level, step);
      refresh(body);
      body.node.firstChild.getBoundingClientRect(); // lays it out
      prepare();
    });
  }

  function show() {
    const body = bodyOf(state.level, state.step);
    if (body !== shown) {
      shown?.node.setAttribute("inert", "");
      body.node.removeAttribute("inert");
      shown = body;
    }
    say.textContent = SAY[state.level][state.step - 1];
    told.textContent = "";
    component.node.hidden = ![1, 2, 5, 6].includes(state.step);
    component.input.max = body.columns - 1;
    stepButtons.forEach((node, i) => {
      setAttributes(node, { "aria-current": i + 1 === state.step ? "step" : null });
      node.classList.toggle("done", i + 1 < state.step);
    });
    back.disabled = state.step === 1;
    next.disabled = state.step === 6;
    levelButtons.forEach(([level, node]) => {
      node.setAttribute("aria-checked", String(level === state.level));
      node.tabIndex = level === state.level ? 0 : -1;
    });
    drawFormula();
  }

  function draw() {
    if (!theme(root)) return;
    refresh(shown);
    line.replaceChildren(...equation().flat(Infinity).filter((part) => part !== ""));
    wordsList.childNodes.forEach((node, i) => node.setAttribute("aria-selected", String(i === state.query)));
    wordsList.setAttribute("aria-activedescendant", wordsList.childNodes[state.query]?.id ?? "");
    component.set(Math.min(state.component, component.input.max));
    if (stage.style.getPropertyValue("--component") !== String(state.component)) stage.style.setProperty("--component", state.component);
    prepare();
  }
  const update = promptly(draw, signal);

  function change(next) {
    const before = { ...state };
    Object.assign(state, next);
    if (["query", "key", "component"].some((name) => state[name] !== before[name])) stamp += 1;
    if ("query" in next && next.query !== before.query && !("key" in next)) state.key = indexOfLargest(row(tensors.weights, state.query));
    for (const trait of ["step", "level", "query"]) if (state[trait] !== before[trait]) model.set(trait, state[trait]);
    model.save_changes();
    if (state.step !== before.step || state.level !== before.level) {
      show();
      announce(root, `Step ${state.step} of 6, ${NAMES[state.step - 1]}. ${SAY[state.level][state.step - 1]}`);
    }
    update();
    if (state.step === 6 && play.get()) pause();
  }

  // A sentence of as many tokens as the last one is written into the same tensors, and what was built can stay.
  function load() {
    const arrived = floats(model.get("tensors"));
    const alike = shapes === JSON.stringify(model.get("shapes"));
    shapes = JSON.stringify(model.get("shapes"));
    tokens = model.get("tokens");
    loads += 1;
    stamp += 1;
    if (alike) {
      numbers.set(arrived);
      for (const tensor of Object.values(tensors)) tensor.limit = limitOf(tensor.values);
    } else {
      numbers = arrived;
      tensors = unpack(numbers, model.get("shapes"));
      raw = { values: new Float32Array(tokens.length ** 2), columns: tokens.length };
      bodies = new Map();
      shown = null;
      holder.replaceChildren();
    }
    const factor = Math.sqrt(tensors.key.columns);
    tensors.scores.values.forEach((score, i) => { raw.values[i] = score * factor; });
    raw.limit = limitOf(raw.values);
    state.component = indexOfLargest(Float32Array.from(row(tensors.context, clamp(model.get("query"), 0, tokens.length - 1)), Math.abs));
    state.query = clamp(model.get("query"), 0, tokens.length - 1);
    state.key = indexOfLargest(row(tensors.weights, state.query));
    wordsList.replaceChildren(...tokens.map((token, i) => {
      const node = word(token, { role: "option", id: uniqueId("word"), "aria-label": `${token}, position ${i}` });
      node.addEventListener("click", () => change({ query: i }), { signal });
      return node;
    }));
    show();
    update();
  }

  // ---------------------------------------------------------------- a new sentence needs Python
  function ask(text) {
    if (text === model.get("sentence")) {
      if (text === model.get("shown")) field.error("");
      return;
    }
    clearTimeout(waiting);
    field.error("");
    go.disabled = true;
    go.textContent = "Computing …";
    waiting = setTimeout(() => {
      answered();
      field.error("No answer came: the kernel is busy or not running. The picture still shows the last sentence.");
    }, PATIENCE);
    model.set("sentence", text);
    model.save_changes();
  }

  function answered() {
    clearTimeout(waiting);
    go.disabled = false;
    go.textContent = "Compute";
    field.error(model.get("error"));
  }

  // ---------------------------------------------------------------- playing
  function start() {
    clearInterval(timer);
    if (state.step === 6) change({ step: 1 });
    timer = setInterval(() => change({ step: Math.min(6, state.step + 1) }), PLAY_PAUSE);
  }

  function pause() {
    clearInterval(timer);
    play.set(false);
  }

  wordsList.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -tokens.length, End: tokens.length }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    change({ query: clamp(state.query + by, 0, tokens.length - 1) });
  }, { signal });
  levelGroup.addEventListener("keydown", (event) => {
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    change({ level: state.level === "word" ? "matrix" : "word" });
    levelButtons.find(([level]) => level === state.level)[1].focus();
  }, { signal });
  onChange(model, signal, "sentence", () => {
    if (model.get("sentence") !== field.get()) field.set(model.get("sentence"));
  });
  onChange(model, signal, "answered", answered);
  onChange(model, signal, "tensors", load);
  onChange(model, signal, ["step", "level", "query"], () => {
    const next = Object.fromEntries(["step", "level", "query"].map((name) => [name, model.get(name)]));
    if (next.query < tokens.length && Object.entries(next).some(([name, value]) => state[name] !== value)) change(next);
  });
  onTheme(root, signal, () => {
    tables = {};
    painted = new WeakMap();
    stamp += 1;
    update();
  });
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    clearTimeout(waiting);
    callOff();
  });
  load();
  return cleanup;
}

export default { render };
