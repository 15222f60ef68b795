// What widgets share that ask Python something: the question, the wait for its answer, and a field for a sentence.

import { button, textField } from "./controls.js";
import { element, focusable, listen, uniqueId, word } from "./elements.js";
import { clamp } from "./format.js";
import { change, frame, onChange } from "./life.js";

const PATIENCE = 20000; // milliseconds until a question without an answer is given up
const NO_ANSWER = "No answer came: the kernel is busy or not running. What is shown is older.";

// Asks Python: ask(question, traits), with other traits that the page sets at once. `onAnswer(error)` hears of the
// answer to the latest question alone: one that comes late, after another question, is not told.
export function asking({ model, signal, onAnswer }) {
  onChange(model, signal, "answered", () => {
    const { id = model.get("answered") } = model.get("question");
    if (id === model.get("answered")) onAnswer(model.get("error"));
  });
  return (question, traits = {}) => {
    const id = Math.max(model.get("question").id ?? 0, model.get("answered")) + 1; // the same question again is one too
    change(model, { ...traits, question: { ...question, id } });
  };
}

// The same with a wait: {ask(question, traits), line}. What a question leaves out is as in the one before. The shown
// line tells errors; `onBusy(on)` while it waits, `onAnswer()` after a good answer, as soon as its data are drawn: its
// parts arrive one by one, views draw with the next frame.
export function request({ model, signal, onBusy, onAnswer }) {
  const line = element("div", { class: "error", role: "status", "aria-live": "polite" });
  let waiting = 0;
  const settle = (text) => {
    clearTimeout(waiting);
    onBusy?.(false);
    line.textContent = text;
  };
  const drawn = frame(() => requestAnimationFrame(() => signal.aborted || onAnswer?.()), signal);
  const send = asking({
    model,
    signal,
    onAnswer: (error) => {
      settle(error);
      if (!error) drawn();
    },
  });
  const ask = (question, traits) => {
    line.textContent = "";
    onBusy?.(true);
    clearTimeout(waiting);
    waiting = setTimeout(() => settle(NO_ANSWER), PATIENCE);
    send({ ...model.get("question"), ...question }, traits);
  };
  signal.addEventListener("abort", () => clearTimeout(waiting));
  return { ask, line };
}

// A line for a sentence with its button, the view's main one unless another is: {node, busy(on), set(text)}.
export function sentenceForm({ value, label = "Sentence", action = "Compute", primary = true, signal, onSentence }) {
  const field = textField({ label, value, signal, onCommit: (text) => onSentence(text) });
  const go = button({ label: action, primary, signal, onClick: () => onSentence(field.get()) });
  const busy = (on) => {
    go.disabled = on;
    go.textContent = on ? "Computing …" : action;
  };
  field.node.querySelector(".error").remove();
  field.input.removeAttribute("aria-describedby");
  return { node: element("div", { class: "sentence-form" }, field.node, go), busy, set: field.set, get: field.get };
}

// Words to choose one from, with arrow keys: {node, set(words), choose(i)}.
export function wordPicker({ label, signal, onPick }) {
  const list = element(
    "div",
    focusable({ class: "word-list", role: "listbox", "aria-label": label, "aria-orientation": "horizontal" }),
  );
  let chosen = 0;
  const choose = (i) => {
    chosen = i;
    [...list.children].forEach((node, k) => node.setAttribute("aria-selected", String(k === i)));
    list.setAttribute("aria-activedescendant", list.children[i]?.id ?? "");
  };
  const set = (words) =>
    list.replaceChildren(
      ...words.map((text, i) => {
        const node = word(text, { role: "option", id: uniqueId("word"), "aria-label": `${text}, position ${i}` });
        listen(node, "click", signal, () => onPick(i));
        return node;
      }),
    );
  listen(list, "keydown", signal, (event) => {
    const count = list.children.length;
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -count, End: count }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onPick(clamp(chosen + by, 0, count - 1));
  });
  const node = element("div", { class: "word-picker" }, element("span", { class: "caption", text: `${label}:` }), list);
  return { node, set, choose };
}
