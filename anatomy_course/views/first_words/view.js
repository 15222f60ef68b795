// The first words of the course: a field for a sentence, a model that goes on with it, and the heads of one that reads.

import { button, heading, textField } from "../_kit/controls.js";
import { announce, element, listen, setAttributes } from "../_kit/elements.js";
import { bytes } from "../_kit/format.js";
import { onChange, widgetRoot } from "../_kit/life.js";
import { asking } from "../_kit/request.js";
import { readingHalf } from "./heads.js";
import { writingHalf } from "./text.js";

const REST = 250; // milliseconds without a key until the heads read what was typed
const PACE = 110; // at least so long between two tokens, so that they can be seen coming
const AT_MOST = 14; // tokens in one go; a sentence's end comes first as a rule
const SILENCE = 8000; // milliseconds without a sign of life from the kernel

const endsSentence = (text) => /[.!?↵。！？]["”’']?$/.test(text);

// Asks the kernel one thing at a time, and decides what comes next when its answer is there: {pump(), start(),
// play(…), pause(), toggle(), waited()}.
function conversation({ model, root, signal, kept, sentence, changed }) {
  let clock = 0;
  let waiting = 0;
  let since = 0;
  const ids = () => model.get("written").map((token) => token.token_id);
  const send = asking({ model, signal, onAnswer: answered });

  function ask(question) {
    kept.busy = true;
    since = performance.now();
    clearInterval(clock);
    clock = setInterval(changed.state, 500);
    send(question);
    changed.state();
  }

  function pump() {
    if (kept.busy || signal.aborted) return;
    const { playing } = kept;
    if (playing) {
      ask({ do: "write", sentence: playing.sentence, token_ids: playing.ids, more: playing.left > 0 ? 1 : 0 });
    } else if (kept.touched && sentence() !== kept.asked) {
      kept.asked = sentence();
      ask({ do: "read", sentence: kept.asked });
    } else if (kept.touched && !model.get("ready") && !model.get("error")) ask({ do: "load" });
  }

  function answered(error) {
    const took = performance.now() - since;
    const { do: did } = model.get("question");
    kept.busy = false;
    clearInterval(clock);
    if (error) kept.playing = null;
    else if (did === "write") wrote();
    else if (did === "read") announce(root, `MiniLM has read ${model.get("tokens").length} pieces.`);
    changed.state();
    changed.text();
    clearTimeout(waiting);
    waiting = setTimeout(pump, kept.playing ? Math.max(0, PACE - took) : 0);
  }

  // One more token is there: is it the last one?
  function wrote() {
    const { playing } = kept;
    const last = model.get("written").at(-1);
    kept.place = playing?.show ?? model.get("written").length - 1;
    if (!playing) return;
    const came = ids().length > playing.ids.length;
    playing.left -= 1;
    playing.ids = ids();
    if (came && !last.ends && playing.left > 0 && !endsSentence(last.word)) return;
    kept.playing = null;
    announce(
      root,
      `SmolLM2 wrote: ${model
        .get("written")
        .map((token) => token.word.replace("␣", " "))
        .join("")}`,
    );
  }

  function start() {
    const same = sentence().trim() === model.get("sentence");
    play(sentence(), same ? ids() : []);
  }

  // Goes on after these tokens; the rivals at the place `show` stay in view meanwhile.
  function play(text, after, show) {
    Object.assign(kept, { touched: true, asked: text, playing: { sentence: text, ids: after, left: AT_MOST, show } });
    clearTimeout(waiting);
    changed.state();
    changed.text();
    pump();
  }

  function pause() {
    kept.playing = null;
    changed.state();
    changed.text();
  }

  onChange(model, signal, "loading", () => {
    since = performance.now();
    changed.state();
  });
  signal.addEventListener("abort", () => {
    clearInterval(clock);
    clearTimeout(waiting);
  });
  const toggle = () => (kept.playing ? pause() : start());
  return { pump, start, play, pause, toggle, waited: () => performance.now() - since };
}

// What is going on, in one line: {node, draw(waited)}.
function stateLine({ model, root, kept }) {
  const said = element("span", { role: "status", "aria-live": "polite" });
  const seconds = element("span", { "aria-hidden": "true" });
  const node = element("div", { class: "fw-state" }, said, seconds);

  function calm() {
    if (model.get("recorded") && !kept.touched)
      return "This was recorded. Type a sentence of your own: the two models are then loaded, in about 10 seconds.";
    if (model.get("tokens").includes("[UNK]"))
      return "[UNK] stands for a character that MiniLM's vocabulary does not have.";
    if (model.get("ready")) return "Live. Enter lets SmolLM2 go on; click a word that it wrote for its rivals.";
    return kept.busy ? "Reading …" : "";
  }

  function draw(waited) {
    const [loading, error] = [model.get("loading"), model.get("error")];
    const silent = kept.busy && !loading && waited > SILENCE;
    const text = loading
      ? `Loading ${loading} … `
      : silent
        ? "The kernel does not answer: it is busy, or this cell has to be run again. "
        : error || calm();
    if (said.textContent !== text) said.textContent = text;
    said.classList.toggle("error", Boolean(error) && text === error);
    seconds.textContent = loading || silent ? `${Math.round(waited / 1000)} s` : "";
    root.classList.toggle("fw-loading", Boolean(loading));
  }
  return { node, draw };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("first-words");
  const firstWord = model.get("tokens").indexOf(model.get("word"));
  // What this view remembers between drawings.
  const kept = {
    weights: bytes(model.get("weights")),
    head: model.get("chosen"),
    word: firstWord < 0 ? null : firstWord,
    place: 0, // of the new word whose rivals are shown
    playing: null, // {sentence, ids, left, show} while words are being written
    asked: model.get("sentence"),
    touched: false,
    busy: false,
  };
  let resting = 0;
  const field = textField({
    label: "Your sentence",
    value: model.get("sentence"),
    maxlength: null, // a longer one is refused in words, not cut without one
    signal,
    onInput: () => {
      if (kept.playing) talk.pause();
      kept.touched = true;
      clearTimeout(resting);
      resting = setTimeout(talk.pump, REST);
    },
  });
  field.node.querySelector(".error").remove();
  field.input.removeAttribute("aria-describedby");
  signal.addEventListener("abort", () => clearTimeout(resting));
  listen(field.input, "keydown", signal, (event) => {
    if (event.key === "Enter" && !event.isComposing) talk.start();
  });
  listen(field.input, "focus", signal, () => kept.touched || field.input.select());
  const go = button({ label: "", primary: true, signal, onClick: () => talk.toggle() });
  const state = stateLine({ model, root, kept });

  function tellState() {
    state.draw(talk.waited());
    go.textContent = kept.playing ? "■ Stop" : "▶ Go on";
    setAttributes(go, { "aria-label": kept.playing ? "Stop writing" : "Go on with the sentence" });
    setAttributes(field.input, { "aria-invalid": String(Boolean(model.get("error"))) });
  }

  const text = writingHalf({
    model,
    signal,
    kept,
    onPlace: (place) => {
      if (kept.playing) talk.pause();
      kept.place = place;
      text.draw();
    },
    onRival: (place, rival) => {
      const before = model.get("written").slice(0, place);
      field.set(model.get("sentence"));
      talk.play(model.get("sentence"), [...before.map((token) => token.token_id), rival.token_id], place);
    },
  });
  const talk = conversation({
    model,
    root,
    signal,
    kept,
    sentence: field.get,
    changed: { state: tellState, text: text.draw },
  });
  root.append(
    heading(model.get("label")),
    element("div", { class: "fw-form" }, field.node, go),
    state.node,
    text.node,
    readingHalf({ model, root, signal, kept }),
  );
  onChange(model, signal, "written", () => text.draw());
  tellState();
  text.draw();
  return cleanup;
}

export default { render };
