// The setup report: a list from Python, and a last line that only a living widget can add.

const ALIVE = { sign: "✓", state: "ok", text: "widgets are alive" };

function listItem({ sign, state, text }) {
  return element("li", {}, element("span", { "aria-hidden": "true" }, `${sign} `), `${state}: ${text}`);
}

function render({ model, el }) {
  const { root, cleanup } = widgetRoot(el, model.get("label"));
  const lines = [...model.get("lines"), ALIVE].map(listItem);
  root.append(element("ul", { style: { "list-style": "none", "padding-left": 0, margin: 0 } }, lines));
  return cleanup;
}

export default { render };
