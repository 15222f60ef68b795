// The neuron reader: contexts in which one neuron fires, the words that it writes, and sentences with it switched off.

import { button, heading, radioRow } from "../_kit/controls.js";
import { announce, element, word } from "../_kit/elements.js";
import { floats, format } from "../_kit/format.js";
import { change, frame, onChange, widgetRoot } from "../_kit/life.js";

const BEFORE = 8; // tokens shown before the one at which the neuron fires
const AFTER = 2;
const RUNS = { intact: "as it is", off: "this neuron off", other: "another one off" };

function wholes(view) {
  if (!view) return new Uint16Array(0);
  return new Uint16Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

// A token as it is in a text: a space is a space, a new line a sign.
function inText(token) {
  return token.replaceAll("␣", " ").replaceAll("↵", "↵ ");
}

// What the page was given, by neuron.
function reading(model) {
  const [tokens, places, written] = ["tokens", "places", "written"].map((name) => wholes(model.get(name)));
  const [activations, scores] = ["activations", "scores"].map((name) => floats(model.get(name)));
  const [words, starts, most, named] = ["words", "starts", "most", "named"].map((name) => model.get(name));
  const bounds = [...starts, tokens.length];
  const piece = (from, to) => Array.from(tokens.subarray(from, to), (each) => inText(words[each])).join("");
  return {
    contexts: (neuron) =>
      Array.from({ length: most }, (_, k) => {
        const place = places[neuron * most + k];
        const text = bounds.findLastIndex((start) => start <= place);
        const from = Math.max(bounds[text], place - BEFORE);
        return {
          cut: from > bounds[text],
          before: piece(from, place),
          token: piece(place, place + 1),
          after: piece(place + 1, Math.min(bounds[text + 1], place + 1 + AFTER)),
          fires: activations[neuron * most + k],
        };
      }),
    writes: (neuron) =>
      Array.from({ length: named }, (_, k) => ({
        text: words[written[neuron * named + k]],
        score: scores[neuron * named + k],
      })),
    strongest: Math.max(...scores),
  };
}

function bar(share, role) {
  const width = `${100 * Math.min(1, Math.max(0, share))}%`;
  return element("span", { class: `nr-track ${role}`, "aria-hidden": "true" }, element("i", { style: { width } }));
}

function contextRow({ cut, before, token, after, fires }, largest) {
  return element(
    "li",
    { class: "nr-context" },
    element(
      "span",
      { class: "nr-text", dir: "auto" },
      cut ? "… " : "",
      before,
      element("mark", { text: token.trim() ? token : "␣" }),
      after,
    ),
    bar(Math.abs(fires) / largest, "fires"),
    element("span", { class: "number", text: format(fires, 1) }),
  );
}

function writtenRow({ text, score }, strongest) {
  return element(
    "li",
    { class: "nr-written" },
    word(text),
    bar(score / strongest, "writes"),
    element("span", { class: "number", text: format(score, 1) }),
  );
}

function trialBlock(trial) {
  const rows = Object.entries(RUNS).map(([run, name]) =>
    element(
      "div",
      { class: "nr-run" },
      element("span", { class: "nr-run-name", text: name }),
      bar(trial[run], run),
      element("span", { class: "number", text: format(trial[run], 2) }),
    ),
  );
  return element(
    "div",
    { class: "nr-trial", role: "group", "aria-label": `${trial.text}, then ${trial.word}` },
    element("div", { class: "nr-sentence" }, `“${trial.text}” → `, word(trial.word)),
    rows,
  );
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("neurons");
  let data = reading(model);
  const neuron = () => model.get("neuron");
  const choose = (value) => {
    change(model, { neuron: Number(value) });
    draw();
    const [first] = data.writes(neuron());
    announce(root, `Neuron ${neuron()}. It writes ${first.text}.`);
  };

  const rows = model
    .get("groups")
    .map(({ name, neurons }) => ({
      name,
      row: radioRow({
        label: `Neurons ${name}`,
        choices: Object.fromEntries(neurons.map((each) => [`n${each}`, String(each)])),
        signal,
        onChoose: (value) => choose(value.slice(1)),
      }),
    }));
  const another = button({
    label: "draw another",
    signal,
    onClick: () => choose(Math.floor(Math.random() * model.get("count"))),
  });
  const title = element("span", { class: "nr-neuron" });
  const contexts = element("ol", { class: "nr-list", "aria-label": "Where it fires most" });
  const written = element("ol", { class: "nr-list", "aria-label": "Words that it writes" });
  const trials = element("div", { class: "nr-trials" });
  const choices = rows.map(({ name, row }, at) =>
    element(
      "div",
      { class: "nr-group" },
      element("span", { class: "nr-group-name", text: name }),
      row.node,
      at === rows.length - 1 ? another : null,
    ),
  );

  root.append(
    heading(model.get("label"), title),
    element("div", { class: "nr-choices", "data-glance": "cause" }, choices),
    element(
      "div",
      { class: "nr-two", "data-glance": "effect" },
      element(
        "div",
        { class: "panel" },
        element("div", { class: "nr-title" }, "It fires most at the ", element("mark", { text: "marked" }), " token"),
        contexts,
      ),
      element(
        "div",
        { class: "panel" },
        element("div", { class: "nr-title", text: "It writes (standard deviations above the mean token)" }),
        written,
      ),
    ),
    element(
      "div",
      { class: "panel nr-off" },
      element("div", { class: "nr-title", text: "Switched off: the probability of the next token" }),
      trials,
    ),
  );

  function draw() {
    const found = data.contexts(neuron());
    const largest = Math.max(...found.map(({ fires }) => Math.abs(fires)), 1e-9);
    title.textContent = `neuron ${neuron()} of ${model.get("count")}`;
    rows.forEach(({ row }) => row.set(`n${neuron()}`));
    contexts.replaceChildren(...found.map((each) => contextRow(each, largest)));
    written.replaceChildren(...data.writes(neuron()).map((each) => writtenRow(each, data.strongest)));
    const tried = model.get("trials")[String(neuron())] ?? [];
    const none = element("p", { class: "note", text: "Tried for the chosen neurons only." });
    trials.replaceChildren(...(tried.length ? tried.map(trialBlock) : [none]));
  }

  onChange(model, signal, ["neuron", "trials"], frame(draw, signal));
  onChange(
    model,
    signal,
    ["words", "tokens", "places", "activations", "written", "scores"],
    frame(() => {
      data = reading(model);
      draw();
    }, signal),
  );
  draw();
  return cleanup;
}

export default { render };
