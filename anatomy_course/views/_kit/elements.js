// The kit's elements: HTML, SVG, words and prose as nodes, and listening to them.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

// A new HTML element; children are nodes, strings or nested lists of them, and strings are text, never HTML.
export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

// The same for SVG.
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

// Sets attributes: null and false remove one, true sets it empty; `text` sets textContent, `style` takes an object.
export function setAttributes(node, attributes) {
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
export function uniqueId(prefix = "anatomy") {
  globalThis.anatomyIds = (globalThis.anatomyIds ?? 0) + 1;
  return `${prefix}-${globalThis.anatomyIds}`;
}

// A learner's word as an element: direction found out by the browser, white space kept.
export function word(text, attributes = {}) {
  return element("bdi", { dir: "auto", class: "word", ...attributes, text });
}

// Shows a label's text short enough for a cell: at most `limit` characters (whole emoji), with an ellipsis.
export function shorten(text, limit = 14) {
  const letters =
    typeof Intl.Segmenter === "function"
      ? Array.from(new Intl.Segmenter().segment(text), (part) => part.segment)
      : Array.from(text);
  return letters.length > limit ? `${letters.slice(0, limit - 1).join("")}…` : text;
}

// A sentence as nodes: `code` between backticks, *stressed* words between asterisks, everything else as text.
export function prose(text) {
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
export function focusable(attributes = {}) {
  return { tabindex: 0, "data-lm-suppress-shortcuts": "true", ...attributes };
}

// Listens until clean-up, to one kind of event or to several.
export function listen(node, types, signal, callback) {
  for (const type of [types].flat()) node.addEventListener(type, callback, { signal });
}

// Says `text` through the widget's one aria-live region.
export function announce(root, text) {
  root.announcer.textContent = text;
}
