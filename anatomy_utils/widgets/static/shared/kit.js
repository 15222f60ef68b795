// The kit: what every widget of the course shares. Its text stands in front of each widget's module, so its
// functions are simply in scope there; a module adds `export default { render }` and nothing else global.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const TABLE_SIZE = 256;

// ---------------------------------------------------------------------------------------------------- elements

// A new HTML element; children are nodes, strings or nested lists of them, and strings are text, never HTML.
function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// The same for SVG.
function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

// Sets attributes: null and false remove one, true sets it empty; `text` sets textContent, `style` takes an object.
function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === "text") node.textContent = value;
    else if (name === "style" && typeof value === "object") {
      for (const [property, setting] of Object.entries(value ?? {})) node.style.setProperty(property, setting);
    } else if (value === null || value === undefined || value === false) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  return node;
}

function fill(node, attributes, children) {
  setAttributes(node, attributes);
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// A page-wide unique id, so that several views of one model never share one.
function uniqueId(prefix = "anatomy") {
  globalThis.anatomyIds = (globalThis.anatomyIds ?? 0) + 1;
  return `${prefix}-${globalThis.anatomyIds}`;
}

// A learner's word as an element: direction found out by the browser, white space kept.
function word(text, attributes = {}) {
  return element("bdi", { dir: "auto", class: "word", ...attributes, text });
}

// Shows a label's text short enough for a cell: at most `limit` characters (whole emoji), with an ellipsis.
function shorten(text, limit = 14) {
  const letters = typeof Intl.Segmenter === "function"
    ? Array.from(new Intl.Segmenter().segment(text), (part) => part.segment)
    : Array.from(text);
  return letters.length > limit ? `${letters.slice(0, limit - 1).join("")}…` : text;
}

// A sentence as nodes: `code` between backticks, *stressed* words between asterisks, everything else as text.
function prose(text) {
  return text.split(/(`[^`]+`|\*[^\s*](?:[^*]*[^\s*])?\*)/).filter(Boolean).map((piece) => {
    if (piece.length > 2 && piece.startsWith("`")) return element("code", {}, piece.slice(1, -1));
    if (piece.length > 2 && piece.startsWith("*")) return element("em", {}, piece.slice(1, -1));
    return document.createTextNode(piece);
  });
}

// What makes an element reachable: JupyterLab must not take its keys (`d d` deletes a cell).
function focusable(attributes = {}) {
  return { tabindex: 0, "data-lm-suppress-shortcuts": "true", ...attributes };
}

// ---------------------------------------------------------------------------------------------------- root and life

// Turns `el` into a widget: {root, signal, cleanup}. `signal` is aborted at clean-up; give it to every listener.
function widgetRoot(el, label) {
  const controller = new AbortController();
  const { signal } = controller;
  const live = element("div", { class: "visually-hidden", "aria-live": "polite", "aria-atomic": "true" });
  const root = element("div", { class: "anatomy", role: "group", "aria-label": label }, live);
  root.announcer = live;
  el.append(root);
  watchLook(root, signal);
  const cleanup = () => {
    controller.abort();
    root.remove();
  };
  return { root, signal, cleanup };
}

// Calls `callback` whenever one of the model's named traits changes, until clean-up.
function onChange(model, signal, names, callback) {
  const events = [names].flat().map((name) => `change:${name}`);
  for (const event of events) model.on(event, callback);
  signal.addEventListener("abort", () => events.forEach((event) => model.off(event, callback)));
}

// Runs `callback` at most once per frame: frame(draw, signal) gives a function to call as often as you like.
function frame(callback, signal) {
  let handle = 0;
  signal?.addEventListener("abort", () => cancelAnimationFrame(handle));
  return () => {
    if (handle || signal?.aborted) return;
    handle = requestAnimationFrame((time) => {
      handle = 0;
      callback(time);
    });
  };
}

// Runs `callback` at once; asked again before the next frame, it runs once more with that frame.
function promptly(callback, signal) {
  let ready = true;
  let asked = false;
  const nextFrame = frame(() => {
    const again = asked;
    asked = false;
    if (again) callback();
    ready = true;
  }, signal);
  return () => {
    nextFrame();
    if (!ready || signal?.aborted) asked = true;
    else {
      ready = false;
      callback();
    }
  };
}

// Runs `callback` when the page has nothing else to do; returns what calls it off.
function whenIdle(callback) {
  if (typeof requestIdleCallback !== "function") {
    const handle = setTimeout(callback, 100);
    return () => clearTimeout(handle);
  }
  const handle = requestIdleCallback(callback);
  return () => cancelIdleCallback(handle);
}

// Says `text` through the widget's one aria-live region.
function announce(root, text) {
  root.announcer.textContent = text;
}

// Whether the reader asked for less motion.
function prefersReducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

// Moves a list of numbers smoothly: draw(numbers, done) each frame, at once where motion is to be reduced. Returns a stop
// function.
function tween(from, to, milliseconds, draw, signal) {
  const start = performance.now();
  const still = prefersReducedMotion() || milliseconds <= 0;
  let handle = 0;
  const step = (time) => {
    const part = still ? 1 : clamp((time - start) / milliseconds, 0, 1);
    const eased = part * part * (3 - 2 * part);
    draw(from.map((value, i) => value + (to[i] - value) * eased), part === 1);
    if (part < 1) handle = requestAnimationFrame(step);
  };
  signal?.addEventListener("abort", () => cancelAnimationFrame(handle));
  if (still) step(start);
  else handle = requestAnimationFrame(step);
  return () => cancelAnimationFrame(handle);
}

// ---------------------------------------------------------------------------------------------------- theme and colour

// Colours as the page computes them, remembered per widget until the theme changes.
const looks = new WeakMap();

function watchLook(root, signal) {
  let told = "";
  const changed = () => {
    looks.delete(root);
    if (look(root).theme === told) return;
    told = look(root).theme;
    root.dispatchEvent(new CustomEvent("anatomy-theme"));
  };
  const observer = new MutationObserver(changed);
  const attributeFilter = ["class", "theme", "data-jp-theme-light", "data-jp-theme-name", "data-theme"];
  const attributes = { attributes: true, attributeFilter };
  observer.observe(document.documentElement, attributes);
  if (document.body) observer.observe(document.body, attributes);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed, { signal });
  // A view is rendered before it is attached, when no colour can be computed yet; its first size tells that it is.
  const attached = new ResizeObserver(changed);
  attached.observe(root);
  signal.addEventListener("abort", () => {
    observer.disconnect();
    attached.disconnect();
  });
}

function look(root) {
  let found = looks.get(root);
  if (found) return found;
  const style = getComputedStyle(root);
  const read = (name) => style.getPropertyValue(name).trim();
  found = { theme: read("--theme"), roles: new Map(), read };
  for (const map of ["sequential", "diverging"]) {
    found[map] = Array.from({ length: 5 }, (_, i) => hexChannels(read(`--${map}-${i}`)));
  }
  if (found.theme) looks.set(root, found);
  return found;
}

function hexChannels(hex) {
  const number = parseInt(hex.slice(1), 16) || 0;
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

function between(stops, part) {
  const place = clamp(Number.isFinite(part) ? part : 0, 0, 1) * (stops.length - 1);
  const low = Math.min(Math.floor(place), stops.length - 2);
  return stops[low].map((channel, i) => Math.round(channel + (stops[low + 1][i] - channel) * (place - low)));
}

// Calls `callback(theme)` each time the page's theme changes, and once when the widget is attached and has colours.
function onTheme(root, signal, callback) {
  root.addEventListener("anatomy-theme", () => callback(look(root).theme), { signal });
}

// "light" or "dark", as the page is now ("" before the widget is attached).
function theme(root) {
  return look(root).theme;
}

// A role's colour on this page, e.g. colour(root, "query"); in CSS and SVG write var(--query) instead.
function colour(root, role) {
  const { roles, read } = look(root);
  if (!roles.get(role)) roles.set(role, read(`--${role.replaceAll("_", "-")}`));
  return roles.get(role);
}

// The colour of a weight from 0 to 1, as "rgb(r, g, b)".
function sequentialColour(root, weight) {
  return `rgb(${between(look(root).sequential, weight).join(", ")})`;
}

// The colour of a signed value from −1 to 1 (divide by your limit first), as "rgb(r, g, b)".
function diverging(root, value) {
  return `rgb(${between(look(root).diverging, ((Number.isFinite(value) ? value : 0) + 1) / 2).join(", ")})`;
}

// Black or white, whichever reads better on "rgb(r, g, b)".
function readableOn(rgb) {
  const [red, green, blue] = rgb.match(/[\d.]+/g).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

// 256 RGBA colours of the "sequential" or "diverging" map, for pixel-wise painting: Uint8ClampedArray(1024).
function colourTable(root, map = "sequential") {
  const table = new Uint8ClampedArray(TABLE_SIZE * 4);
  for (let i = 0; i < TABLE_SIZE; i += 1) table.set([...between(look(root)[map], i / (TABLE_SIZE - 1)), 255], i * 4);
  return table;
}

// A canvas drawn sharply at the screen's density: {node, context, resize(width, height)} in CSS pixels.
function canvas(attributes = {}) {
  const node = element("canvas", attributes);
  const context = node.getContext("2d");
  const resize = (width, height) => {
    const density = Math.max(1, globalThis.devicePixelRatio || 1);
    node.width = Math.round(width * density);
    node.height = Math.round(height * density);
    node.style.width = `${width}px`;
    node.style.height = `${height}px`;
    context.setTransform(density, 0, 0, density, 0, 0);
  };
  return { node, context, resize };
}

// ---------------------------------------------------------------------------------------------------- numbers

// A binary trait's float32 numbers, as an aligned copy.
function floats(view) {
  if (!view) return new Float32Array(0);
  const { buffer, byteOffset, byteLength } = view;
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

// A binary trait's bytes, as a copy.
function bytes(view) {
  if (!view) return new Uint8Array(0);
  const { buffer, byteOffset, byteLength } = view;
  return new Uint8Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

// Softmax over an array; −∞ gets weight 0, and where everything is −∞ all weights are 0.
function softmax(values) {
  let largest = -Infinity;
  for (const value of values) if (value > largest) largest = value;
  const weights = new Float64Array(values.length);
  if (largest === -Infinity) return weights;
  let total = 0;
  for (let i = 0; i < values.length; i += 1) total += weights[i] = Math.exp(values[i] - largest);
  for (let i = 0; i < values.length; i += 1) weights[i] /= total;
  return weights;
}

// `value` kept between `low` and `high`.
function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}

// A number as people write it: fixed digits, a real minus sign, never “−0.00”.
function format(value, digits = 2) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

// ---------------------------------------------------------------------------------------------------- controls

// A labelled slider: {node, input, output, set(value), get()}. `format` makes the text shown and spoken, `caption` (text or
// node) is shown in place of `label` where that is too long, `tint` names the role whose colour it has.
function slider({ label, caption, min, max, step = "any", value, format: shown, signal, onInput, tint = "query" }) {
  const id = uniqueId("slider");
  const show = shown ?? ((number) => format(number));
  const name = caption ? label : null;
  const input = element("input", focusable({ type: "range", id, min, max, step, class: "slider", tabindex: null, "aria-label": name }));
  const output = element("output", { class: "value", for: id });
  const node = element("div", { class: "control slider-control", style: { "--tint": `var(--${tint.replaceAll("_", "-")})` } },
    element("label", { for: id, class: "caption" }, caption ?? label), input, output);
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
  input.addEventListener("input", () => {
    say();
    onInput?.(Number(input.value));
  }, { signal });
  set(value);
  return { node, input, output, set, get: () => Number(input.value) };
}

// A push button; `label` is its text, `name` its accessible name where the text is a mere sign.
function button({ label, name, signal, onClick, primary = false, title }) {
  const look = primary ? "button primary" : "button";
  const node = element("button", focusable({ type: "button", class: look, "aria-label": name, title, tabindex: null }), label);
  node.addEventListener("click", (event) => onClick?.(event), { signal });
  return node;
}

// A button that stays pressed: {node, set(pressed), get()}; aria-pressed and a tick carry the state.
function toggleButton({ label, name, pressed = false, signal, onToggle }) {
  const node = button({ label, name, signal, onClick: () => {
    set(!get());
    onToggle?.(get());
  } });
  node.classList.add("toggle");
  const get = () => node.getAttribute("aria-pressed") === "true";
  const set = (next) => node.setAttribute("aria-pressed", String(Boolean(next)));
  set(pressed);
  return { node, set, get };
}

// A labelled choice among `options` ([{value, label}] or strings): {node, input, set(value), get(), setOptions(list)}.
function select({ label, options, value, signal, onChange: chosen }) {
  const id = uniqueId("select");
  const input = element("select", focusable({ id, tabindex: null, class: "select" }));
  const setOptions = (list) => {
    const items = list.map((item) => (typeof item === "object" ? item : { value: item, label: item }));
    input.replaceChildren(...items.map((item) => element("option", { value: item.value, dir: "auto", text: item.label })));
  };
  const set = (next) => {
    input.value = String(next);
  };
  setOptions(options);
  if (value !== undefined) set(value);
  input.addEventListener("change", () => chosen?.(input.value), { signal });
  const node = element("div", { class: "control" }, element("label", { for: id, class: "caption", text: label }), input);
  return { node, input, set, get: () => input.value, setOptions };
}

// A labelled line of text: {node, input, set(text), get(), error(text)}; onInput per key, onCommit on Enter or leaving.
function textField({ label, value = "", placeholder, maxlength = 300, signal, onInput, onCommit }) {
  const id = uniqueId("text");
  const line = element("div", { class: "error", id: `${id}-error`, role: "status", "aria-live": "polite" });
  const input = element("input", focusable({ type: "text", id, tabindex: null, class: "text", dir: "auto", maxlength, placeholder,
    autocomplete: "off", spellcheck: "false", "aria-describedby": `${id}-error` }));
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
  input.addEventListener("input", () => onInput?.(input.value), { signal });
  input.addEventListener("change", commit, { signal });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) commit();
  }, { signal });
  return {
    node, input, error,
    get: () => input.value,
    set: (text) => {
      input.value = text;
      committed = text;
    },
  };
}

// The widget's heading and, beside it, room for controls.
function heading(text, ...controls) {
  return element("div", { class: "heading" }, element("div", { class: "title", text }), ...controls);
}

// Where an arrow key, Home or End leads in a grid: [row, column], or null for another key.
function arrowMove(event, row, column, rows, columns) {
  const moves = {
    ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1],
    Home: [event.ctrlKey ? 0 : row, 0], End: [event.ctrlKey ? rows - 1 : row, columns - 1],
  };
  const to = moves[event.key];
  return to ? [clamp(to[0], 0, rows - 1), clamp(to[1], 0, columns - 1)] : null;
}
