// The pronoun heads' panels: the grids of switches, and what is left.

import { arrowMove, button } from "../_kit/controls.js";
import { element, listen } from "../_kit/elements.js";
import { clamp, format, mean } from "../_kit/format.js";
import { readableOn, sequentialColor } from "../_kit/theme.js";

export function pronounShare(share) {
  return `${format(100 * share, share === 1 ? 0 : 1)} %`;
}

const MOST_LOST = 0.5; // who knows nothing gets half of them right

function points(share) {
  return format(100 * share, 1);
}

// A French sentence cut at its pronoun, the word after the first qu': [before, pronoun, after], or null without one.
function atPronoun(french) {
  const found = french.match(/^(.*?qu['’])(\p{L}+)(.*)$/su);
  return found && found.slice(1);
}

// A grid of switches for each kind of attention.
export function headGrids({ root, signal, organs, intact, toggle, keyOf, inWords, switched }) {
  // ---- the heads
  const cells = organs.flatMap(({ name, layers, heads, right }) =>
    Array.from({ length: layers * heads }, (_, i) => {
      const place = [name, Math.floor(i / heads), i % heads];
      const node = button({
        signal,
        onClick: () => toggle(place),
        label: [
          element("span", { class: "visually-hidden" }),
          element("span", { class: "ch-name", "aria-hidden": "true", text: `${place[1]}·${place[2]}` }),
          element("span", { class: "number ch-share" }),
        ],
      });
      node.className = "ch-head";
      listen(node, "keydown", signal, (event) => move(event, place));
      listen(node, "focus", signal, () => reachable(place));
      return { place, node, right: right[i], lost: intact - right[i], layers, heads };
    }),
  );
  const grids = organs.map(({ name, label: text, heads }) =>
    element(
      "section",
      { class: "ch-organ", role: "group", "aria-label": text },
      element("h4", { text }),
      element(
        "div",
        { class: "ch-grid", style: { "--heads": heads } },
        cells.filter(({ place }) => place[0] === name).map(({ node }) => node),
      ),
    ),
  );
  const find = (organ, layer, head) =>
    cells.find(({ place }) => place[0] === organ && place[1] === layer && place[2] === head);

  function reachable(place) {
    for (const { place: each, node } of cells) node.tabIndex = keyOf(each) === keyOf(place) ? 0 : -1;
  }

  // Arrow keys walk the grids as they stand side by side.
  function move(event, [organ, layer, head]) {
    const { layers, heads } = find(organ, layer, head);
    const to = arrowMove(event, layer, head, layers, heads);
    if (!to) return;
    event.preventDefault();
    const at = organs.findIndex(({ name }) => name === organ);
    const beside = organs[at + { ArrowLeft: -1, ArrowRight: 1 }[event.key]];
    const atEdge = to[0] === layer && to[1] === head;
    const next =
      atEdge && beside
        ? find(beside.name, Math.min(layer, beside.layers - 1), event.key === "ArrowLeft" ? beside.heads - 1 : 0)
        : find(organ, ...to);
    next.node.focus();
  }

  function paint() {
    const gone = new Set(switched.wanted.map(keyOf));
    for (const { place, node, right, lost } of cells) {
      const off = gone.has(keyOf(place));
      const shade = sequentialColor(root, off ? 0 : clamp(lost / MOST_LOST, 0, 1));
      node.style.setProperty("background-color", shade);
      node.style.setProperty("color", readableOn(shade));
      node.classList.toggle("ch-off", off);
      node.setAttribute("aria-pressed", String(off));
      node.firstChild.textContent = `Switch ${inWords(place)} off${off ? "" : "; right pronouns without it alone"}: `;
      node.lastChild.textContent = off ? "off" : pronounShare(right);
    }
  }
  return { paint, reachable, grids, cells };
}

// What is left without the heads that are off: shares as bars, and one pair as words.
export function outcome({ model, intact, pairs, choosePair }) {
  const bars = element("div", { class: "ch-bars" });
  const verdict = element("p", { class: "note" });
  const translations = element("div", { class: "ch-pair" });

  function bar(name, share, look, dots = []) {
    return element(
      "div",
      { class: `ch-bar ${look}` },
      element("span", { class: "ch-what", text: name }),
      element(
        "div",
        { class: "ch-track", "aria-hidden": "true" },
        element("i", { class: "ch-fill", style: { width: `${100 * share}%` } }),
        dots.map((dot) => element("i", { class: "ch-dot", style: { left: `${100 * dot}%` } })),
        element("i", { class: "ch-chance" }),
      ),
      element("span", { class: "number", text: pronounShare(share) }),
    );
  }

  const heads = (count) => (count === 1 ? "1 head" : `${count} heads`);

  function tellBars() {
    const [off, right, chance] = [model.get("off"), model.get("right"), model.get("at_random")];
    const unused = off.length ? "" : "ch-unused"; // their room is kept
    bars.replaceChildren(
      bar("all heads", intact, "ch-intact"),
      bar(`without ${off.length === 1 ? "this head" : `these ${off.length}`}`, right, `ch-chosen ${unused}`),
      bar(`without ${off.length} at random`, mean(chance), `ch-random ${unused}`, chance),
      element("div", { class: "ch-axis", "aria-hidden": "true" }, element("span", { text: "50 %: guessing" })),
    );
    verdict.textContent = off.length
      ? `Lost: ${points(intact - right)} points. At random: ${points(intact - mean(chance))} on average, from ` +
        `${points(intact - Math.max(...chance))} to ${points(intact - Math.min(...chance))} in ${chance.length} ` +
        "draws (the dots)."
      : "All heads are on. Switch some off, or let the search find those that matter.";
  }

  function tellPair() {
    const { english, pronouns } = pairs[model.get("pair")];
    choosePair.set(model.get("pair"));
    translations.replaceChildren(
      ...english.map((text, i) => {
        const written = model.get("written")[i];
        const parts = atPronoun(written);
        const right = parts?.[1] === pronouns[i];
        return element(
          "div",
          { class: "ch-sentence" },
          element("p", { class: "ch-english", lang: "en", text }),
          element(
            "p",
            { class: "ch-french" },
            parts
              ? [
                  element("span", { lang: "fr", text: parts[0] }),
                  element("strong", { class: right ? "ch-right" : "ch-wrong", lang: "fr", text: parts[1] }),
                  element("span", { lang: "fr", text: parts[2] }),
                ]
              : element("span", { lang: "fr", text: written }),
          ),
          element("span", {
            class: right ? "ok" : "wrong",
            text: right
              ? `${pronouns[i]} is right`
              : parts
                ? `${pronouns[i]} would be right`
                : `no pronoun; ${pronouns[i]} would be right`,
          }),
        );
      }),
    );
  }
  return { bars, verdict, translations, heads, tellBars, tellPair };
}

// What the search found, step by step.
export function searchSteps({ model, signal, label, setOff }) {
  const steps = element("ol", { class: "ch-steps" });

  function tellSteps() {
    const found = model.get("steps");
    steps.replaceChildren(
      ...found.map(({ off, right }, i) => {
        const [organ, layer, head] = off.at(-1);
        const go = button({
          signal,
          onClick: () => setOff(off),
          label: `${label.get(organ)} ${layer}·${head}`,
          title: "Switch off the heads found up to this step",
        });
        return element(
          "li",
          {},
          go,
          element("span", {}, i ? " as well: " : ": ", element("span", { class: "number", text: pronounShare(right) })),
        );
      }),
    );
    const about = found.length
      ? "Shares on the pairs of the search. The bars above are measured on pairs with other nouns."
      : "Search switches heads off one after the other, each time the one whose loss costs most. They are listed here.";
    steps.append(element("li", { class: `ch-own ${found.length ? "note" : "to-come"}`, text: about }));
  }
  return { steps, tellSteps };
}
