// The attention viewer: an overview of small maps (layers × heads) on a canvas, and one of them large
// (attention_map.js).

import { LABEL_SIZE, STEPS } from "../_kit/attention_drawing.js";
import { attentionMap, exactByte, smallMaps } from "../_kit/attention_map.js";
import { arrowMove, heading, select, toggleButton } from "../_kit/controls.js";
import { announce, element, focusable, listen } from "../_kit/elements.js";
import { bytes, clamp } from "../_kit/format.js";
import { change, onChange, promptly, widgetRoot } from "../_kit/life.js";
import { canvas, color } from "../_kit/theme.js";

const SMALL_MIN = 14; // CSS pixels of a small map
const SMALL_MAX = 64;
const SMALL_GAP = 3;

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

// The small maps of all heads on one canvas.
function overviewDrawing({ root, signal, layers, heads, queries, keys, drawn, overview, state }) {
  // ---- drawing the overview as large as fits, within reason
  function measure() {
    const left = 36;
    const top = 34;
    const side = clamp(Math.floor((overview.node.parentElement.clientWidth - left) / heads) - SMALL_GAP, 5, SMALL_MAX);
    const high = clamp(Math.round((side * queries) / keys), Math.min(side, SMALL_MIN), side * 2);
    drawn.geometry = { font: `${LABEL_SIZE}px ${getComputedStyle(root).fontFamily}`, left, top, side, high };
    drawn.backdrop = null;
    overview.resize(left + heads * (side + SMALL_GAP), top + layers * (high + SMALL_GAP));
  }

  function drawBackdrop() {
    const { context } = overview;
    const { left, top, side, high, font } = drawn.geometry;
    context.clearRect(0, 0, overview.node.width, overview.node.height);
    context.font = font;
    context.fillStyle = color(root, "ink");
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
    for (let head = 0; head < heads; head += every)
      context.fillText(head, left + head * (side + SMALL_GAP) + side / 2, top - 7);
    const down = Math.ceil(13 / (high + SMALL_GAP));
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (let layer = 0; layer < layers; layer += down)
      context.fillText(layer, left - 5, top + layer * (high + SMALL_GAP) + high / 2);
    for (let layer = 0; layer < layers; layer += 1) {
      for (let head = 0; head < heads; head += 1) {
        const x = left + head * (side + SMALL_GAP);
        const y = top + layer * (high + SMALL_GAP);
        context.drawImage(drawn.atlas[layer * heads + head], x, y, side, high);
        context.strokeStyle = color(root, "faint");
        context.lineWidth = 1;
        context.strokeRect(x - 0.5, y - 0.5, side + 1, high + 1);
      }
    }
    drawn.backdrop = element("canvas", { width: overview.node.width, height: overview.node.height });
    drawn.backdrop.getContext("2d").drawImage(overview.node, 0, 0);
  }

  const draw = promptly(() => {
    if (!drawn.geometry && root.clientWidth) measure();
    if (!drawn.atlas || !drawn.geometry) return;
    if (!drawn.backdrop) drawBackdrop();
    const { context } = overview;
    const { left, top, side, high } = drawn.geometry;
    context.save();
    context.resetTransform();
    context.clearRect(0, 0, overview.node.width, overview.node.height);
    context.drawImage(drawn.backdrop, 0, 0);
    context.restore();
    const frameAround = (layer, first, last, role, width) => {
      context.strokeStyle = color(root, role);
      context.lineWidth = width;
      context.strokeRect(
        left + first * (side + SMALL_GAP) - 1.5,
        top + layer * (high + SMALL_GAP) - 1.5,
        (last - first) * (side + SMALL_GAP) + side + 3,
        high + 3,
      );
    };
    if (state.over) frameAround(state.over[0], state.over[1], state.over[1], "ink", 1.5);
    frameAround(state.layer, state.average ? 0 : state.head, state.average ? heads - 1 : state.head, "query", 3);
  }, signal);
  return { draw };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  const shape = model.get("shape");
  const [layers, heads, queries, keys] = shape;
  const data = bytes(model.get("weights"));
  const state = {
    layer: model.get("layer"),
    head: model.get("head"),
    average: model.get("average"),
    query: model.get("query"),
    over: null,
  };
  const thumbnails = smallMaps(data, shape, SMALL_MAX);
  const drawn = { atlas: null, backdrop: null, geometry: null };
  // the overview without the frames around what is chosen: a hundred small maps, drawn once

  // ---- what is shown
  const layerChoice = select({
    label: "Layer",
    options: Array.from({ length: layers }, (_, i) => i),
    value: state.layer,
    signal,
    onChange: (value) => choose({ layer: Number(value) }),
  });
  const headChoice = select({
    label: "Head",
    options: Array.from({ length: heads }, (_, i) => i),
    value: state.head,
    signal,
    onChange: (value) => choose({ head: Number(value), average: false }),
  });
  const averageToggle = toggleButton({
    label: "Mean over heads",
    pressed: state.average,
    signal,
    onToggle: (average) => choose({ average }),
  });
  const overview = canvas(focusable({ role: "application", "aria-roledescription": "overview of all heads" }));
  const map = attentionMap({
    root,
    signal,
    queryTokens: model.get("tokens"),
    keyTokens: model.get("key_tokens"),
    query: state.query,
    onPoint: (query) => save({ query }),
    onColors: () => {
      drawn.atlas = thumbnails(map);
      drawn.backdrop = null;
      draw();
    },
    onResize: () => {
      drawn.geometry = null;
      draw();
    },
  });
  root.append(
    heading(model.get("label"), layerChoice.node, headChoice.node, averageToggle.node),
    element(
      "div",
      { class: "av-maps" },
      element(
        "div",
        { class: "av-view av-overview" },
        element(
          "h4",
          {},
          "Every head ",
          element("span", { class: "shape", text: `(${layers} layers, ${heads} heads)` }),
        ),
        overview.node,
      ),
      map.view,
      map.told,
    ),
    map.words,
  );

  const name = () =>
    state.average ? `layer ${state.layer}, mean over ${heads} heads` : `layer ${state.layer}, head ${state.head}`;

  function refresh() {
    const size = queries * keys;
    const start = (state.layer * heads + state.head) * size;
    map.show(
      state.average
        ? {
            name: name(),
            values: summed(data, shape, state.layer),
            unit: 1 / (STEPS * heads),
            exactness: () => `The mean of ${heads} weights, each kept in steps of 1/255.`,
          }
        : { name: name(), values: data.subarray(start, start + size), unit: 1 / STEPS, exactness: exactByte },
    );
    draw();
    layerChoice.set(state.layer);
    headChoice.set(state.head);
    averageToggle.set(state.average);
    overview.node.setAttribute(
      "aria-label",
      `Overview of ${layers} layers and ${heads} heads; ${name()} is shown large. Arrow keys choose another.`,
    );
  }
  const { draw } = overviewDrawing({ root, signal, layers, heads, queries, keys, drawn, overview, state });

  // ---- choosing
  function save(changes) {
    Object.assign(state, changes);
    change(model, changes);
  }

  function choose(changes) {
    save(changes);
    refresh();
  }

  function headAt(event) {
    if (!drawn.geometry) return null;
    const box = overview.node.getBoundingClientRect();
    const head = Math.floor((event.clientX - box.left - drawn.geometry.left) / (drawn.geometry.side + SMALL_GAP));
    const layer = Math.floor((event.clientY - box.top - drawn.geometry.top) / (drawn.geometry.high + SMALL_GAP));
    return layer >= 0 && layer < layers && head >= 0 && head < heads ? [layer, head] : null;
  }

  function over(place) {
    state.over = place;
    map.say(place ? [`Layer ${place[0]}, head ${place[1]}: click to show it large.`] : null);
    draw();
  }

  listen(overview.node, "pointermove", signal, (event) => over(headAt(event)));
  listen(overview.node, "pointerleave", signal, () => over(null));
  listen(overview.node, "click", signal, (event) => {
    const place = headAt(event);
    if (place) choose({ layer: place[0], head: place[1], average: false });
  });
  listen(overview.node, "keydown", signal, (event) => {
    const to = arrowMove(event, state.layer, state.head, layers, heads);
    if (!to) return;
    event.preventDefault();
    choose({ layer: to[0], head: to[1], average: false });
    announce(root, `${name()}: ${map.inWords()}`);
  });
  for (const trait of ["layer", "head", "average", "query"]) {
    onChange(model, signal, trait, () => {
      if (model.get(trait) === state[trait]) return;
      state[trait] = model.get(trait);
      if (trait === "query") map.point(state.query);
      else refresh();
    });
  }
  refresh();
  return cleanup;
}

export default { render };
