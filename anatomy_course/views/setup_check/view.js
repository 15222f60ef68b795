// The setup report: one line that unfolds to a list from Python, with a last line that only a living widget can add.

import { element } from "../_kit/elements.js";
import { widgetRoot } from "../_kit/life.js";

const ALIVE = { sign: "✓", state: "ok", text: "widgets are alive" };

function listItem({ sign, state, text }) {
  return element("li", {}, element("span", { "aria-hidden": "true" }, `${sign} `), `${state}: ${text}`);
}

function render({ model, el }) {
  const { root, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("setup-report");
  const lines = [...model.get("lines"), ALIVE];
  const inPlace = lines.filter(({ state }) => state === "ok").length;
  const list = element("ul", { style: { "list-style": "none", padding: 0, margin: "8px 0 0" } }, lines.map(listItem));
  const open = lines.some(({ state }) => state === "missing");
  root.append(element("details", { open }, element("summary", {}, `${inPlace} of ${lines.length} in place`), list));
  return cleanup;
}

export default { render };
