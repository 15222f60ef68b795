// Live curves: a chart that follows a training run from the kernel.

import { heading } from "../_kit/controls.js";
import { limits, lineChart } from "../_kit/curves.js";
import { announce, element, svg } from "../_kit/elements.js";
import { floats, format, grouped } from "../_kit/format.js";
import { frame, onChange, widgetRoot } from "../_kit/life.js";

const LOOKS = ["one", "two", "three", "four", "five", "six"];
const SURE = 3; // seconds after which the time that is left can be told

// "1 min 40 s", in steps that do not flicker.
function duration(seconds) {
  const rounded = Math.ceil(seconds / 5) * 5;
  const minutes = Math.floor(rounded / 60);
  return [minutes && `${minutes} min`, rounded % 60 && `${rounded % 60} s`].filter(Boolean).join(" ");
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("live-curves");
  const chart = lineChart({ height: 240, xLabel: "step", yLabel: model.get("ylabel") });
  const state = element("span", { class: "note" });
  const key = element("div", { class: "row lc-key" });
  const writing = element("figure", { class: "lc-writing" });
  root.append(heading(model.get("label"), state), element("div", { class: "panel" }, chart.node, key, writing));
  const write = () => {
    const [caption, text] = model.get("sample") ?? [];
    writing.hidden = !caption;
    writing.replaceChildren(element("figcaption", { class: "note", text: caption }), element("pre", {}, text));
  };

  let since = null; // [seconds, step] of the latest curve when the page first heard of it
  let followed = 0;
  const progress = (curves) => {
    const done = model.get("done");
    if (!curves.length) return done ? "no step was made" : "waiting for the first step";
    const furthest = curves.reduce((one, other) => (other[0] > one[0] ? other : one));
    const [step, planned] = curves.findLast(([at, all]) => at < all) ?? furthest;
    const told = `step ${grouped(step)}${planned ? ` of ${grouped(planned)}` : ""}`;
    if (done) return curves.some(([at, all]) => at < all) ? `${told}, stopped` : `${told}, done`;
    const now = performance.now() / 1000;
    if (!since || followed !== curves.length) [since, followed] = [[now, step], curves.length];
    const [elapsed, made] = [now - since[0], step - since[1]];
    const known = elapsed > SURE && made > 0 && planned > step;
    return known ? `${told}, about ${duration((elapsed * (planned - step)) / made)} left` : told;
  };

  const draw = () => {
    const names = model.get("names"),
      counts = model.get("counts"),
      flat = floats(model.get("points"));
    let start = 0;
    const series = names.map((name, i) => {
      const points = Array.from({ length: counts[i] }, (_, n) => [flat[2 * (start + n)], flat[2 * (start + n) + 1]]);
      start += counts[i];
      return { name, points, class: LOOKS[i] };
    });
    const levels = Object.entries(model.get("levels"));
    const all = series.flatMap(({ points }) => points);
    const reached = model.get("reached") ?? [];
    const [, last] = limits(all.map(([x]) => x));
    const end = Math.max(last, ...reached.map(([, planned]) => planned));
    const [low, high] = limits([...all.map(([, y]) => y), ...levels.map(([, y]) => y)]);
    const x = [0, Math.max(end, 1)];
    const told = series
      .filter(({ points }) => points.length)
      .map(({ name, points }) => `${name} ${format(points[0][1])} at first, ${format(points.at(-1)[1])} now`)
      .join("; ");
    chart.draw(
      [
        ...levels.map(([, y]) => ({
          points: [
            [x[0], y],
            [x[1], y],
          ],
          class: "level",
        })),
        ...series,
      ],
      {
        x,
        y: [Math.min(low, 0), high * 1.03 || 1],
        told: `${model.get("ylabel")} over steps: ${told || "nothing yet"}.`,
      },
    );
    const sample = (look) =>
      svg(
        "svg",
        { class: "line-chart lc-sample", width: 26, height: 10, "aria-hidden": "true" },
        svg("path", { class: `line ${look}`, d: "M1 5H25" }),
      );
    key.replaceChildren(
      ...series.map(({ name, points, class: look }) =>
        element(
          "span",
          { class: "lc-name" },
          sample(look),
          `${name} `,
          element("b", { class: "number", text: points.length ? format(points.at(-1)[1]) : "" }),
        ),
      ),
      ...levels.map(([name, y]) =>
        element(
          "span",
          { class: "lc-name" },
          sample("level"),
          `${name} `,
          element("b", { class: "number", text: format(y) }),
        ),
      ),
    );
    state.textContent = progress(reached.length || !all.length ? reached : [[Math.round(last), 0]]);
  };
  const redraw = frame(draw, signal);
  onChange(model, signal, ["points", "done"], redraw);
  onChange(model, signal, "done", () => announce(root, chart.node.getAttribute("aria-label")));
  onChange(model, signal, "sample", write);
  write();
  draw();
  return cleanup;
}

export default { render };
