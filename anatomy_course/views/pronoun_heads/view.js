// The pronoun heads: every head of a translator as a switch, and how many pronouns are right without those that are
// off.

import { button, heading, select } from "../_kit/controls.js";
import { announce, element, shorten } from "../_kit/elements.js";
import { mean } from "../_kit/format.js";
import { onChange, widgetRoot } from "../_kit/life.js";
import { request } from "../_kit/request.js";
import { onTheme } from "../_kit/theme.js";
import { headGrids, outcome, pronounShare, searchSteps } from "./panels.js";

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("culprits");
  const organs = model.get("organs");
  const intact = model.get("intact");
  const label = new Map(organs.map(({ name, label: text }) => [name, text]));
  const keyOf = ([organ, layer, head]) => `${organ} ${layer}·${head}`;
  const inWords = ([organ, layer, head]) => `${label.get(organ)}, layer ${layer}, head ${head}`;
  const answered = () => model.get("off").map((place) => [...place]);
  // the switches; a quick hand is ahead of the answers
  const switched = { wanted: answered(), busy: false };

  const { ask, line } = request({
    model,
    signal,
    onBusy: (on) => {
      switched.busy = on;
      results.setAttribute("aria-busy", String(on));
      if (on) return;
      if (searchButton.disabled || model.get("error")) switched.wanted = answered();
      searching(false);
      paint();
    },
    onAnswer: () => {
      tell();
      announce(root, spoken());
    },
  });
  const { paint, reachable, grids, cells } = headGrids({
    root,
    signal,
    organs,
    intact,
    toggle,
    keyOf,
    inWords,
    switched,
  });

  // ---- what is asked of Python
  function toggle(place) {
    const kept = switched.wanted.filter((each) => keyOf(each) !== keyOf(place));
    setOff(kept.length < switched.wanted.length ? kept : [...switched.wanted, place]);
    reachable(place);
  }

  function setOff(places, pair = model.get("pair")) {
    switched.wanted = places.map((place) => [...place]);
    paint();
    allOn.disabled = !switched.wanted.length;
    ask({ off: switched.wanted, pair, search: false });
  }

  const searchButton = button({
    label: "Search",
    primary: true,
    signal,
    onClick: () => {
      searching(true);
      ask({ off: switched.wanted, pair: model.get("pair"), search: true });
    },
  });
  const allOn = button({ label: "All heads on", signal, onClick: () => setOff([]) });
  const { steps, tellSteps } = searchSteps({ model, signal, label, setOff });
  function searching(on) {
    searchButton.disabled = on;
    searchButton.textContent = on ? "Searching …" : "Search";
  }

  // ---- what came of it
  const pairs = model.get("pairs");
  const pairName = ({ english: [first, second] }) => {
    const word = (text) => text.match(/(\p{L}+)\W*$/u)?.[1] ?? text;
    return `${word(first)} / ${word(second)}: ${shorten(first, 44)}`;
  };
  const choosePair = select({
    label: "Pair",
    options: pairs.map((pair, value) => ({ value, label: pairName(pair) })),
    value: model.get("pair"),
    signal,
    onChange: (value) => setOff(switched.wanted, Number(value)),
  });
  const { bars, verdict, translations, heads, tellBars, tellPair } = outcome({ model, intact, pairs, choosePair });
  const results = element(
    "div",
    { class: "ch-results" },
    element(
      "section",
      { class: "panel", "aria-label": "Right pronouns" },
      element("h4", { text: "Right pronouns (il or elle)" }),
      bars,
      verdict,
      steps,
    ),
    element("section", { class: "panel", "aria-label": "A minimal pair" }, choosePair.node, translations),
  );
  root.append(
    heading(model.get("label"), searchButton, allOn),
    element("div", { class: "ch-organs" }, grids),
    element("p", {
      class: "note",
      text:
        "Each switch shows layer·head, and the share of right pronouns without this head alone. The stronger the " +
        "color, the more is lost. A click, Space or Enter switches a head off.",
    }),
    line,
    results,
  );

  function spoken() {
    const off = model.get("off");
    return off.length
      ? `${heads(off.length)} off: ${pronounShare(model.get("right"))} of the pronouns are right, ` +
          `${pronounShare(mean(model.get("at_random")))} without the same number drawn at random.`
      : `All heads on: ${pronounShare(intact)} of the pronouns are right.`;
  }

  function tell() {
    allOn.disabled = !switched.wanted.length;
    paint();
    tellBars();
    tellPair();
    tellSteps();
  }

  onChange(model, signal, "steps", () => {
    tellSteps();
    const last = model.get("steps").at(-1);
    if (last)
      announce(
        root,
        `Step ${model.get("steps").length}: ${inWords(last.off.at(-1))} off, ${pronounShare(last.right)} right.`,
      );
  });
  onChange(model, signal, "off", () => {
    if (!switched.busy) switched.wanted = answered();
  });
  onTheme(root, signal, paint);
  reachable(cells[0].place);
  tell();
  return cleanup;
}

export default { render };
