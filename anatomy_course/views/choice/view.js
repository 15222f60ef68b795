// A question with choices: chosen by radio button, judged here, each choice with its reason. A prediction is only
// noted.

import { choiceForm, verdict } from "../_kit/choices.js";
import { change, onChange, widgetRoot } from "../_kit/life.js";

// A choice's text with the period that a list of choices leaves out.
const asSentence = (text) => (/[.!?…]$/.test(text) ? text : `${text}.`);

// Uncovers the cards of what came out, where this page has any, and says there what the guess was.
function uncover(id, choice) {
  for (const covered of document.querySelectorAll(`[data-outcome="${CSS.escape(id)}"]`)) {
    let state = "right";
    for (const guess of covered.querySelectorAll("[data-guess]")) {
      guess.hidden = Number(guess.dataset.guess) !== choice;
      if (!guess.hidden) state = "other";
    }
    const card = covered.parentElement;
    card.className = `anatomy-card is-${state === "right" ? "passed" : state}`;
    card.querySelector(".state strong").textContent = covered.dataset[state];
    covered.querySelector("summary").textContent = "What came out";
    covered.querySelector("details").open = true;
  }
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  const { kind, text, choices } = model.get("question");
  const prediction = kind === "prediction";
  root.classList.add("choice-question");
  const form = choiceForm({
    root,
    text,
    choices,
    signal,
    check: prediction ? "Note my prediction" : "Check",
    judge: (choice) =>
      prediction
        ? ["noted", `Noted: ${asSentence(choices[choice].text)} The next cell shows what comes out.`]
        : verdict(choices[choice]),
    onChosen: (choice) => {
      change(model, { chosen: choice });
      if (prediction) uncover(model.get("question").id, choice);
    },
  });
  root.append(form.node);
  const follow = () => form.show(model.get("chosen"));
  onChange(model, signal, "chosen", follow);
  follow();
  return cleanup;
}

export default { render };
