// The decoding stepper: what was written, the rule, and the candidates for the next token. The kernel writes.

import { button, heading, select, slider } from "../_kit/controls.js";
import { announce, element, listen, setAttributes, shorten, word } from "../_kit/elements.js";
import { clamp, format } from "../_kit/format.js";
import { frame, onChange, widgetRoot } from "../_kit/life.js";
import { request, sentenceForm } from "../_kit/request.js";
import { spokenAs } from "../_kit/spoken.js";

const STOPS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40, 60, 100, 200, 500, 1000, 5000]; // of the top-k slider
const AT_ONCE = 10;
const SETTLE = 120; // milliseconds after which a moved slider counts

const percent = (part) => `${format(part * 100, part >= 0.1 || part === 0 ? 0 : part >= 0.01 ? 1 : 2)} %`;

// The tokens to choose from, those that the rule leaves out at the end.
function candidateRows({ model, signal, kept, endsWithStop, ask, back }) {
  // ---------------------------------------------------------------- candidates
  const title = element("div", { class: "ds-title" });
  const rows = element("div", {
    class: "ds-rows",
    role: "group",
    "aria-label": "Candidates: Enter writes one, arrow keys move, Backspace takes back",
  });
  const rest = element("div", { class: "ds-row ds-rest" });

  function bar(part, top, css) {
    return element("i", { class: css, style: { width: `${(part / top) * 100}%` } });
  }

  function drawCandidates() {
    const options = model.get("options"),
      { sample } = model.get("rule");
    const held = rows.contains(document.activeElement);
    kept.place = 0;
    const top = Math.max(1e-9, ...options.flatMap(({ before, after }) => [before, sample ? after : 0]));
    rows.replaceChildren(
      ...options.map(({ token_id: id, word: text, before, after }, i) => {
        const out = sample && after === 0;
        const filtered = out ? ", ruled out by the filters" : `, after the filters ${percent(after)}`;
        const name = `Write ${text}: ${percent(before)}${sample ? filtered : i === 0 ? ", the greedy choice" : ""}`;
        const node = button({ label: "", signal, onClick: () => ask({ do: "choose", token_id: id }) });
        node.classList.add("ds-row");
        node.classList.toggle("ds-out", out);
        setAttributes(node, { tabindex: i === kept.place ? 0 : -1 });
        node.append(
          element(
            "span",
            { class: "ds-name" },
            word(shorten(text, 20)),
            !sample && i === 0 ? element("span", { class: "ds-choice", text: "greedy" }) : "",
          ),
          element(
            "span",
            { class: "ds-bars", "aria-hidden": "true" },
            bar(before, top, out ? "masked-cell ds-gone" : sample ? "ds-before" : "ds-after"),
            sample && !out ? bar(after, top, "ds-after") : null,
          ),
          element("span", { class: "number", text: percent(before) }),
          element("span", { class: "number ds-now", text: sample ? (out ? "out" : percent(after)) : "" }),
        );
        return spokenAs(node, name);
      }),
    );
    // After the end of the text, too.
    rows.style.minHeight = `${Math.max(parseFloat(rows.style.minHeight) || 0, rows.offsetHeight)}px`;
    if (held) (rows.firstChild ?? back).focus();
    const others = { before: 1, after: 1 };
    for (const option of options)
      for (const key of Object.keys(others)) others[key] = Math.max(0, others[key] - option[key]);
    rest.classList.toggle("away", !options.length);
    rest.replaceChildren(
      element("span", { class: "ds-name", text: `all other ${model.get("vocab_size") - options.length} tokens` }),
      element("span", {}),
      element("span", { class: "number", text: percent(others.before) }),
      element("span", {
        class: "number ds-now",
        text: sample ? (others.after < 1e-7 ? "out" : percent(others.after)) : "",
      }),
    );
    title.textContent = options.length
      ? `What may come next${sample ? ": as the model sees it, and after the filters" : ""}. Press one to write it.`
      : endsWithStop()
        ? "The model has ended its text. Go back to choose otherwise, or press a written token to go back to before it."
        : "There is no room for more. Go back to choose otherwise.";
  }
  return { title, rows, rest, drawCandidates };
}

// The text so far, and what can be done with it.
function textPage({ model, signal, endsWithStop, ended, ask, page, next, more, back, restart }) {
  const sums = element("span", { class: "ds-sums" });

  function drawText() {
    const written = model.get("written");
    const held = page.contains(document.activeElement);
    page.replaceChildren(
      ...model.get("prompt").map((text) => word(text, { class: "word ds-prompt" })),
      ...written.map((token, i) => {
        const node = button({ label: "", signal, onClick: () => ask({ do: "back", count: written.length - i }) });
        node.classList.add("ds-token");
        node.classList.toggle("ds-hand", token.by_hand);
        node.classList.toggle("ds-end", token.ends);
        node.append(word(token.word), element("span", { class: "ds-p", text: percent(token.probability) }));
        const remark = `${token.by_hand ? ", chosen by hand" : ""}${token.ends ? ", ends the text" : ""}`;
        return spokenAs(node, `${token.word}, ${percent(token.probability)}${remark}: go back to before it`);
      }),
      ended()
        ? element("span", { class: "ds-stop", text: endsWithStop() ? "■ the end" : "■ no room for more" })
        : element("span", { class: "ds-caret", "aria-hidden": "true" }),
    );
    page.scrollTop = page.scrollHeight;
    if (held) next.focus();
    const sum = written.reduce((total, token) => total + Math.log(token.probability), 0);
    sums.textContent = written.length
      ? `${written.length} written, log-probability ${format(sum)}, ${format(sum / written.length)} per token`
      : "";
    for (const [node, off] of [
      [next, ended()],
      [more, ended()],
      [back, !written.length],
      [restart, !written.length],
    ])
      setAttributes(node, { "aria-disabled": off ? "true" : null });
  }
  return { sums, drawText };
}

// The rule that picks the next token, and its knobs.
function ruleControls({ model, signal, stops, rule, kept }) {
  let ks = stops();
  const choice = select({
    label: "Choose",
    options: [
      { value: "greedy", label: "the likeliest" },
      { value: "sample", label: "at random" },
    ],
    signal,
    onChange: () => {
      enable();
      rule();
    },
  });
  const temperature = slider({ label: "Temperature", min: 0.1, max: 3, step: 0.05, value: 1, signal, onInput: rule });
  const topK = slider({
    label: "Top-k",
    min: 0,
    max: ks.length,
    step: 1,
    value: 0,
    signal,
    format: (i) => (i >= ks.length ? "all" : String(ks[i])),
    onInput: rule,
  });
  const topP = slider({
    label: "Top-p",
    min: 0.05,
    max: 1,
    step: 0.01,
    value: 1,
    signal,
    format: (p) => (p >= 1 ? "all" : format(p)),
    onInput: rule,
  });
  const seed = select({ label: "Seed", options: Array.from({ length: 10 }, (_, i) => i), signal, onChange: rule });
  // The rule as the controls show it.
  function chosen() {
    return {
      sample: choice.get() === "sample",
      temperature: Math.round(temperature.get() * 100) / 100,
      top_k: topK.get() >= ks.length ? 0 : ks[topK.get()],
      top_p: Math.round(topP.get() * 100) / 100,
      seed: Number(seed.get()),
    };
  }

  function drawRule() {
    if (kept.settling) return; // a control was moved since
    const now = model.get("rule");
    ks = stops();
    choice.set(now.sample ? "sample" : "greedy");
    setAttributes(topK.input, { max: ks.length });
    temperature.set(now.temperature);
    topK.set(now.top_k ? ks.indexOf(now.top_k) : ks.length);
    topP.set(now.top_p);
    if (now.seed > 9) seed.setOptions([...Array.from({ length: 10 }, (_, i) => i), now.seed]);
    seed.set(now.seed);
    enable();
  }

  function enable() {
    for (const control of [temperature, topK, topP, seed]) control.input.disabled = choice.get() !== "sample";
  }
  return { chosen, choice, temperature, topK, topP, seed, drawRule };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("decoding-stepper");
  // What this view remembers between drawings.
  const kept = { busy: false, settling: 0, place: 0 };

  // the candidate that Tab reaches

  const questions = request({
    model,
    signal,
    onBusy: (on) => {
      kept.busy = on;
      root.classList.toggle("ds-busy", on);
      setAttributes(page, { "aria-busy": on ? "true" : null });
      form.busy(on && model.get("question").do === "prompt");
    },
    onAnswer: () => announce(root, told()),
  });
  const endsWithStop = () => Boolean(model.get("written").at(-1)?.ends);

  const ended = () => !model.get("options").length;
  const ask = (question) => {
    if (!kept.busy) questions.ask(question);
  };

  // ---------------------------------------------------------------- prompt, text, buttons
  const form = sentenceForm({
    value: model.get("prompt_text"),
    label: "Text to continue",
    action: "Start",
    primary: false,
    signal,
    onSentence: (prompt) => ask({ do: "prompt", prompt }),
  });
  const page = element("div", { class: "ds-page", role: "group", "aria-label": "The text" });
  const next = button({
    label: "Next token ▶",
    name: "Next token",
    primary: true,
    signal,
    onClick: () => ended() || ask({ do: "next", count: 1 }),
  });
  const more = button({
    label: `Next ${AT_ONCE} ▶▶`,
    name: `Next ${AT_ONCE} tokens`,
    signal,
    onClick: () => ended() || ask({ do: "next", count: AT_ONCE }),
  });
  const back = button({
    label: "◀ Back",
    name: "Take the last token back",
    signal,
    onClick: () => model.get("written").length && ask({ do: "back", count: 1 }),
  });
  const restart = button({
    label: "Restart",
    name: "Restart: take everything back",
    signal,
    onClick: () => model.get("written").length && ask({ do: "restart" }),
  });
  const { sums, drawText } = textPage({ model, signal, endsWithStop, ended, ask, page, next, more, back, restart });

  // ---------------------------------------------------------------- the rule
  const stops = () =>
    [...new Set([...STOPS.filter((k) => k < model.get("vocab_size")), model.get("rule").top_k || 1])].sort(
      (a, b) => a - b,
    );
  const rule = () => {
    clearTimeout(kept.settling);
    kept.settling = setTimeout(() => {
      kept.settling = 0;
      if (kept.busy) rule();
      else ask({ do: "rule", rule: chosen() });
    }, SETTLE);
  };
  signal.addEventListener("abort", () => clearTimeout(kept.settling));
  const { chosen, choice, temperature, topK, topP, seed, drawRule } = ruleControls({
    model,
    signal,
    stops,
    rule,
    kept,
  });
  const { title, rows, rest, drawCandidates } = candidateRows({ model, signal, kept, endsWithStop, ask, back });
  root.append(
    heading(
      model.get("label"),
      element("span", { class: "shape", text: `logits (${model.get("vocab_size")},) for every token` }),
    ),
    form.node,
    questions.line,
    page,
    element("div", { class: "row ds-buttons" }, next, more, back, restart, sums),
    element(
      "div",
      { class: "panel ds-panel" },
      element("div", { class: "ds-rule" }, choice.node, temperature.node, topK.node, topP.node, seed.node),
      title,
      rows,
      rest,
    ),
  );
  listen(rows, "keydown", signal, (event) => {
    if (event.key === "Backspace") {
      event.preventDefault();
      back.click();
      return;
    }
    const count = rows.children.length;
    const to = { ArrowUp: kept.place - 1, ArrowDown: kept.place + 1, Home: 0, End: count - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    kept.place = clamp(to, 0, count - 1);
    [...rows.children].forEach((node, i) => setAttributes(node, { tabindex: i === kept.place ? 0 : -1 }));
    rows.children[kept.place].focus();
  });

  function told() {
    const last = model.get("written").at(-1);
    if (!last) return "Nothing is written yet.";
    return (
      `Written: ${last.word}, ${percent(last.probability)}. ` +
      `${ended() ? "The text has ended." : `Likeliest next: ${model.get("options")[0].word}.`}`
    );
  }

  const draw = () => {
    drawText();
    drawRule();
    drawCandidates();
  };
  const redraw = frame(draw, signal);
  onChange(model, signal, ["prompt", "written", "options", "rule", "room"], redraw);
  onChange(model, signal, "prompt_text", () => form.set(model.get("prompt_text")));
  draw();
  return cleanup;
}

export default { render };
