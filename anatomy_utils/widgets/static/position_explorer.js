// The position explorer: one scheme's picture, its score over the offset, and the waves worked out by hand.

const CURVE = { width: 460, height: 250, left: 52, right: 14, top: 14, bottom: 42 };
const WAVE = { width: 620, height: 96, left: 34, right: 12, top: 8, bottom: 20 };
const DIAL = 62;
const SAME = 1e-3; // scores at one offset that differ by no more than this share of all their range count as the same
const COMPARED = [0.25, 0.5, 0.75]; // where, as parts of the length, the other reference positions stand
const STYLES = ["chosen", "one", "two", "three"];

// Cuts the buffer into {name: {scores: [matrix], limits, vectors}} and the waves of the worked example. `limits` are the
// lowest and highest of all its matrices, so that one scale serves to compare them.
function unpackSchemes(data, schemes, length) {
  const arrays = {};
  let start = 0;
  const take = (count) => data.subarray(start, (start += count));
  for (const { name, variants, features } of schemes) {
    const scores = Array.from({ length: variants }, () => take(length * length));
    const ranges = scores.map(range);
    const limits = [Math.min(...ranges.map(([low]) => low)), Math.max(...ranges.map(([, high]) => high))];
    arrays[name] = { scores, limits, vectors: features ? take(length * features) : null };
  }
  return { arrays, waves: data.subarray(start) };
}

function range(values) {
  let low = Infinity,
    high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

// How much scores of one offset differ between reference positions, as a share of the range of all scores.
function spread(matrix, length) {
  const [low, high] = range(matrix);
  let widest = 0;
  for (let offset = 1 - length; offset < length; offset += 1) {
    const diagonal = [];
    for (let i = Math.max(0, -offset); i < Math.min(length, length - offset); i += 1)
      diagonal.push(matrix[i * length + i + offset]);
    const [least, most] = range(diagonal);
    widest = Math.max(widest, most - least);
  }
  return { share: widest / (high - low || 1), widest };
}

// Score over offset: one line for each reference position.
function curveChart(length) {
  const box = CURVE,
    floor = box.height - box.bottom,
    right = box.width - box.right;
  const x = (offset) => box.left + ((offset + length - 1) / (2 * length - 2)) * (right - box.left);
  const quarter = Math.floor(length / 4) * 2;
  const below = [-quarter, -quarter / 2, 0, quarter / 2, quarter].map((at) => [
    svg("line", { class: "guide", x1: x(at), x2: x(at), y1: box.top, y2: floor }),
    svg("text", {
      class: "tick",
      x: x(at),
      y: floor + 16,
      "text-anchor": "middle",
      text: at > 0 ? `+${at}` : format(at, 0),
    }),
  ]);
  const side = svg("g");
  const lines = STYLES.map((style) => svg("path", { class: `curve ${style}` }));
  const name = svg("text", {
    class: "tick",
    x: (box.left + right) / 2,
    y: box.height - 6,
    "text-anchor": "middle",
    text: "offset: key position − reference position",
  });
  const node = svg(
    "svg",
    { viewBox: `0 0 ${box.width} ${box.height}`, role: "img" },
    below,
    side,
    svg("path", { class: "axis", d: `M${box.left} ${floor}H${right}` }),
    name,
    lines,
  );
  const draw = (matrix, [least, most], references, told) => {
    const margin = (most - least || Math.abs(most) || 1) * 0.05;
    const low = least - margin,
      high = most + margin;
    const y = (value) => floor - ((value - low) / (high - low)) * (floor - box.top);
    const { list, digits } = ticks(low, high, 5);
    side.replaceChildren(
      ...list.flatMap((at) => [
        svg("line", { class: at === 0 ? "guide zero" : "guide", x1: box.left, x2: right, y1: y(at), y2: y(at) }),
        svg("text", { class: "tick", x: box.left - 6, y: y(at) + 4, "text-anchor": "end", text: format(at, digits) }),
      ]),
    );
    lines.forEach((line, n) => {
      const i = references[n];
      const points = Array.from({ length }, (_, j) => `${x(j - i).toFixed(1)} ${y(matrix[i * length + j]).toFixed(1)}`);
      line.setAttribute("d", `M${points.join("L")}`);
    });
    node.setAttribute("aria-label", told);
  };
  return { node, draw };
}

// One clock hand with its wave beside it: a pair of features of `width` wide waves.
function wavePair(length) {
  let waves, width, pair;
  const at = (p, k) => waves[p * width + 2 * pair + k];
  const middle = DIAL / 2,
    reach = middle - 5;
  const hand = svg("line", { class: "hand", x1: middle, y1: middle });
  const tip = svg("circle", { class: "tip", r: 4 });
  const dial = svg(
    "svg",
    { class: "dial", viewBox: `0 0 ${DIAL} ${DIAL}`, "aria-hidden": "true" },
    svg("circle", { class: "rim", cx: middle, cy: middle, r: reach }),
    svg("path", { class: "guide", d: `M${middle} 5V${DIAL - 5}M5 ${middle}H${DIAL - 5}` }),
    hand,
    tip,
  );
  const floor = WAVE.height - WAVE.bottom;
  const x = (p) => WAVE.left + (p / (length - 1)) * (WAVE.width - WAVE.left - WAVE.right);
  const y = (value) => WAVE.top + ((1 - value) / 2) * (floor - WAVE.top);
  const curves = ["sine", "cosine"].map((name) => svg("path", { class: `curve ${name}` }));
  const path = (k) => `M${Array.from({ length }, (_, p) => `${x(p).toFixed(1)} ${y(at(p, k)).toFixed(1)}`).join("L")}`;
  const here = svg("line", { class: "here", y1: WAVE.top, y2: floor });
  const dots = [0, 1].map((k) => svg("circle", { class: k ? "dot cosine" : "dot sine", r: 4.5 }));
  const chart = svg(
    "svg",
    { class: "wave", viewBox: `0 0 ${WAVE.width} ${WAVE.height}`, "aria-hidden": "true" },
    [-1, 0, 1].map((level) => [
      svg("line", { class: "guide", x1: WAVE.left, x2: WAVE.width - WAVE.right, y1: y(level), y2: y(level) }),
      svg("text", { class: "tick", x: WAVE.left - 6, y: y(level) + 4, "text-anchor": "end", text: format(level, 0) }),
    ]),
    Array.from({ length: Math.floor((length - 1) / 8) + 1 }, (_, n) =>
      svg("text", { class: "tick", x: x(8 * n), y: WAVE.height - 4, "text-anchor": "middle", text: 8 * n }),
    ),
    curves,
    here,
    dots,
  );
  const sum = element("div", { class: "number pe-sum" });
  const node = element("div", { class: "pe-pair" }, dial, element("div", { class: "grow" }, sum, chart));
  const set = (newWaves, newWidth, newPair) => {
    [waves, width, pair] = [newWaves, newWidth, newPair];
    curves.forEach((curve, k) => curve.setAttribute("d", path(k)));
  };
  const draw = (p) => {
    const [sine, cosine] = [at(p, 0), at(p, 1)];
    setAttributes(hand, { x2: middle + reach * cosine, y2: middle - reach * sine });
    setAttributes(tip, { cx: middle + reach * cosine, cy: middle - reach * sine });
    setAttributes(here, { x1: x(p), x2: x(p) });
    dots.forEach((dot, k) => setAttributes(dot, { cx: x(p), cy: y(at(p, k)) }));
    const angle = format(p / 10000 ** ((2 * pair) / width));
    const written = (name, value) =>
      `${name}(${p} / 10000^(${2 * pair}/${width})) = ${name}(${angle}) = ${format(value)}`;
    sum.replaceChildren(
      element("b", { class: "sine-text", text: written("sin", sine) }),
      element("br"),
      element("b", { class: "cosine-text", text: written("cos", cosine) }),
    );
  };
  return { node, set, draw };
}

function render({ model, el }) {
  const schemes = model.get("schemes"),
    length = model.get("length");
  const { arrays, waves } = unpackSchemes(floats(model.get("data")), schemes, length);
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("positions");
  const chosen = () => schemes.find(({ name }) => name === model.get("scheme")) ?? schemes[0];
  const variant = () => clamp(model.get("variant"), 0, chosen().variants - 1);
  const showsVectors = () => Boolean(chosen().features) && model.get("picture") === "vectors";

  // ---------------------------------------------------------------- choices
  const choices = Object.fromEntries(schemes.map(({ name }) => [name, name]));
  const names = radioRow({
    label: "Scheme",
    choices,
    signal,
    onChoose: (scheme) => change(model, { scheme, variant: 0 }),
  });
  const variants = select({
    label: "Drawn for",
    options: [""],
    signal,
    onChange: (value) => change(model, { variant: Number(value) }),
  });
  const pictures = select({
    label: "Picture",
    options: [
      { value: "vectors", label: "the vectors" },
      { value: "scores", label: "position by position" },
    ],
    signal,
    onChange: (value) => change(model, { picture: value }),
  });
  const place = slider({
    label: "reference position",
    min: 0,
    max: length - 1,
    step: 1,
    value: model.get("position"),
    format: (p) => String(p),
    signal,
    onInput: (p) => change(model, { position: p }),
  });

  // ---------------------------------------------------------------- the picture
  const painting = element("canvas", focusable({ class: "pe-canvas", role: "img" }));
  const line = element("span", { class: "pe-line", "aria-hidden": "true" });
  const caption = element("div", { class: "pe-title" });
  const read = element("div", { class: "note pe-read" });
  const ends = [element("span"), element("span")];
  const bar = element("i");
  const frameBox = element("div", { class: "pe-frame" }, painting, line);
  const how = element("p", { class: "pe-how" });
  const formula = element("div", { class: "pe-formula number" });
  const source = element("span", { class: "note" });
  const verdict = element("div", { class: "pe-verdict", role: "status" });
  const chart = curveChart(length);
  const chartTitle = element("div", { class: "pe-title" });
  const key = element("div", { class: "row pe-key" });
  const wide = schemes.find(({ name }) => name === "sinusoidal");
  const pairs = model.get("has_waves") && wide ? [0, 1, 2].map(() => wavePair(length)) : [];
  pairs.slice(0, 2).forEach((pair, i) => pair.set(waves, 4, i));
  const pairSlider = slider({
    label: "pair of features",
    min: 0,
    max: wide ? wide.features / 2 - 1 : 0,
    step: 1,
    value: 4,
    format: (i) => `${2 * i}, ${2 * i + 1}`,
    signal,
    onInput: () => drawWide(),
  });
  const drawWide = () => {
    pairs[2].set(arrays.sinusoidal.vectors, wide.features, pairSlider.get());
    pairs[2].draw(model.get("position"));
  };
  const vectorText = element("div", { class: "number pe-vector" });
  const example = element(
    "div",
    { class: "panel pe-example", role: "group", "aria-label": "Worked example" },
    element("div", { class: "pe-title", text: "By hand, with d_model = 4: two clock hands, one fast, one slow" }),
    vectorText,
    pairs.slice(0, 2).map(({ node }) => node),
    element("div", {
      class: "pe-title pe-wide",
      text: `The same with d_model = ${wide?.features}: choose a pair; the farther right, the slower`,
    }),
    pairSlider.node,
    pairs.slice(2).map(({ node }) => node),
  );
  root.append(
    heading(model.get("label")),
    names.node,
    element("div", { class: "pe-about" }, how, element("div", { class: "row" }, formula, source)),
    element("div", { class: "row pe-controls" }, place.node, pictures.node, variants.node),
    element(
      "div",
      { class: "pe-two" },
      element(
        "div",
        { class: "panel" },
        caption,
        frameBox,
        element("div", { class: "pe-scale" }, ends[0], bar, ends[1]),
        read,
      ),
      element("div", { class: "panel" }, chartTitle, chart.node, key, verdict),
    ),
    example,
  );

  const shownMatrix = () => {
    const { scores, limits, vectors } = arrays[chosen().name];
    return showsVectors()
      ? { values: vectors, columns: chosen().features, limits: range(vectors) }
      : { values: scores[variant()], columns: length, limits };
  };
  const references = () => [model.get("position"), ...COMPARED.map((part) => Math.round(part * (length - 1)))];

  function paint() {
    const { values, columns, limits } = shownMatrix();
    const limit = Math.max(-limits[0], limits[1]) || 1;
    const table = new Uint32Array(colourTable(root, "diverging").buffer);
    painting.width = columns;
    painting.height = length;
    const context = painting.getContext("2d");
    const image = context.createImageData(columns, length);
    const pixels = new Uint32Array(image.data.buffer);
    values.forEach((value, i) => {
      pixels[i] = table[clamp(Math.floor((value / limit) * 127.5 + 128), 0, 255)];
    });
    context.putImageData(image, 0, 0);
    const digits = limit < 10 ? 2 : 0;
    ends[0].textContent = format(-limit, digits);
    ends[1].textContent = format(limit, digits);
    bar.style.background = `linear-gradient(to right, ${[-1, -0.5, 0, 0.5, 1].map((part) => diverging(root, part)).join(", ")})`;
    const what = showsVectors() ? chosen().vectorsAre : `${chosen().measures}, query position by key position`;
    caption.replaceChildren(what, " ", element("span", { class: "shape", text: `(${length}, ${columns})` }));
    const [low, high] = range(values);
    painting.setAttribute("aria-label", `${chosen().name}: ${what}, from ${format(low)} to ${format(high)}.`);
  }

  function drawCurves() {
    const { scores, limits } = arrays[chosen().name];
    const matrix = scores[variant()];
    const found = spread(matrix, length);
    const same = found.share <= SAME;
    verdict.className = same ? "pe-verdict ok" : "pe-verdict wrong";
    verdict.textContent = same
      ? `Depends only on the offset: all curves lie on each other (${found.widest ? "rounding apart, " : ""}equal numbers at equal offsets).`
      : `Not only on the offset: at equal offsets the numbers differ by up to ${format(found.widest)}.`;
    chartTitle.textContent = `Over the offset: ${chosen().measures}`;
    const list = references();
    chart.draw(
      matrix,
      limits,
      list,
      `${chosen().name}, ${chosen().measures} over the offset from positions ${list.join(", ")}. ${verdict.textContent}`,
    );
    key.replaceChildren(
      element("span", { class: "note", text: "from position" }),
      ...list.map((p, n) =>
        element(
          "span",
          { class: "pe-sample" },
          svg(
            "svg",
            { viewBox: "0 0 26 10", "aria-hidden": "true" },
            svg("path", { class: `curve ${STYLES[n]}`, d: "M1 5H25" }),
          ),
          String(p),
        ),
      ),
    );
  }

  function drawPosition() {
    const p = model.get("position");
    line.style.top = `${(p / length) * 100}%`;
    line.style.height = `${100 / length}%`;
    drawCurves();
    if (!pairs.length) return;
    pairs.slice(0, 2).forEach((pair) => pair.draw(p));
    drawWide();
    vectorText.textContent = `position ${p} → (${Array.from(waves.subarray(4 * p, 4 * p + 4), (value) => format(value)).join(", ")})`;
  }

  function draw() {
    const scheme = chosen();
    names.set(scheme.name);
    how.replaceChildren(...prose(scheme.how));
    formula.textContent = scheme.formula;
    source.textContent = scheme.source;
    variants.setOptions(scheme.variantNames.map((label, value) => ({ value, label })));
    variants.set(variant());
    variants.node.hidden = scheme.variants < 2;
    pictures.node.hidden = !scheme.features;
    pictures.set(model.get("picture"));
    example.hidden = !pairs.length || scheme.name !== "sinusoidal";
    read.textContent = "Point at the picture, or use the arrow keys on it, to read a number.";
    paint();
    drawPosition();
  }
  const redraw = frame(draw, signal);
  const move = frame(drawPosition, signal);

  // ---------------------------------------------------------------- reading numbers
  const cursor = { column: 0 };
  function tell(row, column) {
    const { values, columns } = shownMatrix();
    cursor.column = clamp(column, 0, columns - 1);
    const value = format(values[row * columns + cursor.column], 3);
    read.textContent = showsVectors()
      ? `position ${row}, feature ${cursor.column}: ${value}`
      : `query at ${row}, key at ${cursor.column}, offset ${format(cursor.column - row, 0)}: ${value}`;
  }
  const cell = (event) => {
    const box = painting.getBoundingClientRect();
    const { columns } = shownMatrix();
    return [
      clamp(Math.floor(((event.clientY - box.top) / box.height) * length), 0, length - 1),
      Math.floor(((event.clientX - box.left) / box.width) * columns),
    ];
  };
  painting.addEventListener("pointermove", (event) => tell(...cell(event)), { signal });
  painting.addEventListener("pointerdown", (event) => change(model, { position: cell(event)[0] }), { signal });
  painting.addEventListener(
    "keydown",
    (event) => {
      const to = arrowMove(event, model.get("position"), cursor.column, length, shownMatrix().columns);
      if (!to) return;
      event.preventDefault();
      if (to[0] !== model.get("position")) change(model, { position: to[0] });
      tell(...to);
      announce(root, read.textContent);
    },
    { signal },
  );

  onChange(model, signal, ["scheme", "variant", "picture"], redraw);
  onChange(model, signal, "position", () => {
    if (place.get() !== model.get("position")) place.set(model.get("position"));
    move();
  });
  onTheme(root, signal, redraw);
  draw();
  return cleanup;
}

export default { render };
