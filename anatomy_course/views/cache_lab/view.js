// The cache lab: a grid of steps and positions, running totals, the bytes of a position, and the clock beside the
// theory.

import { button, heading, slider, toggleButton } from "../_kit/controls.js";
import { announce, element, focusable, shorten, word } from "../_kit/elements.js";
import { clamp, grouped } from "../_kit/format.js";
import { change, frame, onChange, widgetRoot } from "../_kit/life.js";
import { request } from "../_kit/request.js";
import { clockCharts, runningTotals, stepGrid } from "./panels.js";

const TOKEN_TEXT = 9;

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("cache-lab");
  const prompt = model.get("prompt"),
    written = model.get("written"),
    entry = model.get("entry"),
    work = model.get("work");
  const columns = [...prompt, ...written.slice(0, -1)];
  const perPosition = entry.bytes;
  const step = () => clamp(model.get("step"), 0, written.length - 1);
  const stepName = (i) => (i ? `step ${i}` : "step 0: the prompt");

  // ---------------------------------------------------------------- the grid
  const cache = toggleButton({
    label: "Cache",
    pressed: model.get("cached"),
    signal,
    onToggle: (on) => change(model, { cached: on }),
  });
  const at = slider({
    label: "Step",
    min: 0,
    max: written.length - 1,
    step: 1,
    value: step(),
    signal,
    format: (i) => `${i} of ${written.length - 1}`,
    onInput: (i) => change(model, { step: i }),
  });
  const { table, rows, said, drawGrid } = stepGrid({
    model,
    signal,
    prompt,
    written,
    columns,
    stepName,
    step,
    cache,
    at,
  });
  table.style.setProperty("--columns", columns.length);
  table.append(
    element(
      "div",
      { class: "cl-row cl-head" },
      element("span", { class: "cl-step" }),
      columns.map((text, i) =>
        element(
          "span",
          { class: i < prompt.length ? "cl-token" : "cl-token cl-new", title: text },
          word(shorten(text, TOKEN_TEXT)),
        ),
      ),
      element("span", { class: "cl-writes", text: "writes" }),
    ),
    ...rows.map(({ node }) => node),
  );
  const key = element(
    "div",
    { class: "row cl-keys", "aria-hidden": "true" },
    element("span", { class: "row" }, element("i", { class: "cl-cell computed" }), "key and value computed"),
    element("span", { class: "row" }, element("i", { class: "cl-cell again" }), "computed again"),
    element("span", { class: "row" }, element("i", { class: "cl-cell read" }), "read from the cache"),
  );
  const { sums, drawSums } = runningTotals({ model, prompt, perPosition, step });
  const formula = element(
    "div",
    { class: "cl-formula" },
    [
      "2 (a key, a value)",
      `${entry.layers} layers`,
      `${entry.kv_heads} key/value heads`,
      `${entry.d_head} numbers`,
      `${entry.number_bytes} bytes`,
    ].flatMap((text, i) => [i ? " × " : "", element("span", { class: i === 2 ? "cl-heads" : null, text })]),
    " = ",
    element("b", { text: `${grouped(perPosition)} bytes` }),
    " of each position",
  );
  const sharing =
    entry.heads === entry.kv_heads
      ? "Every query head has its own keys and values."
      : `${entry.heads} query heads share them; with keys and values of their own it would be ` +
        `${grouped((perPosition / entry.kv_heads) * entry.heads)} bytes.`;

  // ---------------------------------------------------------------- the clock
  const clockwork = { waiting: [], asked: 0, running: false, length: 0 };
  const questions = request({
    model,
    signal,
    onBusy: (on) => {
      clockwork.running = on;
      drawButtons();
    },
    onAnswer: () => clockwork.running || announce(root, secondsTold()),
  });
  const measure = button({
    label: "Measure",
    primary: true,
    signal,
    onClick: () => {
      change(model, { costs: [] });
      clockwork.waiting = work.map(([each]) => each);
      next();
    },
  });
  const stop = button({
    label: "Stop",
    signal,
    onClick: () => {
      clockwork.waiting = [];
      drawButtons();
    },
  });
  const status = element("span", { class: "note", role: "status" });
  const { secondsTold, clock, drawClock } = clockCharts({ model, questions, measure, stop, status, work, perPosition });

  root.append(
    heading(model.get("label"), cache.node),
    at.node,
    element(
      "div",
      { class: "panel" },
      key,
      element("div", focusable({ class: "scroll", role: "group", "aria-label": "Steps and positions" }), table),
      said,
    ),
    element(
      "div",
      { class: "cl-below" },
      element(
        "div",
        { class: "cl-left" },
        element("div", { class: "panel" }, element("div", { class: "cl-title", text: "Up to this step" }), sums),
        element(
          "div",
          { class: "panel" },
          element("div", { class: "cl-title", text: "What the cache takes" }),
          formula,
          element("div", { class: "note", text: sharing }),
        ),
      ),
      clock,
    ),
  );

  function next() {
    clockwork.length = clockwork.waiting.shift();
    clockwork.asked += 1; // the same length may be asked for twice
    questions.ask({ length: clockwork.length, asked: clockwork.asked });
  }

  function drawButtons() {
    measure.disabled = clockwork.running;
    stop.disabled = !clockwork.waiting.length;
    status.textContent = clockwork.running
      ? `measuring ${clockwork.length} positions …`
      : model.get("costs").length
        ? ""
        : "not measured yet";
  }

  const redraw = frame(() => {
    drawGrid();
    drawSums();
  }, signal);
  onChange(model, signal, ["cached", "step"], redraw);
  onChange(model, signal, "costs", frame(drawClock, signal));
  onChange(model, signal, "answered", () => {
    if (model.get("error")) clockwork.waiting = [];
    if (clockwork.waiting.length) next();
    drawButtons();
  });
  drawGrid();
  drawSums();
  drawClock();
  drawButtons();
  return cleanup;
}

export default { render };
