// The kit: what every widget of the course shares. Its files' text stands in front of each widget's module, so their
// functions are simply in scope there; a module adds `export default { render }` and nothing else global.
// Here: elements, and the life of a widget. theme.js has its colors, format.js its numbers, controls.js its controls,
// page.js the pages of the course around it.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const PATIENCE = 20000; // milliseconds until a question without an answer is given up

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
  const letters =
    typeof Intl.Segmenter === "function"
      ? Array.from(new Intl.Segmenter().segment(text), (part) => part.segment)
      : Array.from(text);
  return letters.length > limit ? `${letters.slice(0, limit - 1).join("")}…` : text;
}

// A sentence as nodes: `code` between backticks, *stressed* words between asterisks, everything else as text.
function prose(text) {
  return text
    .split(/(`[^`]+`|\*[^\s*](?:[^*]*[^\s*])?\*)/)
    .filter(Boolean)
    .map((piece) => {
      if (piece.length > 2 && piece.startsWith("`")) return element("code", {}, piece.slice(1, -1));
      if (piece.length > 2 && piece.startsWith("*")) return element("em", {}, piece.slice(1, -1));
      return document.createTextNode(piece);
    });
}

// What makes an element reachable: JupyterLab must not take its keys (`d d` deletes a cell).
function focusable(attributes = {}) {
  return { tabindex: 0, "data-lm-suppress-shortcuts": "true", ...attributes };
}

// ---- root and life

// Turns `el` into a widget: {root, signal, cleanup}. `signal` is aborted at clean-up; give it to every listener.
function widgetRoot(el, label) {
  const controller = new AbortController();
  const { signal } = controller;
  const live = element("div", { class: "visually-hidden", "aria-live": "polite", "aria-atomic": "true" });
  const root = element("div", { class: "anatomy", role: "group", "aria-label": label }, live);
  root.announcer = live;
  el.append(root);
  watchLook(root, signal);
  markPages();
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

// Sets several of the model's traits and sends them to Python together.
function change(model, changes) {
  for (const [name, value] of Object.entries(changes)) model.set(name, value);
  model.save_changes();
}

// Listens until clean-up, to one kind of event or to several.
function listen(node, types, signal, callback) {
  for (const type of [types].flat()) node.addEventListener(type, callback, { signal });
}

// The wait for an answer of Python: {start(), stop()}; `onNone(text)` is told when there was none for too long.
function answerWait(signal, onNone) {
  let waiting = 0;
  const stop = () => clearTimeout(waiting);
  const start = () => {
    stop();
    waiting = setTimeout(() => onNone("No answer came: the kernel is busy or not running."), PATIENCE);
  };
  signal.addEventListener("abort", stop);
  return { start, stop };
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

// Calls `draw(width)` when `node` is first laid out and whenever its width changes, so that an SVG is drawn in CSS
// pixels: a viewBox would scale its text.
function onWidth(node, signal, draw) {
  let [wide, told] = [0, 0];
  const tell = frame(() => {
    if (!wide || wide === told) return;
    told = wide;
    draw(wide);
  }, signal);
  const observer = new ResizeObserver(([entry]) => {
    wide = Math.floor(entry.contentRect.width);
    tell();
  });
  observer.observe(node);
  signal?.addEventListener("abort", () => observer.disconnect());
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

// Moves a list of numbers smoothly: draw(numbers, done) each frame, at once where motion is to be reduced. Returns a
// stop function.
function tween(from, to, milliseconds, draw, signal) {
  const start = performance.now();
  const still = prefersReducedMotion() || milliseconds <= 0;
  let handle = 0;
  const step = (time) => {
    const part = still ? 1 : clamp((time - start) / milliseconds, 0, 1);
    const eased = part * part * (3 - 2 * part);
    draw(
      from.map((value, i) => value + (to[i] - value) * eased),
      part === 1,
    );
    if (part < 1) handle = requestAnimationFrame(step);
  };
  signal?.addEventListener("abort", () => cancelAnimationFrame(handle));
  if (still) step(start);
  else handle = requestAnimationFrame(step);
  return () => cancelAnimationFrame(handle);
}
