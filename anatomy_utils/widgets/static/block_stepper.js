// The block stepper: one token's vector on its way through a block, post-norm or pre-norm, stage by stage.

const PLAY_PAUSE = 2600; // milliseconds per step
const ORDER = {
  post: ["input", "attended", "added", "normed", "fed", "added again", "normed again"],
  pre: ["input", "normed", "attended", "added", "normed again", "fed", "added again"],
};
const STEP_NAMES = {
  attended: "Attention",
  added: "Add",
  normed: "Norm",
  fed: "Feed-forward",
  "added again": "Add",
  "normed again": "Norm",
};
const ROW_NAMES = {
  input: "x, what comes in",
  attended: "attention(…)",
  added: "sum",
  normed: "norm(…)",
  fed: "feed-forward(…)",
  "added again": "sum",
  "normed again": "norm(…)",
};
const ROLES = { attended: "weights", fed: "feed_forward" };
const BARS = { width: 640, height: 128 };
const SAY = {
  attended: "Attention mixes in the other tokens: the only step at which they have a say.",
  added: "Residual connection: what attention made is *added* to what came in. Nothing is thrown away.",
  normed: {
    post: "Layer normalization: the sum is brought to mean 0 and standard deviation 1, then stretched (γ) and shifted (β) feature by feature.",
    pre: "Layer normalization comes *first*: attention reads a normalized copy, while x itself goes on untouched.",
  },
  fed: "The feed-forward network works on this token alone: up to four times the width, an activation, and down again.",
  "added again": {
    post: "Residual connection: again the result is *added* to what came in.",
    pre: "Residual connection: the block's output. It was never normalized, so it may grow from block to block.",
  },
  "normed again": {
    post: "Normalized again: the block's output, and what the next block reads.",
    pre: "The feed-forward network, too, reads a normalized copy.",
  },
};

// What each stage is made of, by names of earlier stages; and which norm (0 or 1) it goes through.
function recipe(name, norm) {
  const post = {
    attended: { from: ["input"] },
    added: { from: ["input", "attended"] },
    normed: { from: ["added"], norm: 0 },
    fed: { from: ["normed"] },
    "added again": { from: ["normed", "fed"] },
    "normed again": { from: ["added again"], norm: 1 },
  };
  const pre = {
    normed: { from: ["input"], norm: 0 },
    attended: { from: ["normed"] },
    added: { from: ["input", "attended"] },
    "normed again": { from: ["added"], norm: 1 },
    fed: { from: ["normed again"] },
    "added again": { from: ["added", "fed"] },
  };
  return (norm === "post" ? post : pre)[name];
}

function measures(vector, epsilon = 0) {
  const mean = vector.reduce((sum, value) => sum + value, 0) / vector.length;
  const variance = vector.reduce((sum, value) => sum + (value - mean) ** 2, 0) / vector.length;
  return { mean, deviation: Math.sqrt(variance + epsilon), length: Math.hypot(...vector) };
}

// The block as a drawing: boxes from the bottom up, the residual paths beside them; `mark(step)` lights one box.
function blockDrawing(norm) {
  const names = ORDER[norm].slice(1);
  const high = 46,
    wide = 168,
    left = 44,
    top = 26;
  const y = (i) => top + (names.length - 1 - i) * high;
  const middle = left + wide / 2;
  const floor = y(0) + high + 6;
  const boxes = names.map((name, i) => {
    const sum = name.startsWith("added");
    const shape = sum
      ? svg("circle", { cx: middle, cy: y(i) + 16, r: 13 })
      : svg("rect", { x: left, y: y(i), width: wide, height: 32, rx: 6 });
    const text = svg("text", { x: middle, y: y(i) + 21, "text-anchor": "middle", text: sum ? "+" : STEP_NAMES[name] });
    return svg("g", { class: `box ${name.startsWith("normed") ? "norm" : (ROLES[name] ?? "sum")}` }, shape, text);
  });
  const arrows = names.map((name, i) =>
    svg("path", {
      class: "flow",
      d: `M${middle} ${i ? y(i - 1) - (names[i - 1].startsWith("added") ? -3 : 0) : floor}V${y(i) + (name.startsWith("added") ? 29 : 32)}`,
    }),
  );
  const paths = [
    ["input", "added"],
    [norm === "post" ? "normed" : "added", "added again"],
  ].map(([from, to]) => {
    const start = from === "input" ? floor - 4 : y(names.indexOf(from)) - 4;
    const end = y(names.indexOf(to)) + 16;
    return svg("path", { class: "residual-path", d: `M${middle} ${start}H22V${end}H${middle - 13}` });
  });
  const out = svg("path", {
    class: "flow",
    d: `M${middle} ${y(names.length - 1) + (names.at(-1).startsWith("added") ? 3 : 0)}V4`,
  });
  const node = svg(
    "svg",
    { class: "bs-block", viewBox: `0 0 ${left + wide + 8} ${floor + 20}`, role: "img" },
    paths,
    arrows,
    out,
    boxes,
    svg("text", { class: "io", x: middle + 8, y: floor + 14, text: "x" }),
  );
  const mark = (step) => {
    boxes.forEach((box, i) => {
      box.classList.toggle("now", i + 1 === step);
      box.classList.toggle("done", i + 1 < step);
    });
    node.setAttribute(
      "aria-label",
      `The block, ${norm}-norm, from the bottom up: ${names.map((name) => STEP_NAMES[name]).join(", ")}. Now: ${STEP_NAMES[names[step - 1]]}.`,
    );
  };
  return { node, mark };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("block");
  let vectors,
    norms,
    d_model,
    tokens,
    limit = 1;
  let feature = -1; // at first the one that attention changes most
  const norm = () => model.get("norm");
  const step = () => model.get("step");
  const order = () => ORDER[norm()];
  const vector = (name) => {
    const stages = order().length,
      placement = norm() === "post" ? 0 : 1;
    const start = ((placement * stages + order().indexOf(name)) * tokens.length + model.get("token")) * d_model;
    return vectors.subarray(start, start + d_model);
  };

  // ---------------------------------------------------------------- controls
  const questions = request({ model, signal, onBusy: (on) => form.busy(on) });
  const form = sentenceForm({
    value: model.get("question").sentence,
    signal,
    onSentence: (sentence) => questions.ask({ sentence }),
  });
  const layers = select({
    label: "Layer",
    options: Array.from({ length: model.get("num_layers") }, (_, i) => String(i)),
    value: model.get("layer"),
    signal,
    onChange: (value) => questions.ask({ layer: Number(value) }),
  });
  const places = { post: "Post-norm (2017)", pre: "Pre-norm" };
  const placement = radioRow({
    label: "Where the norms stand",
    choices: places,
    signal,
    onChoose: (place) => change(model, { norm: place }),
  });
  const picker = wordPicker({ label: "Token", signal, onPick: (token) => change(model, { token }) });
  const stepNames = () =>
    order()
      .slice(1)
      .map((stage) => STEP_NAMES[stage]);
  const steps = stepControls({
    names: stepNames(),
    class: "bs-steps",
    pause: PLAY_PAUSE,
    signal,
    go: (to) => change(model, { step: to + 1 }),
  });
  const caution = element("p", { class: "note bs-caution" });
  const say = element("p", { class: "bs-say" });
  const drawingBox = element("div", { class: "bs-drawing" });
  let drawing = null,
    drawn = "";

  // ---------------------------------------------------------------- the vectors
  const rows = order().map((_, i) => {
    const strip = element("canvas", { "aria-hidden": "true", class: "bs-strip" });
    const cells = {
      name: element("span", { class: "bs-name" }),
      mean: element("span", { class: "number" }),
      deviation: element("span", { class: "number" }),
      length: element("span", { class: "number" }),
    };
    const mark = element("span", { class: "bs-mark" });
    const band = element("span", { class: "bs-band" }, strip, mark);
    const point = (event) => {
      const box = strip.getBoundingClientRect();
      setFeature(Math.floor(((event.clientX - box.left) / box.width) * d_model));
    };
    strip.addEventListener("pointermove", point, { signal });
    strip.addEventListener("pointerdown", point, { signal });
    const node = element(
      "div",
      { class: "bs-row", role: "row" },
      [cells.name, band, cells.mean, cells.deviation, cells.length].map((cell, k) => {
        cell.setAttribute("role", k ? "cell" : "rowheader");
        return cell;
      }),
    );
    node.addEventListener(
      "click",
      () => {
        if (i) steps.jump(i - 1);
      },
      { signal },
    );
    return { node, strip, mark, ...cells };
  });
  const head = element(
    "div",
    { class: "bs-row bs-head", role: "row" },
    ["vector", "its numbers", "mean", "std", "length"].map((text) => element("span", { role: "columnheader", text })),
  );
  const table = element(
    "div",
    { class: "bs-table", role: "table", "aria-label": "The vectors so far" },
    head,
    rows.map(({ node }) => node),
  );
  const bars = canvas({ class: "bs-bars", role: "img" });
  const barTitle = element("div", { class: "bs-title" });
  const barFeature = (event) => {
    const box = bars.node.getBoundingClientRect();
    setFeature(Math.floor(((event.clientX - box.left) / box.width) * d_model));
  };
  bars.node.addEventListener("pointermove", barFeature, { signal });
  bars.node.addEventListener("pointerdown", barFeature, { signal });
  const chooser = slider({
    label: "Feature",
    min: 0,
    max: 1,
    step: 1,
    value: 0,
    format: (i) => `${i} of ${d_model ?? 1}`,
    signal,
    tint: "residual",
    onInput: (i) => setFeature(i),
  });
  const sum = element("div", { class: "bs-sum", role: "status" });
  root.append(
    heading(model.get("label"), placement.node),
    form.node,
    questions.line,
    element("div", { class: "row bs-where" }, layers.node, picker.node),
    steps.list,
    element("div", { class: "row" }, steps.back, steps.next, steps.play, caution),
    element(
      "div",
      { class: "bs-two" },
      drawingBox,
      element(
        "div",
        { class: "grow" },
        say,
        table,
        element("div", { class: "panel bs-now" }, barTitle, bars.node, chooser.node, sum),
      ),
    ),
  );

  function setFeature(i) {
    const to = clamp(i, 0, d_model - 1);
    if (to === feature) return;
    feature = to;
    redrawFeature();
  }

  function paintStrip(node, values) {
    if (node.width !== d_model) node.width = d_model;
    if (node.height !== 1) node.height = 1;
    const colours = new Uint32Array(colourTable(root, "diverging").buffer);
    const context = node.getContext("2d");
    const image = context.createImageData(d_model, 1);
    const pixels = new Uint32Array(image.data.buffer);
    values.forEach((value, i) => {
      pixels[i] = colours[clamp(Math.floor((value / limit) * 127.5 + 128), 0, 255)];
    });
    context.putImageData(image, 0, 0);
  }

  function paintBars(name) {
    const values = vector(name);
    const wide = Math.max(200, bars.node.parentElement.clientWidth - 24) || BARS.width;
    bars.resize(wide, BARS.height);
    const { context } = bars;
    const middle = BARS.height / 2,
      scale = (middle - 8) / limit,
      each = wide / d_model;
    context.clearRect(0, 0, wide, BARS.height);
    context.fillStyle = colour(root, "faint");
    context.fillRect(0, middle - 0.5, wide, 1);
    const tone = colour(root, ROLES[name] ?? "residual");
    values.forEach((value, i) => {
      const high = clamp(value * scale, -middle, middle);
      context.fillStyle = i === feature ? colour(root, "query") : tone;
      const width = i === feature ? Math.max(each, 3) : Math.max(each * 0.9, 0.6);
      context.fillRect(i * each, high < 0 ? middle : middle - high, width, Math.max(Math.abs(high), 0.5));
    });
    context.fillStyle = colour(root, "ink");
    context.font = "11px sans-serif";
    context.fillText(`+${format(limit, 1)}`, 2, 11);
    context.fillText(format(-limit, 1), 2, BARS.height - 3);
    const found = measures(values);
    bars.node.setAttribute(
      "aria-label",
      `${STEP_NAMES[name]}: ${d_model} numbers, mean ${format(found.mean)}, standard deviation ${format(found.deviation)}, length ${format(found.length, 1)}.`,
    );
  }

  // The chosen feature's number at this step, worked out.
  function arithmetic() {
    const name = order()[step()];
    const { from, norm: which } = recipe(name, norm());
    const number = (stage) => vector(stage)[feature];
    const say3 = (value) => format(value, 3);
    const signed = (value) => (value < 0 ? `(${say3(value)})` : say3(value));
    const result = element("b", { text: say3(number(name)) });
    const at = element("span", { class: "note", text: `feature ${feature}: ` });
    if (from.length === 2) return [at, `${say3(number(from[0]))} + ${signed(number(from[1]))} ≈ `, result];
    if (which === undefined) {
      const made =
        name === "attended"
          ? `attention, from all ${tokens.length} tokens → `
          : `feed-forward, from all ${d_model} features of this token → `;
      return [at, made, result];
    }
    const { mean, deviation } = measures(vector(from[0]), model.get("epsilon"));
    const [gamma, beta] = [0, 1].map((k) => norms[(2 * which + k) * d_model + feature]);
    return [
      at,
      `(${say3(number(from[0]))} − ${signed(mean)}) / ${say3(deviation)} · γ ${say3(gamma)} + β ${signed(beta)} ≈ `,
      result,
    ];
  }

  function drawFeature() {
    const part = `${((feature + 0.5) / d_model) * 100}%`;
    rows.forEach(({ mark }) => {
      mark.style.left = part;
    });
    if (chooser.get() !== feature) chooser.set(feature);
    paintBars(order()[step()]);
    sum.replaceChildren(...arithmetic());
  }
  const redrawFeature = frame(drawFeature, signal);

  function draw() {
    const now = step(),
      name = order()[now];
    if (drawn !== norm()) {
      drawn = norm();
      drawing = blockDrawing(drawn);
      drawingBox.replaceChildren(drawing.node);
    }
    drawing.mark(now);
    limit = limitOf(order().flatMap((stage) => Array.from(vector(stage))));
    steps.rename(stepNames());
    steps.tell(now - 1);
    placement.set(norm());
    const text = SAY[name];
    say.replaceChildren(...prose(typeof text === "string" ? text : text[norm()]));
    caution.textContent =
      norm() === model.get("trained_with")
        ? ""
        : `These weights were trained ${model.get("trained_with")}-norm; here they run ${norm()}-norm, to compare sizes only.`;
    const sources = recipe(name, norm()).from;
    rows.forEach((row, i) => {
      const stage = order()[i];
      row.node.hidden = i > now;
      if (i > now) return;
      const values = vector(stage);
      const found = measures(values);
      row.name.textContent = ROW_NAMES[stage];
      row.node.dataset.role = ROLES[stage] ?? "residual";
      row.node.classList.toggle("now", i === now);
      row.node.classList.toggle("source", sources.includes(stage));
      row.mean.textContent = format(found.mean);
      row.deviation.textContent = format(found.deviation);
      row.length.textContent = format(found.length, 1);
      paintStrip(row.strip, values);
    });
    barTitle.replaceChildren(
      `Step ${now}, ${STEP_NAMES[name]}: the vector of “`,
      word(shorten(tokens[model.get("token")], 16)),
      "” ",
      element("span", { class: "shape", text: `(${d_model})` }),
    );
    drawFeature();
  }
  const redraw = frame(draw, signal);

  function load() {
    tokens = model.get("tokens");
    vectors = floats(model.get("vectors"));
    norms = floats(model.get("norms"));
    d_model = norms.length / 4;
    chooser.input.max = String(d_model - 1);
    if (feature < 0) feature = indexOfLargest(vector("attended").map(Math.abs));
    feature = clamp(feature, 0, d_model - 1);
    chooser.set(feature);
    picker.set(tokens);
    picker.choose(clamp(model.get("token"), 0, tokens.length - 1));
    layers.set(model.get("layer"));
  }

  onChange(model, signal, ["vectors", "answered"], () => {
    load();
    redraw();
  });
  onChange(model, signal, ["token", "step", "norm", "layer"], () => {
    picker.choose(model.get("token"));
    redraw();
  });
  onChange(model, signal, "step", () => announce(root, `Step ${step()} of 6, ${STEP_NAMES[order()[step()]]}.`));
  onTheme(root, signal, redraw);
  const resized = new ResizeObserver(redraw);
  resized.observe(bars.node.parentElement);
  signal.addEventListener("abort", () => resized.disconnect());
  load();
  draw();
  return cleanup;
}

export default { render };
