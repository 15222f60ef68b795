const MAP = { width: 420, height: 380, left: 46, right: 18, top: 26, bottom: 46 };
const STEP = 0.01;
const DIGITS = 2;
const MOVE_MS = 450;
const LABEL_PLACES = [
  [11, 4, "start"],
  [-11, 4, "end"],
  [0, -12, "middle"],
  [0, 20, "middle"],
  [9, -9, "start"],
  [9, 16, "start"],
  [-9, -9, "end"],
  [-9, 16, "end"],
];

// The weights after word `index` was dragged to `weight`: the others keep the proportions they had in `before`.
function renormalised(before, index, weight) {
  const rest = before.reduce((total, value, i) => (i === index ? total : total + value), 0);
  const others = before.length - 1;
  const after = before.map((value, i) => {
    if (i === index) return weight;
    return rest > 1e-9 ? (value / rest) * (1 - weight) : (1 - weight) / others;
  });
  return exactly(after);
}

// Takes the rounding error out of the largest weight, so that the sum is 1.
function exactly(weights) {
  const total = weights.reduce((sum, value) => sum + value, 0);
  const largest = weights.indexOf(Math.max(...weights));
  return weights.map((value, i) => (i === largest ? value + 1 - total : value));
}

// Weights as printed: rounded so that the printed numbers also add up to 1 (largest remainders are rounded up).
function printedShares(weights, digits = DIGITS) {
  const unit = 10 ** digits;
  const floors = weights.map((value) => Math.floor(value * unit + 1e-9));
  const missing = unit - floors.reduce((sum, value) => sum + value, 0);
  const byRemainder = weights.map((value, i) => [value * unit - floors[i], i]).sort((a, b) => b[0] - a[0]);
  for (const [, i] of byRemainder.slice(0, Math.max(0, missing))) floors[i] += 1;
  return floors.map((value) => value / unit);
}

function average(weights, vectors) {
  return weights.reduce(([x, y], weight, i) => [x + weight * vectors[i][0], y + weight * vectors[i][1]], [0, 0]);
}

// The corners of the smallest convex shape around the points, in order (Andrew's monotone chain).
function hull(points) {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const turn = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = (list) =>
    list
      .reduce((chain, point) => {
        while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), point) <= 0) chain.pop();
        return [...chain, point];
      }, [])
      .slice(0, -1);
  return [...half(sorted), ...half(sorted.reverse())];
}

// About six round numbers that cover [low, high].
function padded(values) {
  const low = Math.min(...values),
    high = Math.max(...values);
  const margin = (high - low || Math.abs(high) || 1) * 0.14;
  return [low - margin, high + margin];
}

// From a vector to its place on the map, in the drawing's units.
function projection(vectors) {
  const [left, right] = padded(vectors.map((vector) => vector[0]));
  const [bottom, top] = padded(vectors.map((vector) => vector[1]));
  const place = ([x, y]) => [
    MAP.left + ((x - left) / (right - left)) * (MAP.width - MAP.left - MAP.right),
    MAP.height - MAP.bottom - ((y - bottom) / (top - bottom)) * (MAP.height - MAP.top - MAP.bottom),
  ];
  return { place, x: ticks(left, right, 6), y: ticks(bottom, top, 6), left, right, bottom, top };
}

function overlap(a, b) {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

// One place per label, the first of eight around its point that hits no other label or point.
function labelPlaces(points, texts) {
  const taken = points.map(([x, y]) => [x - 6, y - 6, x + 6, y + 6]);
  return points.map(([x, y], n) => {
    const wide = Array.from(texts[n]).length * 7.4;
    let best = null;
    for (const [dx, dy, anchor] of LABEL_PLACES) {
      const start = x + dx - { start: 0, end: wide, middle: wide / 2 }[anchor];
      const box = [start, y + dy - 11, start + wide, y + dy + 4];
      const hits = taken.filter((other) => overlap(other, box)).length;
      const outside =
        box[0] < MAP.left || box[2] > MAP.width - 4 || box[1] < MAP.top - 8 || box[3] > MAP.height - MAP.bottom + 6;
      const cost = hits + (outside ? 3 : 0);
      if (!best || cost < best.cost) best = { cost, dx, dy, anchor, box };
    }
    taken.push(best.box);
    return best;
  });
}

function axisNames(name) {
  const ends = name.split("↔").map((part) => part.trim());
  return ends.length === 2 ? { low: `← ${ends[0]}`, high: `${ends[1]} →` } : { low: "", high: `${name} →` };
}

// The parts of the map that never move: grid, axes, the shape all averages lie in.
function background(view, names, vectors) {
  const { place } = view;
  const floor = MAP.height - MAP.bottom,
    end = MAP.width - MAP.right;
  const horizontal = axisNames(names[0]),
    vertical = axisNames(names[1]);
  const grid = svg("g", { class: "grid", "aria-hidden": "true" });
  for (const at of view.x.list) {
    const [x] = place([at, view.bottom]);
    grid.append(
      svg("line", { x1: x, x2: x, y1: MAP.top, y2: floor }),
      svg("text", { x, y: floor + 15, "text-anchor": "middle", text: format(at, view.x.digits) }),
    );
  }
  for (const at of view.y.list) {
    const [, y] = place([view.left, at]);
    grid.append(
      svg("line", { x1: MAP.left, x2: end, y1: y, y2: y }),
      svg("text", { x: MAP.left - 6, y: y + 4, "text-anchor": "end", text: format(at, view.y.digits) }),
    );
  }
  const title = (text, attributes) => svg("text", { class: "axis-name", text, ...attributes });
  grid.append(
    svg("path", { class: "axis", d: `M${MAP.left} ${MAP.top}V${floor}H${end}` }),
    title(horizontal.low, { x: MAP.left, y: floor + 34, "text-anchor": "start" }),
    title(horizontal.high, { x: end, y: floor + 34, "text-anchor": "end" }),
    title(vertical.high, { transform: `translate(12 ${MAP.top}) rotate(-90)`, "text-anchor": "end" }),
    title(vertical.low, { transform: `translate(12 ${floor}) rotate(-90)`, "text-anchor": "start" }),
    svg("polygon", {
      class: "hull",
      points: hull(vectors.map(place))
        .map((point) => point.join(","))
        .join(" "),
    }),
  );
  return grid;
}

// The map: fixed words, lines as thick as their weights, and the new vector; `draw(weights)` moves it.
function drawMap({ words, vectors, focus, axes }) {
  const view = projection(vectors);
  const points = vectors.map(view.place);
  const texts = words.map((text) => shorten(text, 12));
  const arrow = uniqueId("arrow");
  const pulls = points.map(([x, y]) => svg("line", { class: "pull", x1: x, y1: y }));
  const dots = points.map(([cx, cy], i) => svg("circle", { class: i === focus ? "dot focus" : "dot", cx, cy }));
  const names = labelPlaces(points, texts).map(({ dx, dy, anchor }, i) => {
    const place = { x: points[i][0] + dx, y: points[i][1] + dy, "text-anchor": anchor };
    return svg("text", { class: i === focus ? "name focus" : "name", ...place, text: texts[i] });
  });
  const path = svg("line", {
    class: "move",
    x1: points[focus][0],
    y1: points[focus][1],
    "marker-end": `url(#${arrow})`,
  });
  const result = svg("path", { class: "result", d: "M0 -10L10 0L0 10L-10 0Z" });
  const below = svg("tspan", { class: "sub", dy: 4, text: texts[focus] });
  const resultName = svg("text", { class: "name result-name", "text-anchor": "middle" }, "x′", below);
  const head = svg(
    "marker",
    { id: arrow, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
    svg("path", { class: "arrow-head", d: "M0 0L8 4L0 8Z" }),
  );
  const node = svg(
    "svg",
    { class: "map", viewBox: `0 0 ${MAP.width} ${MAP.height}`, role: "img" },
    svg("defs", {}, head),
    background(view, axes, vectors),
    ...pulls,
    path,
    ...dots,
    ...names,
    result,
    resultName,
  );
  const draw = (weights) => {
    const at = average(weights, vectors);
    const [x, y] = view.place(at);
    weights.forEach((weight, i) => {
      const opacity = weight < 0.005 ? 0 : 0.35 + 0.45 * weight;
      setAttributes(pulls[i], { x2: x, y2: y, "stroke-width": 0.75 + 6 * weight, opacity });
      dots[i].setAttribute("r", 5 + 5 * Math.sqrt(Math.max(0, weight)));
    });
    const [fromX, fromY] = points[focus];
    const far = Math.hypot(x - fromX, y - fromY);
    const part = Math.max(0, far - 12) / (far || 1);
    const visibility = far < 24 ? "hidden" : "visible";
    setAttributes(path, { x2: fromX + (x - fromX) * part, y2: fromY + (y - fromY) * part, visibility });
    result.setAttribute("transform", `translate(${x} ${y})`);
    const above = y > MAP.top + 34;
    setAttributes(resultName, { x: clamp(x, MAP.left + 28, MAP.width - 34), y: above ? y - 17 : y + 26 });
    const told = `${format(at[0])} on “${axes[0]}” and ${format(at[1])} on “${axes[1]}”`;
    node.setAttribute("aria-label", `Map: the new vector of ${words[focus]} lies at ${told}.`);
    return at;
  };
  return { node, draw };
}

const pair = ([x, y]) => `(${format(x)}, ${format(y)})`;
const vectorName = (text, mark = "x") =>
  element("span", { class: "vector" }, mark, element("sub", {}, word(shorten(text, 12))));

// One row of the table: the word, its slider, its weight, its vector, and their product.
function weightRow(text, vector, { signal, isFocus, onInput }) {
  const caption = word(shorten(text, 12), { title: text });
  const control = slider({
    label: `weight of ${text}`,
    caption,
    min: 0,
    max: 1,
    step: STEP,
    value: 0,
    tint: "weights",
    signal,
    onInput,
  });
  const product = element("span", { class: "number product" });
  const node = element(
    "div",
    { class: isFocus ? "weight-row focus" : "weight-row", role: "group", "aria-label": text },
    control.node,
    element("span", { class: "number vector-value", text: `· ${pair(vector)}` }),
    product,
  );
  const draw = (weight, printed) => {
    if (document.activeElement !== control.input || Math.abs(control.get() - weight) > STEP / 2) control.set(weight);
    control.output.textContent = format(printed);
    control.input.setAttribute("aria-valuetext", format(printed));
    product.textContent = `= ${pair([weight * vector[0], weight * vector[1]])}`;
    node.classList.toggle("idle", printed === 0);
  };
  return { node, draw };
}

function equation(words, focus) {
  const terms = words.map((text) => ({ factor: element("span", { class: "number factor" }), name: vectorName(text) }));
  const result = element("span", { class: "number result-value" });
  const sum = element("span", { class: "number" });
  const node = element(
    "div",
    { class: "panel equation" },
    element(
      "div",
      { class: "line" },
      vectorName(words[focus], "x′"),
      " = ",
      terms.map(({ factor, name }, i) => [i ? " + " : "", element("span", { class: "term" }, factor, " ", name)]),
      " = ",
      result,
    ),
    element("div", { class: "line note" }, "The weights add up to ", sum, "."),
  );
  const draw = (printed, at) => {
    printed.forEach((value, i) => {
      terms[i].factor.textContent = format(value);
      terms[i].factor.parentElement.classList.toggle("idle", value === 0);
    });
    result.textContent = pair(at);
    sum.textContent = format(printed.reduce((total, value) => total + value, 0));
  };
  return { node, draw };
}

function render({ model, el }) {
  const words = model.get("words"),
    focus = model.get("focus"),
    axes = model.get("axes");
  const flat = floats(model.get("vector_bytes"));
  const vectors = words.map((_, i) => [flat[2 * i], flat[2 * i + 1]]);
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("mixer");
  let weights = [...model.get("weights")];
  let shown = weights;
  let anchor = { index: -1, weights };
  let stop = () => {};

  const map = drawMap({ words, vectors, focus, axes });
  const sums = equation(words, focus);
  const rows = words.map((text, i) =>
    weightRow(text, vectors[i], { signal, isFocus: i === focus, onInput: (value) => drag(i, value) }),
  );
  const draw = () => {
    const printed = printedShares(shown);
    rows.forEach((row, i) => row.draw(shown[i], printed[i]));
    sums.draw(printed, map.draw(shown));
  };
  const redraw = promptly(draw, signal);

  function save(next) {
    weights = next;
    change(model, { weights });
  }
  function drag(index, value) {
    stop();
    if (anchor.index !== index) anchor = { index, weights };
    save(renormalised(anchor.weights, index, clamp(value, 0, 1)));
    shown = weights;
    redraw();
  }
  function moveTo(next) {
    stop();
    anchor = { index: -1, weights: next };
    stop = tween(
      shown,
      next,
      MOVE_MS,
      (between) => {
        shown = between;
        draw();
      },
      signal,
    );
  }
  const choose = (name, next) => {
    save(exactly(next));
    moveTo(weights);
    const [x, y] = average(weights, vectors);
    announce(root, `${name}: the new vector of ${words[focus]} is ${format(x)}, ${format(y)}.`);
  };
  const even = words.map(() => 1 / words.length);
  const only = words.map((_, i) => (i === focus ? 1 : 0));
  const presets = [
    ...model.get("presets").map(({ name, weights: wanted }) => [name, wanted]),
    ["all alike", even],
    [`only ${shorten(words[focus], 12)}`, only],
  ];
  root.append(
    heading(model.get("label")),
    element(
      "div",
      { class: "row presets", role: "group", "aria-label": "presets" },
      presets.map(([name, wanted]) => button({ label: word(name), signal, onClick: () => choose(name, wanted) })),
    ),
    element(
      "div",
      { class: "columns body" },
      map.node,
      element(
        "div",
        { class: "grow stack weights" },
        element(
          "div",
          { class: "weight-head", "aria-hidden": "true" },
          ["word j and its weight", "· vector x", "= product"].map((text) => element("span", { text })),
        ),
        rows.map((row) => row.node),
        sums.node,
        element(
          "p",
          { class: "note" },
          "The shaded shape holds every average there is: ",
          "no weights can take the new vector outside it.",
        ),
      ),
    ),
  );
  onChange(model, signal, "weights", () => {
    const next = model.get("weights");
    if (next.every((weight, i) => Math.abs(weight - weights[i]) < 1e-6)) return;
    weights = [...next];
    moveTo(weights);
  });
  draw();
  return cleanup;
}

export default { render };
