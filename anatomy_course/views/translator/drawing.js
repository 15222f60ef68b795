// The translator's cross-attention, drawn.

import { element, focusable, listen, svg, word } from "../_kit/elements.js";
import { format } from "../_kit/format.js";
import { readableOn, sequentialColor } from "../_kit/theme.js";
import { shownWord } from "../_kit/tokens.js";

const ROW = 21; // pixels of a word's row between which lines are drawn
const LINES = 150; // pixels across which lines are drawn
const FAINT = 0.08; // weights below this get no line for words that are not chosen
const PRINTED = 0.05; // weights below this are printed in the current row only

// Cross-attention as lines between the sentences or as a matrix.
export function weightDrawings({ root, model, signal, source, written, revealed, current, weight, lookAt, drawing }) {
  const markAs = (name) => (name === undefined ? {} : { class: name });

  function sourceMark(j) {
    return j === model.get("reason") ? "tr-reason" : j === 0 ? "tr-task" : undefined;
  }

  function drawLines() {
    const rows = Math.max(source().length, written().length);
    const [now, count] = [current(), revealed()];
    const middle = (i) => (i + 0.5) * ROW;
    const curve = (i, j) => `M0 ${middle(j)}C${LINES / 2} ${middle(j)} ${LINES / 2} ${middle(i)} ${LINES} ${middle(i)}`;
    const left = source().map((text, j) => {
      const value = count ? weight(now, j) : 0;
      return element(
        "div",
        { class: "tr-row" },
        word(shownWord(text), markAs(sourceMark(j))),
        element("span", { class: "tr-bar" }, element("i", { style: { width: `${100 * value}%` } })),
        element("span", { class: "number", text: count ? format(value) : "" }),
      );
    });
    const right = written().map((text, i) => {
      if (i >= count) return element("div", { class: "tr-row tr-blank", text: i === count ? "…" : "" });
      const node = element(
        "div",
        { class: `tr-row${i === now ? " tr-now" : ""}` },
        word(shownWord(text), markAs(model.get("pronouns").includes(i) ? "tr-pronoun" : undefined)),
      );
      listen(node, "click", signal, () => lookAt(i));
      return node;
    });
    const lines = [];
    for (let i = 0; i < count; i += 1) {
      for (let j = 0; j < source().length; j += 1) {
        const value = weight(i, j);
        if (i === now ? value < 0.01 : value < FAINT) continue;
        lines.push({
          now: i === now,
          node: svg("path", {
            d: curve(i, j),
            class: i === now ? "tr-line now" : "tr-line",
            style: {
              "stroke-width": `${0.5 + 6 * value}`,
              "stroke-opacity": i === now ? `${0.35 + 0.65 * value}` : `${0.35 * value}`,
            },
          }),
        });
      }
    }
    lines.sort((a, b) => a.now - b.now);
    drawing.replaceChildren(
      element(
        "div",
        { class: "tr-lines", role: "img", "aria-label": described() },
        element("div", { class: "tr-source" }, left),
        svg(
          "svg",
          {
            viewBox: `0 0 ${LINES} ${rows * ROW}`,
            style: { height: `${rows * ROW}px` }, // as an attribute, JupyterLab's page style would overrule it
            preserveAspectRatio: "none",
            "aria-hidden": "true",
          },
          lines.map(({ node }) => node),
        ),
        element("div", { class: "tr-target" }, right),
      ),
    );
  }

  function described() {
    if (!revealed()) return "Alignment: nothing is written yet.";
    const row = source()
      .map((text, j) => ({ text: shownWord(text), value: weight(current(), j) }))
      .sort((a, b) => b.value - a.value)
      .slice(0, 4);
    return (
      `Alignment: ${shownWord(written()[current()])} looked at ` +
      `${row.map(({ text, value }) => `${text} ${format(value)}`).join(", ")}.`
    );
  }

  function drawMatrix() {
    const now = current();
    const columnHeads = element(
      "tr",
      {},
      element("td"),
      source().map((text, j) => element("th", { scope: "col" }, word(shownWord(text), markAs(sourceMark(j))))),
    );
    const rows = written()
      .slice(0, revealed())
      .map((text, i) => {
        const node = element(
          "tr",
          { class: i === now ? "tr-now" : null, "aria-current": i === now ? "true" : null },
          element(
            "th",
            { scope: "row" },
            word(shownWord(text), markAs(model.get("pronouns").includes(i) ? "tr-pronoun" : undefined)),
          ),
          source().map((_, j) => {
            const value = weight(i, j);
            const fill = sequentialColor(root, value);
            const cell = element("td", { style: { background: fill, color: readableOn(fill) } });
            cell.append(
              i === now || value >= PRINTED
                ? format(value)
                : element("span", { class: "visually-hidden", text: format(value) }),
            );
            return cell;
          }),
        );
        listen(node, "click", signal, () => lookAt(i));
        return node;
      });
    const table = element(
      "table",
      { class: "tr-matrix", "aria-label": "Alignment, a row for each written word" },
      element("thead", {}, columnHeads),
      element("tbody", {}, rows),
    );
    drawing.replaceChildren(
      element("div", focusable({ class: "scroll", role: "region", "aria-label": "Alignment matrix" }), table),
    );
  }
  return { drawLines, drawMatrix };
}
