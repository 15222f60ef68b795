// The map of the mixer: the words, what all mixtures can reach, and the mixture. Words and mixture can be moved.

import { element, focusable, listen, setAttributes, shorten, svg, uniqueId } from "../_kit/elements.js";
import { clamp, format, ticks } from "../_kit/format.js";
import { onWidth } from "../_kit/life.js";

export function average(weights, vectors) {
  return weights.reduce(([x, y], weight, i) => [x + weight * vectors[i][0], y + weight * vectors[i][1]], [0, 0]);
}

const MAP = { left: 46, right: 18, top: 14, bottom: 46 };
const MOST_WIDE = 440;
const MOVES = 50; // arrow keys from one side of the map to the other
const ROUNDS = 200; // of the search for the weights nearest to a place
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
const RESULT_PLACES = [
  [0, -17, "middle"],
  [0, 24, "middle"],
  [16, 4, "start"],
  [-16, 4, "end"],
  [13, -15, "start"],
  [-13, -15, "end"],
  [13, 24, "start"],
  [-13, 24, "end"],
  [0, -31, "middle"],
  [0, 38, "middle"],
  [26, -26, "start"],
  [-26, -26, "end"],
  [26, 34, "start"],
  [-26, 34, "end"],
];

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

// What part of the plane the map shows: it stays when a word is moved, and no word leaves it.
function planeOf(vectors) {
  const [left, right] = padded(vectors.map((vector) => vector[0]));
  const [bottom, top] = padded(vectors.map((vector) => vector[1]));
  return { left, right, bottom, top, x: ticks(left, right, 6), y: ticks(bottom, top, 6) };
}

// From a vector to its place on a map of `width` pixels, and back.
function projection(plane, width) {
  const { left, right, bottom, top } = plane;
  const height = clamp(Math.round(width * 0.86), 250, 350);
  const [wide, high] = [width - MAP.left - MAP.right, height - MAP.top - MAP.bottom];
  const place = ([x, y]) => [
    MAP.left + ((x - left) / (right - left)) * wide,
    height - MAP.bottom - ((y - bottom) / (top - bottom)) * high,
  ];
  const vectorAt = ([x, y]) => [
    clamp(left + ((x - MAP.left) / wide) * (right - left), left, right),
    clamp(bottom + ((height - MAP.bottom - y) / high) * (top - bottom), bottom, top),
  ];
  return { plane, width, height, place, vectorAt };
}

// The nearest weights of at least 0 with sum 1 (Duchi et al. 2008, figure 1).
function nearestShares(values) {
  const sorted = [...values].sort((a, b) => b - a);
  let [total, shift] = [0, 0];
  sorted.forEach((value, i) => {
    total += value;
    if (value - (total - 1) / (i + 1) > 0) shift = (total - 1) / (i + 1);
  });
  return values.map((value) => Math.max(0, value - shift));
}

// Weights whose average lies as near as can be to `target`, found from `weights` on by steps downhill.
export function weightsTowards(target, weights, vectors) {
  const away = vectors.map(([x, y]) => [x - target[0], y - target[1]]);
  const size = away.reduce((total, [x, y]) => total + x * x + y * y, 0) || 1;
  let next = weights;
  for (let round = 0; round < ROUNDS; round += 1) {
    const [x, y] = average(next, away);
    next = nearestShares(next.map((weight, i) => weight - (x * away[i][0] + y * away[i][1]) / size));
  }
  return next;
}

function overlap(a, b) {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

// The first of some places around a point where a label hits no other label or point, or the one with fewest hits.
function freePlace([x, y], wide, places, taken, { width, height }) {
  let best = null;
  for (const [dx, dy, anchor] of places) {
    const start = x + dx - { start: 0, end: wide, middle: wide / 2 }[anchor];
    const box = [start, y + dy - 11, start + wide, y + dy + 4];
    const hits = taken.filter((other) => overlap(other, box)).length;
    const outside = box[0] < MAP.left || box[2] > width - 4 || box[1] < MAP.top - 8 || box[3] > height - MAP.bottom + 6;
    const cost = hits + (outside ? 3 : 0);
    if (!best || cost < best.cost) best = { cost, dx, dy, anchor, box };
  }
  taken.push(best.box);
  return best;
}

// A place for each label, and at last one for the name of the mixture, which lies at `at`; `held` is taken already.
function labelPlaces(points, texts, at, name, view, held) {
  const taken = [...points.map(([x, y]) => [x - 6, y - 6, x + 6, y + 6]), ...held];
  const places = points.map((point, n) =>
    freePlace(point, Array.from(texts[n]).length * 7.4, LABEL_PLACES, taken, view),
  );
  return [places, freePlace(at, 13 + Array.from(name).length * 7, RESULT_PLACES, taken, view)];
}

function axisNames(name) {
  const ends = name.split("↔").map((part) => part.trim());
  return ends.length === 2 ? { low: `← ${ends[0]}`, high: `${ends[1]} →` } : { low: "", high: `${name} →` };
}

// The parts of the map that stay: grid and axes.
function background({ plane, place, width, height }, names) {
  const [floor, end] = [height - MAP.bottom, width - MAP.right];
  const [horizontal, vertical] = names.map(axisNames);
  const title = (text, attributes) => svg("text", { class: "axis-name", text, ...attributes });
  const every = width < 300 ? 2 : 1;
  return [
    ...plane.x.list
      .filter((_, i) => i % every === 0)
      .flatMap((at) => {
        const [x] = place([at, plane.bottom]);
        const text = format(at, plane.x.digits);
        return [
          svg("line", { x1: x, x2: x, y1: MAP.top, y2: floor }),
          svg("text", { x, y: floor + 15, "text-anchor": "middle", text }),
        ];
      }),
    ...plane.y.list.flatMap((at) => {
      const [, y] = place([plane.left, at]);
      return [
        svg("line", { x1: MAP.left, x2: end, y1: y, y2: y }),
        svg("text", { x: MAP.left - 6, y: y + 4, "text-anchor": "end", text: format(at, plane.y.digits) }),
      ];
    }),
    svg("path", { class: "axis", d: `M${MAP.left} ${MAP.top}V${floor}H${end}` }),
    title(horizontal.low, { x: MAP.left, y: floor + 34, "text-anchor": "start" }),
    title(horizontal.high, { x: end, y: floor + 34, "text-anchor": "end" }),
    title(vertical.high, { transform: `translate(12 ${MAP.top}) rotate(-90)`, "text-anchor": "end" }),
    title(vertical.low, { transform: `translate(12 ${floor}) rotate(-90)`, "text-anchor": "start" }),
  ];
}

// The two sides of the diagonal, on which both coordinates are equal, each with its name: [nodes, boxes of the names].
function sides({ plane, place, width, height }, towards) {
  const ends = [Math.max(plane.left, plane.bottom), Math.min(plane.right, plane.top)];
  if (towards.length < 2 || ends[0] >= ends[1]) return [[], []];
  const diagonal = ends.map((each) => place([each, each]));
  const corners = [plane.left, plane.right].flatMap((x) => [plane.bottom, plane.top].map((y) => [x, y]));
  const half = (sign) => hull([...corners.filter(([x, y]) => sign * (x - y) > 0).map(place), ...diagonal]).join(" ");
  const [[x1, y1], [x2, y2]] = diagonal;
  const names = towards.map((name) => `nearer to ${shorten(name, 12)}`);
  const wide = names.map((name) => name.length * 7);
  const [right, low] = [width - MAP.right - 5, height - MAP.bottom - 7];
  const [left, high] = [MAP.left + 6, MAP.top + 11];
  return [
    [
      svg("polygon", { class: "side first", points: half(1) }),
      svg("polygon", { class: "side second", points: half(-1) }),
      svg("line", { class: "equal", x1, y1, x2, y2 }),
      svg("text", { class: "side-name", x: right, y: low, "text-anchor": "end", text: names[0] }),
      svg("text", { class: "side-name", x: left, y: high, text: names[1] }),
    ],
    [
      [right - wide[0], low - 11, right, low + 4],
      [left, high - 11, left + wide[1], high + 4],
    ],
  ];
}

// Makes `node` a handle: `onMove(vector)` is told where it is dragged, by pointer or arrow keys; `at()` is where it is.
function draggable(node, { view, at, onMove, signal, box }) {
  let grip = null; // from the pointer to the handle's middle
  const pointer = (event) => {
    const edge = box.getBoundingClientRect();
    return [event.clientX - edge.left, event.clientY - edge.top];
  };
  listen(node, "pointerdown", signal, (event) => {
    if (event.button !== 0) return;
    const [x, y] = pointer(event);
    const [cx, cy] = view().place(at());
    grip = [cx - x, cy - y];
    node.setPointerCapture(event.pointerId);
  });
  listen(node, "pointermove", signal, (event) => {
    if (!grip) return;
    const [x, y] = pointer(event);
    onMove(view().vectorAt([x + grip[0], y + grip[1]]), false);
  });
  listen(node, ["pointerup", "pointercancel"], signal, () => {
    if (grip) onMove(at(), true);
    grip = null;
  });
  listen(node, "keydown", signal, (event) => {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!by) return;
    event.preventDefault();
    const { plane } = view();
    const far = (event.shiftKey ? 5 : 1) / MOVES;
    const [x, y] = at();
    const [right, up] = [plane.right - plane.left, plane.top - plane.bottom];
    onMove(view().vectorAt(view().place([x + by[0] * far * right, y + by[1] * far * up])), true);
  });
}

// The map; `draw(weights)` moves the new vector. `onWord(i, vector, done)` and `onResult(vector, done)` are told what
// the reader drags.
export function drawMap({ words, vectors, focus, axes, towards, signal, onWord, onResult }) {
  const plane = planeOf(vectors);
  let view = projection(plane, MOST_WIDE);
  let last = null; // the weights drawn
  let held = []; // where the names of the two sides are
  const texts = words.map((text) => shorten(text, 12));
  const arrow = uniqueId("arrow");
  const grid = svg("g", { class: "grid", "aria-hidden": "true" });
  const halves = svg("g", { class: "sides", "aria-hidden": "true" });
  const lead = svg("line", { class: "lead" }); // as long as the two coordinates are apart
  const reach = svg("polygon", { class: "hull" });
  const pulls = words.map(() => svg("line", { class: "pull" }));
  const dots = words.map((_, i) => svg("circle", { class: i === focus ? "dot focus" : "dot" }));
  const names = texts.map((text, i) => svg("text", { class: i === focus ? "name focus" : "name", text }));
  const path = svg("line", { class: "move", "marker-end": `url(#${arrow})` });
  const head = svg(
    "marker",
    { id: arrow, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
    svg("path", { class: "arrow-head", d: "M0 0L8 4L0 8Z" }),
  );
  const handle = (...parts) =>
    svg("g", focusable({ class: "handle", role: "application", "aria-roledescription": "point" }), ...parts);
  const target = () => svg("circle", { class: "target", r: 15 });
  const handles = dots.map((dot) => handle(target(), dot));
  const below = svg("tspan", { class: "sub", dy: 4, text: texts[focus] });
  const resultName = svg("text", { class: "name result-name" }, "x′", below);
  const result = handle(target(), svg("path", { d: "M0 -11L11 0L0 11L-11 0Z" }));
  result.classList.add("result");
  const node = svg(
    "svg",
    { class: "map", role: "group" },
    svg("defs", {}, head),
    halves,
    grid,
    reach,
    lead,
    ...pulls,
    path,
    ...handles,
    ...names,
    result,
    resultName,
  );
  const box = element("div", { class: "map-box" }, node);
  const shared = { view: () => view, signal, box };
  handles.forEach((each, i) =>
    draggable(each, { ...shared, at: () => vectors[i], onMove: (vector, done) => onWord(i, vector, done) }),
  );
  draggable(result, { ...shared, at: () => average(last, vectors), onMove: onResult });

  const inWords = ([x, y]) => `${format(x)} on “${axes[0]}” and ${format(y)} on “${axes[1]}”`;
  function draw(weights) {
    last = weights;
    const at = average(weights, vectors);
    const points = vectors.map(view.place);
    const [x, y] = view.place(at);
    reach.setAttribute("points", hull(points).join(" "));
    const [places, free] = labelPlaces(points, texts, [x, y], texts[focus], view, held);
    points.forEach(([cx, cy], i) => {
      const opacity = weights[i] < 0.005 ? 0 : 0.35 + 0.45 * weights[i];
      setAttributes(pulls[i], { x1: cx, y1: cy, x2: x, y2: y, "stroke-width": 0.75 + 6 * weights[i], opacity });
      dots[i].setAttribute("r", 5 + 5 * Math.sqrt(Math.max(0, weights[i])));
      setAttributes(handles[i], {
        transform: `translate(${cx} ${cy})`,
        "aria-label": `${words[i]} at ${inWords(vectors[i])}. Drag it, or use the arrow keys.`,
      });
      const { dx, dy, anchor } = places[i];
      setAttributes(names[i], { x: cx + dx, y: cy + dy, "text-anchor": anchor });
    });
    const [leadX] = view.place([at[1], at[1]]);
    setAttributes(lead, { x1: leadX, y1: y, x2: x, y2: y, visibility: held.length ? "visible" : "hidden" });
    const [fromX, fromY] = points[focus];
    const far = Math.hypot(x - fromX, y - fromY);
    const part = Math.max(0, far - 12) / (far || 1);
    const visibility = far < 24 ? "hidden" : "visible";
    const [x2, y2] = [fromX + (x - fromX) * part, fromY + (y - fromY) * part];
    setAttributes(path, { x1: fromX, y1: fromY, x2, y2, visibility });
    setAttributes(result, {
      transform: `translate(${x} ${y})`,
      "aria-label": `The new vector at ${inWords(at)}. Drag it, or use the arrow keys: the weights follow.`,
    });
    setAttributes(resultName, { x: x + free.dx, y: y + free.dy, "text-anchor": free.anchor });
    node.setAttribute("aria-label", `Map: the new vector of ${words[focus]} lies at ${inWords(at)}.`);
    return at;
  }
  onWidth(box, signal, (width) => {
    view = projection(plane, Math.min(width, MOST_WIDE));
    setAttributes(node, { width: view.width, height: view.height });
    grid.replaceChildren(...background(view, axes));
    const [drawn, boxes] = sides(view, towards);
    halves.replaceChildren(...drawn);
    held = boxes;
    if (last) draw(last);
  });
  return { node: box, draw };
}
