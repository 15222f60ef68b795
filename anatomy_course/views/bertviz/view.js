// bertviz's own page in a sandboxed frame: it can run its scripts and reach nothing else, neither this page nor the
// net.

import { heading } from "../_kit/controls.js";
import { element, listen } from "../_kit/elements.js";
import { clamp } from "../_kit/format.js";
import { widgetRoot } from "../_kit/life.js";
import { color, onTheme, theme } from "../_kit/theme.js";

const FIRST_HEIGHT = 320;

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  const frameNode = element("iframe", {
    title: model.get("label"),
    sandbox: "allow-scripts",
    class: "bertviz",
    scrolling: "auto",
    style: { width: "100%", height: `${FIRST_HEIGHT}px`, border: "0", display: "block" },
  });
  root.append(heading(model.get("label")), element("div", { class: "note", text: model.get("hint") }), frameNode);
  const look = () => ({
    theme: theme(root) || "light",
    page: color(root, "page"),
    ink: color(root, "ink"),
    faint: color(root, "faint"),
  });
  const send = () => frameNode.contentWindow?.postMessage({ anatomyLook: look() }, "*");
  listen(window, "message", signal, (event) => {
    if (event.source !== frameNode.contentWindow) return;
    if (event.data?.anatomyHeight) frameNode.style.height = `${clamp(Math.ceil(event.data.anatomyHeight), 60, 4000)}px`;
    if (event.data?.anatomyReady) send();
  });
  onTheme(root, signal, send);
  frameNode.srcdoc = model.get("page");
  return cleanup;
}

export default { render };
