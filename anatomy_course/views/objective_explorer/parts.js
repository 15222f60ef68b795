// Parts of the objective explorer: the branches to choose from, the tokens, and who looks at whom.

import { button, select, slider } from "../_kit/controls.js";
import { element, focusable, listen, setAttributes, svg, uniqueId, word } from "../_kit/elements.js";
import { clamp } from "../_kit/format.js";
import { change } from "../_kit/life.js";
import { sentenceForm } from "../_kit/request.js";
import { spokenAs } from "../_kit/spoken.js";

export const MASK_SIDE = 160; // pixels of the picture of the mask

export function ratePercent(rate) {
  return `${Math.round(rate * 100)} %`;
}

// The objectives as branches of one question: {chooser, chips}.
export function objectiveChooser({ signal, objectives, choose }) {
  // ---------------------------------------------------------------- controls
  const branches = [...new Set(objectives.map(({ branch }) => branch))];
  const chips = objectives.map((each, i) => {
    const node = element("span", focusable({ class: "button oe-chip", role: "radio" }), each.name);
    listen(node, "click", signal, () => choose(i));
    listen(node, "keydown", signal, (event) => {
      const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
      if (by !== undefined) choose((i + by + objectives.length) % objectives.length, true);
      else if (event.key === " " || event.key === "Enter") choose(i);
      else return;
      event.preventDefault();
    });
    return node;
  });
  const chooser = element(
    "div",
    { class: "oe-chooser", role: "radiogroup", "aria-label": "Objective" },
    branches.map((branch) =>
      element(
        "div",
        { class: "oe-branch" },
        element("span", { class: "oe-branch-name", text: branch }),
        element(
          "span",
          { class: "oe-chips" },
          chips.filter((_, i) => objectives[i].branch === branch),
        ),
      ),
    ),
  );
  return { chooser, chips };
}

// Who may look at whom, as a small grid.
export function looksPicture() {
  const hatch = uniqueId("hatch");
  const open = svg("path", { class: "oe-open" }),
    lines = svg("path", { class: "oe-lines" }),
    row = svg("rect", { class: "oe-row" }),
    border = svg("path", { class: "oe-border" });
  const picture = svg(
    "svg",
    {
      class: "oe-mask",
      role: "img",
      width: MASK_SIDE,
      height: MASK_SIDE,
      viewBox: `-1 -1 ${MASK_SIDE + 2} ${MASK_SIDE + 2}`,
    },
    svg(
      "defs",
      {},
      svg(
        "pattern",
        { id: hatch, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
        svg("rect", { class: "oe-hatch", width: 1.2, height: 5 }),
      ),
    ),
    svg("rect", { width: MASK_SIDE, height: MASK_SIDE, fill: `url(#${hatch})` }),
    open,
    lines,
    border,
    row,
    svg("rect", { class: "oe-frame", width: MASK_SIDE, height: MASK_SIDE }),
  );
  return { picture, row, open, lines, border };
}

// The tokens that are read and written, and what the pointed one sees.
export function tokenRows({ signal, kept, reads, writes, line, row }) {
  // ---------------------------------------------------------------- drawing
  const words = () => [...kept.last.inputs, ...kept.last.decoder_inputs];
  const firstAsking = () => words().length - kept.last.asked.length;

  // A token in its column: its mark, what goes in, what is asked.
  function token(text, i, { mark, altered, asked }) {
    const parts = [
      mark ? element("span", { class: "oe-mark", text: mark }) : null,
      word(text, { class: altered ? "word oe-in altered" : "word oe-in" }),
    ];
    const says = [text, mark ? `${kept.last.marks_mean} ${mark}` : "", altered ? "altered" : ""];
    if (asked !== undefined) {
      parts.push(asked ? word(asked, { class: "word oe-asked" }) : element("span", { class: "oe-nothing", text: "·" }));
      says.push(asked ? `asked: ${asked}` : "nothing asked");
    }
    const node = spokenAs(
      element("div", { class: "oe-token", role: "option", id: uniqueId("token") }, parts),
      says.filter(Boolean).join(", "),
    );
    listen(node, "click", signal, () => point(i));
    return node;
  }

  function point(i) {
    kept.at = i;
    drawLooks();
  }

  function drawLooks() {
    const all = words(),
      mask = kept.last.mask,
      size = MASK_SIDE / all.length;
    [...reads.children, ...writes.children].forEach((node, i) => {
      node.classList.toggle("unseen", mask[kept.at][i] === "0");
      node.setAttribute("aria-selected", String(i === kept.at));
    });
    for (const [list, from] of [
      [reads, 0],
      [writes, kept.last.inputs.length],
    ]) {
      setAttributes(list, { "aria-activedescendant": list.children[kept.at - from]?.id });
    }
    setAttributes(row, { x: 0, y: kept.at * size, width: MASK_SIDE, height: size });
    const seen = [...mask[kept.at]].filter((cell) => cell === "1").length;
    line.replaceChildren("“", word(all[kept.at]), `” may look at ${seen} of ${all.length} positions.`);
  }
  return { point, firstAsking, token, drawLooks };
}

// Where the sentence comes from: typed, an example, or masked anew.
export function exampleControls({ model, signal, ask, kept, given, rate }) {
  const form = sentenceForm({
    value: model.get("sentence"),
    label: "Sentence of the street",
    action: "Use it",
    signal,
    onSentence: (sentence) => ask({ sentence, number: 0 }),
  });
  const examples = select({
    label: "or",
    options: ["another one …", ...model.get("examples")],
    signal,
    onChange: (text) => {
      if (model.get("examples").includes(text)) ask({ sentence: text, number: 0 });
      examples.set("another one …");
    },
  });
  examples.input.setAttribute("aria-label", "Another sentence");
  examples.node.hidden = !model.get("examples").length;
  const again = button({
    label: "Draw again",
    primary: true,
    signal,
    onClick: () => {
      const next = model.get("number") + 1;
      if (given()[next]) change(model, { number: next });
      else if (kept.alone) change(model, { number: 0 });
      else ask({ number: next });
    },
  });
  const share = slider({
    label: "Rate",
    min: 0.05,
    max: 0.9,
    step: 0.01,
    value: rate() ?? 0.15,
    format: ratePercent,
    signal,
    onInput: (value) => {
      kept.wanted = value;
      if (!again.disabled) ask({ rate: value });
    },
  });
  return { form, again, examples, share };
}

// Tokens and cells answer to the pointer.
export function pointing({ signal, kept, reads, writes, point, picture }) {
  for (const [list, from] of [
    [reads, () => 0],
    [writes, () => kept.last.inputs.length],
  ]) {
    listen(list, "keydown", signal, (event) => {
      const count = list.children.length;
      const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -count, End: count }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      point(from() + clamp(kept.at - from() + by, 0, count - 1));
    });
    listen(list, "focus", signal, () => {
      if (kept.at < from() || kept.at >= from() + list.children.length) point(from());
    });
  }
  listen(picture, "click", signal, (event) => {
    const { top, height } = picture.getBoundingClientRect();
    point(clamp(Math.floor(((event.clientY - top) / height) * kept.last.mask.length), 0, kept.last.mask.length - 1));
  });
}
