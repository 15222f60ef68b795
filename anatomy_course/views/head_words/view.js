// Head words: every head as a dot, by what it matches and what it writes, beside random matrices; and the words of one.

import { heading, select } from "../_kit/controls.js";
import { announce, element, listen, setAttributes, svg, word } from "../_kit/elements.js";
import { format } from "../_kit/format.js";
import { change, onChange, onWidth, widgetRoot } from "../_kit/life.js";

const HIGH = 330; // pixels of the chart
const ROOM = { left: 46, right: 12, top: 12, bottom: 44 };

// All heads by two shares; a click chooses the nearest one.
function headChart({ names, own, controls, state, signal, choose }) {
  const node = svg("svg", { class: "hw-chart", role: "img", style: { height: `${HIGH}px` } });
  let wide = 0;
  const x = (share) => ROOM.left + share * (wide - ROOM.left - ROOM.right);
  const y = (share) => HIGH - ROOM.bottom - share * (HIGH - ROOM.top - ROOM.bottom);
  const at = (i) => [x(own[i][0]), y(own[i][1])];
  const text = (attributes) => svg("text", { class: "tick", ...attributes });

  function draw() {
    if (!wide) return;
    const frame = [
      svg("path", { class: "axis", d: `M${x(0)} ${y(1)}V${y(0)}H${x(1)}` }),
      svg("path", { class: "guide", d: `M${x(0.5)} ${y(0)}V${y(1)}M${x(0)} ${y(0.5)}H${x(1)}` }),
      ...[0, 0.5, 1].flatMap((share) => [
        text({ x: x(share), y: y(0) + 16, "text-anchor": "middle", text: share }),
        text({ x: x(0) - 6, y: y(share) + 4, "text-anchor": "end", text: share }),
      ]),
      text({ x: x(0.5), y: HIGH - 8, "text-anchor": "middle", text: "a word matches itself →" }),
      text({
        transform: `translate(12 ${y(0.5)}) rotate(-90)`,
        "text-anchor": "middle",
        text: "it writes the word itself →",
      }),
    ];
    const marks = names.map((_, i) => {
      const [cx, cy] = at(i);
      if (i >= controls) return svg("path", { class: "hw-random", d: `M${cx - 3} ${cy}h6M${cx} ${cy - 3}v6` });
      return svg("circle", { class: i === state.head ? "hw-head chosen" : "hw-head", cx, cy, r: 4 });
    });
    const [cx, cy] = at(state.head);
    const left = cx > wide - 80;
    const name = svg("text", {
      class: "hw-name",
      x: left ? cx - 9 : cx + 9,
      y: cy < 26 ? cy + 16 : cy - 7,
      "text-anchor": left ? "end" : "start",
      text: names[state.head],
    });
    node.replaceChildren(...frame, ...marks, name);
    setAttributes(node, {
      "aria-label":
        `${controls} heads and ${names.length - controls} pairs of random matrices. ${names[state.head]}: matches a ` +
        `word with itself ${format(own[state.head][0])}, writes the word itself ${format(own[state.head][1])}; ` +
        "0.5 is chance.",
    });
  }
  listen(node, "click", signal, (event) => {
    const box = node.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const far = names.map((_, i) => Math.hypot(at(i)[0] - px, at(i)[1] - py));
    choose({ head: far.indexOf(Math.min(...far)) });
  });
  onWidth(node, signal, (now) => {
    wide = now;
    draw();
  });
  return { node, draw };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("hw");
  const [words, names, own, listed] = ["words", "heads", "own", "listed"].map((name) => model.get(name));
  const controls = model.get("controls_from");
  const state = { head: model.get("head"), word: model.get("word") };
  const view = model.get("lists");
  const shown = view.byteLength / 2 / (2 * names.length * words.length);
  const list = (kind) => {
    const start = ((kind * names.length + state.head) * words.length + state.word) * shown;
    return Array.from({ length: shown }, (_, k) => listed[view.getUint16(2 * (start + k), true)]);
  };
  const chart = headChart({ names, own, controls, state, signal, choose });
  const named = names.map((name, value) => ({ value, label: value < controls ? `layer·head ${name}` : name }));
  const head = select({ label: "Head", options: named, signal, onChange: (value) => choose({ head: Number(value) }) });
  const asked = select({
    label: "word",
    options: words.map((label, value) => ({ value, label })),
    signal,
    onChange: (value) => choose({ word: Number(value) }),
  });
  const columns = ["matches best (W_QK)", "writes most (W_OV)"].map((title) => {
    const items = element("ol", { class: "hw-list" });
    return { items, node: element("div", {}, element("h4", { text: title }), items) };
  });
  root.append(
    heading(model.get("label"), head.node, asked.node),
    element(
      "div",
      { class: "hw-both" },
      element(
        "div",
        {},
        chart.node,
        element("p", { class: "note", text: "Dots: the model's heads. Crosses: random matrices. Click a dot." }),
      ),
      element(
        "div",
        { class: "panel hw-lists" },
        columns.map(({ node }) => node),
      ),
    ),
  );
  function refresh() {
    head.set(state.head);
    asked.set(state.word);
    chart.draw();
    columns.forEach(({ items }, kind) => {
      const own = (text) => element("li", { class: text === words[state.word] ? "own" : null }, word(text));
      items.replaceChildren(...list(kind).map(own));
    });
  }
  function choose(changes) {
    Object.assign(state, changes);
    change(model, state);
    refresh();
    announce(
      root,
      `${names[state.head]}, ${words[state.word]}: matches ${list(0).join(", ")}; writes ${list(1).join(", ")}.`,
    );
  }
  onChange(model, signal, ["head", "word"], () => {
    Object.assign(state, { head: model.get("head"), word: model.get("word") });
    refresh();
  });
  refresh();
  return cleanup;
}

export default { render };
