// The block stepper: one token's vector on its way through a block, post-norm or pre-norm, stage by stage.

import { heading, radioRow, select } from "../_kit/controls.js";
import { announce, element, listen, prose, shorten, svg, word } from "../_kit/elements.js";
import { clamp, floats, format, indexOfLargest, limitOf } from "../_kit/format.js";
import { change, frame, onChange, widgetRoot } from "../_kit/life.js";
import { request, sentenceForm, wordPicker } from "../_kit/request.js";
import { stepControls } from "../_kit/steps.js";
import { onTheme } from "../_kit/theme.js";
import { featurePanel, measures, recipe, ROLES, STEP_NAMES, vectorTable } from "./vectors.js";

const PLAY_PAUSE = 2600; // milliseconds per step
const ORDER = {
  post: ["input", "attended", "added", "normed", "fed", "added again", "normed again"],
  pre: ["input", "normed", "attended", "added", "normed again", "fed", "added again"],
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
const SAY = {
  attended: "Attention mixes in the other tokens: the only step that sees them.",
  added: "Residual connection: what attention made is *added* to what came in. Nothing is thrown away.",
  normed: {
    post:
      "Layer normalization: the sum is brought to mean 0 and standard deviation 1, then stretched (γ) and " +
      "shifted (β) feature by feature.",
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
  const arrows = names.map((name, i) => {
    const from = i ? y(i - 1) + (names[i - 1].startsWith("added") ? 3 : 0) : floor;
    return svg("path", { class: "flow", d: `M${middle} ${from}V${y(i) + (name.startsWith("added") ? 29 : 32)}` });
  });
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
    { class: "bs-block", width: left + wide + 8, height: floor + 20, role: "img" },
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
      `The block, ${norm}-norm, from the bottom up: ${names.map((name) => STEP_NAMES[name]).join(", ")}. Now: ` +
        `${STEP_NAMES[names[step - 1]]}.`,
    );
  };
  return { node, mark };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("block");
  // What this view remembers between drawings.
  const kept = {
    vectors: null,
    norms: null,
    d_model: null,
    tokens: null,
    limit: 1,
    feature: -1,
    drawing: null,
    drawn: "",
  };
  // at first the one that attention changes most

  const norm = () => model.get("norm");
  const step = () => model.get("step");
  const order = () => ORDER[norm()];
  const vector = (name) => {
    const stages = order().length,
      placement = norm() === "post" ? 0 : 1;
    const start =
      ((placement * stages + order().indexOf(name)) * kept.tokens.length + model.get("token")) * kept.d_model;
    return kept.vectors.subarray(start, start + kept.d_model);
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
    label: "Where the norms are",
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
  const { table, rows, paintStrip } = vectorTable({ root, signal, kept, order, steps, setFeature });
  const { bars, barFeature, barTitle, chooser, sum, drawFeature } = featurePanel({
    root,
    model,
    signal,
    kept,
    setFeature,
    vector,
    norm,
    step,
    order,
    rows,
  });
  listen(bars.node, "pointermove", signal, barFeature);
  listen(bars.node, "pointerdown", signal, barFeature);
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
    const to = clamp(i, 0, kept.d_model - 1);
    if (to === kept.feature) return;
    kept.feature = to;
    redrawFeature();
  }
  const redrawFeature = frame(drawFeature, signal);

  function draw() {
    const now = step(),
      name = order()[now];
    if (kept.drawn !== norm()) {
      kept.drawn = norm();
      kept.drawing = blockDrawing(kept.drawn);
      drawingBox.replaceChildren(kept.drawing.node);
    }
    kept.drawing.mark(now);
    kept.limit = limitOf(order().flatMap((stage) => Array.from(vector(stage))));
    steps.rename(stepNames());
    steps.tell(now - 1);
    placement.set(norm());
    const text = SAY[name];
    say.replaceChildren(...prose(typeof text === "string" ? text : text[norm()]));
    caution.textContent =
      norm() === model.get("trained_with")
        ? ""
        : `These weights were trained ${model.get("trained_with")}-norm; here they run ${norm()}-norm, to ` +
          "compare sizes only.";
    const sources = recipe(name, norm()).from;
    rows.forEach((row, i) => {
      const stage = order()[i];
      row.node.classList.toggle("away", i > now); // it keeps its room
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
      word(shorten(kept.tokens[model.get("token")], 16)),
      "” ",
      element("span", { class: "shape", text: `(${kept.d_model})` }),
    );
    drawFeature();
  }
  const redraw = frame(draw, signal);

  function load() {
    kept.tokens = model.get("tokens");
    kept.vectors = floats(model.get("vectors"));
    kept.norms = floats(model.get("norms"));
    kept.d_model = kept.norms.length / 4;
    chooser.input.max = String(kept.d_model - 1);
    if (kept.feature < 0) kept.feature = indexOfLargest(vector("attended").map(Math.abs));
    kept.feature = clamp(kept.feature, 0, kept.d_model - 1);
    chooser.set(kept.feature);
    picker.set(kept.tokens);
    picker.choose(clamp(model.get("token"), 0, kept.tokens.length - 1));
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
