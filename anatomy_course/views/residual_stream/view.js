// The residual stream: a line for each position, attention and feed-forward marks on it, one of them taken out, and how
// far the streams above are moved.

import { heading, select, slider } from "../_kit/controls.js";
import { announce, element, listen, setAttributes, svg, word } from "../_kit/elements.js";
import { bytes, clamp, floats, format } from "../_kit/format.js";
import { change, frame, onChange, onWidth, widgetRoot } from "../_kit/life.js";
import { onTheme, sequentialColor } from "../_kit/theme.js";

const ROW = 8; // pixels from one part to the next
const ROOM = { left: 66, right: 92, top: 40, bottom: 36 };
const WIDEST = 16; // pixels of a stream that is moved by its own length

const nameOf = (part) =>
  part ? `layer ${Math.floor((part - 1) / 2)}, ${part % 2 ? "attention" : "feed-forward"}` : "embedding";

// What the buffers hold, by part and place.
function readings(model) {
  const [tokens, parts, words, shares] = ["tokens", "parts", "words", "shares"].map((name) => model.get(name));
  const places = tokens.length + 1;
  const view = model.get("top");
  const top = Array.from({ length: view.byteLength / 2 }, (_, i) => view.getUint16(2 * i, true));
  const chances = floats(model.get("probabilities"));
  const kept = floats(model.get("kept"));
  const moved = bytes(model.get("moved"));
  const most = top.length / (places * (parts + 1));
  const said = (row, place) =>
    Array.from({ length: most }, (_, k) => {
      const at = (row * places + place) * most + k;
      return { text: words[top[at]], chance: chances[at] };
    });
  const left = (part, place) => kept[part * places + place];
  const far = (part, place, after, position) =>
    moved[((part * places + place) * parts + after) * tokens.length + position] / 255;
  return { tokens, parts, places, shares, said, left, far, whole: said(0, 0) };
}

// The picture of the streams.
function drawing({ root, data, state, signal, choose }) {
  const { tokens, parts, shares, left, far, whole } = data;
  const high = ROOM.top + ROOM.bottom + ROW * parts;
  const node = svg("svg", { class: "rs-streams", role: "img", style: { height: `${high}px` } });
  let wide = 0;
  const y = (part) => high - ROOM.bottom - ROW * (part + 0.5);
  const x = (position) => ROOM.left + ((position + 0.5) * (wide - ROOM.left - ROOM.right)) / tokens.length;
  const loss = (part, place) => clamp(1 - left(part, place) / whole[0].chance, 0, 1);
  const out = (part, position) => part === state.part && [position, tokens.length].includes(state.place);

  const streams = () =>
    tokens.flatMap((_, position) =>
      Array.from({ length: parts }, (_, part) => {
        const moved = part < state.part ? 0 : far(state.part, state.place, part, position);
        return svg("line", {
          class: moved > 0.004 ? "rs-stream moved" : "rs-stream",
          x1: x(position),
          x2: x(position),
          y1: y(part),
          y2: y(part) - ROW,
          "stroke-width": 1.5 + (WIDEST - 1.5) * moved,
        });
      }),
    );
  const links = () =>
    Array.from({ length: (parts - 1) / 2 }, (_, layer) => {
      const at = y(1 + 2 * layer);
      return svg("line", { class: "rs-link", x1: x(0), x2: x(tokens.length - 1), y1: at, y2: at });
    });
  const mark = (part, position) => {
    const fill = sequentialColor(root, loss(part, position));
    const chosen = out(part, position) ? "rs-mark out" : "rs-mark";
    const [cx, cy] = [x(position), y(part)];
    if (part % 2) return svg("circle", { class: chosen, cx, cy, r: 3.4, fill });
    const half = part ? 3 : 4.5;
    return svg("rect", { class: chosen, x: cx - 1.4 * half, y: cy - half, width: 2.8 * half, height: 2 * half, fill });
  };
  const bars = () => {
    const most = Math.max(...shares.map(Math.abs));
    const zero = wide - ROOM.right / 2;
    return shares.map((share, part) => {
      const long = (Math.abs(share) / most) * (ROOM.right / 2 - 8);
      const look = `rs-share ${share < 0 ? "less" : "more"}${part === state.part ? " out" : ""}`;
      return svg("rect", { class: look, x: share < 0 ? zero - long : zero, y: y(part) - 2.5, width: long, height: 5 });
    });
  };
  const texts = () => [
    ...tokens.map((text, i) =>
      svg("text", { class: "rs-token", x: x(i), y: high - (i % 2 ? 4 : 20), "text-anchor": "middle", text }),
    ),
    ...Array.from({ length: Math.ceil((parts - 1) / 10) - 1 }, (_, i) =>
      svg("text", { class: "rs-layer", x: 4, y: y(11.5 + 10 * i) + 4, text: `layer ${5 * i + 5}` }),
    ),
    svg("text", { class: "rs-layer", x: 4, y: y(0) + 4, text: "embedding" }),
    svg("text", {
      class: "rs-token",
      x: x(tokens.length - 1),
      y: 16,
      "text-anchor": "middle",
      text: `→ ${whole[0].text}`,
    }),
    svg("text", { class: "rs-layer", x: wide - ROOM.right / 2, y: 32, "text-anchor": "middle", text: "adds to lead" }),
  ];
  const draw = frame(() => {
    if (!wide) return;
    const marks = tokens.flatMap((_, position) => Array.from({ length: parts }, (_, part) => mark(part, position)));
    node.replaceChildren(...links(), ...streams(), ...marks, ...bars(), ...texts());
    const where = state.place < tokens.length ? `at “${tokens[state.place]}”` : "at all positions";
    setAttributes(node, {
      "aria-label":
        `${tokens.length} streams through ${parts} parts. Taken out: ${nameOf(state.part)} ${where}. The last ` +
        `vectors are moved by ${tokens
          .map((text, i) => `${text} ${format(100 * far(state.part, state.place, parts - 1, i), 0)} %`)
          .join(", ")} of their length.`,
    });
  }, signal);
  listen(node, "click", signal, (event) => {
    const box = node.getBoundingClientRect();
    const part = clamp(Math.round((high - ROOM.bottom - (event.clientY - box.top)) / ROW - 0.5), 0, parts - 1);
    const across = (event.clientX - box.left - ROOM.left) / (wide - ROOM.left - ROOM.right);
    const inside = across >= 0 && across < 1;
    choose({ part, place: inside ? Math.floor(across * tokens.length) : tokens.length });
  });
  onWidth(node, signal, (now) => {
    wide = now;
    draw();
  });
  return { node, draw };
}

// The likeliest next tokens, with everything and without what is out.
function nextTokens({ data, state }) {
  const before = element("div", { class: "rs-next" });
  const after = element("div", { class: "rs-next" });
  const line = element("p", { class: "note" });
  const row = ({ text, chance }) =>
    element(
      "div",
      { class: text === data.whole[0].text ? "rs-word first" : "rs-word" },
      word(text),
      element(
        "span",
        { class: "rs-track", "aria-hidden": "true" },
        element("i", { style: { width: `${100 * chance}%` } }),
      ),
      element("span", { class: "number", text: `${format(100 * chance, 0)} %` }),
    );
  const tell = () => {
    const { part, place } = state;
    before.replaceChildren(...data.whole.map(row));
    after.replaceChildren(...data.said(part + 1, place).map(row));
    const [first, second] = data.whole;
    const share = data.shares[part];
    line.textContent =
      `At the last position, ${nameOf(part)} adds ${format(share, 2)} to the lead of “${first.text}” over ` +
      `“${second.text}”. Without it, “${first.text}” has ${format(100 * data.left(part, place), 0)} % left.`;
    return line.textContent;
  };
  return { before, after, line, tell };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("rs");
  const data = readings(model);
  const state = { part: model.get("part"), place: model.get("place") };
  const picture = drawing({ root, data, state, signal, choose });
  const next = nextTokens({ data, state });
  const part = slider({
    label: "Out",
    min: 0,
    max: data.parts - 1,
    step: 1,
    value: state.part,
    format: nameOf,
    signal,
    onInput: (value) => choose({ part: value }),
  });
  const place = select({
    label: "at",
    options: [...data.tokens, "all positions"].map((label, value) => ({ value, label })),
    value: state.place,
    signal,
    onChange: (value) => choose({ place: Number(value) }),
  });
  const key = element(
    "p",
    { class: "note" },
    "Each line is a position; its vector goes up. Circles: attention, which alone carries something from line to " +
      "line. Boxes: feed-forward. The stronger the color of a mark, the more of the answer is lost when it is taken " +
      "out there. Click one. A line is thick and red where its vector is then moved.",
  );
  root.append(
    heading(model.get("label")),
    element("div", { class: "row rs-controls", "data-glance": "cause" }, part.node, place.node),
    element(
      "div",
      { class: "rs-both" },
      element(
        "div",
        { class: "panel rs-panel", "data-glance": "effect" },
        element("h4", { text: "Next token, nothing out" }),
        next.before,
        element("h4", { text: "without this part" }),
        next.after,
        next.line,
      ),
      element("div", { class: "rs-picture" }, picture.node, key),
    ),
  );
  function refresh() {
    part.set(state.part);
    place.set(state.place);
    picture.draw();
    return next.tell();
  }
  function choose(changes) {
    Object.assign(state, changes);
    change(model, state);
    announce(root, refresh());
  }
  onChange(model, signal, ["part", "place"], () => {
    Object.assign(state, { part: model.get("part"), place: model.get("place") });
    refresh();
  });
  onTheme(root, signal, picture.draw);
  refresh();
  return cleanup;
}

export default { render };
