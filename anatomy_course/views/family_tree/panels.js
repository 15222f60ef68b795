// The panels below the family tree: the chosen model, its costs, and a run of it.

import { element, focusable, prose, shorten, svg, word } from "../_kit/elements.js";
import { bytesText, format, grouped } from "../_kit/format.js";
import { cardTable, differing, quantityAt, roughly, stackDrawing, tableEnd } from "../_kit/taxonomy.js";
import { sequentialColor, theme } from "../_kit/theme.js";

const STEPS = 255;
const CELL = 18;
const LABELS = 78; // room for words beside and above the map

// The chosen model at work: what it answers, and its attention map.
export function runPanels({ root, model, questions, go, which, head, chosen, asked }) {
  const ran = element("div", {});
  const map = element("div", { class: "ft-map" });
  const runPanel = element(
    "div",
    { class: "ft-run" },
    element("p", { class: "note", text: "A small version with random weights reads a sentence of the street." }),
    go,
    questions.line,
    ran,
    element("div", { class: "row ft-choices" }, which.node, head.node),
    map,
  );

  function drawRun() {
    const each = chosen(),
      result = model.get("runs")[each.name];
    go.disabled = asked.running || !model.get("can_run");
    go.textContent = asked.running ? "Running …" : result ? "Run it again" : "Run it";
    which.node.hidden = head.node.hidden = !result?.maps.length;
    map.replaceChildren();
    if (!result) {
      ran.replaceChildren(
        element("p", { class: "note", text: model.get("can_run") ? "Not run yet." : "Not run: that needs a kernel." }),
      );
      return;
    }
    ran.replaceChildren(
      ...result.texts.map((text, i) =>
        element(
          "div",
          { class: "ft-text" },
          element("span", { class: "caption", text: result.texts.length > 1 ? ["reads: ", "writes: "][i] : "reads: " }),
          text.map((token) => [word(token), " "]),
        ),
      ),
      element(
        "details",
        {},
        element("summary", focusable({ tabindex: null, text: `${result.shapes.length} tensors and their shapes` })),
        element(
          "ul",
          { class: "ft-shapes" },
          result.shapes.map(([name, shape]) =>
            element("li", {}, name, " ", element("span", { class: "shape", text: shape })),
          ),
        ),
      ),
    );
    const labels = result.maps.map(({ label }, i) => ({ value: i, label }));
    const before = Number(which.get()) || 0;
    which.setOptions(labels);
    which.set(before < labels.length ? before : 0);
    if (labels.length) drawMap();
    else map.replaceChildren(element("p", { class: "note", text: "There is no attention to show." }));
  }

  function drawMap() {
    const result = model.get("runs")[chosen().name];
    if (!result?.maps.length || !theme(root)) return;
    const { label, queries, keys, weights } = result.maps[Number(which.get())];
    const beforeHead = Number(head.get()) || 0;
    head.setOptions(weights.map((_, i) => ({ value: i, label: String(i) })));
    head.set(beforeHead < weights.length ? beforeHead : 0);
    const chosenHead = Number(head.get()),
      rows = weights[chosenHead];
    let best = [0, 0];
    rows.forEach((row, q) =>
      row.forEach((weight, k) => {
        if (weight > rows[best[0]][best[1]]) best = [q, k];
      }),
    );
    const told =
      `${label}, head ${chosenHead}: the largest weight, ${format(rows[best[0]][best[1]] / STEPS)}, goes from ` +
      `“${queries[best[0]]}” to “${keys[best[1]]}”.`;
    const cell = Math.min(CELL, Math.max(8, ((map.clientWidth || 320) - LABELS - 2) / keys.length));
    const width = LABELS + keys.length * cell + 2,
      height = LABELS + queries.length * cell + 2;
    map.replaceChildren(
      svg(
        "svg",
        { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": told },
        keys.map((token, k) =>
          svg("text", {
            class: "ft-token",
            transform: `translate(${LABELS + (k + 0.7) * cell} ${LABELS - 5}) rotate(-60)`,
            text: shorten(token, 11),
          }),
        ),
        queries.map((token, q) =>
          svg("text", {
            class: "ft-token",
            x: LABELS - 6,
            y: LABELS + (q + 0.72) * cell,
            "text-anchor": "end",
            text: shorten(token, 11),
          }),
        ),
        rows.flatMap((row, q) =>
          row.map((weight, k) =>
            svg("rect", {
              x: LABELS + k * cell,
              y: LABELS + q * cell,
              width: cell - 1,
              height: cell - 1,
              fill: sequentialColor(root, Math.sqrt(weight / STEPS)),
              class: weight ? "" : "ft-zero",
            }),
          ),
        ),
      ),
      element("p", {
        class: "note",
        text:
          `${told} A row for each query, a column for each key; small weights are drawn darker than they are. The ` +
          "model is untrained: which cells may be seen is its design, the rest is chance.",
      }),
    );
  }
  return { drawRun, drawMap, runPanel };
}

// What is told of the chosen model: itself, how it differs from its parent, what it costs.
export function modelPanels({ model, lengths, chosen, byName }) {
  // ---------------------------------------------------------------- the chosen one
  const name = element("div", { class: "ft-name" });
  const about = element("div", { class: "ft-about" });
  const legend = element("p", { class: "note" });
  const stacks = element("div", { class: "tx-stacks" });
  const drawing = element("div", {}, stacks, legend);
  const differences = element("div", {});
  const costs = element("div", focusable({ class: "scroll", role: "group", "aria-label": "Published sizes" }));
  const panels = {
    blocks: drawing,
    parts: differences,
    costs: element(
      "div",
      {},
      lengths.node,
      costs,
      element("p", {
        class: "note",
        text:
          "Operations: multiplications and additions for one token that sees the whole text. Bytes: what a model " +
          "that writes keeps of that text, two for each number.",
      }),
    ),
  };

  function drawAbout() {
    const each = chosen();
    const paper = each.paper
      ? element(
          "a",
          focusable({ href: `https://arxiv.org/abs/${each.paper}`, target: "_blank", rel: "noopener", tabindex: null }),
          `arXiv:${each.paper}`,
        )
      : null;
    name.replaceChildren(
      element("b", { text: each.name }),
      ` ${each.year}${each.parent ? `, from ${each.parent}` : ""}: ${each.change}`,
      ...(paper ? [" · ", paper] : []),
    );
    about.replaceChildren(
      ...each.objectives.map(([name, asks]) =>
        element("div", {}, "Trained on ", element("em", { text: name }), ": ", prose(asks)),
      ),
      ...(each.note ? [element("div", { class: "note", text: each.note })] : []),
      ...(each.parts.length
        ? []
        : [element("div", { class: "note", text: "Described only: the course does not build this model." })]),
    );
  }

  function drawDifferences() {
    const each = chosen(),
      parent = byName.get(each.parent);
    const comparable = parent?.parts.length > 0;
    const changed = comparable ? differing(each, parent) : new Set();
    const marked = comparable ? differing(each, parent, true) : new Set();
    stacks.replaceChildren(...each.stacks.map((stack) => stackDrawing(stack, marked, each.stacks.length > 1)));
    legend.textContent = comparable
      ? `${marked.size ? `≠ marks what differs from ${parent.name}` : `Every part is as in ${parent.name}`}. ` +
        "Drawn from its modules, read from the bottom up."
      : "Drawn from its modules, read from the bottom up.";
    const rows = (wanted) =>
      each.parts.filter(
        ({ name, value, is_size: isSize }) => isSize === wanted && (comparable ? changed.has(name) : value !== "none"),
      );
    const line = ({ name, value }) =>
      element(
        "tr",
        {},
        element("th", { scope: "row", text: name }),
        comparable ? element("td", { text: parent.parts.find((part) => part.name === name).value }) : null,
        element("td", {}, comparable ? element("b", { text: value }) : value),
      );
    const columns = ["part", ...(comparable ? [parent.name] : []), each.name];
    const design = rows(false),
      sizes = rows(true);
    differences.replaceChildren(
      element("div", { class: "tx-title", text: comparable ? `≠ What differs from ${parent.name}` : "Its parts" }),
      design.length
        ? cardTable(columns, design.map(line))
        : element("p", { text: `The same design: only training and numbers differ from ${parent.name}.` }),
      sizes.length
        ? element("div", {
            class: "tx-title ft-sizes",
            text: comparable
              ? `Numbers that differ (${each.sizes[0].name} against ${parent.name} ${parent.sizes[0].name})`
              : `Numbers (${each.sizes[0].name})`,
          })
        : "",
      sizes.length ? cardTable([], sizes.map(line)) : "",
    );
  }

  function drawCosts() {
    const each = chosen(),
      length = model.get("length"),
      end = each.parts.length ? tableEnd(each) : null;
    if (!each.parts.length) return;
    const published = (size) => {
      if (!size.published) return null;
      const counted = size.counts === "all" ? "" : ` (${size.counts})`;
      const told = size.exact ? grouped(size.published) : roughly(size.published) + counted;
      return element("div", { class: "ft-published", text: `published: ${told}` });
    };
    const kept = (size) => (size.cache.growing.length ? bytesText(quantityAt(size.cache, length)) : "nothing");
    costs.replaceChildren(
      cardTable(
        ["size", "bytes kept", "operations per token", "parameters"],
        each.sizes.map((size) =>
          element(
            "tr",
            {},
            element("th", { scope: "row", text: size.name }),
            [kept(size), roughly(quantityAt(size.work, length)), grouped(size.parameters)].map((text, i) =>
              element("td", { class: "number", text }, i === 2 ? published(size) : null),
            ),
          ),
        ),
      ),
      end !== null && length > end
        ? element("div", { class: "error", text: `Its table of positions ends at ${grouped(end)}.` })
        : "",
    );
    lengths.set(length);
  }
  return { name, about, panels, drawAbout, drawDifferences, drawCosts };
}
