// The nearest words: a word's nearest neighbors after every layer, and the similarity of some words as curves.

import { button, heading, toggleButton } from "../_kit/controls.js";
import { limits, lineChart } from "../_kit/curves.js";
import { announce, element, focusable, listen, setAttributes, shorten, svg, uniqueId, word } from "../_kit/elements.js";
import { clamp, format } from "../_kit/format.js";
import { change, frame, onChange, onWidth, widgetRoot } from "../_kit/life.js";
import { request, sentenceForm } from "../_kit/request.js";
import { spokenAs } from "../_kit/spoken.js";

const STEPS = 32767; // what a similarity of 1 travels as
const SHOWN = 5; // neighbors per layer
const MOST_FOLLOWED = 6;
const LOOKS = ["one", "two", "three", "four", "five", "six"];

// The nearest words of each layer as a grid.
function nearestGrid({ model, signal, kept, cosine, chosen, followed, spoken, label, toggle }) {
  const title = element("div", { class: "lj-title" });
  const grid = element("div", { class: "lj-grid", role: "table" });

  function nearest(layer) {
    const i = chosen();
    return kept.words
      .map((_, j) => j)
      .filter((j) => j !== i && !(model.get("others") && kept.words[j].sentence === kept.words[i].sentence))
      .sort((a, b) => cosine(layer, i, b) - cosine(layer, i, a))
      .slice(0, SHOWN);
  }

  function drawGrid() {
    const i = chosen(),
      now = followed();
    const held = document.activeElement?.closest?.(".lj-cell");
    const place = held && grid.contains(held) ? held.dataset.place : null;
    const head = element(
      "div",
      { class: "lj-row lj-head", role: "row" },
      element("span", { role: "columnheader", text: "" }),
      Array.from({ length: kept.layers }, (_, layer) =>
        element("span", { role: "columnheader", text: layer ? `layer ${layer}` : "0: no context" }),
      ),
    );
    const columns = Array.from({ length: kept.layers }, (_, layer) => nearest(layer));
    const rows = Array.from({ length: SHOWN }, (_, rank) =>
      element(
        "div",
        { class: "lj-row", role: "row" },
        element("span", { role: "rowheader", class: "lj-rank", text: `${rank + 1}.` }),
        columns.map((column, layer) => {
          const j = column[rank];
          if (j === undefined) return element("span", { role: "cell" });
          const near = cosine(layer, i, j);
          const at = now.indexOf(j);
          const cell = button({ label: "", signal, onClick: () => toggle(j) });
          cell.classList.add("lj-cell");
          if (at >= 0) cell.classList.add(LOOKS[at]);
          cell.dataset.place = `${rank} ${layer}`;
          setAttributes(cell, { "aria-pressed": String(at >= 0), style: { "--near": String(clamp(near, 0, 1)) } });
          cell.append(
            element("span", { class: "lj-word" }, label(j, 9)),
            element("span", { class: "number", text: format(near) }),
          );
          return element("span", { role: "cell" }, spokenAs(cell, `${spoken(j)}: ${format(near)}`));
        }),
      ),
    );
    grid.style.setProperty("--layers", kept.layers);
    grid.setAttribute("aria-label", `Nearest words of ${spoken(i)} after each layer`);
    grid.replaceChildren(head, ...rows);
    if (place) grid.querySelector(`[data-place="${place}"]`)?.focus();
    title.replaceChildren(
      "Nearest to ",
      element("b", {}, label(i, 14)),
      element("span", { class: "lj-among", text: ` among ${kept.words.length} words` }),
    );
  }
  return { title, grid, drawGrid };
}

// The followed words' similarity from layer to layer.
function similarityChart({ signal, kept, cosine, chosen, followed, spoken, label, toggle }) {
  const chart = lineChart({ height: 162, xLabel: "layer (0: before any context)", yLabel: "cosine similarity" });
  const key = element("div", { class: "row lj-key" });

  function drawChart() {
    const i = chosen();
    const line = (f) => Array.from({ length: kept.layers }, (_, layer) => [layer, f(layer)]);
    const series = followed().map((j, k) => ({
      j,
      points: line((layer) => cosine(layer, i, j)),
      class: LOOKS[k],
      name: spoken(j),
    }));
    const mean = line(
      (layer) =>
        kept.words.reduce((sum, _, j) => sum + (j === i ? 0 : cosine(layer, i, j)), 0) /
        Math.max(1, kept.words.length - 1),
    );
    const [low] = limits([...mean, ...series.flatMap(({ points }) => points)].map(([, y]) => y));
    const told = series
      .map(({ j, points }) => `${spoken(j)} from ${format(points[0][1])} to ${format(points.at(-1)[1])}`)
      .join("; ");
    chart.draw([{ points: mean, class: "level", name: "average" }, ...series], {
      x: [0, kept.layers - 1],
      y: [Math.min(0, low), 1],
      told:
        `Cosine with ${spoken(i)} over the layers: ${told || "no word is followed"}; on average from ` +
        `${format(mean[0][1])} to ${format(mean.at(-1)[1])}.`,
    });
    const sample = (look) =>
      svg(
        "svg",
        { class: "line-chart lj-sample", width: 26, height: 10, "aria-hidden": "true" },
        svg("path", { class: `line ${look}`, d: "M1 5H25" }),
      );
    key.replaceChildren(
      ...series.map(({ j, class: look }) => {
        const out = button({ label: "", signal, onClick: () => toggle(j) });
        out.classList.add("lj-out");
        out.append(sample(look), element("span", {}, label(j, 10)), element("span", { text: "×" }));
        return spokenAs(out, `Follow no longer: ${spoken(j)}`);
      }),
      element("span", { class: "lj-mean" }, sample("level"), `average of all ${kept.words.length - 1}`),
    );
  }
  return { chart, key, drawChart };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("journey");
  // What this view remembers between drawings.
  const kept = { words: [], layers: 0, table: null, options: [] };
  const cosine = (layer, i, j) => kept.table[(layer * kept.words.length + i) * kept.words.length + j] / STEPS;
  const chosen = () => clamp(model.get("chosen"), 0, kept.words.length - 1);
  const followed = () => model.get("followed").filter((i) => i < kept.words.length && i !== chosen());
  const spoken = (i) => `${kept.words[i].text}, sentence ${kept.words[i].sentence}`;
  const label = (i, most = 14) => [
    word(shorten(kept.words[i].text, most)),
    element("sub", { text: kept.words[i].sentence }),
  ];

  // ---------------------------------------------------------------- the sentences
  const questions = request({
    model,
    signal,
    onBusy: (on) => {
      form.busy(on);
      out.disabled = on;
    },
    onAnswer: () => {
      const done = model.get("question").out ? "Taken out" : "Added";
      announce(root, `${done}; now ${spoken(chosen())} is chosen.`);
      if (!own() && document.activeElement === document.body) form.node.querySelector("input").focus();
    },
  });
  const form = sentenceForm({
    value: "",
    label: "Your own sentence",
    action: "Add",
    signal,
    onSentence: (sentence) => questions.ask({ sentence, out: 0 }),
  });
  // The reader's own sentence that goes first: that of the chosen word, else the last one; 0 for none.
  const own = () => {
    const count = model.get("sentences").length,
      at = kept.words[chosen()].sentence;
    return at > model.get("given") ? at : count > model.get("given") ? count : 0;
  };
  const out = button({ label: "", signal, onClick: () => questions.ask({ sentence: "", out: own() }) });
  const list = element(
    "div",
    focusable({ class: "lj-sentences", role: "listbox", "aria-label": "Word", "aria-orientation": "horizontal" }),
  );
  listen(list, "keydown", signal, (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -kept.words.length, End: kept.words.length }[event.key];
    const rows = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by === undefined && rows === undefined) return;
    event.preventDefault();
    if (by !== undefined) choose(clamp(chosen() + by, 0, kept.words.length - 1));
    else {
      const sentence = kept.words[chosen()].sentence + rows;
      const first = kept.words.findIndex((each) => each.sentence === sentence);
      if (first >= 0) choose(first);
    }
    announce(root, spoken(chosen()));
  });
  const choose = (i) => change(model, { chosen: i, followed: followed().filter((j) => j !== i) });

  // ---------------------------------------------------------------- neighbors and curves
  const others = toggleButton({
    label: "Only words of other sentences",
    pressed: model.get("others"),
    signal,
    onToggle: (on) => change(model, { others: on }),
  });
  const { title, grid, drawGrid } = nearestGrid({
    model,
    signal,
    kept,
    cosine,
    chosen,
    followed,
    spoken,
    label,
    toggle,
  });
  const { chart, key, drawChart } = similarityChart({ signal, kept, cosine, chosen, followed, spoken, label, toggle });
  root.append(
    heading(model.get("label")),
    list,
    element("div", { class: "row lj-form" }, form.node, out, questions.line),
    element(
      "div",
      { class: "panel" },
      element("div", { class: "row lj-top" }, title, others.node),
      element("div", { class: "scroll" }, grid),
    ),
    element(
      "div",
      { class: "panel lj-curves" },
      element("div", {
        class: "lj-title",
        text: "Follow words: press a neighbor above to draw how near it is after each layer",
      }),
      chart.node,
      key,
    ),
  );

  function toggle(j) {
    const now = followed();
    change(model, { followed: now.includes(j) ? now.filter((i) => i !== j) : [...now, j].slice(-MOST_FOLLOWED) });
  }

  function drawWords() {
    kept.options.forEach((node, i) => node.setAttribute("aria-selected", String(i === chosen())));
    list.setAttribute("aria-activedescendant", kept.options[chosen()]?.id ?? "");
    const node = kept.options[chosen()];
    const top = node ? node.parentElement.offsetTop + node.offsetTop : 0;
    list.scrollTop = clamp(list.scrollTop, top + 24 - list.clientHeight, Math.max(0, top - 2));
    out.classList.toggle("away", !own());
    out.textContent = `Take out sentence ${own() || model.get("given")}`;
  }

  function load() {
    const sentences = model.get("sentences");
    kept.layers = model.get("layers");
    kept.words = sentences.flatMap((list, i) => list.map((text) => ({ text, sentence: i + 1 })));
    const view = model.get("similarities");
    kept.table = new Int16Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
    let place = 0;
    kept.options = [];
    list.replaceChildren(
      ...sentences.map((texts, i) =>
        element(
          "div",
          { class: "lj-sentence", role: "group", "aria-label": `Sentence ${i + 1}` },
          element("span", { class: "lj-number", "aria-hidden": "true", text: i + 1 }),
          texts.map((text) => {
            const at = place;
            place += 1;
            const node = word(text, {
              role: "option",
              id: uniqueId("word"),
              "aria-label": `${text}, sentence ${i + 1}`,
            });
            listen(node, "click", signal, () => choose(at));
            kept.options.push(node);
            return node;
          }),
        ),
      ),
    );
  }

  const draw = () => {
    // the other half of an answer is still on its way
    if (kept.table.length !== kept.layers * kept.words.length ** 2) return;
    drawWords();
    drawGrid();
    drawChart();
    others.set(model.get("others"));
  };
  const redraw = frame(draw, signal);
  const reload = frame(() => {
    load();
    draw();
  }, signal);
  onChange(model, signal, ["sentences", "similarities", "layers"], reload);
  onChange(model, signal, ["chosen", "followed", "others"], redraw);
  onWidth(list, signal, drawWords); // only now it can scroll to the chosen word
  load();
  draw();
  return cleanup;
}

export default { render };
