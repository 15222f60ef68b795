// Buttons and options whose parts are for the eye, and whose name says the same in words.

import { element } from "./elements.js";

// Hides the parts from the ear and gives the node this name, as text: an aria-label would have to repeat every part
// of what is seen.
export function spokenAs(node, name) {
  [...node.children].forEach((part) => part.setAttribute("aria-hidden", "true"));
  node.append(element("span", { class: "visually-hidden", text: name }));
  return node;
}
