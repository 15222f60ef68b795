// What widgets share that ask Python something: the question, the wait for its answer, and a field for a sentence.

// Asks Python: {ask(question), line}. The shown line tells errors; `onBusy(on)` while it waits, `onAnswer()` after a
// good one, as soon as its data are drawn: the parts of an answer arrive one by one, views draw with the next frame.
function request({ model, signal, onBusy, onAnswer }) {
  const line = element("div", { class: "error", role: "status", "aria-live": "polite" });
  const wait = answerWait(signal, (text) => settle(`${text} The picture still shows the last one.`));
  const settle = (text) => {
    wait.stop();
    onBusy?.(false);
    line.textContent = text;
  };
  const ask = (question) => {
    line.textContent = "";
    onBusy?.(true);
    wait.start();
    const { times = 0, ...before } = model.get("question");
    change(model, { question: { ...before, ...question, times: times + 1 } }); // the same question again is one too
  };
  const drawn = frame(() => requestAnimationFrame(() => signal.aborted || onAnswer?.()), signal);
  onChange(model, signal, "answered", () => {
    settle(model.get("error"));
    if (!model.get("error")) drawn();
  });
  return { ask, line };
}

// A line for a sentence with its button, the view's main one unless another is: {node, busy(on), set(text)}.
function sentenceForm({ value, label = "Sentence", action = "Compute", primary = true, signal, onSentence }) {
  const field = textField({ label, value, signal, onCommit: (text) => onSentence(text) });
  const go = button({ label: action, primary, signal, onClick: () => onSentence(field.get()) });
  const busy = (on) => {
    go.disabled = on;
    go.textContent = on ? "Computing …" : action;
  };
  field.node.querySelector(".error").remove();
  field.input.removeAttribute("aria-describedby");
  return { node: element("div", { class: "sentence-form" }, field.node, go), busy, set: field.set, get: field.get };
}

// Words to choose one from, with arrow keys: {node, set(words), choose(i)}.
function wordPicker({ label, signal, onPick }) {
  const list = element(
    "div",
    focusable({ class: "word-list", role: "listbox", "aria-label": label, "aria-orientation": "horizontal" }),
  );
  let chosen = 0;
  const choose = (i) => {
    chosen = i;
    [...list.children].forEach((node, k) => node.setAttribute("aria-selected", String(k === i)));
    list.setAttribute("aria-activedescendant", list.children[i]?.id ?? "");
  };
  const set = (words) =>
    list.replaceChildren(
      ...words.map((text, i) => {
        const node = word(text, { role: "option", id: uniqueId("word"), "aria-label": `${text}, position ${i}` });
        listen(node, "click", signal, () => onPick(i));
        return node;
      }),
    );
  listen(list, "keydown", signal, (event) => {
    const count = list.children.length;
    const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -count, End: count }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    onPick(clamp(chosen + by, 0, count - 1));
  });
  const node = element("div", { class: "word-picker" }, element("span", { class: "caption", text: `${label}:` }), list);
  return { node, set, choose };
}
