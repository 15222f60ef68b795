// The kit's colors: what the page's theme makes of the palette, for canvas and for maps of numbers.

import { element, listen } from "./elements.js";
import { clamp } from "./format.js";

const TABLE_SIZE = 256;

// Colors as the page computes them, remembered per widget until the theme changes.
const looks = new WeakMap();

export function watchLook(root, signal) {
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
  listen(matchMedia("(prefers-color-scheme: dark)"), "change", signal, changed);
  // A view is rendered before it is attached, when no color can be computed yet; its first size tells that it is.
  const attached = new ResizeObserver(changed);
  attached.observe(root);
  signal.addEventListener("abort", () => {
    observer.disconnect();
    attached.disconnect();
  });
}

export function look(root) {
  let found = looks.get(root);
  if (found) return found;
  const style = getComputedStyle(root);
  const read = (name) => style.getPropertyValue(name).trim();
  found = { theme: read("--theme"), roles: new Map(), tables: {}, read };
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

// Calls `callback(theme)` each time the page's theme changes, and once when the widget is attached and has colors.
export function onTheme(root, signal, callback) {
  listen(root, "anatomy-theme", signal, () => callback(look(root).theme));
}

// "light" or "dark", as the page is now ("" before the widget is attached).
export function theme(root) {
  return look(root).theme;
}

// A role's color on this page, e.g. color(root, "query"); in CSS and SVG write var(--query) instead.
export function color(root, role) {
  const { roles, read } = look(root);
  if (!roles.get(role)) roles.set(role, read(`--${role.replaceAll("_", "-")}`));
  return roles.get(role);
}

// The color of a weight from 0 to 1, as "rgb(r, g, b)".
export function sequentialColor(root, weight) {
  return `rgb(${between(look(root).sequential, weight).join(", ")})`;
}

// The color of a signed value from −1 to 1 (divide by your limit first), as "rgb(r, g, b)".
export function diverging(root, value) {
  return `rgb(${between(look(root).diverging, ((Number.isFinite(value) ? value : 0) + 1) / 2).join(", ")})`;
}

// The diverging map in `count` colors from −1 to 1, as CSS paints a color bar.
export function divergingRamp(root, count) {
  const colors = Array.from({ length: count }, (_, i) => diverging(root, (2 * i) / (count - 1) - 1));
  return `linear-gradient(to right, ${colors.join(", ")})`;
}

// Black or white, whichever reads better on "rgb(r, g, b)".
export function readableOn(rgb) {
  const [red, green, blue] = rgb.match(/[\d.]+/g).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

// 256 RGBA colors of the "sequential" or "diverging" map, for pixel-wise painting: Uint8ClampedArray(1024).
export function colorTable(root, map = "sequential") {
  const { tables, [map]: stops } = look(root);
  if (tables[map]) return tables[map];
  const table = new Uint8ClampedArray(TABLE_SIZE * 4);
  for (let i = 0; i < TABLE_SIZE; i += 1) table.set([...between(stops, i / (TABLE_SIZE - 1)), 255], i * 4);
  tables[map] = table;
  return table;
}

// A canvas drawn sharply at the screen's density: {node, context, resize(width, height)} in CSS pixels.
export function canvas(attributes = {}) {
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
