// The card of an exercise: state, message, target and yours, hints one by one, then the solution.

import { button } from "../_kit/controls.js";
import { announce, element, focusable, listen, prose } from "../_kit/elements.js";
import { change, frame, onChange, widgetRoot } from "../_kit/life.js";
import { diverging, onTheme, readableOn, sequentialColor } from "../_kit/theme.js";

const WHICH = "Something in your code is off. Which line would you change first?";
const [NOT_YET, SKIPPED] = [-1, 0]; // what `pointed` is beside the number of a line
const STATE_CLASS = { passed: "is-passed", "not attempted": "is-open", emptied: "is-open" };

function paragraph(text, attributes = {}) {
  return element("p", attributes, prose(text));
}

// The line's text with the part that is off marked, where it stands in it just once.
function marked(text, part) {
  const pieces = part ? text.split(part) : [];
  return pieces.length === 2 ? [pieces[0], element("mark", {}, part), pieces[1]] : text;
}

function codeLine({ number, text, part, held }) {
  const code = marked(text, part);
  const unmarked = part && code === text;
  return [
    element("p", {}, `In line ${number}`, unmarked ? [", at ", element("code", {}, part)] : "", ":"),
    element("pre", { class: "code", dir: "ltr" }, code),
    held.length
      ? element(
          "ul",
          { class: "held" },
          held.map((words) => element("li", {}, words)),
        )
      : null,
  ];
}

// One window of a tensor as a table; `paint` is filled with what colors its cells.
function windowTable(piece, kind, paint) {
  const head = piece.columns.some((name) => name !== "")
    ? element(
        "tr",
        {},
        element("td"),
        piece.columns.map((name) => element("th", { scope: "col" }, name)),
      )
    : null;
  const rows = piece.cells.map((cells, i) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, piece.rows[i]),
      cells.map((text, j) => {
        const differs = piece.marked[i][j];
        const sign = differs ? element("span", { class: "sign" }, "≠ ") : null;
        const cell = element("td", { class: differs ? "differs" : null }, sign, text);
        paint.push({ cell, level: piece.levels[i][j], kind });
        return cell;
      }),
    ),
  );
  return element("table", { class: "window" }, element("caption", {}, piece.caption), head, rows);
}

function comparisonView(comparison, root, signal) {
  const paint = [];
  const tables = [comparison.target, comparison.yours].map((piece) => windowTable(piece, comparison.kind, paint));
  const colors = () => {
    for (const { cell, level, kind } of paint) {
      if (level === null) continue;
      const background = kind === "signed" ? diverging(root, level) : sequentialColor(root, level);
      cell.style.backgroundColor = background;
      cell.style.color = readableOn(background);
    }
  };
  onTheme(root, signal, colors);
  return element(
    "div",
    { class: "comparison" },
    element("p", { class: "note" }, comparison.title),
    element("div", focusable({ class: "columns scroll", role: "region", "aria-label": "target and yours" }), tables),
  );
}

// The learner's lines as buttons, one of which is to be pointed at before the card says which it is.
function pointingView(model, { lines }, signal) {
  const point = (number) => change(model, { pointed: number });
  const view = element(
    "div",
    { class: "pointing", role: "group", "aria-label": WHICH },
    paragraph(WHICH),
    element(
      "div",
      { class: "lines scroll", dir: "ltr" },
      lines.map(({ number, text }) =>
        button({ label: text, name: `Line ${number}: ${text.trim()}`, signal, onClick: () => point(number) }),
      ),
    ),
    element("div", { class: "row" }, button({ label: "Just tell me", signal, onClick: () => point(SKIPPED) })),
  );
  listen(view, "keydown", signal, (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    point(SKIPPED);
  });
  return view;
}

// What the card says of where the learner pointed: nothing where it was not asked, or skipped.
function pointedWords(pointed, { right }) {
  if (pointed <= SKIPPED) return "";
  if (!right.includes(pointed)) return `You pointed at line ${pointed}.`;
  return right.length > 1 ? `Line ${pointed}: one of the lines that are off.` : `Line ${pointed}: that is the line.`;
}

function helpView(model, card, root, signal) {
  const hints = element("ol", { class: "hints" });
  const solution = element("div", { class: "solution" });
  const question = element("div", { class: "row confirm", hidden: true });
  const shown = () => model.get("hints_shown");
  const hintButton = button({
    label: "",
    signal,
    onClick: () => change(model, { hints_shown: Math.min(shown() + 1, card.hints.length) }),
  });
  const solutionButton = button({
    label: "Solution",
    signal,
    onClick: () => {
      if (model.get("solution_shown")) change(model, { solution_shown: false });
      else if (card.state === "passed" || shown() >= card.hints.length) change(model, { solution_shown: true });
      else {
        question.hidden = false;
        question.querySelector("button").focus();
      }
    },
  });
  const answer = (yes) => {
    question.hidden = true;
    if (yes) change(model, { solution_shown: true });
    solutionButton.focus();
  };
  question.append(
    element("span", {}, "There are hints left. Show the solution now?"),
    button({ label: "Show it", signal, onClick: () => answer(true) }),
    button({ label: "Not yet", signal, primary: true, onClick: () => answer(false) }),
  );
  listen(question, "keydown", signal, (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    answer(false);
  });

  const update = () => {
    const count = shown();
    const total = card.hints.length;
    hintButton.textContent = count < total ? `Hint ${count + 1} of ${total}` : `All ${total} hints shown`;
    hintButton.setAttribute("aria-disabled", String(count >= total));
    hints.replaceChildren(...card.hints.slice(0, count).map((hint) => element("li", {}, prose(hint))));
    hints.hidden = count === 0;
    const open = model.get("solution_shown");
    solutionButton.textContent = open ? "Hide the solution" : "Solution";
    solutionButton.setAttribute("aria-expanded", String(open));
    solution.hidden = !open;
    solution.replaceChildren(
      ...(open ? [element("pre", { class: "code", dir: "ltr" }, card.solution), paragraph(card.explanation)] : []),
    );
  };
  onChange(model, signal, "hints_shown", () => {
    update();
    if (shown() > 0) announce(root, `Hint ${shown()}: ${card.hints[shown() - 1]}`);
  });
  onChange(model, signal, "solution_shown", () => {
    update();
    if (model.get("solution_shown")) announce(root, `The solution is shown. ${card.explanation}`);
  });
  update();
  const passed = card.state === "passed";
  const why = passed && !card.solution ? paragraph(card.explanation) : null; // a class whose solutions are hidden
  const buttons = [passed ? null : hintButton, card.solution ? solutionButton : null];
  return [element("div", { class: "row" }, buttons), question, hints, solution, why].filter(Boolean);
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  const card = model.get("card");
  root.classList.add("exercise-card", STATE_CLASS[card.state] ?? "is-failed");
  const state = element(
    "div",
    { class: "state" },
    element("span", { "aria-hidden": "true" }, `${card.sign} `),
    card.headline,
  );
  const where = card.lines.length === 1 ? `In line ${card.lines[0].number}: ` : "";
  const told = `${where}${card.sentence}`;
  const asks = () => card.pointing && model.get("pointed") === NOT_YET;
  const outcome = () => (card.pointing ? pointedWords(model.get("pointed"), card.pointing) : "");
  const focused = { tabindex: "-1", role: "group", "aria-label": "What was found" }; // when a line has been pointed at
  const found = element("div", { class: "found", ...(card.pointing ? focused : {}) });
  const fill = () => {
    const named = [
      outcome() ? paragraph(outcome(), { class: "outcome" }) : null,
      card.lines.map(codeLine),
      paragraph(card.sentence, { class: "sentence" }),
      card.notes.map((note) => paragraph(note, { class: "note" })),
    ];
    const rest = [
      card.comparison ? comparisonView(card.comparison, root, signal) : null,
      card.printed
        ? [element("p", {}, "Your code printed:"), element("pre", { class: "code", dir: "ltr" }, card.printed)]
        : null,
      card.state === "passed" ? paragraph(card.explanation, { class: "why" }) : null,
      paragraph(card.after, { class: "note" }),
      card.notice ? paragraph(card.notice, { class: "error" }) : null,
    ];
    const first = asks() ? pointingView(model, card.pointing, signal) : named;
    found.replaceChildren(...element("div", {}, first, rest).childNodes);
  };
  fill();
  root.append(
    element(
      "div",
      { class: "heading" },
      state,
      element("div", { class: "exercise-title" }, card.title),
      element("div", { class: "note about" }, card.about),
    ),
    found,
    ...helpView(model, card, root, signal),
  );
  const say = (...words) => frame(() => announce(root, words.filter(Boolean).join(" ")), signal)();
  const headline = `${card.title}: ${card.headline}.`;
  say(headline, asks() ? WHICH : told);
  onChange(model, signal, "pointed", () => {
    const here = found.contains(document.activeElement);
    fill();
    if (here) found.focus();
    say(outcome(), told);
  });
  return cleanup;
}

export default { render };
