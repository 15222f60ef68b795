// The kit's controls: sliders, buttons, choices, lines of text.

import { element, focusable, listen, uniqueId } from "./elements.js";
import { clamp, format } from "./format.js";

// A labelled slider: {node, input, output, set(value), get()}. `format` makes the text shown and spoken, `caption`
// (text or node) is shown in place of `label` where that is too long, `tint` names the role that it sets, if any.
export function slider({
  label,
  caption,
  min,
  max,
  step = "any",
  value,
  format: shown,
  signal,
  onInput,
  tint = "accent",
}) {
  const id = uniqueId("slider");
  const show = shown ?? ((number) => format(number));
  const name = caption ? label : null;
  const input = element(
    "input",
    focusable({ type: "range", id, min, max, step, class: "slider", tabindex: null, "aria-label": name }),
  );
  const output = element("output", { class: "value", for: id });
  const node = element(
    "div",
    { class: "control slider-control", style: { "--tint": `var(--${tint.replaceAll("_", "-")})` } },
    element("label", { for: id, class: "caption" }, caption ?? label),
    input,
    output,
  );
  const say = () => {
    const text = show(Number(input.value));
    output.textContent = text;
    input.setAttribute("aria-valuetext", text);
    input.style.setProperty("--part", String((input.value - min) / (max - min || 1)));
  };
  const set = (next) => {
    input.value = String(next);
    say();
  };
  listen(input, "input", signal, () => {
    say();
    onInput?.(Number(input.value));
  });
  set(value);
  return { node, input, output, set, get: () => Number(input.value) };
}

// A push button; `label` is its text, `name` its accessible name where the text is a mere sign.
export function button({ label, name, signal, onClick, primary = false, title }) {
  const look = primary ? "button primary" : "button";
  const node = element(
    "button",
    focusable({ type: "button", class: look, "aria-label": name, title, tabindex: null }),
    label,
  );
  listen(node, "click", signal, (event) => onClick?.(event));
  return node;
}

// A button that stays pressed: {node, set(pressed), get()}; aria-pressed and its sign carry the state. The sign is a
// switch, or a triangle where `look` is "play".
export function toggleButton({ label, name, pressed = false, look = "toggle", signal, onToggle }) {
  const node = button({
    label,
    name,
    signal,
    onClick: () => {
      set(!get());
      onToggle?.(get());
    },
  });
  node.classList.add(look);
  const get = () => node.getAttribute("aria-pressed") === "true";
  const set = (next) => node.setAttribute("aria-pressed", String(Boolean(next)));
  set(pressed);
  return { node, set, get };
}

// A labelled choice among `options` ([{value, label}] or strings): {node, input, set(value), get(), setOptions(list)}.
export function select({ label, options, value, signal, onChange: chosen }) {
  const id = uniqueId("select");
  const input = element("select", focusable({ id, tabindex: null, class: "select" }));
  const setOptions = (list) => {
    const items = list.map((item) => (typeof item === "object" ? item : { value: item, label: item }));
    input.replaceChildren(
      ...items.map((item) => element("option", { value: item.value, dir: "auto", text: item.label })),
    );
  };
  const set = (next) => {
    input.value = String(next);
  };
  setOptions(options);
  if (value !== undefined) set(value);
  listen(input, "change", signal, () => chosen?.(input.value));
  const node = element(
    "div",
    { class: "control" },
    element("label", { for: id, class: "caption", text: label }),
    input,
  );
  return { node, input, set, get: () => input.value, setOptions };
}

// Buttons of which one is chosen: {node, nodes, set(value)}; `choices` are {value: label}, `onChoose(value)` is told
// another one. `set` with none of the values leaves none chosen; arrow keys skip what is disabled.
export function radioRow({ label, choices, signal, onChoose }) {
  const values = Object.keys(choices);
  const nodes = values.map((value) => button({ label: choices[value], signal, onClick: () => onChoose(value) }));
  const node = element("div", { class: "row", role: "radiogroup", "aria-label": label }, nodes);
  let chosen = 0;
  nodes.forEach((each) => each.setAttribute("role", "radio"));
  const set = (value) => {
    chosen = values.indexOf(value);
    nodes.forEach((each, i) => {
      each.setAttribute("aria-checked", String(i === chosen));
      each.tabIndex = i === Math.max(0, chosen) ? 0 : -1;
    });
  };
  listen(node, "keydown", signal, (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    let next = nodes.indexOf(document.activeElement);
    do next = (next + by + values.length) % values.length;
    while (nodes[next].disabled);
    set(values[next]);
    onChoose(values[next]);
    nodes[next].focus();
  });
  return { node, nodes, set };
}

// A labelled line of text: {node, input, set(text), get(), error(text)}; onInput per key, onCommit on Enter or leaving.
export function textField({ label, value = "", placeholder, maxlength, signal, onInput, onCommit }) {
  const id = uniqueId("text");
  const line = element("div", { class: "error", id: `${id}-error`, role: "status", "aria-live": "polite" });
  const input = element(
    "input",
    focusable({
      type: "text",
      id,
      tabindex: null,
      class: "text",
      dir: "auto",
      maxlength,
      placeholder,
      autocomplete: "off",
      spellcheck: "false",
      "aria-describedby": `${id}-error`,
    }),
  );
  const caption = element("label", { for: id, class: "caption", text: label });
  const node = element("div", { class: "control text-control" }, caption, input, line);
  const error = (text) => {
    line.textContent = text ?? "";
    input.setAttribute("aria-invalid", String(Boolean(text)));
  };
  input.value = value;
  let committed = value;
  const commit = () => {
    if (input.value === committed) return;
    committed = input.value;
    onCommit?.(input.value);
  };
  listen(input, "input", signal, () => onInput?.(input.value));
  listen(input, "change", signal, commit);
  listen(input, "keydown", signal, (event) => {
    if (event.key === "Enter" && !event.isComposing) commit();
  });
  return {
    node,
    input,
    error,
    get: () => input.value,
    set: (text) => {
      input.value = text;
      committed = text;
    },
  };
}

// The widget's heading and, beside it, room for controls.
export function heading(text, ...controls) {
  return element("div", { class: "heading" }, element("div", { class: "title", text }), ...controls);
}

// Where an arrow key, Home or End leads in a grid: [row, column], or null for another key.
export function arrowMove(event, row, column, rows, columns) {
  const moves = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: [event.ctrlKey ? 0 : row, 0],
    End: [event.ctrlKey ? rows - 1 : row, columns - 1],
  };
  const to = moves[event.key];
  return to ? [clamp(to[0], 0, rows - 1), clamp(to[1], 0, columns - 1)] : null;
}
