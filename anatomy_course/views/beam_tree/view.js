// The beam tree: a column for every step of a beam search, likeliest on top, each text joined to the one it continues.

import { button, heading, select, slider } from "../_kit/controls.js";
import { announce, element, listen, setAttributes, svg } from "../_kit/elements.js";
import { clamp, grouped } from "../_kit/format.js";
import { change, frame, onChange, widgetRoot } from "../_kit/life.js";
import { request, sentenceForm } from "../_kit/request.js";
import { onTheme } from "../_kit/theme.js";
import { BOX, resultList, treeDrawing } from "./drawing.js";

const PENALTIES = [0, 0.5, 1, 1.5, 2];
const MOST_BEAMS = 5;

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("beams");
  // [step, row] of the text that is told in full; null for the likeliest of the last step shown
  const pointed = { chosen: null };
  const questions = request({
    model,
    signal,
    onBusy: (on) => {
      form.busy(on);
      setAttributes(scroll, { "aria-busy": on ? "true" : null });
    },
    onAnswer: () => announce(root, told()),
  });
  const { ask } = questions;
  const show = (step) => {
    change(model, { step: clamp(step, 1, steps()) });
    pointed.chosen = null;
    announce(root, told());
  };
  const steps = () => model.get("columns").length;
  const shown = () => clamp(model.get("step"), 1, steps());
  const done = () => shown() === steps();

  // ---------------------------------------------------------------- controls
  const form = sentenceForm({
    value: model.get("prompt_text"),
    label: "Text to continue",
    action: "Search",
    signal,
    onSentence: (prompt) => ask({ prompt }),
  });
  const width = select({
    label: "Beams kept",
    options: Array.from({ length: MOST_BEAMS }, (_, i) => i + 1),
    signal,
    onChange: (value) => ask({ num_beams: Number(value) }),
  });
  const penalty = select({
    label: "Length penalty",
    options: PENALTIES,
    signal,
    onChange: (value) => ask({ length_penalty: Number(value) }),
  });
  const back = button({ label: "◀ Back", name: "Back", signal, onClick: () => show(shown() - 1) });
  const next = button({
    label: "Next step ▶",
    name: "Next step",
    primary: true,
    signal,
    onClick: () => show(shown() + 1),
  });
  const count = slider({
    label: "Step",
    min: 1,
    max: steps(),
    step: 1,
    value: shown(),
    signal,
    format: (step) => `${step} of ${steps()}`,
    onInput: (step) => show(step),
  });
  const looked = element("p", { class: "note" });

  // ---------------------------------------------------------------- tree, one text in full, results
  const lines = svg("svg", { class: "bt-lines", "aria-hidden": "true" });
  const sheet = element(
    "div",
    { class: "bt-sheet", role: "group", "aria-label": "The tree: arrow keys go from text to text" },
    lines,
  );
  const scroll = element("div", { class: "scroll bt-scroll" }, sheet);
  const detail = element("div", { class: "bt-detail" });
  const { results, drawResults } = resultList({ model, done });
  const key = element(
    "div",
    { class: "row bt-key", "aria-hidden": "true" },
    [
      ["bt-alive", "goes on"],
      ["bt-ended", "■ complete, among the best"],
      ["bt-dropped", "✕ dropped"],
      ["bt-greedy", "G greedy choice"],
    ].map(([css, text]) => element("span", { class: `bt-sample ${css}`, text })),
  );
  root.append(
    heading(model.get("label"), key),
    form.node,
    questions.line,
    element("div", { class: "bt-controls" }, back, next, count.node, width.node, penalty.node),
    looked,
    scroll,
    element("div", { class: "bt-below" }, detail, results),
  );

  function told() {
    const column = model.get("columns")[shown() - 1];
    const names = (fate) =>
      column
        .filter((node) => node.fate === fate)
        .map((node) => node.word)
        .join(", ");
    return (
      `Step ${shown()} of ${steps()}. Going on: ` +
      `${names("alive") || "none"}.${names("ended") ? ` Complete: ${names("ended")}.` : ""}`
    );
  }
  const { choose, at, drawTree } = treeDrawing({ model, signal, steps, pointed, shown, done, lines, sheet, detail });

  listen(sheet, "keydown", signal, (event) => {
    const place = event.target.dataset?.place?.split(" ").map(Number);
    if (!place) return;
    const columns = model.get("columns").slice(0, shown());
    const [step, row] = place;
    const child = columns[step + 1]?.findIndex((node) => node.parent === row) ?? -1;
    const to = {
      ArrowUp: [step, row - 1],
      ArrowDown: [step, row + 1],
      ArrowLeft: [step - 1, columns[step][row].parent],
      ArrowRight: [step + 1, child],
      Home: [step, 0],
      End: [step, columns[step].length - 1],
    }[event.key];
    if (!to) return;
    event.preventDefault();
    if (!columns[to[0]]?.[to[1]]) return;
    choose(...to);
    sheet.querySelector(`[data-place="${to.join(" ")}"]`).scrollIntoView({ block: "nearest", inline: "nearest" });
  });

  const draw = () => {
    const kept = model.get("num_beams"),
      column = model.get("columns")[shown() - 1];
    const open = shown() === 1 ? 1 : model.get("columns")[shown() - 2].filter((node) => node.fate === "alive").length;
    width.set(kept);
    penalty.set(model.get("length_penalty"));
    setAttributes(count.input, { max: steps() });
    count.set(shown());
    const held = document.activeElement;
    back.disabled = shown() === 1;
    next.disabled = done();
    if (held === back && back.disabled) next.focus(); // a key pressed in the void would reach the notebook
    if (held === next && next.disabled) back.focus();
    looked.textContent =
      `Step ${shown()}: ${open === 1 ? "1 open text" : `${open} open texts`} × ${grouped(model.get("vocab_size"))} ` +
      `tokens = ${grouped(open * model.get("vocab_size"))} continuations. The ${column.length} likeliest are drawn, ` +
      `with their log-probabilities; at most ${kept} go on.`;
    drawTree();
    drawResults();
    // The place in a longer tree is kept by the page, and may lie beyond the end of this one.
    scroll.scrollLeft = Math.max(0, at(shown() - 1, 0)[0] + BOX.wide + 20 - scroll.clientWidth);
  };
  const redraw = frame(draw, signal);
  onChange(model, signal, "columns", () => {
    pointed.chosen = null;
  });
  onChange(model, signal, ["columns", "step", "num_beams", "length_penalty"], redraw);
  onTheme(root, signal, redraw); // called once when attached, too: only then the tree has a width to scroll in
  onChange(model, signal, "prompt_text", () => form.set(model.get("prompt_text")));
  draw();
  return cleanup;
}

export default { render };
