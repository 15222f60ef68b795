// A question with choices: chosen by radio button, judged here, each choice with its reason. A prediction is only noted.

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  const { kind, text, choices } = model.get("question");
  const prediction = kind === "prediction";
  root.classList.add("choice-question");
  const name = uniqueId("choice");
  const answer = element("div", { class: "answer", id: `${name}-answer` });
  const inputs = choices.map((_, i) => element("input", focusable({ type: "radio", name, value: i, id: `${name}-${i}`, tabindex: null })));
  const labels = choices.map((choice, i) => element("div", { class: "choice" }, inputs[i],
    element("label", { for: `${name}-${i}` }, prose(choice.text))));
  const selected = () => inputs.findIndex((input) => input.checked);

  const say = (css, words) => {
    answer.replaceChildren(element("p", { class: css }, prose(words)));
    announce(root, words);
  };
  const judge = (choice) => {
    const { right, reason, text: chosenText } = choices[choice];
    if (prediction) say("noted", `Noted: ${chosenText} Now run the next cell and see.`);
    else say(right ? "ok" : "wrong", `${right ? "Right" : "Not this one"}. ${reason}`);
  };
  const check = button({ label: prediction ? "Note my prediction" : "Check", primary: true, signal, onClick: () => {
    const choice = selected();
    if (choice < 0) {
      say("note", "Choose one first.");
      return;
    }
    judge(choice);
    model.set("chosen", choice);
    model.save_changes();
  } });
  root.append(
    element("fieldset", {}, element("legend", {}, prose(text)), labels),
    element("div", { class: "row" }, check),
    answer,
  );
  for (const input of inputs) {
    input.addEventListener("change", () => answer.replaceChildren(), { signal });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") check.click();
    }, { signal });
  }
  const follow = () => {
    const chosen = model.get("chosen");
    if (chosen < 0 || !inputs[chosen] || selected() === chosen) return;
    inputs[chosen].checked = true;
    judge(chosen);
  };
  onChange(model, signal, "chosen", follow);
  follow();
  return cleanup;
}

export default { render };
