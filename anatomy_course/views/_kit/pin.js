// The pin that marks where the reader is, on the map and in its legend.

import { svg } from "./elements.js";

const SHAPE = "M0 0C-2 -5 -6 -7 -6 -12A6 6 0 1 1 6 -12C6 -7 2 -5 0 0ZM2 -12A2 2 0 1 0 -2 -12A2 2 0 1 0 2 -12Z";

// With its point at this place.
export function pinOf(x, y) {
  return svg("path", { class: "tm-pin", d: SHAPE, transform: `translate(${x} ${y})` });
}

export function pinSample() {
  return svg("svg", { width: 14, height: 19, viewBox: "-7 -18.5 14 19", "aria-hidden": "true" }, pinOf(0, 0));
}
