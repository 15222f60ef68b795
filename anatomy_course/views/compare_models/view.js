// Two models side by side, a page for each question: what differs, masks, parameters, what a token costs.

import { heading, radioRow, select } from "../_kit/controls.js";
import { limits, lineChart } from "../_kit/curves.js";
import { announce, element, focusable, setAttributes, svg } from "../_kit/elements.js";
import { bytesText, clamp, grouped } from "../_kit/format.js";
import { change, frame, onChange, widgetRoot } from "../_kit/life.js";
import {
  cardTable,
  differing,
  lengthSlider,
  LONGEST,
  maskDrawing,
  quantityAt,
  roughly,
  SHORTEST,
  stackDrawing,
  tableEnd,
} from "../_kit/taxonomy.js";

const SIDES = ["first", "second"];

// The parts of both models side by side, what differs first and the rest folded, with their stacks and masks.
function partTable({ one, line }) {
  const differences = element("div", { class: "cm-differences" });
  const equal = element("div", {});
  const summary = element("summary", focusable({ tabindex: null }));
  const folded = element("details", {}, summary, equal);
  const [stacks, masks] = [0, 1].map(() => SIDES.map(() => element("div", { class: "cm-side" })));

  const sign = () => [
    element("span", { class: "cm-sign", "aria-hidden": "true", text: "≠ " }),
    element("span", { class: "visually-hidden", text: "differs: " }),
  ];
  const row = (name, values, differs) =>
    element(
      "tr",
      { class: differs ? "cm-differs" : null },
      element("th", { scope: "row" }, differs ? sign() : null, name),
      values.map((text) => element("td", { text })),
    );

  function drawParts() {
    const names = differing(one(0), one(1));
    const of = (i, { name, is_size: isSize }) =>
      one(i).parts.find((part) => part.name === name).value + (isSize ? ` (${one(i).sizes[0].name})` : "");
    const different = one(0).parts.filter(({ name }) => names.has(name));
    const same = one(0).parts.filter(({ name }) => !names.has(name));
    differences.replaceChildren(
      different.length
        ? cardTable(
            ["part", one(0).name, one(1).name],
            different.map((part) => row(part.name, [of(0, part), of(1, part)], true)),
          )
        : element("p", { text: "No part differs." }),
    );
    folded.hidden = !same.length;
    summary.textContent = `${same.length} ${same.length === 1 ? "part is" : "parts are"} equal`;
    equal.replaceChildren(
      cardTable(
        ["part", "both"],
        same.map(({ name, value }) => row(name, [value], false)),
      ),
    );
    const design = differing(one(0), one(1), true);
    stacks.forEach((node, i) =>
      node.replaceChildren(
        element("div", { class: "cm-name" }, line(i), one(i).name),
        element(
          "div",
          { class: "tx-stacks" },
          one(i).stacks.map((stack) => stackDrawing(stack, design, one(i).stacks.length > 1)),
        ),
      ),
    );
    masks.forEach((node, i) =>
      node.replaceChildren(
        element("div", { class: "cm-name" }, line(i), one(i).name),
        one(i).masks.length
          ? element("div", { class: "tx-masks" }, one(i).masks.map(maskDrawing))
          : element("p", { class: "note", text: "No attention over its own text." }),
      ),
    );
    return design.size;
  }
  return { differences, folded, stacks, masks, drawParts };
}

// Where the weights are.
function weightCounts({ size, title }) {
  const counts = element("div", {});

  function drawCounts() {
    const sizes = [size(0), size(1)],
      organs = Object.keys(sizes[0].organs);
    const most = Math.max(...sizes.flatMap(({ organs: each }) => Object.values(each)));
    const bar = (i, number) =>
      element(
        "div",
        { class: "cm-bar" },
        element("i", { class: SIDES[i], style: { "--at": number / most } }),
        element("span", { class: "number", text: grouped(number) }),
      );
    counts.replaceChildren(
      cardTable(
        ["", title(0), title(1)],
        element(
          "tr",
          {},
          element("th", { scope: "row", text: "all" }),
          sizes.map(({ parameters }) => element("td", {}, element("b", { text: grouped(parameters) }))),
        ),
        organs.map((organ) =>
          element(
            "tr",
            {},
            element("th", { scope: "row", text: organ }),
            sizes.map((each, i) => element("td", {}, bar(i, each.organs[organ]))),
          ),
        ),
      ),
    );
  }
  return { counts, drawCounts };
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("compare-models");
  const models = model.get("models"),
    byName = new Map(models.map((each) => [each.name, each]));
  const one = (i) => byName.get(model.get(SIDES[i])) ?? models[0];
  const size = (i) => one(i).sizes[clamp(model.get("sizes")[i], 0, one(i).sizes.length - 1)];
  const title = (i) => `${one(i).name} ${size(i).name}`;
  const withPlace = (i, value) => model.get("sizes").map((before, k) => (k === i ? value : before));

  // ---------------------------------------------------------------- what is compared
  const names = models.map(({ name, year }) => ({ value: name, label: `${name} (${year})` }));
  const choices = SIDES.map((side, i) => {
    const which = select({
      label: ["Left", "Right"][i],
      options: names,
      value: model.get(side),
      signal,
      onChange: (name) => change(model, { [side]: name, sizes: withPlace(i, 0) }),
    });
    const how = select({
      label: ["Its size", "Its size"][i],
      options: [],
      signal,
      onChange: (place) => change(model, { sizes: withPlace(i, Number(place)) }),
    });
    setAttributes(how.input, { "aria-label": `Size of the model on the ${["left", "right"][i]}` });
    return { which, how };
  });
  const line = (i) =>
    svg(
      "svg",
      { class: "line-chart cm-sample", viewBox: "0 0 34 10", "aria-hidden": "true" },
      svg("path", { class: `line ${SIDES[i]}`, d: "M1 5H33" }),
    );
  const { differences, folded, stacks, masks, drawParts } = partTable({ one, line });
  const { counts, drawCounts } = weightCounts({ size, title });
  const keys = SIDES.map((_, i) => element("span", { class: "row" }, line(i), element("span", {})));
  const lengths = lengthSlider({ value: model.get("length"), signal, onLength: (length) => change(model, { length }) });
  const said = element("div", { class: "cm-said", role: "status" });
  const powersToText = (power) => (Number.isInteger(power) ? grouped(2 ** power) : "");
  const charts = [
    ["operations per token", "work"],
    ["bytes kept", "cache"],
  ].map(([yLabel, what]) => ({
    what,
    yLabel,
    ...lineChart({ height: 230, xLabel: "tokens in the text", yLabel, log: true, xText: powersToText }),
  }));
  const two = (nodes) => element("div", { class: "cm-two" }, nodes);
  const note = (text) => element("p", { class: "note", text });
  const pages = {
    parts: element(
      "div",
      {},
      differences,
      two(stacks),
      note("Drawn from their modules; ≠ marks what differs."),
      folded,
    ),
    masks: element("div", {}, two(masks), note("Sixteen tokens; windows are drawn shorter than they are.")),
    counts,
    costs: element(
      "div",
      {},
      lengths.node,
      said,
      element("div", { class: "row" }, keys),
      two(charts.map(({ node }) => element("div", {}, node))),
      note(
        "Operations: multiplications and additions for one token that sees the whole text; in an " +
          "encoder–decoder, the mean of a token read and one written. Bytes: keys and values of that text, two " +
          "bytes a number; with a window, only of what the window sees.",
      ),
    ),
  };
  const titles = { parts: "What differs", masks: "Who sees whom", counts: "Parameters", costs: "Cost of a token" };
  const pick = radioRow({ label: "Show", choices: titles, signal, onChoose: (to) => turnTo(to) });
  const link = element("a", focusable({ tabindex: null, text: "Address of these two" }));
  const page = element("div", focusable({ class: "panel scroll cm-page", role: "group" }), Object.values(pages));
  root.append(
    heading(model.get("label")),
    two(choices.map(({ which, how }) => element("div", { class: "row" }, which.node, how.node))),
    pick.node,
    page,
    model.address ? element("p", { class: "note" }, link, ", to send or to keep") : "",
  );

  function turnTo(to) {
    pick.set(to);
    for (const [name, node] of Object.entries(pages)) node.hidden = name !== to;
    setAttributes(page, { "aria-label": titles[to] });
    page.scrollTop = 0;
  }

  function drawChoices() {
    choices.forEach(({ which, how }, i) => {
      which.set(one(i).name);
      how.setOptions(one(i).sizes.map(({ name }, place) => ({ value: place, label: name })));
      how.set(clamp(model.get("sizes")[i], 0, one(i).sizes.length - 1));
    });
    if (model.address) link.href = model.address(SIDES);
  }

  function drawCosts() {
    const length = model.get("length"),
      power = Math.log2(length);
    const powers = Array.from({ length: (LONGEST - SHORTEST) * 4 + 1 }, (_, i) => SHORTEST + i / 4);
    for (const { what, draw, yLabel, node } of charts) {
      const curves = SIDES.map((side, i) => ({
        class: side,
        points: powers.map((at) => [at, quantityAt(size(i)[what], 2 ** at)]),
      }));
      const values = curves.flatMap(({ points }) => points.map(([, y]) => y)).filter((y) => y > 0);
      node.parentNode.hidden = !values.length; // neither keeps anything
      const [low, high] = values.length ? limits(values) : [1, 10];
      const here = SIDES.map((side, i) => ({ class: side, points: [[power, quantityAt(size(i)[what], length)]] }));
      const bottom = 10 ** Math.floor(Math.log10(low));
      const amount = (i, power) => roughly(quantityAt(size(i)[what], 2 ** power));
      const [first, last] = [grouped(2 ** SHORTEST), grouped(2 ** LONGEST)];
      const ends = (i) => `${title(i)} ${amount(i, SHORTEST)} at ${first} tokens, ${amount(i, LONGEST)} at ${last}`;
      draw([...curves, ...here], {
        x: [SHORTEST, LONGEST],
        y: [bottom, Math.max(10 ** Math.ceil(Math.log10(high) + 1e-9), bottom * 1000)],
        told: `${yLabel} by the length of the text: ${SIDES.map((_, i) => ends(i)).join("; ")}.`,
      });
    }
    keys.forEach((node, i) => {
      node.lastChild.textContent = title(i);
    });
    const kept = (i) =>
      size(i).cache.growing.length
        ? `${bytesText(quantityAt(size(i).cache, length))} kept`
        : "nothing kept, because it does not write";
    const ends = [0, 1]
      .map((i) => [i, tableEnd(one(i))])
      .filter(([, end]) => end !== null && length > end)
      .map(([i, end]) => ` ${one(i).name}'s table of positions ends at ${grouped(end)}.`);
    const work = (i) => `${title(i)} ${roughly(quantityAt(size(i).work, length))} operations per token, ${kept(i)}`;
    said.textContent = `At ${grouped(length)} tokens: ${work(0)}; ${work(1)}.${[...new Set(ends)].join("")}`;
    lengths.set(length);
  }

  function drawAll() {
    drawChoices();
    const design = drawParts();
    drawCounts();
    drawCosts();
    return design;
  }

  const redraw = frame(
    () => announce(root, `${one(0).name} and ${one(1).name} differ in ${drawAll()} parts, not counting numbers.`),
    signal,
  );
  onChange(model, signal, ["first", "second", "sizes"], redraw);
  onChange(model, signal, "length", frame(drawCosts, signal));
  turnTo("parts");
  drawAll();
  return cleanup;
}

export default { render };
