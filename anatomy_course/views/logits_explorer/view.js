// The logits explorer: a hidden state, its dot products with the token table, and the distribution over the next token.

import { button, heading, slider } from "../_kit/controls.js";
import { announce, element, listen, setAttributes } from "../_kit/elements.js";
import { bytes, clamp, floats, format, grouped } from "../_kit/format.js";
import { change, frame, onChange, promptly, widgetRoot } from "../_kit/life.js";
import { wordPicker } from "../_kit/request.js";
import { onTheme } from "../_kit/theme.js";
import { distributionPanel, dotProduct } from "./panels.js";

const STOPS = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000, 2000, 5000, 10000,
  20000,
];

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("logits");
  const tokens = model.get("tokens"),
    names = model.get("names"),
    vocab = model.get("vocab_size"),
    d = model.get("d_model");
  const states = floats(model.get("states")),
    order = floats(model.get("order")),
    logits = floats(model.get("logits"));
  const groupSizes = model.get("group_sizes"),
    groupLogits = floats(model.get("group_logits"));
  const rowBytes = new Int8Array(bytes(model.get("rows")).buffer),
    rowLimit = model.get("row_limit");
  const truths = model.get("truth");
  const known = order.length / tokens.length;
  const at = () => clamp(model.get("position"), 0, tokens.length - 1);
  const nameOf = (position, rank) => (rank < known ? order[position * known + rank] : truths[position].name);

  // ---------------------------------------------------------------- text and controls
  const picker = wordPicker({ label: "Position", signal, onPick: (i) => change(model, { position: i, token: 0 }) });
  picker.set(tokens);
  const stops = () =>
    [
      ...new Set([...STOPS.filter((k) => k < vocab), ...[model.get("top_k")].filter((k) => k > 0 && k < vocab), vocab]),
    ].sort((a, b) => a - b);
  let ks = stops();
  const temperature = slider({
    label: "Temperature",
    min: 0.1,
    max: 3,
    step: 0.05,
    value: model.get("temperature"),
    signal,
    onInput: (value) => change(model, { temperature: Math.round(value * 100) / 100 }),
  });
  const topK = slider({
    label: "Top-k",
    min: 0,
    max: ks.length - 1,
    step: 1,
    value: ks.length - 1,
    signal,
    format: (i) => (i === ks.length - 1 ? "all" : grouped(ks[i])),
    onInput: (i) => change(model, { top_k: i === ks.length - 1 ? 0 : ks[i] }),
  });
  const topP = slider({
    label: "Top-p",
    min: 0.05,
    max: 1,
    step: 0.01,
    value: model.get("top_p"),
    signal,
    format: (p) => (p >= 1 ? "all" : format(p)),
    onInput: (value) => change(model, { top_p: Math.round(value * 100) / 100 }),
  });
  const reset = button({
    label: "No filters",
    name: "No filters: temperature 1, all tokens",
    signal,
    onClick: () => change(model, { temperature: 1, top_k: 0, top_p: 1 }),
  });
  const { dot, drawDot } = dotProduct({ root, model, d, tokens, states, rowBytes, rowLimit, at, nameOf });
  const { list, line, title, other, verdict, shownRanks, sumHead, drawDistribution } = distributionPanel({
    model,
    signal,
    truths,
    known,
    at,
    logits,
    groupSizes,
    groupLogits,
    tokens,
    names,
    vocab,
    nameOf,
  });
  const chart = element("div", { class: "le-chart" }, list, line);
  root.append(
    heading(
      model.get("label"),
      element(
        "span",
        { class: "shape" },
        `state (${d},) · table (${grouped(vocab)}, ${d})`,
        element("sup", { text: "T" }),
        ` = logits (${grouped(vocab)},)`,
      ),
    ),
    picker.node,
    dot,
    element(
      "div",
      { class: "panel le-panel" },
      title,
      element("div", { class: "le-controls" }, temperature.node, topK.node, topP.node, reset),
      element("p", {
        class: "note",
        text:
          "In this order: logits / temperature, softmax, top-k, then top-p on what top-k left; what stays is " +
          "divided by its sum.",
      }),
      chart,
      other,
      verdict,
    ),
  );

  listen(list, "keydown", signal, (event) => {
    const ranks = shownRanks();
    const place = Math.max(0, ranks.indexOf(model.get("token")));
    const to = { ArrowUp: place - 1, ArrowDown: place + 1, Home: 0, End: ranks.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    change(model, { token: ranks[clamp(to, 0, ranks.length - 1)] });
    announce(root, list.children[clamp(to, 0, ranks.length - 1) + 1].lastChild.textContent);
  });
  chart.append(sumHead);

  function draw() {
    picker.choose(at());
    ks = stops();
    setAttributes(topK.input, { max: ks.length - 1 });
    temperature.set(model.get("temperature"));
    topK.set(model.get("top_k") && model.get("top_k") < vocab ? ks.indexOf(model.get("top_k")) : ks.length - 1);
    topP.set(model.get("top_p"));
    drawDot(drawDistribution());
  }
  const redraw = promptly(draw, signal);
  onChange(model, signal, ["position", "token", "temperature", "top_k", "top_p"], redraw);
  onTheme(root, signal, redraw);
  const sized = new ResizeObserver(frame(draw, signal));
  sized.observe(dot);
  signal.addEventListener("abort", () => sized.disconnect());
  draw();
  return cleanup;
}

export default { render };
