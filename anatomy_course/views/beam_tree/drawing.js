// The tree of beams, drawn, and the list of what came of them.

import { button } from "../_kit/controls.js";
import { element, focusable, setAttributes, shorten, svg, word } from "../_kit/elements.js";
import { clamp, format } from "../_kit/format.js";
import { spokenAs } from "../_kit/spoken.js";

const TREE = 292; // pixels that the rows of a tree have, however many they are
const DOWN = [34, 64]; // a row's least and greatest height
export const BOX = { wide: 110, high: 32, across: 146, left: 6, top: 22 };
const SIGNS = { alive: "", ended: "■", dropped: "✕" };
// A text on one line; its last token where there is nothing else to say.
const said = ({ text, word: last }) => (text || last || "(nothing)").replaceAll("\n", "↵");

// The tree of beams, and what is told of the chosen one.
export function treeDrawing({ model, signal, steps, pointed, shown, done, lines, sheet, detail }) {
  // The rows on the way to a text: way[s] is its row in step s.
  function wayTo(step, row) {
    const columns = model.get("columns");
    const way = [];
    for (let s = step, at = row; s >= 0; s -= 1) {
      way[s] = at;
      at = columns[s][at].parent;
    }
    return way;
  }

  const rows = () => Math.max(...model.get("columns").map((column) => column.length));
  const down = () => clamp(Math.floor(TREE / rows()), ...DOWN);
  const at = (step, row) => [BOX.left + BOX.across * (step + 1), BOX.top + down() * row];
  const fateOf = (node, step) =>
    ({
      alive: step === steps() - 1 ? "open when the search ended" : "goes on",
      ended: node.stops ? "its end token was chosen; among the best" : "the last step; among the best",
      dropped: "dropped",
    })[node.fate];

  function drawTree() {
    const columns = model.get("columns").slice(0, shown());
    const held = sheet.contains(document.activeElement);
    const best = model.get("ranking")[0];
    const winner = done() && best ? wayTo(...best) : [];
    const place = pointed.chosen ?? [columns.length - 1, winner[columns.length - 1] ?? 0];
    const way = wayTo(...place);
    const greedy = model.get("greedy").rows;
    const size = [BOX.left * 2 + BOX.across * (steps() + 1), BOX.top + down() * rows()];
    setAttributes(sheet, { style: { width: `${size[0]}px`, height: `${size[1]}px` } });
    setAttributes(lines, { width: size[0], height: size[1] });
    const edges = [];
    const nodes = [
      element(
        "div",
        { class: "bt-node bt-root", style: { left: `${BOX.left}px`, top: `${BOX.top}px` } },
        word(shorten(model.get("prompt").at(-1), 12)),
        element("span", { class: "number", text: "prompt" }),
      ),
    ];
    columns.forEach((column, step) => {
      nodes.push(
        element("div", {
          class: "bt-step",
          "aria-hidden": "true",
          style: { left: `${at(step, 0)[0]}px` },
          text: `step ${step + 1}`,
        }),
      );
      column.forEach((node, row) => {
        const [x, y] = at(step, row);
        const [fromX, fromY] = node.parent < 0 ? [BOX.left, BOX.top] : at(step - 1, node.parent);
        const [startX, startY, endY] = [fromX + BOX.wide, fromY + BOX.high / 2, y + BOX.high / 2];
        const middle = (startX + x) / 2;
        const won = winner[step] === row;
        edges.push(
          svg("path", {
            class: `bt-edge bt-${node.fate}${won ? " bt-won" : ""}${way[step] === row ? " bt-way" : ""}`,
            d: `M${startX} ${startY}C${middle} ${startY} ${middle} ${endY} ${x} ${endY}`,
          }),
        );
        const marks = [
          greedy[step] === row ? "also the greedy choice" : "",
          won ? "on the way to the best text" : "",
        ].filter(Boolean);
        const box = button({ label: "", signal, onClick: () => choose(step, row) });
        box.classList.add("bt-node", `bt-${node.fate}`);
        box.classList.toggle("bt-won", won);
        const current = place[0] === step && place[1] === row;
        setAttributes(box, {
          style: { left: `${x}px`, top: `${y}px` },
          tabindex: current ? 0 : -1,
          "aria-pressed": String(current),
          "data-place": `${step} ${row}`,
        });
        box.append(
          element(
            "span",
            { class: "bt-word" },
            SIGNS[node.fate] ? element("span", { class: "bt-sign", text: SIGNS[node.fate] }) : "",
            word(shorten(node.word, 11)),
          ),
          element(
            "span",
            { class: "number" },
            format(node.log_probability),
            node.fate === "ended" && model.get("length_penalty") ? ` → ${format(node.score)}` : "",
          ),
          greedy[step] === row ? element("span", { class: "bt-g", text: "G" }) : "",
        );
        spokenAs(
          box,
          `Step ${step + 1}, ${said(node)}: log-probability ${format(node.log_probability)}, ` +
            `${[fateOf(node, step), ...marks].join(", ")}`,
        );
        nodes.push(box);
      });
    });
    lines.replaceChildren(
      ...edges.sort((a, b) => Number(a.classList.contains("bt-won")) - Number(b.classList.contains("bt-won"))),
    );
    sheet.replaceChildren(lines, ...nodes);
    if (held) sheet.querySelector(`[data-place="${place.join(" ")}"]`).focus({ preventScroll: true });
    drawDetail(columns[place[0]][place[1]], way, place[0]);
  }

  function drawDetail(node, way, step) {
    const columns = model.get("columns");
    const sums = way.map((row, s) => columns[s][row].log_probability);
    const parts = sums.map((sum, s) => sum - (sums[s - 1] ?? 0));
    const term = (part, i) => (i ? `${part < 0 ? "− " : "+ "}${format(Math.abs(part))}` : format(part));
    const power = model.get("length_penalty");
    detail.replaceChildren(
      element(
        "div",
        { class: "bt-text" },
        word(model.get("prompt_text"), { class: "word bt-prompt" }),
        " … ",
        word(said(node)),
        element("span", { class: "bt-fate", text: ` ${fateOf(node, step)}` }),
      ),
      element(
        "div",
        { class: "number" },
        `log-probability ${parts.map(term).join(" ")} = ${format(node.log_probability)}`,
      ),
      element(
        "div",
        { class: "number" },
        power
          ? [
              `score ${format(node.log_probability)} / ${step + 1}`,
              element("span", { class: "visually-hidden", text: " to the power of " }),
              element("sup", { text: power }),
              ` = ${format(node.score)}`,
            ]
          : "score: the log-probability itself, as the length penalty is 0",
      ),
    );
  }

  function choose(step, row) {
    pointed.chosen = [step, row];
    drawTree();
  }
  return { choose, at, drawTree };
}

// The finished beams, the best first.
export function resultList({ model, done }) {
  const name = "What the search has found";
  // It may be too high for its place: whoever has no mouse scrolls it by keys.
  const results = element("div", focusable({ class: "bt-results", role: "region", "aria-label": name }));

  function drawResults() {
    const { text, log_probability: sum, score } = model.get("greedy");
    results.classList.toggle("away", !done()); // it keeps its room
    const columns = model.get("columns");
    const line = (place, what, each) =>
      element(
        "tr",
        {},
        element("th", { scope: "row", text: place }),
        element("td", {}, word(what)),
        element("td", { class: "number", text: format(each.log_probability) }),
        element("td", { class: "number", text: format(each.score) }),
      );
    results.replaceChildren(
      element(
        "table",
        {},
        element("caption", { text: name }),
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ["", "text", "log-probability", "score"].map((text) => element("th", { scope: "col", text })),
          ),
        ),
        element(
          "tbody",
          {},
          model
            .get("ranking")
            .map(([step, row], i) =>
              line(`${i + 1}.${i ? "" : " best"}`, said(columns[step][row]), columns[step][row]),
            ),
          line("greedy", said({ text }), { log_probability: sum, score }),
        ),
      ),
    );
  }
  return { results, drawResults };
}
