// A question with choices: chosen by radio button, judged here, each choice with its reason. A prediction is only
// noted.

import { choiceForm, verdict } from "../_kit/choices.js";
import { change, onChange, widgetRoot } from "../_kit/life.js";

// A choice's text with the period that a list of choices leaves out.
const asSentence = (text) => (/[.!?…]$/.test(text) ? text : `${text}.`);

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
        ? ["noted", `Noted: ${asSentence(choices[choice].text)} Now run the next cell and see.`]
        : verdict(choices[choice]),
    onChosen: (choice) => {
      change(model, { chosen: choice });
    },
  });
  root.append(form.node);
  const follow = () => form.show(model.get("chosen"));
  onChange(model, signal, "chosen", follow);
  follow();
  return cleanup;
}

export default { render };
