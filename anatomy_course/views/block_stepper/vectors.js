// The vectors of the block stepper: all as strips, one as bars, one number worked out.

import { slider } from "../_kit/controls.js";
import { element, listen } from "../_kit/elements.js";
import { clamp, format } from "../_kit/format.js";
import { canvas, color, colorTable } from "../_kit/theme.js";

export const ROLES = { attended: "weights", fed: "feed_forward" };

export const STEP_NAMES = {
  attended: "Attention",
  added: "Add",
  normed: "Norm",
  fed: "Feed-forward",
  "added again": "Add",
  "normed again": "Norm",
};

export function measures(vector, epsilon = 0) {
  const mean = vector.reduce((sum, value) => sum + value, 0) / vector.length;
  const variance = vector.reduce((sum, value) => sum + (value - mean) ** 2, 0) / vector.length;
  return { mean, deviation: Math.sqrt(variance + epsilon), length: Math.hypot(...vector) };
}

// What each stage is made of, by names of earlier stages; and which norm (0 or 1) it goes through.
export function recipe(name, norm) {
  const post = {
    attended: { from: ["input"] },
    added: { from: ["input", "attended"] },
    normed: { from: ["added"], norm: 0 },
    fed: { from: ["normed"] },
    "added again": { from: ["normed", "fed"] },
    "normed again": { from: ["added again"], norm: 1 },
  };
  const pre = {
    normed: { from: ["input"], norm: 0 },
    attended: { from: ["normed"] },
    added: { from: ["input", "attended"] },
    "normed again": { from: ["added"], norm: 1 },
    fed: { from: ["normed again"] },
    "added again": { from: ["added", "fed"] },
  };
  return (norm === "post" ? post : pre)[name];
}

const BARS = { width: 640, height: 92 };

// The vectors so far as strips, with what layer normalization works with.
export function vectorTable({ root, signal, kept, order, steps, setFeature }) {
  // ---------------------------------------------------------------- the vectors
  const rows = order().map((_, i) => {
    const strip = element("canvas", { "aria-hidden": "true", class: "bs-strip" });
    const cells = {
      name: element("span", { class: "bs-name" }),
      mean: element("span", { class: "number" }),
      deviation: element("span", { class: "number" }),
      length: element("span", { class: "number" }),
    };
    const mark = element("span", { class: "bs-mark" });
    const band = element("span", { class: "bs-band" }, strip, mark);
    const point = (event) => {
      const box = strip.getBoundingClientRect();
      setFeature(Math.floor(((event.clientX - box.left) / box.width) * kept.d_model));
    };
    listen(strip, "pointermove", signal, point);
    listen(strip, "pointerdown", signal, point);
    const node = element(
      "div",
      { class: "bs-row", role: "row" },
      [cells.name, band, cells.mean, cells.deviation, cells.length].map((cell, k) => {
        cell.setAttribute("role", k ? "cell" : "rowheader");
        return cell;
      }),
    );
    listen(node, "click", signal, () => {
      if (i) steps.jump(i - 1);
    });
    return { node, strip, mark, ...cells };
  });
  const head = element(
    "div",
    { class: "bs-row bs-head", role: "row" },
    ["vector", "its numbers", "mean", "std", "length"].map((text) => element("span", { role: "columnheader", text })),
  );
  const table = element(
    "div",
    { class: "bs-table", role: "table", "aria-label": "The vectors so far" },
    head,
    rows.map(({ node }) => node),
  );

  function paintStrip(node, values) {
    if (node.width !== kept.d_model) node.width = kept.d_model;
    if (node.height !== 1) node.height = 1;
    const colors = new Uint32Array(colorTable(root, "diverging").buffer);
    const context = node.getContext("2d");
    const image = context.createImageData(kept.d_model, 1);
    const pixels = new Uint32Array(image.data.buffer);
    values.forEach((value, i) => {
      pixels[i] = colors[clamp(Math.floor((value / kept.limit) * 127.5 + 128), 0, 255)];
    });
    context.putImageData(image, 0, 0);
  }
  return { table, rows, paintStrip };
}

// One feature's number at this step, as a bar among all and worked out.
export function featurePanel({ root, model, signal, kept, setFeature, vector, norm, step, order, rows }) {
  const bars = canvas({ class: "bs-bars", role: "img" });
  const barTitle = element("div", { class: "bs-title" });
  const barFeature = (event) => {
    const box = bars.node.getBoundingClientRect();
    setFeature(Math.floor(((event.clientX - box.left) / box.width) * kept.d_model));
  };
  const chooser = slider({
    label: "Feature",
    min: 0,
    max: 1,
    step: 1,
    value: 0,
    format: (i) => `${i} of ${kept.d_model ?? 1}`,
    signal,
    onInput: (i) => setFeature(i),
  });
  const sum = element("div", { class: "bs-sum", role: "status" });

  function paintBars(name) {
    const values = vector(name);
    const wide = Math.max(200, bars.node.parentElement.clientWidth - 24) || BARS.width;
    bars.resize(wide, BARS.height);
    const { context } = bars;
    const middle = BARS.height / 2,
      scale = (middle - 8) / kept.limit,
      each = wide / kept.d_model;
    context.clearRect(0, 0, wide, BARS.height);
    context.fillStyle = color(root, "faint");
    context.fillRect(0, middle - 0.5, wide, 1);
    const tone = color(root, ROLES[name] ?? "residual");
    values.forEach((value, i) => {
      const high = clamp(value * scale, -middle, middle);
      context.fillStyle = i === kept.feature ? color(root, "query") : tone;
      const width = i === kept.feature ? Math.max(each, 3) : Math.max(each * 0.9, 0.6);
      context.fillRect(i * each, high < 0 ? middle : middle - high, width, Math.max(Math.abs(high), 0.5));
    });
    context.fillStyle = color(root, "ink");
    context.font = "12px sans-serif";
    context.fillText(`+${format(kept.limit, 1)}`, 2, 11);
    context.fillText(format(-kept.limit, 1), 2, BARS.height - 3);
    const found = measures(values);
    bars.node.setAttribute(
      "aria-label",
      `${STEP_NAMES[name]}: ${kept.d_model} numbers, mean ${format(found.mean)}, standard deviation ` +
        `${format(found.deviation)}, length ${format(found.length, 1)}.`,
    );
  }

  // The chosen feature's number at this step, worked out.
  function arithmetic() {
    const name = order()[step()];
    const { from, norm: which } = recipe(name, norm());
    const number = (stage) => vector(stage)[kept.feature];
    const say3 = (value) => format(value, 3);
    const signed = (value) => (value < 0 ? `(${say3(value)})` : say3(value));
    const result = element("b", { text: say3(number(name)) });
    const at = element("span", { class: "note", text: `feature ${kept.feature}: ` });
    if (from.length === 2) return [at, `${say3(number(from[0]))} + ${signed(number(from[1]))} ≈ `, result];
    if (which === undefined) {
      const made =
        name === "attended"
          ? `attention, from all ${kept.tokens.length} tokens → `
          : `feed-forward, from all ${kept.d_model} features of this token → `;
      return [at, made, result];
    }
    const { mean, deviation } = measures(vector(from[0]), model.get("epsilon"));
    const [gamma, beta] = [0, 1].map((k) => kept.norms[(2 * which + k) * kept.d_model + kept.feature]);
    return [
      at,
      `(${say3(number(from[0]))} − ${signed(mean)}) / ${say3(deviation)} · γ ${say3(gamma)} + β ${signed(beta)} ≈ `,
      result,
    ];
  }

  function drawFeature() {
    const part = `${((kept.feature + 0.5) / kept.d_model) * 100}%`;
    rows.forEach(({ mark }) => {
      mark.style.left = part;
    });
    if (chooser.get() !== kept.feature) chooser.set(kept.feature);
    paintBars(order()[step()]);
    sum.replaceChildren(...arithmetic());
  }
  return { bars, barFeature, barTitle, chooser, sum, drawFeature };
}
