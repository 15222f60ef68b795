// The reading half of the first words: all heads as small maps to choose from, and the chosen one's lines.

import { arrowMove, button } from "../_kit/controls.js";
import { announce, element, listen, setAttributes, shorten, svg, word } from "../_kit/elements.js";
import { bytes, indexOfLargest, mean } from "../_kit/format.js";
import { change, frame, onChange } from "../_kit/life.js";
import { colorTable, onTheme, readableOn, sequentialColor } from "../_kit/theme.js";
import { percent } from "./text.js";

const WEAK = 0.06; // weights below it are not drawn for one word
const STRONG = 0.3; // … and below this not for all words
const HABIT = 0.4; // how much of a head's attention makes a habit
const SPECIAL = /^\[(CLS|SEP)\]$/;

// What a head does with most of its attention, in words: the share that falls on a place, averaged over its queries.
function habitOf(weightAt, tokens) {
  const last = tokens.length - 1;
  const inner = tokens.map((_, i) => i).slice(1, last);
  const share = (place) => (inner.length ? mean(inner.map((q) => weightAt(q, place(q)))) : 0);
  const habits = [
    ["the word before", share((q) => q - 1)],
    ["the word after", share((q) => q + 1)],
    ["the word itself", share((q) => q)],
    ["[SEP], where it does no harm", share(() => last)],
    ["[CLS], where it does no harm", share(() => 0)],
  ];
  const [text, part] = habits.reduce((best, habit) => (habit[1] > best[1] ? habit : best));
  return part >= HABIT ? `Habit: ${Math.round(part * 100)} % of its attention falls on ${text}.` : "";
}

// All heads as buttons in a grid: {node, draw()}; `kept.head` is [layer, head], `onHead(layer, head, byHand)`.
function headGrid({ model, root, signal, kept, onHead }) {
  const [layers, heads] = model.get("heads");
  const grid = element("div", {
    class: "fw-grid",
    role: "radiogroup",
    "aria-label": `The ${layers * heads} heads of MiniLM: arrow keys choose one`,
    style: { "--heads": heads },
  });
  const cells = [];
  grid.append(element("span", {}), ...Array.from({ length: heads }, (_, i) => element("span", { text: i })));
  for (let layer = 0; layer < layers; layer += 1) {
    grid.append(element("span", { text: layer }));
    for (let head = 0; head < heads; head += 1) {
      const node = button({ label: "", signal, onClick: () => onHead(layer, head, true) });
      const map = element("canvas", { "aria-hidden": "true", style: { "animation-delay": `${layer * 90}ms` } });
      node.className = "fw-head";
      setAttributes(node, { role: "radio", "aria-label": `Layer ${layer}, head ${head}` });
      node.append(map);
      listen(node, "pointerenter", signal, () => onHead(layer, head, false));
      cells.push({ node, map });
      grid.append(node);
    }
  }
  listen(grid, "pointerleave", signal, () => onHead(...model.get("chosen"), false));
  listen(grid, "keydown", signal, (event) => {
    const to = arrowMove(event, ...model.get("chosen"), layers, heads);
    if (!to) return;
    event.preventDefault();
    onHead(...to, true);
    cells[to[0] * heads + to[1]].node.focus();
  });

  function draw(fresh) {
    const count = model.get("tokens").length;
    const table = colorTable(root);
    cells.forEach(({ map }, place) => {
      map.width = map.height = count;
      const picture = new ImageData(count, count);
      for (let i = 0; i < count * count; i += 1) {
        const tone = Math.round(Math.sqrt(kept.weights[place * count * count + i] / 255) * 255);
        picture.data.set(table.subarray(tone * 4, tone * 4 + 4), i * 4);
      }
      map.getContext("2d").putImageData(picture, 0, 0);
      if (!fresh) return;
      map.classList.remove("fw-lit");
      void map.offsetWidth; // so that the animation starts again
      map.classList.add("fw-lit");
    });
  }

  function mark() {
    const [layer, head] = model.get("chosen");
    cells.forEach(({ node }, place) => {
      const on = place === layer * heads + head;
      setAttributes(node, { "aria-checked": String(on), tabindex: on ? 0 : -1 });
    });
  }
  return { node: grid, draw, mark };
}

// The words and the chosen head's lines between them: {node, draw()}; `kept.word` is a position, or null for all.
function headLines({ model, root, signal, kept, onWord }) {
  const picture = svg("svg", { class: "fw-lines", "aria-hidden": "true" });
  const list = element("div", {
    class: "fw-tokens",
    role: "group",
    "aria-label": "The words; press one for its lines",
  });
  const node = element("div", { class: "fw-page", "data-lm-suppress-shortcuts": "true" }, picture, list);
  const weightAt = (q, k) => {
    const count = model.get("tokens").length;
    const [layer, head] = kept.head;
    return (kept.weights[((layer * model.get("heads")[1] + head) * count + q) * count + k] ?? 0) / 255;
  };

  function write() {
    list.replaceChildren(
      ...model.get("tokens").map((text, i) => {
        const each = button({ label: "", signal, onClick: () => onWord(kept.word === i ? null : i) });
        each.className = `fw-token${SPECIAL.test(text) ? " fw-special" : ""}`;
        each.append(word(shorten(text, 18)));
        listen(each, "pointerenter", signal, () => draw(i));
        listen(each, "pointerleave", signal, () => draw());
        return each;
      }),
    );
  }

  // The way from one word to another: an arch above their line, or a curve from line to line.
  function way(from, to) {
    const [x, u] = [from, to].map((box) => box.offsetLeft + box.offsetWidth / 2);
    const [y, v] = [from.offsetTop, to.offsetTop];
    if (from === to) return `M${x - 6} ${y}C${x - 12} ${y - 16} ${x + 12} ${y - 16} ${x + 6} ${y}`;
    if (Math.abs(y - v) < 4) {
      const rise = Math.min(30, 8 + Math.abs(u - x) * 0.12);
      return `M${x} ${y}C${x + (u - x) * 0.2} ${y - rise} ${x + (u - x) * 0.8} ${y - rise} ${u} ${v}`;
    }
    const [start, end] = y > v ? [y, v + to.offsetHeight] : [y + from.offsetHeight, v];
    const half = (end - start) / 2;
    return `M${x} ${start}C${x} ${start + half} ${u} ${end - half} ${u} ${end}`;
  }

  function draw(pointed = kept.word) {
    const boxes = [...list.children];
    if (!boxes.length || !node.clientWidth) return;
    setAttributes(picture, { style: { width: `${list.scrollWidth}px`, height: `${list.scrollHeight}px` } });
    const pairs = boxes.flatMap((_, q) =>
      pointed !== null && pointed !== q
        ? []
        : boxes.map((__, k) => [q, k, weightAt(q, k)]).filter((pair) => pair[2] >= (pointed === null ? STRONG : WEAK)),
    );
    picture.replaceChildren(
      ...pairs.map(([q, k, weight]) =>
        svg("path", {
          d: way(boxes[q], boxes[k]),
          style: { "stroke-width": 1 + 4 * weight, opacity: 0.25 + 0.75 * weight },
        }),
      ),
    );
    boxes.forEach((box, i) => {
      const weight = pointed === null ? 0 : weightAt(pointed, i);
      box.style.background = weight >= WEAK ? sequentialColor(root, weight) : "";
      box.style.color = weight >= WEAK ? readableOn(sequentialColor(root, weight)) : "";
      box.classList.toggle("fw-query", i === pointed);
      setAttributes(box, { "aria-pressed": String(i === kept.word) });
    });
  }
  return { node, write, draw, weightAt };
}

// The whole half: the grid, what the chosen head does in words, and its lines.
export function readingHalf({ model, root, signal, kept }) {
  const told = element("div", { class: "fw-told" });
  const drawLines = frame(() => lines.draw(), signal);
  const show = (head, aloud) => {
    kept.head = head;
    tell(aloud);
    drawLines();
  };
  const grid = headGrid({
    model,
    root,
    signal,
    kept,
    onHead: (layer, head, byHand) => {
      if (byHand) change(model, { chosen: [layer, head] });
      show([layer, head], byHand);
    },
  });
  const lines = headLines({
    model,
    root,
    signal,
    kept,
    onWord: (place) => {
      kept.word = place;
      tell(true);
      lines.draw();
    },
  });

  function tell(aloud) {
    const tokens = model.get("tokens");
    const [layer, head] = kept.head;
    const weights = kept.word === null ? [] : tokens.map((_, k) => lines.weightAt(kept.word, k));
    const to = weights.length ? indexOfLargest(weights) : 0;
    const most = weights.length
      ? `“${shorten(tokens[kept.word])}” looks most at “${shorten(tokens[to])}”: ${percent(weights[to])}. `
      : "";
    const habit = habitOf(lines.weightAt, tokens);
    // Most heads rest on [CLS] or [SEP]; that is no news about a word which looks elsewhere.
    const news = !most || SPECIAL.test(tokens[to]) || !habit.includes("does no harm");
    const text = `${most}${news ? habit : ""}`;
    told.replaceChildren(element("b", { text: `Layer ${layer}, head ${head}. ` }), text);
    if (aloud) announce(root, `Layer ${layer}, head ${head}. ${text}`);
  }

  function read() {
    kept.weights = bytes(model.get("weights"));
    const place = model.get("tokens").indexOf(model.get("word"));
    kept.word = place < 0 ? null : place;
    lines.write();
    grid.draw(true);
    show(model.get("chosen"), false);
  }

  onChange(model, signal, ["tokens", "weights"], frame(read, signal));
  onChange(model, signal, "chosen", () => {
    grid.mark();
    show(model.get("chosen"), false);
  });
  onTheme(root, signal, () => {
    grid.draw(false);
    drawLines();
  });
  const sized = new ResizeObserver(drawLines);
  sized.observe(lines.node);
  signal.addEventListener("abort", () => sized.disconnect());
  lines.write();
  grid.mark();
  tell(false);
  const [layers, heads] = model.get("heads");
  const hint = `${layers} layers down, ${heads} heads across. Point at one.`;
  return element(
    "div",
    { class: "fw-half" },
    element("h4", {}, `MiniLM reads: where its ${layers * heads} heads look`),
    element(
      "div",
      { class: "fw-columns fw-heads" },
      element("div", {}, element("div", { class: "fw-small", text: hint }), grid.node),
      element("div", {}, told, lines.node),
    ),
  );
}
