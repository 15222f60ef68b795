// The map of the mixer: the vectors as arrows, what all mixtures can reach, and the mixture.

const MAP = { width: 420, height: 380, left: 46, right: 18, top: 26, bottom: 46 };
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
