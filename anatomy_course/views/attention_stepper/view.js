// The attention stepper: six steps of one head on a real sentence, for one query word or for all words at once.

import { heading, radioRow, slider } from "../_kit/controls.js";
import { announce, element, listen } from "../_kit/elements.js";
import { clamp, floats, indexOfLargest } from "../_kit/format.js";
import { change, onChange, onWidth, promptly, tween, whenIdle, widgetRoot } from "../_kit/life.js";
import { request, sentenceForm, wordPicker } from "../_kit/request.js";
import { stepControls } from "../_kit/steps.js";
import { onTheme, theme } from "../_kit/theme.js";
import { wordStage } from "./cells.js";
import { formulaOf, stepEquation } from "./columns.js";
import { matrixStage } from "./matrices.js";
import { ATTENTION_STEPS, rowOf, sentenceNumbers } from "./numbers.js";

const PLAY_PAUSE = 3200; // milliseconds per step
const PACE = 1000; // milliseconds in which a step's numbers are carried into its column
// From which width of the card how many pixels there are for the rows of one word's table, and for each at most: what
// all words at once need. The narrower, the higher are the matrices, and the larger the rows for a finger.
const ROOM = [
  [640, 272, 24],
  [460, 416, 26],
  [0, 600, 36],
];
const LEVELS = { word: "One word", matrix: "All words at once" };
const under = (at) => Math.max(1, Math.ceil(at - 0.01)); // the step under way
const WITH_COMPONENT = [1, 2, 5, 6]; // the steps that print one component
const SAY = {
  word: [
    "Each word's vector is projected three times. The query asks for the chosen word; keys and values are made " +
      "for every word.",
    "The query is compared with every key: multiply number by number, add up. The sum is the score of that pair.",
    "Dot products grow with the number of components, so every score is divided by the square root of d_head.",
    "Softmax turns the scores into weights: all positive, and their sum is 1. A little more score is a lot more " +
      "weight.",
    "Each value is multiplied by its word's weight: a value with little weight fades away.",
    "The weighted values are added up. The sum is the chosen word's new vector, its context.",
  ],
  matrix: [
    "All words at once: one matrix product each gives the queries, the keys and the values, a row per word.",
    "One matrix product compares every query with every key: row = query, column = key.",
    "The whole matrix is divided by the square root of d_head.",
    "Softmax works on each row by itself: every row of weights adds up to 1.",
    "A row of weights says how much of each value row to take: here the outlined query's row, beside the values.",
    "The product of weights and values adds all of it up: one context row per word.",
  ],
};

const SAY_ALL = Object.values(SAY).flat();

const BODIES = ["word", ...ATTENTION_STEPS.map((_, i) => `matrix ${i + 1}`)];

// The one table of one word and every step's matrices are built when they are first looked at (or the page is idle) and
// kept: another body is a matter of hiding one and showing the other, which leaves both laid out.
function stepBodies(view, holder) {
  let bodies = new Map(); // by name: {node, painters, stamp}
  let shown = null; // the one in sight
  let stamp = 0; // counts the changes; a body with an older stamp is out of date
  let callOff = () => {}; // ends what is being prepared
  let tallest = 0; // of all, in pixels: the holder keeps that height, so that nothing jumps

  function bodyOf(name) {
    if (!bodies.has(name)) {
      const painters = [];
      view.watch = (paint) => painters.push(paint);
      const stage = name === "word" ? wordStage(view) : matrixStage(view, Number(name.slice(-1)));
      const node = element("div", { class: "as-body", inert: true }, stage);
      bodies.set(name, { node, painters, stamp: -1 });
      holder.append(node);
    }
    return bodies.get(name);
  }

  function refresh(body = shown) {
    if (body.stamp !== stamp) body.painters.forEach((paint) => paint());
    body.stamp = stamp;
    const { height } = body.node.firstChild.getBoundingClientRect(); // lays it out
    tallest = Math.max(tallest, Math.ceil(height));
    holder.style.minHeight = `${tallest}px`;
  }

  // Builds the next body that nobody has looked at yet.
  function prepare() {
    callOff();
    const next = BODIES.find((name) => !bodies.has(name));
    if (!next) return;
    callOff = whenIdle(() => {
      refresh(bodyOf(next));
      prepare();
    });
  }

  function show(name) {
    shown?.node.setAttribute("inert", "");
    shown = bodyOf(name);
    shown.node.removeAttribute("inert");
  }

  function clear() {
    bodies = new Map();
    shown = null;
    tallest = 0;
    holder.replaceChildren();
  }

  const changed = () => {
    stamp += 1;
  };
  view.signal.addEventListener("abort", () => callOff());
  return { show, prepare, clear, changed, refresh: () => refresh() };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("attention-stepper");
  const state = { step: model.get("step"), level: model.get("level"), query: model.get("query"), key: 0, component: 0 };
  const told = element("span", {});
  const view = { root, signal, state, data: null, choose, tell: (...parts) => told.replaceChildren(...parts) };
  const columnsNow = () => view.data?.tensors[state.step < 3 ? "key" : "value"].columns;
  const holder = element("div", { class: "as-bodies" });
  const bodies = stepBodies(view, holder);

  const questions = request({ model, signal, onBusy: (on) => form.busy(on) });
  const form = sentenceForm({
    value: model.get("sentence"),
    primary: false,
    signal,
    onSentence: (sentence) => questions.ask({ sentence }),
  });
  onChange(model, signal, "sentence", () => form.set(model.get("sentence")));
  const levels = radioRow({ label: "How many words", choices: LEVELS, signal, onChoose: (level) => choose({ level }) });
  const words = wordPicker({ label: "Query word", signal, onPick: (query) => choose({ query }) });
  words.node.classList.add("as-words");
  const go = (step) => choose({ step: step + 1 });
  const steps = stepControls({ names: ATTENTION_STEPS, class: "as-steps", pause: PLAY_PAUSE, signal, go });
  const scrub = slider({
    label: "Move through the steps",
    min: 1,
    max: 6,
    value: state.step,
    signal,
    format: (at) => `Step ${under(at)}, ${ATTENTION_STEPS[under(at) - 1]}`,
    onInput: (at) => {
      steps.pause();
      choose({ step: under(at) }, at);
    },
  });
  scrub.node.classList.add("as-scrub");
  [scrub.node.firstChild, scrub.output].forEach((node) => node.classList.add("visually-hidden"));
  const formula = element("div", { class: "as-formula", role: "img" });
  const say = element("div", { class: "as-say" });
  const line = element("div", { class: "as-equation", dir: "ltr" });
  const component = slider({
    label: "Printed component",
    min: 0,
    max: 1,
    step: 1,
    value: 0,
    signal,
    format: (value) => `${value} of ${columnsNow()}`,
    onInput: (value) => choose({ component: value }),
  });
  const walk = element(
    "div",
    { class: "as-go" },
    steps.back,
    element("div", { class: "as-line" }, steps.list, scrub.node),
    steps.next,
    steps.play,
  );
  const stage = element(
    "div",
    { class: "as-stage" },
    say,
    line,
    holder,
    element("div", { class: "as-foot" }, component.node, told),
  );
  root.append(heading(model.get("label"), formula, levels.node), form.node, questions.line, words.node, walk, stage);

  // How far the steps have gone: a step that is under way has a fraction of its numbers in place.
  let at = state.step;
  let stop = () => {};
  const draw = ([now]) => {
    at = now;
    holder.style.setProperty("--at", now.toFixed(3));
    scrub.set(now);
  };
  function moveTo(to, milliseconds) {
    stop();
    stop = tween([at], [to], milliseconds, draw, signal);
  }
  listen(scrub.input, "change", signal, () => moveTo(state.step, PACE / 2));
  listen(walk, "keydown", signal, (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    steps.jump(state.step - 1 + by);
  });

  // What hangs on the step and the level alone, at once.
  function show() {
    bodies.show(state.level === "word" ? "word" : `matrix ${state.step}`);
    const now = SAY[state.level][state.step - 1];
    say.replaceChildren(...SAY_ALL.map((text) => element("p", { class: text === now ? "" : "away", text })));
    holder.dataset.step = state.step;
    told.textContent = "";
    component.node.inert = !WITH_COMPONENT.includes(state.step); // unseen, but it keeps its room
    component.input.max = columnsNow() - 1;
    steps.tell(state.step - 1);
    levels.set(state.level);
    const { content, label } = formulaOf(state.step, view.data.tensors.key.columns);
    formula.replaceChildren(...content);
    formula.setAttribute("aria-label", label);
  }

  // What hangs on the numbers, at most once a frame.
  const update = promptly(() => {
    if (!theme(root)) return;
    bodies.refresh();
    line.replaceChildren(...stepEquation(view.data, state));
    words.choose(state.query);
    component.set(Math.min(state.component, component.input.max));
    const chosen = String(state.component);
    if (stage.style.getPropertyValue("--component") !== chosen) stage.style.setProperty("--component", chosen);
    bodies.prepare();
  }, signal);

  function choose(next, to = null) {
    const before = { ...state };
    Object.assign(state, next);
    const other = (name) => state[name] !== before[name];
    if (other("query") && !("key" in next)) state.key = indexOfLargest(rowOf(view.data.tensors.weights, state.query));
    if (["query", "key", "component", "step"].some(other)) bodies.changed();
    change(model, Object.fromEntries(["step", "level", "query"].filter(other).map((name) => [name, state[name]])));
    if (other("step") || other("level")) {
      show();
      moveTo(to ?? state.step, to === null ? PACE * Math.abs(state.step - at) ** 0.5 : 0);
      const { step, level } = state;
      announce(root, `Step ${step} of 6, ${ATTENTION_STEPS[step - 1]}. ${SAY[level][step - 1]}`);
    } else if (to !== null) moveTo(to, 0);
    update();
    if (state.step === 6) steps.pause();
  }

  function setRow() {
    const [, room, most] = ROOM.find(([width]) => root.clientWidth >= width);
    root.style.setProperty("--row", `${clamp(Math.floor(room / view.data.tokens.length), 16, most)}px`);
  }

  function load() {
    const [tokens, shapes] = [model.get("tokens"), model.get("shapes")];
    const { data, alike } = sentenceNumbers(view.data, { tokens, shapes, arrived: floats(model.get("tensors")) });
    view.data = data;
    bodies.changed();
    if (!alike) bodies.clear();
    state.query = clamp(model.get("query"), 0, tokens.length - 1);
    state.key = indexOfLargest(rowOf(data.tensors.weights, state.query));
    state.component = indexOfLargest(rowOf(data.tensors.context, state.query).map(Math.abs));
    words.set(tokens);
    setRow();
    show();
    moveTo(state.step, 0);
    update();
  }

  onChange(model, signal, "tensors", load);
  onChange(model, signal, ["step", "level", "query"], () => {
    const next = Object.fromEntries(["step", "level", "query"].map((name) => [name, model.get(name)]));
    if (next.query < view.data.tokens.length && Object.entries(next).some(([name, value]) => state[name] !== value))
      choose(next);
  });
  onWidth(root, signal, () => {
    setRow();
    bodies.clear();
    bodies.changed();
    show();
    update();
  });
  onTheme(root, signal, () => {
    bodies.changed();
    update();
  });
  load();
  return cleanup;
}

export default { render };
