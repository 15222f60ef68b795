// The figure of 2017 as SVG: its arrows, its signs and its labelled boxes.

import { svg } from "./elements.js";
import { clamp } from "./format.js";

const TIP = 7; // size of an arrow's tip
const LEAST_LETTERS = 12; // pixels
const MOST_LETTERS = 13; // so that a short word does not shout beside a long one
const LETTER_WIDTH = 0.64; // of a letter's size
const FOOT = 11; // added to a frame, so that no way crosses its label
const MARGIN = 8; // pixels of the figure above and below it
const NARROW = 480; // pixels under which the figure's columns move together
const NARROW_SIDE = 60; // width of what stands beside a column then
// The two parts beside each other, where a column is narrow: room for the shorter word.
const lack = (scale) => Math.max(0, 60 - 108 * scale); // pixels that “attention” wants more
const SIDE_BY_SIDE = {
  encoder_self_attention: (x, scale) => ({ x: x - lack(scale) / 3, width: 108 * scale + lack(scale) }),
  heads: (x, scale) => ({ x: x - 11 * scale + lack(scale) / 1.5, width: Math.max(69 * scale, 38) }),
};
export const FRAME_LABEL = 9; // how far above a frame's lower edge its label stands
const FRAME_SIDE = 5; // how far from its side

// The points of an arrow as a path with softly rounded corners.
export function pathOf(points, radius = 8) {
  const towards = ([x, y], [u, v], distance) => {
    const length = Math.hypot(u - x, v - y) || 1;
    const part = Math.min(distance, length / 2) / length;
    return [x + (u - x) * part, y + (v - y) * part];
  };
  let path = `M ${points[0].join(" ")}`;
  for (let i = 1; i < points.length - 1; i += 1) {
    path +=
      ` L ${towards(points[i], points[i - 1], radius).join(" ")} Q ${points[i].join(" ")} ` +
      `${towards(points[i], points[i + 1], radius).join(" ")}`;
  }
  return `${path} L ${points.at(-1).join(" ")}`;
}

// The triangle at an arrow's end.
export function tipOf(points) {
  const [[x, y], [u, v]] = points.slice(-2);
  const length = Math.hypot(u - x, v - y) || 1;
  const [a, b] = [((u - x) / length) * TIP, ((v - y) / length) * TIP];
  return `${u},${v} ${u - a - b * 0.55},${v - b + a * 0.55} ${u - a + b * 0.55},${v - b - a * 0.55}`;
}

// “key, value”, each word in its role's color.
function inRoles(label) {
  return label
    .split(", ")
    .flatMap((role, i) => [i ? ", " : "", svg("tspan", { style: { fill: `var(--${role})` }, text: role })]);
}

// An arrow of the figure, with its label if it has one.
export function arrowOf({ points, kind, label, label_at: at }) {
  return svg(
    "g",
    { class: `tm-arrow ${kind}`, "aria-hidden": "true" },
    svg("path", { d: pathOf(points) }),
    svg("polygon", { points: tipOf(points) }),
    label ? svg("text", { x: at[0], y: at[1] }, inRoles(label)) : null,
  );
}

// A sign that belongs to no part: a sum, or how often a block is stacked.
export function markOf({ text, at: [x, y], radius = 11 }) {
  return svg(
    "g",
    { class: "tm-mark", "aria-hidden": "true" },
    text === "+" ? svg("circle", { cx: x, cy: y, r: radius }) : null,
    svg("text", { x, y }, text),
  );
}

// A label in one line, or in two where the box is too narrow for one of letters that can be read.
function labelLines({ label, width, frame }) {
  if (frame || label.length * LEAST_LETTERS * LETTER_WIDTH <= width - 4) return [label];
  const cut = [...label.matchAll(label.includes(" ") ? / /g : /-/g)].map(({ index }) => index + 1);
  const middle = cut.sort((a, b) => Math.abs(a - label.length / 2) - Math.abs(b - label.length / 2))[0];
  return middle ? [label.slice(0, middle), label.slice(middle)] : [label];
}

// The figure in CSS pixels, for a page `wide` and `tall`: parts, arrows and marks at their places there. Where there is
// little room, the two columns move together, each block says itself how often it is stacked (“encoder × 2”), and
// positions move under their block.
export function fittedFigure({ parts, arrows, marks, size }, wide, tall) {
  const narrow = wide < NARROW;
  const top = Math.min(...parts.map((part) => part.y)) - MARGIN;
  const bottom = Math.max(...parts.map((part) => part.y + part.height)) + MARGIN;
  const frames = parts.filter((part) => part.frame);
  const [left, right] = [frames[0], frames.at(-1)];
  const stacked = marks.filter(({ text }) => text !== "+"); // in the order of the frames
  const memory = arrows.find(({ label }) => label); // its words stand in its part where there is no room beside it
  const narrowLabels = {
    [memory.start]: "memory (K, V)",
    ...Object.fromEntries(
      frames.map((frame, i) => [frame.id, `${frame.label.replace(" block", "")} ${stacked[i].text}`]),
    ),
  };
  const [gapStart, gapEnd] = [left.x + left.width, right.x];
  const scale = narrow ? (wide / 2 - 5) / left.width : wide / size[0];
  const across = (x) => {
    if (!narrow) return x * scale;
    const [start, end] = [2 + left.width * scale, wide - 2 - right.width * scale];
    if (x <= gapStart) return 2 + (x - left.x) * scale;
    if (x >= gapEnd) return wide - 2 - (right.x + right.width - x) * scale;
    return start + ((x - gapStart) / (gapEnd - gapStart)) * (end - start);
  };
  const down = (y) => ((y - top) / (bottom - top)) * tall;
  const placed = ([x, y]) => [across(x), down(y)];
  const beside = (part) => narrow && part.id.endsWith("_positions");
  const side = Math.min(NARROW_SIDE, across(left.x + left.width / 2) - 11 * scale - 4); // short of the sum
  const edge = (part) => (part.x < gapStart ? side : wide - side);
  const ways = Object.fromEntries(parts.filter(beside).map((part) => [part.id, edge(part)]));
  return {
    width: wide,
    height: tall,
    parts: parts.map((part) => ({
      ...part,
      label: (narrow && narrowLabels[part.id]) || part.label,
      x: beside(part) ? edge(part) - (part.x < gapStart ? NARROW_SIDE : 0) : across(part.x),
      y: down(part.y),
      width: beside(part) ? NARROW_SIDE : part.width * scale,
      height: down(part.y + part.height + (part.frame ? FOOT : 0)) - down(part.y),
      ...(narrow ? SIDE_BY_SIDE[part.id]?.(across(part.x), scale) : null),
    })),
    arrows: arrows.map((arrow) => ({
      ...arrow,
      points: arrow.points.map((point, i) =>
        i === 0 && ways[arrow.start] ? [ways[arrow.start], down(point[1])] : placed(point),
      ),
      label: narrow ? "" : arrow.label,
      label_at: arrow.label_at.length ? placed(arrow.label_at) : [],
    })),
    marks: marks
      .filter(({ text }) => !narrow || text === "+")
      .map((mark) => ({ ...mark, at: placed(mark.at), radius: 11 * Math.min(1, scale) })),
  };
}

// A part as a labelled box, or as the frame around a block; `middle` is where the figure's two columns meet.
export function partOf(part, middle, attributes, ...signs) {
  const lines = labelLines(part);
  const longest = Math.max(...lines.map((line) => line.length));
  const room = Math.min(part.height * 0.6, (part.width - 14) / (longest * LETTER_WIDTH));
  const letters = lines.length > 1 ? LEAST_LETTERS : clamp(room, LEAST_LETTERS, MOST_LETTERS);
  const centre = [part.x + part.width / 2, part.y + part.height / 2];
  return svg(
    "g",
    {
      ...attributes,
      class: `tm-part${part.frame ? " tm-frame" : ""}${attributes.class ? ` ${attributes.class}` : ""}`,
      style: {
        "--tint": `var(--${(part.role || "ink").replaceAll("_", "-")})`,
        "--letters": `${part.frame ? LEAST_LETTERS : letters}px`,
      },
    },
    svg("rect", {
      class: "tm-focus",
      x: part.x - 4,
      y: part.y - 4,
      width: part.width + 8,
      height: part.height + 8,
      rx: 10,
    }),
    svg("rect", {
      class: "tm-box",
      x: part.x,
      y: part.y,
      width: part.width,
      height: part.height,
      rx: part.frame ? 12 : 6,
    }),
    signs,
    svg(
      "text",
      part.frame
        ? // In the corner that no arrow crosses.
          {
            x: centre[0] < middle ? part.x + part.width - FRAME_SIDE : part.x + FRAME_SIDE,
            y: part.y + part.height - FRAME_LABEL,
            style: { "text-anchor": centre[0] < middle ? "end" : "start" },
          }
        : { x: centre[0], y: centre[1] },
      lines.length === 1
        ? part.label
        : lines.map((line, i) => svg("tspan", { x: centre[0], y: centre[1] + (i - 0.5) * (letters + 1) }, line)),
    ),
  );
}
