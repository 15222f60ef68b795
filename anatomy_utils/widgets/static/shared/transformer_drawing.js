// The figure of 2017 as SVG: its arrows, its signs and its labelled boxes.

const TIP = 7; // size of an arrow's tip
const FRAME_LABEL = 11; // how far above a frame's lower edge its label stands

// The points of an arrow as a path with softly rounded corners.
function pathOf(points, radius = 8) {
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
function tipOf(points) {
  const [[x, y], [u, v]] = points.slice(-2);
  const length = Math.hypot(u - x, v - y) || 1;
  const [a, b] = [((u - x) / length) * TIP, ((v - y) / length) * TIP];
  return `${u},${v} ${u - a - b * 0.55},${v - b + a * 0.55} ${u - a + b * 0.55},${v - b - a * 0.55}`;
}

// An arrow of the figure, with its label if it has one.
function arrowOf({ points, kind, label, label_at: at }) {
  return svg(
    "g",
    { class: `tm-arrow ${kind}`, "aria-hidden": "true" },
    svg("path", { d: pathOf(points) }),
    svg("polygon", { points: tipOf(points) }),
    label ? svg("text", { x: at[0], y: at[1] }, label) : null,
  );
}

// A sign that belongs to no part: a sum, or how often a block is stacked.
function markOf({ text, at: [x, y] }) {
  return svg(
    "g",
    { class: "tm-mark", "aria-hidden": "true" },
    text === "+" ? svg("circle", { cx: x, cy: y, r: 11 }) : null,
    svg("text", { x, y }, text),
  );
}

// A part as a labelled box, or as the frame around a block; `middle` is where the figure's two columns meet.
function partOf(part, middle, attributes, ...signs) {
  const letters = clamp(Math.min(part.height * 0.5, (part.width - 14) / (part.label.length * 0.58)), 11, 16);
  const centre = [part.x + part.width / 2, part.y + part.height / 2];
  return svg(
    "g",
    {
      ...attributes,
      class: `tm-part${part.frame ? " tm-frame" : ""}${attributes.class ? ` ${attributes.class}` : ""}`,
      style: {
        "--tint": `var(--${(part.role || "ink").replaceAll("_", "-")})`,
        "--letters": `${part.frame ? 12 : letters}px`,
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
            x: centre[0] < middle ? part.x + part.width - 12 : part.x + 12,
            y: part.y + part.height - FRAME_LABEL,
            style: { "text-anchor": centre[0] < middle ? "end" : "start" },
          }
        : { x: centre[0], y: centre[1] },
      part.label,
    ),
  );
}
