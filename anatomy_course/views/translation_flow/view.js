// The translation flow: the figure of 2017, lit part by part while a sentence is translated, with the tensors of each
// step beside it.

import { button, heading, select, slider } from "../_kit/controls.js";
import { announce, element, focusable, listen, prose, setAttributes, svg, word } from "../_kit/elements.js";
import { clamp, floats } from "../_kit/format.js";
import { change, frame, onChange, onWidth, widgetRoot } from "../_kit/life.js";
import { walkControls } from "../_kit/steps.js";
import { onTheme } from "../_kit/theme.js";
import { shownWord } from "../_kit/tokens.js";
import { arrowOf, fittedFigure, markOf, partOf } from "../_kit/transformer_drawing.js";
import { choiceBars, tensorDrawings } from "./tensors.js";

const TALL = 462; // pixels of the figure
const PAUSE = 1100; // milliseconds per step while playing
const NOTHING_YET = "nothing yet: the encoder reads first";
const AT_WORK = { heads: "encoder_self_attention" }; // parts that work together with another

// Where one can jump to: every part of the way up to the first word, then every word.
function chapterList({ count, whole, startOf, round, momentAt, written, signal, go }) {
  return select({
    label: "Go to",
    options: Array.from({ length: count }, (_, at) => at)
      .filter((at) => at < whole || at === startOf(round(at)))
      .map((at) => ({
        value: at,
        label: at < whole ? momentAt(at).title : `Word ${round(at)}: ${written[round(at) - 1]}`,
      })),
    signal,
    onChange: (at) => go(Number(at)),
  });
}

// The words of the target so far. What is written later keeps its place, so that nothing moves when a line is full.
function targetChips({ target, written, now, appended, signal, go }) {
  const chips = target.slice(0, now).map((text, i) => {
    const node = word(text, { class: `word fl-chip${i === now - 1 ? " now" : ""}` });
    listen(node, "click", signal, () => go(i + 1));
    return node;
  });
  if (appended) chips.push(word(written[now - 1], { class: "word fl-chip new" }));
  const rest = [target[0], ...written].slice(chips.length);
  return [...chips, ...rest.map((text) => word(text, { class: "word fl-chip fl-later" }))];
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("flow");
  const [source, target, written] = ["source", "target", "written"].map((name) => model.get(name).map(shownWord));
  const [encoder, decoder, tensors] = ["encoder", "decoder", "tensors"].map((name) => model.get(name));
  const numbers = floats(model.get("values"));
  const later = model.get("later");
  const whole = encoder.length + decoder.length; // until the first word is written
  const count = whole + later.length * (written.length - 1);
  const place = () => clamp(model.get("place"), 0, count - 1);
  const round = (at = place()) =>
    at < encoder.length ? 0 : at < whole ? 1 : Math.floor((at - whole) / later.length) + 2;
  const stepOf = (at) => (at < whole ? at - encoder.length : later[(at - whole) % later.length]); // of the decoder
  const momentAt = (at) => (at < encoder.length ? encoder[at] : decoder[stepOf(at)]);
  const startOf = (which) => (which < 1 ? 0 : which < 2 ? encoder.length : whole + (which - 2) * later.length);
  const words = { source, target };
  const show = (to) => {
    change(model, { place: clamp(to, 0, count - 1) });
  };

  // ---------------------------------------------------------------- controls
  const steps = walkControls({
    count,
    pause: PAUSE,
    signal,
    go: (to, byHand) => {
      show(to);
      if (byHand) announce(root, `${phase()}. ${momentAt(place()).title}.`);
    },
  });
  const { back, next, jump: go } = steps;
  const wordBack = button({ label: "« Previous word", name: "Previous word", signal, onClick: () => go(jump(-1)) });
  const wordNext = button({ label: "Next word »", name: "Next word", signal, onClick: () => go(jump(1)) });
  const slide = slider({
    label: "Step",
    min: 1,
    max: count,
    step: 1,
    value: 1,
    format: (value) => `${value} of ${count}`,
    signal,
    onInput: (value) => {
      steps.pause();
      show(value - 1);
    },
  });
  // The beginning of another decoding step; from within one, back leads to its own beginning first.
  const jump = (by) =>
    by < 0 && place() > startOf(round())
      ? startOf(round())
      : round() + by > written.length
        ? count - 1
        : startOf(round() + by);

  listen(root, "keydown", signal, (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input") && !event.key.startsWith("Page")) return; // the slider has its own
    const to = {
      ArrowRight: place() + 1,
      ArrowLeft: place() - 1,
      PageDown: jump(1),
      PageUp: jump(-1),
      Home: 0,
      End: count - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  });

  // ---------------------------------------------------------------- the figure
  const atWork = new Set([...encoder, ...decoder].map(({ part }) => part));
  const nodes = new Map();
  const arrows = [];
  const figure = svg("svg", { class: "fl-figure", role: "img", height: TALL, style: { height: `${TALL}px` } });
  const drawing = Object.fromEntries(["parts", "arrows", "marks", "size"].map((name) => [name, model.get(name)]));

  function drawFigure(wide) {
    const fitted = fittedFigure(drawing, wide, TALL);
    nodes.clear();
    arrows.splice(0, arrows.length, ...fitted.arrows.map((arrow) => ({ ...arrow, node: arrowOf(arrow) })));
    const partsOf = (frames) =>
      fitted.parts
        .filter(({ frame: framed }) => framed === frames)
        .map((part) => {
          const here = AT_WORK[part.id] ?? part.id;
          const node = partOf(part, wide / 2, { class: atWork.has(here) ? "" : "fl-still" });
          if (atWork.has(here)) listen(node, "click", signal, () => go(nearestOf(here)));
          nodes.set(part.id, node);
          return node;
        });
    setAttributes(figure, { viewBox: `0 0 ${wide} ${TALL}` });
    figure.replaceChildren(
      ...partsOf(true),
      ...arrows.map(({ node }) => node),
      ...fitted.marks.map(markOf),
      ...partsOf(false),
    );
    draw();
  }

  // The next step at which a part works, from here on and round again.
  function nearestOf(part) {
    const places = Array.from({ length: count }, (_, at) => at).filter((at) => momentAt(at).part === part);
    return places.find((at) => at > place()) ?? places[0];
  }

  const chapters = chapterList({ count, whole, startOf, round, momentAt, written, signal, go });

  // ---------------------------------------------------------------- words, title, tensors
  const phaseLine = element("span", { class: "shape" });
  const track = element("div", { class: "fl-track" });
  const title = element("h4");
  const say = element("p");
  const box = element("div", { class: "fl-tensors" });
  const told = element("div", focusable({ class: "fl-told scroll", role: "group", "aria-label": "This step" }));
  told.append(title, say, box);
  root.append(
    heading(
      model.get("label"),
      element("span", { class: "note", text: "Click a part of the figure, or press ← → and Page Up/Down." }),
      phaseLine,
    ),
    element("div", { class: "row fl-controls" }, back, next, steps.play, wordBack, wordNext, chapters.node),
    slide.node,
    track,
    element("div", { class: "fl-body" }, figure, told),
  );

  function phase() {
    return round() ? `Writing token ${round()} of ${written.length}` : "Reading the source";
  }

  function drawTrack() {
    const now = round();
    const appended = momentAt(place()).part === "next_token";
    const line = (name, list) => [element("dt", { text: name }), element("dd", {}, list)];
    const chips = targetChips({ target, written, now, appended, signal, go: (i) => go(startOf(i)) });
    track.replaceChildren(
      element(
        "dl",
        {},
        line(
          "source",
          source.map((text) => word(text, { class: "word fl-chip still" })),
        ),
        line("target", now ? chips : [element("span", { class: "note", text: NOTHING_YET }), ...chips]),
      ),
    );
  }
  const { drawTensor } = tensorDrawings({ root, round, numbers, words });
  const { drawChoices } = choiceBars({ model, written, round });

  function draw() {
    const now = place();
    const moment = momentAt(now);
    const reading = round() === 0;
    const done = new Set(
      (reading ? encoder.slice(0, now) : [...encoder, ...decoder.slice(0, stepOf(now))]).map(({ part }) => part),
    );
    for (const [id, node] of nodes) {
      const part = AT_WORK[id] ?? id;
      node.classList.toggle("fl-now", part === moment.part);
      node.classList.toggle("fl-done", part !== moment.part && done.has(part));
    }
    for (const { end, start: from, node } of arrows) {
      const adding = from.endsWith("positions"); // its arrow ends at a sum, not at a part
      node.classList.toggle("fl-lit", (adding ? from : end) === moment.part);
    }
    figure.setAttribute("aria-label", `Figure of the encoder–decoder; at work: ${moment.title}`);
    phaseLine.textContent = phase();
    title.textContent = moment.title;
    say.replaceChildren(...prose(moment.text));
    drawTrack();
    const chosen = ["final_linear", "softmax", "next_token"].includes(moment.part) ? drawChoices(moment.part) : [];
    told.scrollTop = 0;
    box.replaceChildren(...chosen, ...moment.tensors.map((i) => drawTensor(tensors[i])));
    const held = [back, wordBack, next, wordNext].find((node) => node.matches(":focus"));
    steps.tell(now);
    wordBack.disabled = back.disabled;
    wordNext.disabled = next.disabled;
    if (held?.disabled) (now ? back : next).focus(); // a disabled button loses the keys
    slide.set(now + 1);
    const [listed] = [...chapters.input.options]
      .map(({ value }) => Number(value))
      .filter((at) => at <= now)
      .slice(-1);
    chapters.set(listed);
  }
  const redraw = frame(draw, signal);
  onChange(model, signal, "place", redraw);
  onTheme(root, signal, redraw);
  onWidth(figure, signal, drawFigure);
  draw();
  return cleanup;
}

export default { render };
