// The cache lab's panels: the grid of steps, the totals, the clock.

import { limits, lineChart } from "../_kit/curves.js";
import { element, listen, shorten, svg, word } from "../_kit/elements.js";
import { bytesText, format, grouped } from "../_kit/format.js";
import { change } from "../_kit/life.js";

// The bytes of a whole cache, to be compared: up to four digits of bytes, then one behind the point.
function cacheBytes(number) {
  return bytesText(number, { least: 10000, digits: 1 });
}

// What the steps up to and with `last` compute, read and keep, in positions.
function totals(prompt, last, cached) {
  let computed = 0,
    read = 0;
  for (let step = 0; step <= last; step += 1) {
    const length = prompt + step;
    const fresh = cached && step ? 1 : length;
    computed += fresh;
    read += cached ? length - fresh : 0;
  }
  return { computed, read, kept: cached ? prompt + last : 0 };
}

// A row for each step: which positions it computes and which it reads.
export function stepGrid({ model, signal, prompt, written, columns, stepName, step, cache, at }) {
  const table = element("div", { class: "cl-grid", role: "img" });
  const rows = written.map((text, i) => {
    const cells = columns.map((_, position) =>
      element("i", { class: position < prompt.length + i ? "cl-cell" : "cl-cell cl-none" }),
    );
    const node = element(
      "div",
      { class: "cl-row" },
      element("span", { class: "cl-step", text: stepName(i) }),
      cells,
      element("span", { class: "cl-writes" }, "→ ", word(shorten(text, 12))),
    );
    listen(node, "click", signal, () => change(model, { step: i }));
    return { node, cells };
  });
  const said = element("div", { class: "cl-said" });

  function drawGrid() {
    const cached = model.get("cached"),
      now = step();
    rows.forEach(({ node, cells }, i) => {
      node.classList.toggle("later", i > now);
      node.classList.toggle("now", i === now);
      cells.forEach((cell, position) => {
        const length = prompt.length + i,
          fresh = position >= (i ? length - 1 : 0);
        if (position < length) cell.className = `cl-cell ${fresh ? "computed" : cached ? "read" : "again"}`;
      });
    });
    const length = prompt.length + now,
      computed = cached && now ? 1 : length;
    const others = cached ? `, reads those of ${length - computed}` : now ? `, ${length - 1} of them again` : "";
    const what =
      `${stepName(now)}, ${cached ? "with" : "without"} the cache: computes keys and values of ${computed} ` +
      `position${computed > 1 ? "s" : ""}${others}.`;
    said.textContent = what[0].toUpperCase() + what.slice(1);
    table.setAttribute("aria-label", said.textContent);
    cache.set(cached);
    if (at.get() !== now) at.set(now);
  }
  return { table, rows, said, drawGrid };
}

// What has been computed, read and kept so far, with the cache and without.
export function runningTotals({ model, prompt, perPosition, step }) {
  // ---------------------------------------------------------------- totals and bytes
  const sums = element("table", { class: "cl-sums" });

  function drawSums() {
    const [on, off] = [true, false].map((cached) => totals(prompt.length, step(), cached));
    const lines = [
      ["positions computed", on.computed, off.computed, grouped],
      ["positions read", on.read, off.read, grouped],
      ["bytes read", on.read * perPosition, off.read * perPosition, cacheBytes],
      ["bytes kept", on.kept * perPosition, off.kept * perPosition, cacheBytes],
    ];
    const mark = (cached) => (cached === model.get("cached") ? "chosen" : null);
    sums.replaceChildren(
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          element("td"),
          element("th", { scope: "col", class: mark(true), text: "with cache" }),
          element("th", { scope: "col", class: mark(false), text: "without" }),
        ),
      ),
      element(
        "tbody",
        {},
        lines.map(([name, one, other, show]) =>
          element(
            "tr",
            {},
            element("th", { scope: "row", text: name }),
            element("td", { class: mark(true), text: show(one) }),
            element("td", { class: mark(false), text: show(other) }),
          ),
        ),
      ),
    );
  }
  return { sums, drawSums };
}

// Seconds and bytes over the length, measured beside expected.
export function clockCharts({ model, questions, measure, stop, status, work, perPosition }) {
  const seconds = lineChart({ height: 178, xLabel: "positions before it", yLabel: "ms per token", log: true });
  const [unit, inUnit] = perPosition < 1e3 ? ["kB", 1e3] : ["MB", 1e6];
  const memory = lineChart({ height: 178, xLabel: "positions before it", yLabel: `${unit} kept` });
  const lineKey = (look, text) =>
    element(
      "span",
      { class: "row" },
      svg(
        "svg",
        { class: "line-chart cl-sample", width: 34, height: 10, "aria-hidden": "true" },
        svg("path", { class: `line ${look}`, d: "M1 5H33" }),
      ),
      text,
    );
  const clock = model.get("can_measure")
    ? element(
        "div",
        { class: "panel cl-clock" },
        element(
          "div",
          { class: "row" },
          element("div", { class: "cl-title", text: "By the clock: one more token" }),
          status,
          measure,
          stop,
        ),
        questions.line,
        element("div", { class: "cl-two" }, element("div", {}, seconds.node), element("div", {}, memory.node)),
        element(
          "div",
          { class: "row cl-keys" },
          lineKey("without", "without the cache"),
          lineKey("with", "with it"),
          lineKey("without theory", "arithmetic alone, without"),
          lineKey("with theory", "arithmetic alone, with"),
          lineKey("theory formula", "bytes as the formula says"),
        ),
        element("div", {
          class: "note",
          text:
            "Solid: medians measured here. Dashed: the arithmetic, scaled to the longest measurement without the " +
            "cache. With the cache a step is slower than that: all weights are fetched for a single position.",
        }),
      )
    : null;

  function secondsTold() {
    const list = model
      .get("costs")
      .map(
        ({ length, with_cache: on, without }) =>
          `${length} positions: ${format(on * 1000, 1)} milliseconds with the cache, ` +
          `${format(without * 1000, 1)} without`,
      );
    return list.length ? `Measured for one token. ${list.join("; ")}.` : "Not measured yet.";
  }

  function drawClock() {
    if (!clock) return;
    const costs = model.get("costs"),
      lengths = work.map(([length]) => length);
    const x = [Math.min(...lengths), Math.max(...lengths)];
    const last = costs.at(-1);
    const scale = last ? (last.without * 1000) / work.find(([length]) => length === last.length)[2] : 0;
    const theory = (i) => (last ? work.map((each) => [each[0], each[i] * scale]) : []);
    const measured = (name) => costs.map((cost) => [cost.length, cost[name] * 1000]);
    const series = [
      { points: theory(2), class: "without theory" },
      { points: theory(1), class: "with theory" },
      { points: measured("without"), class: "without", name: "without, ms" },
      { points: measured("with_cache"), class: "with", name: "with the cache, ms" },
    ];
    const heights = series.flatMap(({ points }) => points.map(([, y]) => y));
    const [low, high] = heights.length ? limits(heights) : [1, 100];
    seconds.draw(series, { x, y: [low * 0.8, high * 1.25], told: secondsTold() });
    const bytes = lengths.map((length) => [length, (length * perPosition) / inUnit]);
    memory.draw(
      [
        { points: costs.map(({ length, kept }) => [length, kept / inUnit]), class: "with" },
        { points: bytes, class: "theory formula", name: unit },
      ],
      {
        x,
        y: [0, bytes.at(-1)[1] * 1.05],
        told:
          `Bytes kept, by the formula up to ${cacheBytes(lengths.at(-1) * perPosition)} for ${lengths.at(-1)} ` +
          "positions. " +
          `${costs.map(({ length, kept }) => `Measured for ${length}: ${cacheBytes(kept)}`).join("; ")}`,
      },
    );
  }
  return { secondsTold, clock, drawClock };
}
