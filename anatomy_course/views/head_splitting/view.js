// The splitting into heads: the numbers of one projection as cells that travel into their heads and back, on the
// right way and on the wrong way (view alone), step by step.

import { heading, select } from "../_kit/controls.js";
import { announce, element, shorten } from "../_kit/elements.js";
import { floats, format } from "../_kit/format.js";
import { change, frame, onChange, widgetRoot } from "../_kit/life.js";
import { stepControls } from "../_kit/steps.js";
import { divergingRamp, onTheme, theme } from "../_kit/theme.js";
import { laneOf, LANES, layouts, PLACES, TENSORS } from "./layout.js";
import { explanations } from "./words.js";

const PLAY_PAUSE = 3400; // milliseconds per step
const NAMES = ["Enter", "Project", "View", "Transpose", "Attend", "Transpose back", "Join", "Mix"];

// Cuts the one buffer of numbers into named tensors.
function unpackJourney(data, positions, d, heads) {
  const sizes = { hidden_states: positions * d, value_weight: d * d, value: positions * d, output_weight: d * d };
  const lane = { weights: heads * positions * positions, context: positions * d, output: positions * d };
  let start = 0;
  const cut = (size) => data.subarray(start, (start += size));
  const taken = (wanted) => Object.fromEntries(Object.entries(wanted).map(([name, size]) => [name, cut(size)]));
  return { ...taken(sizes), right: taken(lane), wrong: taken(lane) };
}

function largestSize(...tensors) {
  return Math.max(...tensors.map((values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0))) || 1;
}

// The journey of the numbers: in which head, row and place of each lane each one is, and at which index of the tensor.
function places(journey) {
  const { tokens, heads, d, positions, width, tensors, state } = journey;
  // ---- where a number is: (head, row, i) of its head in each lane
  const home = {
    right: (p, f) => [Math.floor(f / width), p, f % width],
    wrong: (p, f) => {
      const place = p * d + f; // in memory: view alone cuts it every positions × d_head numbers
      return [Math.floor(place / (positions * width)), Math.floor(place / width) % positions, place % width];
    },
  };
  // What row `row` of head `head` is made of: a position and the first of its features.
  const origin = {
    right: (head, row) => [row, head * width],
    wrong: (head, row) => {
      const place = (head * positions + row) * width;
      return [Math.floor(place / d), place % d];
    },
  };
  const piece = ([p, f]) => `${shorten(tokens[p], 8)} ${f}–${f + width - 1}`;
  const rowName = (lane, head, row) => (lane === "right" ? shorten(tokens[row], 8) : piece(origin.wrong(head, row)));
  const contextAt = (lane, [head, row, i]) => tensors[lane].context[(head * positions + row) * width + i];
  const numberAt = (lane, p, f) => {
    const name = TENSORS[state.step];
    if (name === "context") return contextAt(lane, home[lane](p, f));
    return (name === "output" ? tensors[lane].output : tensors[name])[p * d + f];
  };
  const indexOf = (lane, p, f) => {
    const [head, row, i] = home[lane](p, f);
    return { flat: [0, p, f], cut: [0, p, Math.floor(f / width), f % width], heads: [0, head, row, i] }[
      PLACES[lane][state.step]
    ];
  };
  const shapeOf = (place) =>
    ({ flat: [1, positions, d], cut: [1, positions, heads, width], heads: [1, heads, positions, width] })[place];
  return { ...journey, numberAt, indexOf, rowName, home, origin, contextAt, shapeOf, piece };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("ht");
  const [tokens, heads, d] = ["tokens", "heads", "d_model"].map((name) => model.get(name));
  const positions = tokens.length;
  const width = d / heads; // d_head
  const tensors = unpackJourney(floats(model.get("tensors")), positions, d, heads);
  const limits = {
    hidden_states: largestSize(tensors.hidden_states),
    value: largestSize(tensors.value),
    context: largestSize(tensors.right.context, tensors.wrong.context),
    output: largestSize(tensors.right.output, tensors.wrong.output),
  };
  const state = { position: model.get("position"), feature: model.get("feature"), step: model.get("step") - 1 };
  const journey = places({ root, tokens, heads, d, positions, width, tensors, limits, state });
  const lanes = Object.fromEntries(LANES.map((lane) => [lane, laneOf(lane, journey, signal, choose)]));

  // ---- elements
  const whose = select({
    label: "Follow",
    options: tokens.map((token, i) => ({ value: i, label: token })),
    signal,
    onChange: (value) => choose({ position: Number(value) }),
  });
  const which = select({
    label: "feature",
    options: Array.from({ length: d }, (_, i) => i),
    signal,
    onChange: (value) => choose({ feature: Number(value) }),
  });
  const steps = stepControls({ names: NAMES, pause: PLAY_PAUSE, signal, go: (step) => choose({ step }) });
  const say = element("p", { class: "ht-say" });
  const { tell } = explanations(journey, lanes);
  const low = element("span");
  const high = element("span");
  const bar = element("i");
  root.append(
    heading(model.get("label"), whose.node, which.node),
    steps.list,
    element(
      "div",
      { class: "row ht-go" },
      steps.back,
      steps.next,
      steps.play,
      element(
        "span",
        { class: "ht-key" },
        element("span", { class: "ht-mark" }),
        "all numbers of this word ",
        element("span", { class: "ht-mark followed" }),
        "the one followed ",
        element("span", { class: "ht-mark reached" }),
        "what it goes into",
      ),
      element("span", { class: "ht-scale" }, low, bar, high),
    ),
    say,
    element(
      "div",
      { class: "ht-lanes" },
      LANES.map((lane) => lanes[lane].node),
    ),
  );
  const { layOut } = layouts(journey, lanes);

  // ---- words
  const sayings = () => {
    const name = `“${tokens[state.position]}”`;
    return [
      `${name} comes in as one vector of d_model = ${d} numbers. Choose any number and follow it.`,
      `W_V turns them into ${d} new numbers. W_Q and W_K make queries and keys, which travel the same way.`,
      `Now ${d} features become ${heads} heads × ${width}. view only says where one axis ends and the next ` +
        "begins: no number moves in memory.",
      "Attention needs the heads before the positions: one matrix (position, d_head) per head. transpose swaps " +
        "the two axes.",
      "Each head attends by itself. In its head, the number goes into the context of every row, times that " +
        "row's weight.",
      "The way back: the positions come first again.",
      `The heads' parts are joined side by side: d_model = ${d} numbers for each position again.`,
      "W_O mixes: every number of the joined vector goes into all numbers of the output, so the heads meet here.",
    ][state.step];
  };

  // ---- drawing and choosing
  const draw = frame(() => {
    if (!theme(root) || !root.clientWidth) return;
    const limit = limits[TENSORS[state.step]];
    low.textContent = format(-limit, 1);
    high.textContent = format(limit, 1);
    bar.style.background = divergingRamp(root, 9);
    for (const lane of LANES) {
      layOut(lane);
      tell(lane);
    }
    root.classList.add("ht-ready"); // from now on cells move
  }, signal);

  function refresh() {
    steps.tell(state.step);
    whose.set(state.position);
    which.set(state.feature);
    say.textContent = sayings();
    draw();
  }

  function choose(next) {
    const moved = "step" in next && next.step !== state.step;
    Object.assign(state, next);
    change(model, { position: state.position, feature: state.feature, step: state.step + 1 });
    refresh();
    if (moved) announce(root, `Step ${state.step + 1} of ${NAMES.length}, ${NAMES[state.step]}. ${sayings()}`);
  }

  for (const [trait, shift] of [
    ["position", 0],
    ["feature", 0],
    ["step", 1],
  ]) {
    onChange(model, signal, trait, () => {
      if (model.get(trait) - shift === state[trait]) return;
      state[trait] = model.get(trait) - shift;
      refresh();
    });
  }
  let measuredAt = 0;
  const resized = new ResizeObserver(() => {
    if (root.clientWidth === measuredAt) return;
    measuredAt = root.clientWidth;
    draw();
  });
  resized.observe(root);
  signal.addEventListener("abort", () => resized.disconnect());
  onTheme(root, signal, draw);
  refresh();
  return cleanup;
}

export default { render };
