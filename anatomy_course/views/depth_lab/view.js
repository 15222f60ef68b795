// The depth lab: choose, train, and compare losses and gradient norms as overlaid curves.

import { button, heading, radioRow, select, slider, toggleButton } from "../_kit/controls.js";
import { limits, lineChart, runningMean } from "../_kit/curves.js";
import { announce, element, listen, svg } from "../_kit/elements.js";
import { floats, format } from "../_kit/format.js";
import { change, frame, onChange, widgetRoot } from "../_kit/life.js";
import { request } from "../_kit/request.js";

const SMOOTH = 5; // steps that the drawn loss is the mean of
const MOST_NAMED = 12; // runs that have room for a name at the end of their line
const PLACES = { post: "Post-norm", pre: "Pre-norm" };

const nameOf = ({ depth, norm, warmup, seed }) =>
  `${depth} layers, ${norm}-norm, ${warmup ? "" : "no "}warm-up, seed ${seed}`;

// A run's table of numbers as {loss: [step], norms: [step][layer]}.
function unpackRun(run, view) {
  const flat = floats(view),
    wide = 1 + run.depth;
  const steps = Math.floor(flat.length / wide);
  const loss = Array.from({ length: steps }, (_, i) => flat[i * wide]);
  return {
    ...run,
    loss,
    smooth: runningMean(loss, SMOOTH),
    norms: (step) => Array.from(flat.subarray(step * wide + 1, (step + 1) * wide)),
  };
}

// Loss and gradients of the runs, the pointed one in front.
function runCharts({ model, kept, at }) {
  // ---------------------------------------------------------------- charts
  const losses = lineChart({ height: 220, xLabel: "step", yLabel: `loss (mean of ${SMOOTH} steps)` });
  const gradients = lineChart({ height: 220, xLabel: "layer, from the bottom up", yLabel: "gradient norm", log: true });
  const gradientTitle = element("div", { class: "dl-title" });

  const lookOf = (run) => {
    const faded = kept.pointed && kept.pointed !== run.id ? "faded" : "";
    return (
      `${run.norm} ${run.warmup ? "warm" : "cold"} ${faded} ` +
      `${run === kept.live || kept.pointed === run.id ? "strong" : ""}`
    );
  };

  // What stands at the end of a run's line: its depth, its warm-up, and its seed where another differs in nothing else.
  function endOf(run, all) {
    if (all.length > MOST_NAMED && run.id !== kept.pointed) return "";
    const alike = ({ depth, norm, warmup }) => depth === run.depth && norm === run.norm && warmup === run.warmup;
    const depth = run.warmup ? `${run.depth}, warm-up` : String(run.depth);
    return all.filter(alike).length > 1 ? `${depth}, seed ${run.seed}` : depth;
  }

  function drawCharts() {
    const all = kept.live ? [...kept.runs, kept.live] : kept.runs;
    const top = limits([...all.flatMap(({ smooth }) => smooth), ...Object.values(model.get("levels"))])[1];
    const told = all
      .map((run) => `${nameOf(run)}: ${run.smooth.length ? format(run.smooth.at(-1)) : "not started"}`)
      .join("; ");
    const levels = Object.entries(model.get("levels"));
    losses.draw(
      [
        ...levels.map(([, y]) => ({
          points: [
            [0, y],
            [model.get("steps"), y],
          ],
          class: "level",
        })),
        ...all.map((run) => ({
          points: run.smooth.map((loss, i) => [i + 1, loss]),
          class: lookOf(run),
          end: endOf(run, all),
          name: nameOf(run),
        })),
      ],
      {
        x: [0, model.get("steps")],
        y: [0, Math.min(top, 4) * 1.04 || 1],
        told: `Loss over steps. Last values: ${told || "no run yet"}.`,
      },
    );
    const longest = Math.max(1, ...all.map(({ loss }) => loss.length));
    if (kept.follow && at.get() !== longest) at.set(longest);
    const step = at.get();
    const shown = all.filter(({ loss }) => loss.length >= step).map((run) => ({ run, norms: run.norms(step - 1) }));
    const sizes = shown.flatMap(({ norms }) => norms).filter((norm) => norm > 0);
    const [low, high] = sizes.length ? limits(sizes) : [0.1, 1];
    gradientTitle.textContent = `Gradient that reaches each layer, step ${step}`;
    const ends = ({ run, norms }) =>
      `${nameOf(run)}: first layer ${brief(norms[0])}, last layer ${brief(norms.at(-1))}`;
    gradients.draw(
      shown.map(({ run, norms }) => ({
        points: norms.map((norm, i) => [i + 1, norm]),
        class: lookOf(run),
        name: nameOf(run),
      })),
      {
        x: [1, Math.max(2, ...shown.map(({ run }) => run.depth))],
        y: [Math.min(low * 0.8, high / 10), high * 1.25],
        told: `Gradient norm per layer at step ${step}. ${shown.map(ends).join("; ") || "No run yet"}.`,
      },
    );
  }

  // A small number in few signs.
  function brief(value) {
    return value >= 0.0095 || value === 0
      ? format(value, value >= 10 ? 0 : 2)
      : value.toExponential(0).replace("-", "−");
  }
  return { losses, gradients, gradientTitle, drawCharts };
}

// The runs so far, to point at.
function runList({ model, signal, kept, redraw }) {
  const list = element("div", { class: "dl-runs", role: "list", "aria-label": "Runs" });

  function drawList() {
    const all = kept.live ? [...kept.runs, kept.live] : kept.runs;
    list.replaceChildren(
      ...all.map((run) => {
        const sample = svg(
          "svg",
          { class: "line-chart dl-sample", width: 34, height: 10, "aria-hidden": "true" },
          svg("path", { class: `line ${run.norm} ${run.warmup ? "warm" : "cold"} strong`, d: "M1 5H33" }),
        );
        const remove =
          run === kept.live
            ? null
            : button({
                label: "×",
                name: `Take out: ${nameOf(run)}`,
                signal,
                onClick: () => {
                  kept.pointed = null;
                  change(model, { shown: model.get("shown").filter(({ id }) => id !== run.id) });
                },
              });
        const row = element(
          "div",
          { class: "dl-run", role: "listitem" },
          sample,
          element("span", { class: "dl-name", text: nameOf(run) }),
          element("b", { class: "number", text: run.smooth.length ? format(run.smooth.at(-1)) : "…" }),
          element("span", {
            class: "note",
            text:
              run === kept.live
                ? "training"
                : run.stopped || `${run.steps} steps${run.seconds ? `, ${format(run.seconds, 1)} s` : ""}`,
          }),
          remove,
        );
        listen(row, "pointerenter", signal, () => point(run.id));
        listen(row, "pointerleave", signal, () => point(null));
        listen(row, "focusin", signal, () => point(run.id));
        listen(row, "focusout", signal, () => point(null));
        return row;
      }),
    );
  }

  function point(id) {
    kept.pointed = id;
    redraw();
  }
  return { list, drawList };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("depth-lab");
  // What this view remembers between drawings.
  const kept = { runs: [], live: null, pointed: null, follow: true };

  // ---------------------------------------------------------------- choices
  const depths = model.get("depths");
  const depth = slider({
    label: "Depth",
    min: 0,
    max: depths.length - 1,
    step: 1,
    value: Math.max(0, depths.indexOf(model.get("depth"))),
    signal,
    format: (i) => `${depths[i]} layers`,
    onInput: (i) => change(model, { depth: depths[i] }),
  });
  const placement = radioRow({
    label: "Where the norms are",
    choices: PLACES,
    signal,
    onChoose: (place) => change(model, { norm: place }),
  });
  const warmup = toggleButton({
    label: "Warm-up",
    pressed: model.get("warmup"),
    signal,
    onToggle: (on) => change(model, { warmup: on }),
  });
  const seed = select({
    label: "Seed",
    options: ["0", "1", "2", "3", "4"],
    value: model.get("seed"),
    signal,
    onChange: (value) => change(model, { seed: Number(value) }),
  });
  const { ask, line } = request({ model, signal });
  const train = button({
    label: "Train",
    primary: true,
    signal,
    onClick: () => {
      if (!model.get("running")) ask({ do: "train" });
    },
  });
  const stop = button({ label: "Stop", signal, onClick: () => ask({ do: "stop" }) });
  const status = element("span", { class: "note", role: "status" });
  const progress = element("div", { class: "dl-progress", "aria-hidden": "true" }, element("i"));
  const at = slider({
    label: "At step",
    min: 1,
    max: Math.max(model.get("steps"), 1),
    step: 1,
    value: 1,
    signal,
    format: (step) => String(step),
    onInput: () => {
      kept.follow = false;
      redraw();
    },
  });
  const { losses, gradients, gradientTitle, drawCharts } = runCharts({ model, kept, at });

  const redraw = frame(drawCharts, signal);
  const { list, drawList } = runList({ model, signal, kept, redraw });
  root.append(
    heading(model.get("label"), status),
    element("div", { class: "row dl-choices" }, depth.node, placement.node, warmup.node, seed.node, train, stop),
    progress,
    line,
    element(
      "div",
      { class: "dl-two" },
      element(
        "div",
        { class: "panel" },
        element("div", { class: "dl-title", text: "Loss: cross-entropy of the words' tags" }),
        losses.node,
        Object.entries(model.get("levels")).map(([text, y]) =>
          element(
            "div",
            { class: "dl-level" },
            svg(
              "svg",
              { class: "line-chart dl-sample", width: 34, height: 10, "aria-hidden": "true" },
              svg("path", { class: "line level", d: "M1 5H33" }),
            ),
            `${text}: ${format(y)}`,
          ),
        ),
      ),
      element("div", { class: "panel" }, gradientTitle, gradients.node, at.node),
    ),
    list,
  );

  function drawStatus() {
    const running = model.get("running");
    const steps = model.get("steps"),
      done = kept.live?.loss.length ?? 0;
    train.disabled = running;
    stop.disabled = !running || model.get("stopping");
    status.textContent = running
      ? `step ${done} of ${steps}`
      : kept.runs.length
        ? ""
        : "Choose, and press Train. Each run takes seconds.";
    progress.classList.toggle("away", !running);
    progress.firstChild.style.width = `${(done / steps) * 100}%`;
    placement.set(model.get("norm"));
    warmup.set(model.get("warmup"));
    seed.set(model.get("seed"));
    const i = depths.indexOf(model.get("depth"));
    if (i >= 0 && depth.get() !== i) depth.set(i);
  }
  const refresh = frame(() => {
    drawStatus();
    drawCharts();
    drawList();
  }, signal);
  const readRuns = () => {
    const curves = model.get("curves");
    const known = new Map(kept.runs.map((run) => [run.id, run]));
    const list = model.get("shown");
    // While one of the two lists is still on its way, a run keeps the curve it had.
    kept.runs = list
      .map((run, i) => known.get(run.id) ?? (curves.length === list.length ? unpackRun(run, curves[i]) : null))
      .filter(Boolean);
  };
  const readLive = () => {
    const run = model.get("live");
    kept.live = run.id ? unpackRun(run, model.get("live_curve")) : null;
  };
  onChange(model, signal, ["shown", "curves"], () => {
    readRuns();
    refresh();
  });
  onChange(model, signal, ["live", "live_curve"], () => {
    readLive();
    refresh();
  });
  onChange(model, signal, ["running", "stopping", "norm", "warmup", "seed", "depth"], refresh);
  onChange(model, signal, "error", () => line.replaceChildren(model.get("error")));
  onChange(model, signal, "running", () => {
    if (model.get("running")) kept.follow = true;
    else if (kept.runs.length)
      announce(root, `Done. ${nameOf(kept.runs.at(-1))}: loss ${format(kept.runs.at(-1).smooth.at(-1))}.`);
  });
  readRuns();
  readLive();
  drawStatus();
  drawCharts();
  drawList();
  return cleanup;
}

export default { render };
