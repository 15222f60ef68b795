// Two models side by side: parts, parameters, masks, and what one more token costs at any length.

const SIDES = ["first", "second"];

// The parts of both models side by side, with their stacks and masks.
function partTable({ model, one, only, line }) {
  const parts = element("div", {});
  const stacks = SIDES.map(() => element("div", { class: "cm-side" }));
  const masks = SIDES.map(() => element("div", { class: "cm-side" }));

  function drawParts() {
    const names = differing(one(0), one(1)),
      all = !model.get("only_differences");
    only.set(!all);
    const rows = one(0).parts.filter(({ name }) => all || names.has(name));
    parts.replaceChildren(
      rows.length
        ? element(
            "table",
            { class: "tx-table" },
            element(
              "thead",
              {},
              element(
                "tr",
                {},
                ["part", one(0).name, one(1).name].map((text) => element("th", { scope: "col", text })),
              ),
            ),
            element(
              "tbody",
              {},
              rows.map(({ name, value, is_size: isSize }) => {
                const differs = names.has(name),
                  other = one(1).parts.find((part) => part.name === name).value;
                const first = isSize ? ` (${one(0).sizes[0].name})` : "",
                  second = isSize ? ` (${one(1).sizes[0].name})` : "";
                return element(
                  "tr",
                  { class: differs ? "cm-differs" : null },
                  element(
                    "th",
                    { scope: "row" },
                    differs
                      ? element(
                          "span",
                          { class: "cm-sign" },
                          element("span", { "aria-hidden": "true", text: "≠ " }),
                          element("span", { class: "visually-hidden", text: "differs: " }),
                        )
                      : null,
                    name,
                  ),
                  element("td", { text: value + (differs ? first : "") }),
                  element("td", { text: other + (differs ? second : "") }),
                );
              }),
            ),
          )
        : element("p", { text: "No part differs." }),
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
  return { parts, stacks, masks, drawParts };
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
      element(
        "table",
        { class: "tx-table" },
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ["", title(0), title(1)].map((text, i) => (i ? element("th", { scope: "col", text }) : element("td"))),
          ),
        ),
        element(
          "tbody",
          {},
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
  const only = toggleButton({
    label: "Only what differs",
    pressed: model.get("only_differences"),
    signal,
    onToggle: (on) => change(model, { only_differences: on }),
  });
  const line = (i) =>
    svg(
      "svg",
      { class: "line-chart cm-sample", viewBox: "0 0 34 10", "aria-hidden": "true" },
      svg("path", { class: `line ${SIDES[i]}`, d: "M1 5H33" }),
    );
  const { parts, stacks, masks, drawParts } = partTable({ model, one, only, line });
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
    ...lineChart({ width: 440, height: 240, xLabel: "tokens in the text", yLabel, log: true, xText: powersToText }),
  }));
  const panel = (text, ...inside) =>
    element("div", { class: "panel" }, element("div", { class: "tx-title", text }), ...inside);

  root.append(
    heading(model.get("label")),
    element(
      "div",
      { class: "cm-two" },
      choices.map(({ which, how }) => element("div", { class: "row" }, which.node, how.node)),
    ),
    element(
      "div",
      { class: "panel" },
      element("div", { class: "row" }, element("div", { class: "tx-title grow", text: "Parts" }), only.node),
      parts,
    ),
    panel(
      "Drawn from their modules; ≠ marks what the other has otherwise",
      element("div", { class: "cm-two" }, stacks),
    ),
    panel("Who may look at whom: sixteen tokens, windows drawn short", element("div", { class: "cm-two" }, masks)),
    panel("Parameters", counts),
    panel(
      "What one token costs, by the length of its text",
      lengths.node,
      said,
      element("div", { class: "row" }, keys),
      element(
        "div",
        { class: "cm-two" },
        charts.map(({ node }) => element("div", {}, node)),
      ),
      element("p", {
        class: "note",
        text:
          "Operations: multiplications and additions of one token with the whole text in sight; in an " +
          "encoder–decoder, the mean of a token read and one written. Bytes: keys and values of that text, two " +
          "bytes a number; a window keeps no more than it sees.",
      }),
    ),
  );

  function drawChoices() {
    choices.forEach(({ which, how }, i) => {
      which.set(one(i).name);
      how.setOptions(one(i).sizes.map(({ name }, place) => ({ value: place, label: name })));
      how.set(clamp(model.get("sizes")[i], 0, one(i).sizes.length - 1));
    });
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
        : "nothing kept, since it does not write";
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
    () => announce(root, `${one(0).name} and ${one(1).name} differ in ${drawAll()} parts, numbers left out.`),
    signal,
  );
  onChange(model, signal, ["first", "second", "sizes", "only_differences"], redraw);
  onChange(model, signal, "length", frame(drawCosts, signal));
  drawAll();
  return cleanup;
}

export default { render };
