// What the translator tells beside its attention: rivals, the verdict, exchanged words, refused sentences.

import { button } from "../_kit/controls.js";
import { element, focusable, shorten, word } from "../_kit/elements.js";
import { format } from "../_kit/format.js";
import { shownWord } from "../_kit/tokens.js";

// The places of the words that went, and of those that came: what is in no longest common part of both.
export function changes(before, after) {
  const [rows, columns] = [before.length, after.length];
  const common = Array.from({ length: rows + 1 }, () => new Array(columns + 1).fill(0));
  for (let i = rows - 1; i >= 0; i -= 1)
    for (let j = columns - 1; j >= 0; j -= 1)
      common[i][j] = before[i] === after[j] ? 1 + common[i + 1][j + 1] : Math.max(common[i + 1][j], common[i][j + 1]);
  const [gone, fresh] = [[], []];
  let [i, j] = [0, 0];
  while (i < rows || j < columns) {
    if (i < rows && j < columns && before[i] === after[j]) [i, j] = [i + 1, j + 1];
    else if (j === columns || (i < rows && common[i + 1][j] >= common[i][j + 1])) gone.push(i++);
    else fresh.push(j++);
  }
  return [gone, fresh];
}

// The parts below: the rivals of a word, the verdict, words to exchange, and what another word changed.
export function comparisons({ model, signal, written, revealed, current, finished, source, ask, before }) {
  // ---------------------------------------------------------------- rivals, verdict, swaps
  const rivals = element("div", { class: "panel tr-rivals" });
  const verdict = element("p", { class: "tr-verdict" });
  const swaps = element("div", { class: "row tr-swaps", role: "group", "aria-label": "Swap the reason" });
  const compared = element("div", { class: "tr-compared" });

  function drawRivals() {
    const place = current();
    const candidates = model.get("candidates")[place];
    if (!revealed()) {
      rivals.replaceChildren(
        element("div", { class: "note", text: "The rivals of each word appear here as it is written." }),
      );
      return;
    }
    rivals.replaceChildren(
      element("div", { class: "tr-title" }, "Likeliest at “", word(shownWord(written()[place])), "”"),
      ...candidates.map(({ word: text, probability }) =>
        element(
          "div",
          { class: `tr-rival${text === written()[place] ? " ok" : ""}` },
          word(shownWord(text)),
          element("span", { class: "tr-bar" }, element("i", { style: { width: `${100 * probability}%` } })),
          element("span", { class: "number", text: format(probability, 3) }),
        ),
      ),
    );
  }

  function drawVerdict() {
    const { right, told: said } = model.get("verdict");
    verdict.textContent = finished() ? said : "";
    verdict.className = `tr-verdict${right === null || !finished() || !said ? "" : right ? " ok" : " wrong"}`;
  }

  function drawSwaps() {
    const offers = model.get("swaps");
    const from = offers.length ? source()[model.get("reason")] : "";
    swaps.replaceChildren(
      ...(offers.length
        ? [
            element("span", { class: "caption" }, "Swap ", element("b", { class: "tr-reason", text: from }), " for"),
            ...offers.map(({ reason, sentence }) =>
              button({ label: reason, name: `Swap ${from} for ${reason}`, signal, onClick: () => ask(sentence, true) }),
            ),
          ]
        : [
            element("span", {
              class: "note",
              text: "There is no reason to swap for this sentence: none would make “it” the other noun.",
            }),
          ]),
    );
  }

  function drawCompared() {
    const was = before();
    if (!was) {
      compared.replaceChildren(
        element("p", {
          class: "to-come",
          text: "Swap the reason above, and what the new word changes is marked here.",
        }),
      );
      return;
    }
    const [gone, fresh] = changes(was.written, written());
    const [left, came] = changes(was.source, source());
    const line = (name, words, marked) => [
      element("dt", { text: name }),
      element(
        "dd",
        {},
        words.map((text, i) => [
          marked.includes(i) ? element("mark", {}, word(shownWord(text))) : word(shownWord(text)),
          " ",
        ]),
      ),
    ];
    const plain = (words) => words.slice(1);
    const less = (places) => places.map((i) => i - 1);
    compared.replaceChildren(
      element(
        "dl",
        {},
        line("before", plain(was.source), less(left)),
        line("", was.written, gone),
        line("now", plain(source()), less(came)),
        line("", written().slice(0, revealed()), fresh),
      ),
    );
  }
  return { rivals, verdict, swaps, compared, drawSwaps, drawRivals, drawVerdict, drawCompared };
}

// What the model cannot read: the sentence, and words to take instead.
export function refusals({ model, signal, ask }) {
  const refusal = element("div", {
    class: "panel tr-refusal",
    role: "group",
    "aria-label": "Unknown words",
    hidden: true,
  });

  function drawRefusal() {
    refusal.hidden = !model.get("refusal") || Boolean(model.get("error"));
    if (refusal.hidden) return;
    const readable = model.get("readable");
    // With two unknown words or more, a word in place of one still leaves a sentence that cannot be read.
    const [only, ...more] = model.get("refused");
    const offers = (more.length ? [] : [only]).filter(Boolean).map(({ word: unknown, nearest }) =>
      element(
        "div",
        { class: "row" },
        element("span", {}, "instead of ", word(shorten(unknown, 20)), ":"),
        nearest.map(({ word: near, sentence }) =>
          button({ label: near, name: `${near} instead of ${unknown}`, signal, onClick: () => ask(sentence) }),
        ),
      ),
    );
    refusal.replaceChildren(
      element("p", { class: "error", text: model.get("refusal") }),
      readable ? button({ label: `Read: ${readable}`, primary: true, signal, onClick: () => ask(readable) }) : "",
      ...offers,
      element("p", { class: "note", text: "The model has vectors only for a few words; they are listed below." }),
      element("p", { class: "note" }, "Still shown: ", element("bdi", { dir: "auto", text: model.get("sentence") })),
    );
  }
  return { refusal, drawRefusal };
}

// What is remarked about the translation, with words to try instead.
export function remarks({ model, signal, ask }) {
  const remark = element("p", { class: "note tr-remark" });

  function drawRemark() {
    const correction = model.get("correction");
    remark.hidden = !model.get("remark");
    remark.replaceChildren(
      model.get("remark"),
      " ",
      ...(correction ? [button({ label: `Take: ${correction}`, signal, onClick: () => ask(correction) })] : []),
    );
  }
  return { remark, drawRemark };
}

// The words that the model knows.
export function wordList({ model }) {
  const lexicon = element(
    "details",
    { class: "tr-known" },
    element("summary", focusable({ tabindex: null }), "All the words that it knows: animals, streets, reasons …"),
    Object.entries(model.get("known")).map(([language, kinds]) =>
      element(
        "div",
        {},
        Object.entries(kinds).map(([kind, words]) =>
          element("p", { class: "note" }, element("b", { text: `${language}, ${kind}: ` }), words.join(", ")),
        ),
      ),
    ),
  );
  return { lexicon };
}
