// The writing half of the first words: the text, whose new words are buttons, and the rivals of one of them.

import { button } from "../_kit/controls.js";
import { element, setAttributes, shorten, word } from "../_kit/elements.js";
import { clamp, format } from "../_kit/format.js";
import { spokenAs } from "../_kit/spoken.js";

export const percent = (part) => `${part >= 0.995 ? 100 : format(part * 100, part >= 0.1 ? 0 : 1)} %`;

// What was written, each word a button, and the rivals of the one pointed out.
export function writingHalf({ model, signal, kept, onPlace, onRival }) {
  const page = element("div", {
    class: "fw-text",
    role: "group",
    "aria-label": "The text; press a new word for its rivals",
  });
  const title = element("div", { class: "fw-small fw-of" });
  const rows = element("div", {
    class: "fw-rivals",
    role: "group",
    "aria-label": "Rivals: press one to go on from there",
  });

  function draw() {
    const written = model.get("written");
    const place = clamp(kept.place, 0, Math.max(0, written.length - 1));
    const held = { page: page.contains(document.activeElement), rows: rows.contains(document.activeElement) };
    const focused = [...rows.children].indexOf(document.activeElement);
    page.replaceChildren(
      element("bdi", { dir: "auto", class: "fw-own", text: model.get("sentence") }),
      ...written
        .map((token, i) => {
          const node = button({ label: "", signal, onClick: () => onPlace(i) });
          node.className = `fw-new${token.rivals[0].token_id === token.token_id ? "" : " fw-turn"}`;
          setAttributes(node, { "aria-pressed": String(i === place) });
          node.append(word(token.word.replace(/^␣/, "")));
          spokenAs(node, `${token.word.replace("␣", "")}, ${percent(token.probability)}: show its rivals`);
          return token.word.startsWith("␣") ? [" ", node] : [node];
        })
        .flat(),
      kept.playing ? element("span", { class: "fw-caret", "aria-hidden": "true" }) : "",
    );
    const token = written[place];
    title.replaceChildren(
      ...(token
        ? ["Rivals of “", word(shorten(token.word.replace("␣", ""))), "”: click one to go on."]
        : ["The likeliest next words come here."]),
    );
    rows.replaceChildren(
      ...(token?.rivals ?? []).map((rival) => {
        const own = rival.token_id === token.token_id;
        const node = button({ label: "", signal, onClick: () => own || onRival(place, rival) });
        node.className = `fw-rival${own ? " fw-own-choice" : ""}`;
        node.append(
          word(shorten(rival.word.replace("␣", ""), 16)),
          element("span", { class: "fw-bar" }, element("i", { style: { width: `${rival.probability * 100}%` } })),
          element("span", { class: "number", text: percent(rival.probability) }),
        );
        setAttributes(node, { "aria-current": own ? "true" : null });
        return spokenAs(node, `${rival.word.replace("␣", "")}, ${percent(rival.probability)}${own ? ", written" : ""}`);
      }),
    );
    if (held.rows) (rows.children[Math.max(0, focused)] ?? rows.firstChild)?.focus();
    else if (held.page) page.querySelectorAll("button")[place]?.focus();
    else if (kept.playing) page.scrollTop = page.scrollHeight;
  }
  const node = element(
    "div",
    { class: "fw-half" },
    element("h4", {}, "SmolLM2 goes on"),
    element("div", { class: "fw-columns" }, page, element("div", {}, title, rows)),
  );
  return { node, draw };
}
