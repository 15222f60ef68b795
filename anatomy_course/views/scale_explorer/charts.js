// The scale explorer's charts: a histogram, bars, and a card for each measure.

import { curveReading } from "../_kit/curves.js";
import { element, svg } from "../_kit/elements.js";
import { clamp, format, indexOfLargest, superscript } from "../_kit/format.js";
import { onWidth } from "../_kit/life.js";

export const LARGEST = 512;
export const NUM_KEYS = 16;
export const POWERS = Array.from({ length: 10 }, (_, i) => 2 ** i);

export const MEASURES = {
  variance: { title: "Variance of the scores", low: 0.3, high: 2000, log: true, ticks: [1, 10, 100, 1000] },
  entropy: { title: "Entropy of the weights", low: 0, high: 4.4, log: false, ticks: [0, 1, 2, 3, 4] },
  gradient: {
    title: "Gradient through the softmax",
    low: 1e-4,
    high: 1,
    log: true,
    ticks: [0.0001, 0.001, 0.01, 0.1, 1],
  },
};

const MARGINS = { right: 12, top: 12, bottom: 24 };
const REACH = 60; // scores beyond are counted at the histogram's ends
const CASES = { true: "divided", false: "undivided" };

// Small and large numbers with about three digits.
function brief(value) {
  if (value >= 0.01 || value === 0) return format(value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
  if (value >= 0.0001) return format(value, 4);
  const power = Math.floor(Math.log10(value));
  return `${format(value / 10 ** power, 0)}·10${superscript(power)}`;
}

// A small text below or beside an axis.
function tick(x, y, text, anchor = "middle") {
  return svg("text", { class: "tick", x, y, "text-anchor": anchor, text });
}

// A chart in CSS pixels, `height` high and as wide as its place: {node, draw(…), width()}; `paint(box, …)` gives what
// is in it, and box says where its inner edges are.
function fittedChart({ height, left = 36, signal, paint }) {
  const node = svg("svg", { class: "line-chart", style: { height: `${height}px` }, role: "img" });
  const { right, top, bottom } = MARGINS;
  let [width, last] = [0, null];
  const redraw = () => {
    if (!width || !last) return;
    node.replaceChildren(...paint({ left, right: width - right, top, floor: height - bottom }, ...last));
  };
  const draw = (...given) => {
    last = given;
    redraw();
  };
  onWidth(node, signal, (wide) => {
    width = wide;
    redraw();
  });
  return { node, draw, width: () => width };
}

function axisLine({ left, right, floor }) {
  return svg("path", { class: "axis", d: `M${left} ${floor}H${right}` });
}

function guide({ left, right }, y, text) {
  return [svg("line", { class: "guide", x1: left, x2: right, y1: y, y2: y }), tick(left - 6, y + 4, text, "end")];
}

// The histogram of all scores on one fixed axis, with the normal curve that theory expects.
export function histogram(signal) {
  const count = 2 * REACH + 1;
  const paint = ({ left, right, top, floor }, scores, scaled, deviation) => {
    const wide = (right - left) / count;
    const x = (score) => left + (score + REACH + 0.5) * wide;
    const bins = new Float64Array(count);
    for (const score of scores) bins[clamp(Math.round(score) + REACH, 0, count - 1)] += 1 / scores.length;
    const density = (at) => Math.exp(-0.5 * (at / deviation) ** 2) / (deviation * Math.sqrt(2 * Math.PI));
    const highest = Math.max(...bins, density(0));
    const y = (share) => (floor - (share / highest) * (floor - top)).toFixed(1);
    const bars = Array.from(bins, (share, i) =>
      share ? `M${x(i - REACH - 0.5).toFixed(1)} ${floor}V${y(share)}h${(wide * 0.86).toFixed(2)}V${floor}Z` : "",
    );
    const points = Array.from({ length: 8 * REACH + 1 }, (_, i) => i / 4 - REACH);
    return [
      svg("path", { class: `bar ${CASES[scaled]}`, d: bars.join("") }),
      axisLine({ left, right, floor }),
      svg("path", {
        class: "expected",
        d: `M${points.map((at) => `${x(at).toFixed(1)} ${y(density(at))}`).join("L")}`,
      }),
      ...[-50, -25, 0, 25, 50].map((at) => tick(x(at), floor + 16, format(at, 0))),
    ];
  };
  const chart = fittedChart({ height: 160, left: 12, signal, paint });
  const draw = ({ scores }, scaled, deviation) => {
    chart.draw(scores, scaled, deviation);
    const spread = `their standard deviation is about ${brief(deviation)}`;
    chart.node.setAttribute("aria-label", `Histogram of ${scores.length} scores; ${spread}.`);
  };
  return { node: chart.node, draw };
}

// The softmax weights of the first query over its 16 keys.
export function weightBars(signal) {
  const paint = ({ left, right, top, floor }, row, scaled) => {
    const wide = (right - left) / NUM_KEYS;
    const y = (weight) => floor - weight * (floor - top);
    const middle = (j) => left + (j + 0.5) * wide;
    const named = (j) => wide >= 18 || !j || (j + 1) % 4 === 0;
    const best = indexOfLargest(row);
    const alike = y(1 / NUM_KEYS);
    return [
      ...[0.5, 1].flatMap((at) => guide({ left, right }, y(at), format(at, 1))),
      ...row.flatMap((weight, j) => [
        svg("rect", {
          class: `bar ${CASES[scaled]}`,
          x: left + (j + 0.12) * wide,
          y: y(weight),
          width: wide * 0.76,
          height: floor - y(weight),
          rx: 1.5,
        }),
        named(j) ? tick(middle(j), floor + 16, j + 1) : "",
      ]),
      axisLine({ left, right, floor }),
      svg("line", { class: "alike", x1: left, x2: right, y1: alike, y2: alike }),
      svg("text", {
        class: "peak",
        "text-anchor": "middle",
        x: Math.max(left + 15, middle(best)), // not on the numbers of the axis
        y: Math.max(top - 1, y(row[best]) - 5),
        text: format(row[best]),
      }),
    ];
  };
  const chart = fittedChart({ height: 160, signal, paint });
  const draw = (weights, scaled) => {
    const row = [...weights];
    chart.draw(row, scaled);
    const told = row.map((weight, k) => `key ${k + 1} ${format(weight)}`).join(", ");
    chart.node.setAttribute("aria-label", `Weights of one query: ${told}.`);
  };
  return { node: chart.node, draw };
}

// One measure: its number in large print and its two curves over dₖ, the chosen one marked; they are read with the
// pointer or the arrow keys.
export function measureCard(name, signal) {
  const { title, low, high, log, ticks: marks } = MEASURES[name];
  const share = (value) =>
    log ? Math.log(clamp(value, low, high) / low) / Math.log(high / low) : (value - low) / (high - low);
  const label = (at) => (at >= 0.01 || at === 0 ? String(at) : `10${superscript(Math.log10(at))}`);
  const paint = ({ left, right, top, floor }, curves, d, scaled, value) => {
    const x = (width) => left + (Math.log2(width) / Math.log2(LARGEST)) * (right - left);
    const y = (at) => floor - share(at) * (floor - top);
    const lines = [false, true].map((which) => ({
      name: CASES[which],
      class: CASES[which],
      points: POWERS.map((width, i) => {
        const found = curves[which][i][name];
        return { x: x(width), y: y(found), text: `${brief(found)} at ${width}` };
      }),
    }));
    reading.set(lines);
    return [
      ...marks.flatMap((at) => guide({ left, right }, y(at), label(at))),
      ...[1, 8, 64, 512].map((at) => tick(x(at), floor + 16, at)),
      svg("line", { class: "here", x1: x(d), x2: x(d), y1: top, y2: floor }),
      ...lines.map(({ class: look, points }) =>
        svg("path", {
          class: `curve ${look}${look === CASES[scaled] ? " chosen" : ""}`,
          d: `M${points.map((point) => `${point.x.toFixed(1)} ${point.y.toFixed(1)}`).join("L")}`,
        }),
      ),
      svg("circle", { class: `dot ${CASES[scaled]}`, r: 5.5, cx: x(d), cy: y(value) }),
      reading.node,
    ];
  };
  const chart = fittedChart({ height: 128, signal, paint });
  const reading = curveReading(chart.node, chart.width);
  chart.node.setAttribute("aria-label", `${title} over dₖ, divided and undivided; arrow keys read the curves`);
  const number = element("span", { class: "big number" });
  const note = element("span", { class: "note" });
  const node = element(
    "div",
    { class: "panel measure", role: "group", "aria-label": title },
    element("div", { class: "measure-title", text: title }),
    element("div", { class: "measure-value" }, number, note),
    chart.node,
  );
  const draw = (curves, d, scaled, value, text) => {
    number.textContent = brief(value);
    note.textContent = text;
    chart.draw(curves, d, scaled, value);
  };
  return { node, draw, told: () => `${title} ${number.textContent}` };
}

// The key to the curves: color and dash.
export function curveKey() {
  const kind = (divided, text) => {
    const line = svg("path", { class: `curve chosen ${CASES[divided]}`, d: "M1 5H33" });
    const sample = svg("svg", { class: "sample", viewBox: "0 0 34 10", "aria-hidden": "true" }, line);
    return element("span", { class: "row" }, sample, text);
  };
  return element(
    "div",
    { class: "row key-line" },
    element("span", { class: "note", text: "Over all dₖ, from this sample:" }),
    kind(true, "divided by √dₖ"),
    kind(false, "not divided"),
  );
}
