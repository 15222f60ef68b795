// Radio buttons with a reason for each choice: choiceForm(…) gives {node, show(choice)}. Questions, predictions and
// diagnoses share it.

import { button } from "./controls.js";
import { announce, element, focusable, listen, prose, uniqueId } from "./elements.js";

// `onChosen(choice)` is told what is checked; `judge(choice)` says it as [css class, words].
export function choiceForm({ root, text, choices, check: label, judge, signal, onChosen }) {
  const name = uniqueId("choice");
  const answer = element("div", { class: "answer", id: `${name}-answer` });
  const inputs = choices.map((_, i) =>
    element("input", focusable({ type: "radio", name, value: i, id: `${name}-${i}`, tabindex: null })),
  );
  const labels = choices.map((choice, i) =>
    element("div", { class: "choice" }, inputs[i], element("label", { for: `${name}-${i}` }, prose(choice.text))),
  );
  const selected = () => inputs.findIndex((input) => input.checked);

  const say = ([css, words]) => {
    answer.replaceChildren(element("p", { class: css }, prose(words)));
    announce(root, words);
  };
  const check = button({
    label,
    primary: true,
    signal,
    onClick: () => {
      const choice = selected();
      if (choice < 0) {
        say(["note", "Choose one first."]);
        return;
      }
      say(judge(choice));
      onChosen(choice);
    },
  });
  for (const input of inputs) {
    listen(input, "change", signal, () => answer.replaceChildren());
    listen(input, "keydown", signal, (event) => {
      if (event.key === "Enter") check.click();
    });
  }
  const show = (choice) => {
    if (choice < 0 || !inputs[choice] || selected() === choice) return;
    inputs[choice].checked = true;
    say(judge(choice));
  };
  const node = element(
    "div",
    { class: "choice-form" },
    element("fieldset", {}, element("legend", {}, prose(text)), labels),
    element("div", { class: "row" }, check),
    answer,
  );
  return { node, show };
}

// A question's judgement.
export function verdict({ right, reason }) {
  return [right ? "ok" : "wrong", `${right ? "Right" : "Not this one"}. ${reason}`];
}
