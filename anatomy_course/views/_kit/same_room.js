// Nodes of which one is shown, in the room of the largest, so that nothing below moves: {node, show(i)}.

import { element } from "./elements.js";

export function sameRoom(nodes, attributes = {}) {
  const node = element("div", attributes, nodes);
  node.classList.add("same-room");
  const show = (shown) => nodes.forEach((each, i) => each.classList.toggle("away", i !== shown));
  show(0);
  return { node, show };
}
