// A line chart that several widgets share: lineChart(…) gives {node, draw(series, settings)}.

import { announce, focusable, setAttributes, svg } from "./elements.js";
import { clamp, format, grouped, superscript, ticks } from "./format.js";
import { onWidth } from "./life.js";

const CHART = { left: 50, right: 14, top: 12, bottom: 40 };

// Where a logarithmic axis has its numbers: [[height, text], …]; powers of ten, or 1, 2, 5 where the range is small.
function logTicks(low, high) {
  const wide = Math.log10(high / low) > 2.5;
  const list = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    for (const factor of wide ? [1] : [1, 2, 5]) {
      const at = factor * 10 ** power;
      if (at >= low && at <= high) list.push([at, wide ? `10${superscript(power)}` : format(at, Math.max(0, -power))]);
    }
  }
  return list;
}

// The heights of texts that must not lie on each other: each moved as little as keeps `apart` pixels between them.
function spreadOut(heights, apart, low, high) {
  const order = heights.map((_, i) => i).sort((a, b) => heights[a] - heights[b]);
  const spread = [...heights];
  order.forEach((i, n) => {
    spread[i] = Math.max(spread[i], n ? spread[order[n - 1]] + apart : low);
  });
  order.reverse().forEach((i, n) => {
    spread[i] = Math.min(spread[i], n ? spread[order[n - 1]] - apart : high);
  });
  return spread;
}

// A number of a curve in few signs.
function briefNumber(value) {
  const size = Math.abs(value);
  if (size && size < 0.0095) return value.toExponential(0).replaceAll("-", "−");
  return size >= 1e4 ? grouped(value) : format(value, size >= 100 ? 0 : 2);
}

// The reading of a chart's named curves, under the pointer and with the arrow keys: {node, set(curves)}, of curves
// [{name, points: [{x, y, text}], class}] in pixels; `chartWidth()` is the chart's width.
export function curveReading(chart, chartWidth) {
  const node = svg("g", { class: "reading away", "aria-hidden": "true" });
  let curves = [];
  let at = null; // [curve, point]
  const show = (to) => {
    at = to;
    node.classList.toggle("away", !at);
    if (!at) return "";
    const { name, points, class: look } = curves[at[0]];
    const { x, y, text } = points[at[1]];
    const told = `${name}: ${text}`;
    const wide = 6.6 * told.length + 12;
    const left = clamp(x - wide / 2, 0, Math.max(0, chartWidth() - wide));
    const top = y > 40 ? y - 32 : y + 12;
    node.replaceChildren(
      svg("circle", { class: `dot ${look}`, cx: x, cy: y, r: 4 }),
      svg("rect", { x: left, y: top, width: wide, height: 20, rx: 4 }),
      svg("text", { x: left + wide / 2, y: top + 14, "text-anchor": "middle", text: told }),
    );
    return told;
  };
  chart.addEventListener("pointermove", (event) => {
    const box = chart.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let [nearest, least] = [null, 40];
    curves.forEach(({ points }, i) =>
      points.forEach((each, k) => {
        const far = Math.hypot(each.x - x, each.y - y);
        if (far < least) [nearest, least] = [[i, k], far];
      }),
    );
    show(nearest);
  });
  for (const type of ["pointerleave", "blur"]) chart.addEventListener(type, () => show(null));
  chart.addEventListener("keydown", (event) => {
    const [i, k] = at ?? [0, curves[0]?.points.length];
    const to = { ArrowLeft: [i, k - 1], ArrowRight: [i, k + 1], ArrowUp: [i - 1, k], ArrowDown: [i + 1, k] }[event.key];
    if (!to || !curves.length) return;
    event.preventDefault();
    const curve = (to[0] + curves.length) % curves.length;
    const told = show([curve, clamp(to[1], 0, curves[curve].points.length - 1)]);
    announce(chart.closest(".anatomy"), told);
  });
  const set = (list) => {
    curves = list;
    show(null);
    setAttributes(chart, list.length ? focusable() : { tabindex: null });
  };
  return { node, set };
}

// A chart as wide as its place and `height` CSS pixels high; `log` makes the y axis logarithmic, `xText(at, digits)`
// writes the numbers below.
export function lineChart({ height = 240, xLabel, yLabel, log = false, xText = format }) {
  const floor = height - CHART.bottom;
  let width = 460; // until it is laid out
  let last = null;
  const grid = svg("g"),
    lines = svg("g");
  const name = svg("text", { class: "tick", y: height - 6, "text-anchor": "middle", text: xLabel });
  const side = svg("text", {
    class: "tick",
    transform: `translate(11 ${(CHART.top + floor) / 2}) rotate(-90)`,
    "text-anchor": "middle",
    text: yLabel,
  });
  const axis = svg("path", { class: "axis" });
  const node = svg("svg", { class: "line-chart", style: { height: `${height}px` }, role: "img" });
  const reading = curveReading(node, () => width);
  node.append(grid, axis, lines, name, side, reading.node);

  // series: [{points: [[x, y], …], class, end, name}]; `end` is written after the last point, and what has a `name` can
  // be read point by point. x and y limits: {x: [low, high], y: [low, high]}.
  const draw = (series, { x: [left, end], y: [low, high], told = "" }) => {
    last = [series, { x: [left, end], y: [low, high], told }];
    const ended = series.filter(({ end: text }) => text);
    const lead = ended.length > 3 ? 14 : 0; // many names at one height are led back to their curves
    const room = lead + Math.max(0, ...ended.map(({ end: text }) => 7 * String(text).length));
    const right = width - CHART.right - room;
    axis.setAttribute("d", `M${CHART.left} ${CHART.top}V${floor}H${right}`);
    name.setAttribute("x", (CHART.left + right) / 2);
    const scale = log ? Math.log10 : (value) => value;
    const px = (x) => CHART.left + ((x - left) / (end - left || 1)) * (right - CHART.left);
    const py = (y) => floor - ((scale(y) - scale(low)) / (scale(high) - scale(low) || 1)) * (floor - CHART.top);
    const below = ticks(left, end, width < 400 ? 4 : 6);
    const across = ticks(low, high, 5);
    const beside = log ? logTicks(low, high) : across.list.map((at) => [at, format(at, across.digits)]);
    grid.replaceChildren(
      ...below.list.map((at) =>
        svg("text", {
          class: "tick",
          x: px(at),
          y: floor + 16,
          "text-anchor": "middle",
          text: xText(at, below.digits),
        }),
      ),
      ...beside.flatMap(([at, text]) => [
        svg("line", { class: "guide", x1: CHART.left, x2: right, y1: py(at), y2: py(at) }),
        svg("text", { class: "tick", x: CHART.left - 6, y: py(at) + 4, "text-anchor": "end", text }),
      ]),
    );
    const visible = (y) => Number.isFinite(y) && (!log || y > 0);
    const drawn = series
      .map((one) => ({ ...one, points: one.points.filter(([, y]) => visible(y)) }))
      .filter(({ points }) => points.length);
    const named = drawn.filter(({ end: text }) => text);
    const ends = named.map(({ points }) => py(clamp(points.at(-1)[1], low, high)) + 4);
    const free = spreadOut(ends, 13, CHART.top + 4, floor);
    lines.replaceChildren(
      ...drawn.map(({ points, class: look }) =>
        svg("path", {
          class: `line ${look}`,
          d: `M${points.map(([x, y]) => `${px(x).toFixed(1)} ${py(clamp(y, low, high)).toFixed(1)}`).join("L")}`,
        }),
      ),
      ...drawn
        .filter(({ points }) => points.length === 1)
        .map(({ points: [[x, y]], class: look }) =>
          svg("circle", { class: `dot ${look}`, cx: px(x), cy: py(clamp(y, low, high)), r: 3 }),
        ),
      ...named.flatMap(({ points, class: look, end: text }, i) => {
        const [x, y] = [px(points.at(-1)[0]) + 3, ends[i] - 4];
        const name = svg("text", { class: `end ${look}`, x: x + lead + 2, y: free[i], text });
        const moved = lead && Math.abs(free[i] - ends[i]) > 5;
        return moved ? [svg("path", { class: "lead", d: `M${x} ${y}L${x + lead} ${free[i] - 4}` }), name] : [name];
      }),
    );
    reading.set(
      drawn
        .filter(({ name: known }) => known)
        .map(({ points, name: known, class: look }) => ({
          name: known,
          class: look,
          points: points.map(([x, y]) => ({
            x: px(x),
            y: py(clamp(y, low, high)),
            text: `${briefNumber(y)} at ${xText(x, Number.isInteger(x) ? 0 : 1)}`,
          })),
        })),
    );
    node.setAttribute("aria-label", told);
  };
  onWidth(node, null, (wide) => {
    width = wide;
    if (last) draw(...last);
  });
  return { node, draw };
}

// The least and the most of many numbers, NaN and infinity left out.
export function limits(values) {
  let low = Infinity,
    high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? [0, 1] : [low, high];
}

// A running mean over `width` values, shorter at the start.
export function runningMean(values, width) {
  return Array.from(values, (_, i) => {
    const part = values.slice(Math.max(0, i - width + 1), i + 1);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}
