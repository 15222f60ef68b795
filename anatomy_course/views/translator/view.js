// The translator: a typed sentence is translated word by word, with cross-attention drawn as lines or as a matrix.
// A whole translation arrives at once; the words appear one by one here, so that most of it needs no kernel.

import { button, heading, select } from "../_kit/controls.js";
import { announce, element, focusable, listen, setAttributes, uniqueId, word } from "../_kit/elements.js";
import { bytes, clamp, format } from "../_kit/format.js";
import { change, frame, onChange, prefersReducedMotion, widgetRoot } from "../_kit/life.js";
import { request, sentenceForm } from "../_kit/request.js";
import { onTheme } from "../_kit/theme.js";
import { shownWord } from "../_kit/tokens.js";
import { changes, comparisons, refusals, remarks, wordList } from "./comparisons.js";
import { weightDrawings } from "./drawing.js";

const PAUSE = 420; // milliseconds between two words of "Translate all"
const VIEWS = [
  { value: "lines", label: "lines" },
  { value: "matrix", label: "matrix" },
];

// One layer's weights (written × source): a head's, or their mean where `head` is -1.
function alignment(data, [, heads, written, source], layer, head) {
  const size = written * source;
  const found = new Float32Array(size);
  const chosen = head < 0 ? Array.from({ length: heads }, (_, i) => i) : [head];
  for (const each of chosen) {
    const start = (layer * heads + each) * size;
    for (let i = 0; i < size; i += 1) found[i] += data[start + i] / 255 / chosen.length;
  }
  return found;
}

// Writing word by word, by hand or one after the other, and what is announced of it.
function writing({ root, model, revealed, finished, spoken, written, before }) {
  let timer = 0;

  function writeOne() {
    if (finished()) return;
    const place = revealed();
    change(model, { revealed: place + 1, current: place });
    announce(root, finished() ? `${spoken(place)} ${told()}` : spoken(place));
  }

  function play() {
    stop();
    if (prefersReducedMotion()) {
      change(model, { revealed: written().length, current: written().length - 1 });
      announce(root, told());
      return;
    }
    writeOne();
    timer = setInterval(() => {
      writeOne();
      if (finished()) stop();
    }, PAUSE);
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
  }

  function told() {
    const was = before();
    const [gone, fresh] = was ? changes(was.written, written()) : [[], []];
    const swapped = gone.length
      ? ` ${gone.map((i) => was.written[i]).join(" ")} became ${fresh.map((i) => written()[i]).join(" ")}.`
      : "";
    return `${model.get("text")} ${model.get("verdict").told}${swapped}`;
  }
  return { stop, told, writeOne, play };
}

// One word more, all of them, or from the start again.
function writingButtons({ root, model, signal, stop, writeOne, play }) {
  // ---------------------------------------------------------------- writing
  const next = button({
    label: "Next word",
    primary: true,
    signal,
    onClick: () => {
      stop();
      writeOne();
    },
  });
  const all = button({ label: "Translate all", signal, onClick: play });
  const again = button({
    label: "Start over",
    signal,
    onClick: () => {
      stop();
      change(model, { revealed: 0, current: 0 });
      announce(root, "Nothing is written yet.");
    },
  });
  return { next, all, again };
}

// The translation so far as words to look at: {sentenceList, drawWritten(), lookAt(place)}.
function sentenceWords({ root, model, signal, spoken, kept, written, revealed, current, stop }) {
  // ---------------------------------------------------------------- the written words
  const sentenceList = element(
    "div",
    focusable({
      class: "word-list tr-written",
      role: "listbox",
      "aria-label": "Written so far",
      "aria-orientation": "horizontal",
    }),
  );
  const lookAt = (place) => {
    change(model, { current: place });
    announce(root, spoken(place));
  };

  function drawWritten() {
    const count = revealed();
    kept.chips = written()
      .slice(0, count)
      .map((text, i) => {
        const node = word(shownWord(text), {
          role: "option",
          id: uniqueId("written"),
          "aria-selected": String(i === current()),
          "aria-label": shownWord(text),
        });
        if (model.get("pronouns").includes(i)) node.classList.add("tr-pronoun");
        listen(node, "click", signal, () => {
          stop();
          lookAt(i);
        });
        return node;
      });
    // An empty listbox must hold an option for assistive technology too.
    const rest =
      count < written().length
        ? element("span", {
            class: "tr-blank",
            role: "option",
            "aria-selected": "false",
            "aria-disabled": "true",
            "aria-label": count ? "the next word is not written yet" : "nothing is written yet",
            text: "…",
          })
        : null;
    sentenceList.replaceChildren(...kept.chips, ...(rest ? [rest] : []));
    setAttributes(sentenceList, { "aria-activedescendant": kept.chips[current()]?.id ?? null });
  }
  return { sentenceList, lookAt, drawWritten };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("translator");
  // What this view remembers between drawings; `swapped` is a swap, and what was read and written before it.
  const kept = { weights: new Float32Array(0), chips: [], swapped: null };
  const source = () => model.get("source");
  const written = () => model.get("written");
  const revealed = () => Math.min(model.get("revealed"), written().length);
  const current = () => clamp(model.get("current"), 0, Math.max(0, revealed() - 1));
  const weight = (i, j) => kept.weights[i * source().length + j] ?? 0;
  const finished = () => revealed() === written().length;
  const before = () => (kept.swapped?.sentence === model.get("sentence") ? kept.swapped : null);
  const { stop, told, writeOne, play } = writing({ root, model, revealed, finished, spoken, written, before });

  // ---------------------------------------------------------------- the sentence
  const ask = (sentence, swap = false) => {
    stop();
    form.set(sentence);
    refusal.hidden = true;
    kept.swapped = swap ? { sentence, source: source(), written: written() } : null;
    questions.ask({ sentence });
  };
  const questions = request({ model, signal, onBusy: (on) => form.busy(on), onAnswer: answered });
  const form = sentenceForm({
    value: model.get("sentence"),
    label: "Sentence, English or French",
    action: "Translate",
    signal,
    onSentence: (sentence) => ask(sentence),
  });
  const examples = select({
    label: "or take one",
    options: [],
    signal,
    onChange: (sentence) => {
      if (sentence) ask(sentence);
    },
  });
  form.node.append(examples.node);
  examples.setOptions([{ value: "", label: "examples …" }, ...model.get("examples")]);
  const { refusal, drawRefusal } = refusals({ model, signal, ask });
  const { remark, drawRemark } = remarks({ model, signal, ask });
  const direction = element("span", { class: "shape" });

  function answered() {
    if (model.get("refusal")) announce(root, model.get("refusal"));
    else if (finished()) announce(root, told());
    else announce(root, `Read. ${model.get("direction")}: press Next word.`);
  }
  const { next, all, again } = writingButtons({ root, model, signal, stop, writeOne, play });

  // What a screen reader hears of one written word.
  function spoken(place) {
    const best = source()
      .map((_, j) => j)
      .reduce((most, j) => (weight(place, j) > weight(place, most) ? j : most), 0);
    return `${shownWord(written()[place])}, looked at ${shownWord(source()[best])} ${format(weight(place, best))}.`;
  }
  const { sentenceList, lookAt, drawWritten } = sentenceWords({
    root,
    model,
    signal,
    spoken,
    kept,
    written,
    revealed,
    current,
    stop,
  });
  const drawing = element("div", { class: "tr-drawing" });
  listen(sentenceList, "keydown", signal, (event) => {
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -99, End: 99 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    stop();
    if (by === 1 && current() >= revealed() - 1) writeOne();
    else if (revealed()) lookAt(clamp(current() + by, 0, revealed() - 1));
  });

  // ---------------------------------------------------------------- the alignment
  const view = select({
    label: "Alignment as",
    options: VIEWS,
    value: model.get("view"),
    signal,
    onChange: (value) => change(model, { view: value }),
  });
  const layer = select({
    label: "Layer",
    options: [],
    signal,
    onChange: (value) => change(model, { layer: Number(value) }),
  });
  const head = select({
    label: "Head",
    options: [],
    signal,
    onChange: (value) => change(model, { head: Number(value) }),
  });
  const { drawLines, drawMatrix } = weightDrawings({
    root,
    model,
    signal,
    source,
    written,
    revealed,
    current,
    weight,
    lookAt,
    drawing,
  });
  const { rivals, verdict, swaps, compared, drawSwaps, drawRivals, drawVerdict, drawCompared } = comparisons({
    model,
    signal,
    written,
    revealed,
    current,
    finished,
    source,
    ask,
    before,
  });
  const { lexicon } = wordList({ model });
  lexicon.hidden = !Object.keys(model.get("known")).length;

  root.append(
    heading(model.get("label"), direction),
    swaps,
    sentenceList,
    verdict,
    element("div", { class: "tr-slot" }, refusal, remark, compared),
    element(
      "div",
      { class: "tr-two" },
      drawing,
      element(
        "div",
        { class: "tr-beside" },
        form.node,
        questions.line,
        rivals,
        element("div", { class: "row" }, next, all, again),
        element("div", { class: "row tr-where" }, view.node, layer.node, head.node),
        lexicon,
      ),
    ),
  );

  function load() {
    const shape = model.get("shape");
    layer.setOptions(Array.from({ length: shape[0] }, (_, i) => i));
    head.setOptions([{ value: -1, label: "mean of heads" }, ...Array.from({ length: shape[1] }, (_, i) => i)]);
    direction.textContent = model.get("direction");
    drawRefusal();
    drawRemark();
    drawSwaps();
  }

  function draw() {
    kept.weights = alignment(bytes(model.get("weights")), model.get("shape"), model.get("layer"), model.get("head"));
    // the other half of an answer is still on its way
    if (kept.weights.length !== source().length * written().length) return;
    view.set(model.get("view"));
    layer.set(model.get("layer"));
    head.set(model.get("head"));
    const held = [next, all, again].find((node) => node.matches(":focus"));
    next.disabled = all.disabled = finished();
    again.disabled = !revealed();
    if (held?.disabled) (finished() ? sentenceList : next).focus(); // a disabled button loses the keys
    drawWritten();
    if (model.get("view") === "lines") drawLines();
    else drawMatrix();
    drawRivals();
    drawVerdict();
    drawCompared();
    compared.hidden = !refusal.hidden;
  }
  const redraw = frame(draw, signal);
  onChange(model, signal, ["revealed", "current", "layer", "head", "view"], redraw);
  const reload = frame(() => {
    load();
    draw();
  }, signal);
  onChange(model, signal, ["weights", "answered"], reload);
  onTheme(root, signal, redraw);
  signal.addEventListener("abort", stop);
  load();
  draw();
  return cleanup;
}

export default { render };
