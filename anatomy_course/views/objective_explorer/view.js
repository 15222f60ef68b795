// The objective explorer: a sentence under each pretraining objective. What was handed over needs no kernel; another
// sentence, another rate and more drawings are asked of Python.

import { heading } from "../_kit/controls.js";
import { announce, element, focusable, setAttributes } from "../_kit/elements.js";
import { change, frame, onChange, widgetRoot } from "../_kit/life.js";
import { request } from "../_kit/request.js";
import { sameRoom } from "../_kit/same_room.js";
import {
  exampleControls,
  looksPicture,
  MASK_SIDE,
  objectiveChooser,
  pointing,
  ratePercent,
  tokenRows,
} from "./parts.js";

const KINDS = {
  everyone: "Every position may look at every one.",
  causal: "Each may look at itself and at what comes before it.",
  prefix: "All may look at the prefix; after it, each also at itself and what comes before it.",
  permuted: "Each may look at the tokens whose turn came before its own, and not at itself.",
  "encoder–decoder":
    "The encoder sees all of its own text; the decoder sees all of the encoder, and what it has read so far.",
};

// The cells of a mask that are open, as one SVG path.
function openCells(mask, size) {
  return mask
    .flatMap(
      (row, i) =>
        (row.match(/1+|0+/g) ?? []).reduce(
          ({ at, parts }, run) => ({
            at: at + run.length,
            parts:
              run[0] === "1"
                ? [...parts, `M${at * size} ${i * size}h${run.length * size}v${size}h${-run.length * size}z`]
                : parts,
          }),
          { at: 0, parts: [] },
        ).parts,
    )
    .join("");
}

// What depends on the chosen objective alone: its question, who was trained this way, what its rate means, and who may
// look at whom.
function wordsOfObjectives(objectives) {
  const abouts = objectives.map(({ asks, models, source }) =>
    element(
      "div",
      { class: "oe-about" },
      element(
        "div",
        { class: "oe-asks" },
        element("b", { text: asks }),
        element("span", { class: "oe-quiet", text: source }),
      ),
      element(
        "div",
        { class: "oe-models" },
        element("span", { class: "oe-quiet", text: "Trained this way: " }),
        models.flatMap((name) => [element("span", { class: "oe-model", text: name }), " "]),
      ),
    ),
  );
  const means = objectives.map(({ rate, rate_means: text }) =>
    element("span", { class: "oe-quiet", text: rate === null ? "" : `${text} (published: ${ratePercent(rate)})` }),
  );
  return { about: sameRoom(abouts), means: sameRoom(means, { class: "oe-means" }) };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("objectives");
  const objectives = model.get("objectives");
  // What this view remembers between drawings.
  const kept = { last: null, at: 0, alone: false, wanted: null };
  const objective = () => objectives.find(({ name }) => name === model.get("chosen")) ?? objectives[0];
  const rate = () => model.get("rates")[objective().name] ?? objective().rate;
  const given = () =>
    model.get("sentence") === model.get("given_sentence") && rate() === objective().rate
      ? model.get("given")[objective().name]
      : [];

  // What is to be seen now, if it is here already.
  function drawing() {
    const told = model.get("drawing");
    const fits =
      told.name === objective().name &&
      told.sentence === model.get("sentence") &&
      told.number === model.get("number") &&
      told.rate === rate();
    return fits ? told : (given()[model.get("number")] ?? null);
  }

  // ---------------------------------------------------------------- asking
  let answers = 0;
  const questions = request({
    model,
    signal,
    onBusy: (on) => {
      form.busy(on);
      if (on) answers = model.get("answered");
      else if (model.get("answered") === answers) leaveAlone();
      again.disabled = on;
    },
    onAnswer: () => {
      announce(root, drawing()?.note ?? "");
      if (kept.wanted !== null && kept.wanted !== rate()) ask({ rate: kept.wanted });
      else if (!drawing()) ask({});
    },
  });
  function ask(changes) {
    questions.ask({
      name: objective().name,
      sentence: model.get("sentence"),
      rate: rate(),
      number: model.get("number"),
      ...changes,
    });
  }
  // Nobody answers: what was handed over can still be read.
  function leaveAlone() {
    kept.alone = true;
    change(model, { sentence: model.get("given_sentence"), rates: {}, number: 0 });
    for (const input of form.node.querySelectorAll("input, button")) input.disabled = true;
    examples.input.disabled = share.input.disabled = true;
    redraw();
  }
  const { chooser, chips } = objectiveChooser({ signal, objectives, choose });
  const { form, again, examples, share } = exampleControls({ model, signal, ask, kept, given, rate });
  const { about, means } = wordsOfObjectives(objectives);

  // ---------------------------------------------------------------- what is seen
  const reads = element("div", focusable({ class: "oe-tokens", role: "listbox", "aria-orientation": "horizontal" }));
  const writes = element("div", focusable({ class: "oe-tokens", role: "listbox", "aria-orientation": "horizontal" }));
  const readsTitle = element("div", { class: "oe-title" }),
    writesTitle = element("div", { class: "oe-title", text: "The decoder reads, and below it what is asked" });
  const readsPart = element("div", {}, readsTitle, reads),
    writesPart = element("div", {}, writesTitle, writes);
  const counted = element("p", { class: "oe-counted" }),
    note = element("p", { class: "note" });
  const line = element("p", { class: "oe-line", role: "status" });
  const { picture, row, open, lines, border } = looksPicture();
  const kinds = sameRoom(Object.values(KINDS).map((text) => element("p", { class: "note", text })));
  const rated = element("div", { class: "oe-rate" }, share.node, means.node);
  root.append(
    heading(model.get("label")),
    chooser,
    about.node,
    element("div", { class: "oe-controls" }, form.node, examples.node),
    element("div", { class: "oe-controls" }, again, rated),
    questions.line,
    element(
      "div",
      { class: "oe-below" },
      element(
        "div",
        focusable({ class: "panel oe-text scroll", role: "group", "aria-label": "What goes in and what is asked" }),
        readsPart,
        writesPart,
        element("div", { class: "oe-told" }, counted, note),
      ),
      element(
        "div",
        { class: "panel oe-looks" },
        element("div", { class: "oe-title", text: "Who may look at whom" }),
        element(
          "div",
          { class: "oe-axes" },
          element("span", { class: "oe-key", text: "key" }),
          element("span", { class: "oe-query", text: "query" }),
          picture,
        ),
        element("div", {}, line, kinds.node),
      ),
    ),
  );

  function choose(i, focus = false) {
    kept.wanted = null;
    change(model, { chosen: objectives[i].name, number: 0 });
    if (focus) chips[i].focus();
    if (!drawing() && !kept.alone) ask({});
  }
  const { point, firstAsking, token, drawLooks } = tokenRows({ signal, kept, reads, writes, line, row });
  pointing({ signal, kept, reads, writes, point, picture });

  function drawControls() {
    objectives.forEach(({ name }, i) => {
      const on = name === objective().name;
      setAttributes(chips[i], { "aria-checked": String(on), tabindex: on ? 0 : -1 });
    });
    about.show(objectives.indexOf(objective()));
    means.show(objectives.indexOf(objective()));
    rated.classList.toggle("away", objective().rate === null);
    setAttributes(rated, { inert: objective().rate === null });
    if (objective().rate !== null && (kept.wanted === null || !again.disabled)) share.set(rate());
  }

  function draw() {
    drawControls();
    const now = drawing();
    root.querySelector(".oe-below").setAttribute("aria-busy", String(!now));
    if (!now) return;
    kept.last = now;
    const pair = kept.last.decoder_inputs.length > 0;
    reads.replaceChildren(
      ...kept.last.inputs.map((text, i) =>
        token(text, i, {
          mark: kept.last.marks[i],
          altered: kept.last.altered[i],
          asked: pair ? undefined : kept.last.asked[i],
        }),
      ),
    );
    writes.replaceChildren(
      ...kept.last.decoder_inputs.map((text, i) =>
        token(text, kept.last.inputs.length + i, { asked: kept.last.asked[i] }),
      ),
    );
    const marked = kept.last.marks_mean ? ` (above it its ${kept.last.marks_mean})` : "";
    readsTitle.textContent = pair ? "The encoder reads" : `What goes in${marked}, and below it what is asked`;
    reads.setAttribute("aria-label", pair ? "The encoder reads" : "What goes in and what is asked");
    writes.setAttribute("aria-label", "What the decoder reads and is asked");
    writesPart.hidden = !pair;
    const counts = kept.last.counts.filter(Boolean).length;
    counted.replaceChildren(
      element("b", { text: `${counts} of ${kept.last.counts.length}` }),
      ` ${pair ? "decoder positions" : "positions"} count in the loss.`,
    );
    note.textContent = kept.last.note;
    const size = MASK_SIDE / kept.last.mask.length;
    open.setAttribute("d", openCells(kept.last.mask, size));
    lines.setAttribute(
      "d",
      kept.last.mask.map((_, i) => `M0 ${i * size}h${MASK_SIDE}M${i * size} 0v${MASK_SIDE}`).join(""),
    );
    border.setAttribute(
      "d",
      pair ? `M0 ${kept.last.inputs.length * size}h${MASK_SIDE}M${kept.last.inputs.length * size} 0v${MASK_SIDE}` : "",
    );
    picture.setAttribute(
      "aria-label",
      `${kept.last.mask.length} queries by ${kept.last.mask.length} keys, ${kept.last.mask_kind}: ` +
        `${KINDS[kept.last.mask_kind] ?? ""}`,
    );
    kinds.show(Object.keys(KINDS).indexOf(kept.last.mask_kind));
    const first = kept.last.asked.findIndex(Boolean);
    kept.at = firstAsking() + Math.max(0, first);
    drawLooks();
  }
  const redraw = frame(draw, signal);
  onChange(model, signal, ["chosen", "number", "rates", "drawing", "sentence"], redraw);
  onChange(model, signal, "sentence", () => form.set(model.get("sentence")));
  draw();
  return cleanup;
}

export default { render };
