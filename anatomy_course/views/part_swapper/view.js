// The part swapper: perplexities and a continuation of a decoder with one part in its form of 2017.

import { heading } from "../_kit/controls.js";
import { announce, element, focusable, listen, setAttributes, word } from "../_kit/elements.js";
import { clamp, format, grouped, superscript } from "../_kit/format.js";
import { change, frame, onChange, widgetRoot } from "../_kit/life.js";
import { request } from "../_kit/request.js";

const FLOOR = 10; // the lowest perplexity of the scale
const SETS = [
  ["plain", "plain English"],
  ["street", "the street"],
];

// A perplexity in few digits: 50.6, 1 930, 7.3 · 10⁸.
function perplexityText(value) {
  if (value < 99.95) return format(value, 1);
  if (value < 1e5) return grouped(value < 1000 ? Math.round(value) : Number(value.toPrecision(3)));
  const power = Math.floor(Math.log10(value));
  return `${format(value / 10 ** power, 1)} · 10${superscript(power)}`;
}

// A whole number with thin spaces between its thousands.
// What the exchange has done, in one sentence.
function verdictOf(before, after, blind) {
  const worse = after.plain / before.plain;
  const same = [worse, after.street / before.street].every((ratio) => Math.abs(ratio - 1) < 1e-4);
  if (same && after.continuation === before.continuation)
    return "Nothing changes: the same perplexities, the same text.";
  if (after.plain > blind) return `Worse than blind guessing, which has a perplexity of ${grouped(blind)}.`;
  if (worse > 20) return "Hardly anything is left of what it had learned.";
  return (
    `${format(worse, 1)} times as hesitant on plain English, ${format(after.street / before.street, 1)} times on ` +
    "the street."
  );
}

// What is told of the chosen part: a verdict, memory, and texts.
function detailPanel({ model, blind }) {
  // ---------------------------------------------------------------- the chosen one
  const note = element("div", { class: "os-note" });
  const verdict = element("div", { class: "os-verdict" });
  const memory = element("div", { class: "os-memory" });
  const texts = ["before", "after"].map((when) => ({ when, node: element("div", { class: "os-text" }) }));

  function drawDetail(each, before, after) {
    note.replaceChildren(element("b", { text: `${each.of_2017} for ${each.modern}. ` }), each.note);
    verdict.textContent = after ? verdictOf(before, after, blind) : "";
    for (const { when, node } of texts) {
      const outcome = when === "before" ? before : after;
      node.replaceChildren(
        element("span", { class: "os-when", text: when === "before" ? "as it is" : each.of_2017 }),
        element(
          "span",
          { class: "os-said" },
          word(model.get("prompt")),
          outcome ? word(outcome.continuation, { class: `word os-new ${when}` }) : " …",
        ),
      );
    }
    const kept = (outcome) => `${grouped(outcome.cache_bytes)} bytes`;
    memory.textContent = !after
      ? ""
      : after.cache_bytes === before.cache_bytes
        ? `Keys and values kept of each position: ${kept(before)}, as before.`
        : `Keys and values kept of each position: ${kept(before)} before, ${kept(after)} now, ` +
          `${format(after.cache_bytes / before.cache_bytes, 1)} times as much.`;
  }
  return { note, verdict, memory, texts, drawDetail };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("swapper");
  const parts = model.get("parts"),
    blind = model.get("blind");
  const resultOf = (name) => model.get("results")[name];
  const chosen = () =>
    Math.max(
      0,
      parts.findIndex(({ name }) => name === model.get("chosen")),
    );
  const questions = request({
    model,
    signal,
    onBusy: () => redraw(),
    onAnswer: () => {
      announce(root, told());
    },
  });
  let asked = "";

  // ---------------------------------------------------------------- the table of parts
  const scaleRow = element("div", { class: "os-row os-scale", "aria-hidden": "true" });
  const wholeRow = element("div", { class: "os-row os-whole" });
  const list = element("div", { class: "os-list", role: "radiogroup", "aria-label": "The part that is exchanged" });
  const rows = parts.map((part, i) => {
    const node = element("div", focusable({ class: "os-row os-part", role: "radio" }));
    listen(node, "click", signal, () => choose(i));
    listen(node, "keydown", signal, (event) => {
      const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
      if (by !== undefined) choose((i + by + parts.length) % parts.length, true);
      else if (event.key === " " || event.key === "Enter") choose(i);
      else return;
      event.preventDefault();
    });
    return node;
  });
  list.append(...rows);
  const sample = (name) => element("span", { class: "os-key" }, element("i", { class: `os-bar ${name}` }));
  const key = element(
    "div",
    { class: "row os-keys" },
    SETS.map(([name, text]) => element("span", { class: "row" }, sample(name), text)),
    element("span", { class: "row" }, element("i", { class: "os-blind-sample" }), `blind guessing: ${grouped(blind)}`),
  );
  const { note, verdict, memory, texts, drawDetail } = detailPanel({ model, blind });
  root.append(
    heading(model.get("label")),
    element(
      "div",
      { class: "panel" },
      element("div", { class: "os-title", text: "Perplexity: among how many tokens the model hesitates, on average" }),
      key,
      scaleRow,
      wholeRow,
      list,
    ),
    element(
      "div",
      { class: "panel os-detail" },
      note,
      verdict,
      texts.map(({ node }) => node),
      memory,
      questions.line,
    ),
  );

  function choose(i, focus = false) {
    change(model, { chosen: parts[i].name });
    if (focus) rows[i].focus();
    ask();
  }

  // Python measures what nobody has measured yet.
  function ask() {
    const { name } = parts[chosen()];
    if (resultOf(name) || asked === name) return;
    asked = name;
    questions.ask({ name });
  }

  function told() {
    const part = parts[chosen()],
      after = resultOf(part.name);
    return after
      ? `${part.of_2017} for ${part.modern}: perplexity ${perplexityText(after.plain)} on plain English, ` +
          `${perplexityText(after.street)} on the street. ${verdictOf(model.get("before"), after, blind)}`
      : "";
  }

  // The scale goes from FLOOR to the power of ten above the largest perplexity.
  function top() {
    const all = [model.get("before"), ...Object.values(model.get("results"))].flatMap(({ plain, street }) => [
      plain,
      street,
    ]);
    return 10 ** Math.ceil(Math.log10(Math.max(blind * 10, ...all)));
  }
  const part = (value, high) => clamp(Math.log(value / FLOOR) / Math.log(high / FLOOR), 0, 1);

  function bars(outcome, high) {
    return element(
      "span",
      { class: "os-bars" },
      element("i", { class: "os-blind", style: { "--at": part(blind, high) } }),
      SETS.map(([name]) =>
        element(
          "span",
          { class: "os-line" },
          element("i", { class: `os-bar ${name}`, style: { "--at": Math.max(part(outcome[name], high), 0.004) } }),
          element("span", { class: "number", text: perplexityText(outcome[name]) }),
        ),
      ),
    );
  }

  function draw() {
    const high = top(),
      before = model.get("before"),
      at = chosen();
    const powers = Math.round(Math.log10(high)),
      step = powers > 7 ? 2 : 1;
    scaleRow.replaceChildren(
      element("span"),
      element(
        "span",
        { class: "os-bars" },
        Array.from({ length: powers }, (_, i) => i + 1)
          .filter((power) => (power - 1) % step === 0)
          .map((power) =>
            element("span", {
              class: "os-tick",
              style: { "--at": part(10 ** power, high) },
              text: power < 4 ? grouped(10 ** power) : `10${superscript(power)}`,
            }),
          ),
      ),
    );
    wholeRow.replaceChildren(
      element("span", { class: "os-name" }, element("b", { text: "as it is" })),
      bars(before, high),
    );
    parts.forEach((each, i) => {
      const result = resultOf(each.name),
        waiting = asked === each.name && !model.get("error");
      rows[i].replaceChildren(
        element(
          "span",
          { class: "os-name" },
          element("b", { text: each.part }),
          element("span", {}, `${each.modern} → `, element("em", { text: each.of_2017 })),
        ),
        result
          ? bars(result, high)
          : element("span", {
              class: "os-missing",
              text: waiting && i === at ? "measuring …" : "not measured yet: choose it",
            }),
      );
      const numbers = result
        ? `: perplexity ${perplexityText(result.plain)} on plain English, ${perplexityText(result.street)} on ` +
          "the street"
        : ": not measured yet";
      setAttributes(rows[i], {
        "aria-checked": String(i === at),
        tabindex: i === at ? 0 : -1,
        "aria-label": `${each.part}, ${each.of_2017} for ${each.modern}${numbers}`,
      });
    });
    drawDetail(parts[at], before, resultOf(parts[at].name));
  }

  const redraw = frame(draw, signal);
  onChange(model, signal, ["chosen", "results", "error"], redraw);
  onChange(model, signal, "answered", () => {
    asked = "";
    redraw();
    if (!model.get("error")) ask(); // another part may have been chosen meanwhile
  });
  draw();
  return cleanup;
}

export default { render };
