// One bed of the debugging lab: its chart, its probes, a diagnosis and a cure.

const CELL = 12;
const LABELS = 66; // room for a token beside a map and above it

// Two maps side by side with their tokens: {node, draw(values, head)}; values are (2, query, key), NaN where there is
// none.
function twoMaps(root, tokens, name) {
  const size = tokens.length,
    side = size * CELL,
    second = LABELS + side + 14;
  const cells = svg("g"),
    names = svg("g");
  const node = svg(
    "svg",
    { class: "wd-maps", viewBox: `0 0 ${second + side + 2} ${LABELS + side + 2}`, role: "img" },
    cells,
    names,
  );
  const place = (map) => (map ? second : LABELS);
  names.append(
    ...tokens.flatMap((token, i) => {
      const middle = LABELS + (i + 0.5) * CELL;
      return [
        svg("text", { x: LABELS - 5, y: middle + 3.5, "text-anchor": "end", text: shorten(token, 9) }),
        ...[0, 1].map((map) =>
          svg("text", {
            transform: `translate(${place(map) + (i + 0.5) * CELL + 3.5} ${LABELS - 5}) rotate(-90)`,
            text: shorten(token, 8),
          }),
        ),
      ];
    }),
    ...[0, 1].map((map) => svg("rect", { class: "wd-frame", x: place(map), y: LABELS, width: side, height: side })),
  );

  function draw(values) {
    if (!theme(root)) return;
    cells.replaceChildren(
      ...Array.from(values, (value, i) => {
        const map = Math.floor(i / (size * size)),
          query = Math.floor(i / size) % size,
          key = i % size;
        if (value === 0) return null;
        const [x, y] = [place(map) + key * CELL, LABELS + query * CELL];
        const told = svg("title", {
          text: `${tokens[query]} → ${tokens[key]}: ${Number.isNaN(value) ? "NaN" : format(value)}`,
        });
        if (Number.isNaN(value))
          return svg(
            "g",
            {},
            svg("rect", { class: "wd-nan", x, y, width: CELL, height: CELL }),
            svg("path", { class: "wd-cross", d: `M${x + 3} ${y + 3}l6 6m0 -6l-6 6` }),
            told,
          );
        return svg("rect", { x, y, width: CELL, height: CELL, fill: sequentialColour(root, value) }, told);
      }).filter(Boolean),
    );
    const nan = Array.from(values.subarray(0, size * size)).filter(Number.isNaN).length;
    node.setAttribute(
      "aria-label",
      `Attention weights, ${size} queries by ${size} keys: ${name} on the left, the healthy twin on the right. ` +
        `${nan ? `${nan} of ${name}'s weights are NaN.` : "All are numbers."}`,
    );
  }
  return { node, draw };
}

// The panel of one bed, built anew when another one is looked at.
function bedPanels({ root, model, signal, beds, twin, probes, kept, of, line, send, stateOf, panel, update }) {
  // ---- the panel of one bed, built anew when another one is looked at
  function build() {
    kept.shown = model.get("bed");
    const bed = beds[kept.shown];
    const life = new AbortController(); // of this panel's listeners
    signal.addEventListener("abort", () => life.abort(), { signal: life.signal });
    panel.life?.abort();
    panel.life = life;
    const here = life.signal;

    const curve = lineChart({ width: 440, height: 230, xLabel: "step of training", yLabel: "loss" });
    const top = limits([...bed.loss, ...twin.loss])[1];
    const points = (loss) => loss.map((y, i) => [i + 1, y]);
    curve.draw(
      [
        { points: points(bed.loss), class: "wd-patient" },
        { points: points(twin.loss), class: "wd-twin" },
      ],
      {
        x: [0, bed.loss.length],
        y: [0, top * 1.04],
        told:
          `Loss over ${bed.loss.length} steps. ${bed.name} ends at ${format(bed.loss.at(-1))}, the healthy twin ` +
          `at ${format(twin.loss.at(-1))}.`,
      },
    );
    const sample = (look) =>
      svg(
        "svg",
        { class: "line-chart wd-sample", viewBox: "0 0 26 10", "aria-hidden": "true" },
        svg("path", { class: `line ${look}`, d: "M1 5H25" }),
      );
    const legend = element(
      "div",
      { class: "wd-legend" },
      [
        ["wd-patient", bed.name],
        ["wd-twin", "healthy twin"],
      ].map(([look, text]) => element("span", {}, sample(look), text)),
    );
    const maps = twoMaps(root, bed.tokens, bed.name);
    const chart = element(
      "div",
      { class: "wd-chart" },
      element(
        "section",
        { class: "panel", "aria-label": "Loss curve" },
        element("h4", { text: "Loss while learning" }),
        curve.node,
        legend,
        element(
          "p",
          { class: "note" },
          "The team reports an exam of ",
          element("b", { class: "number", text: format(bed.exam) }),
          `; the twin's is ${format(twin.exam)}.`,
        ),
      ),
      element(
        "section",
        { class: "panel", "aria-label": "Attention" },
        element("h4", { text: `Attention: ${bed.head}` }),
        maps.node,
        element("p", {
          class: "note",
          text:
            `Left ${bed.name}, right the healthy twin; rows ask, columns are asked. Read up to “cross” as one ` +
            "prompt beside a longer one, then word by word. A cross is NaN: not a number.",
        }),
      ),
    );

    const own = element("ul", { class: "wd-texts" }),
      theirs = element("ul", { class: "wd-texts" }, lines(twin.samples));
    const write = button({ label: "Write again", signal: here, onClick: () => send({ do: "write" }) });
    write.classList.add("wd-asks");
    const samples = element(
      "section",
      { class: "panel", "aria-label": "Samples" },
      element("div", { class: "row" }, element("h4", { text: "Five beginnings, answered in one batch" }), write),
      element(
        "div",
        { class: "wd-two" },
        element("div", {}, element("div", { class: "caption", text: bed.name }), own),
        element("div", {}, element("div", { class: "caption", text: "Healthy twin" }), theirs),
      ),
    );

    const rows = probes.map(({ name, question }) => {
      const go = button({ label: name, signal: here, onClick: () => send({ do: "probe", probe: name }) });
      go.classList.add("wd-asks");
      const cells = ["wd-value", "wd-value", "wd-value"].map((css) => element("td", { class: css }));
      return {
        name,
        cells,
        node: element(
          "tr",
          {},
          element("th", { scope: "row" }, go),
          cells,
          element("td", { class: "wd-asked", text: question }),
        ),
      };
    });
    const after = element("th", { scope: "col", text: "cured" });
    const table = element(
      "table",
      { class: "wd-probes" },
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          ["probe", bed.name, "twin"].map((text) => element("th", { scope: "col", text })),
          after,
          element("th", { scope: "col", text: "what it asks" }),
        ),
      ),
      element(
        "tbody",
        {},
        rows.map(({ node }) => node),
      ),
    );

    const form = choiceForm({
      root,
      text: bed.question.text,
      choices: bed.question.choices,
      check: "Make this diagnosis",
      signal: here,
      judge: (choice) => verdict(bed.question.choices[choice]),
      onChosen: (choice) => {
        change(model, { chosen: model.get("chosen").map((old, i) => (i === kept.shown ? choice : old)) });
        update();
      },
    });
    const cure = button({
      label: `Cure ${bed.name}`,
      primary: true,
      signal: here,
      onClick: () => send({ do: "cure" }),
    });
    cure.classList.add("wd-asks");
    const { text, address, says } = bed.report;
    const cured = element("p", { class: "wd-cured" });
    const known = element(
      "section",
      { class: "panel wd-known", "aria-label": "After the diagnosis" },
      element("h4", { text: "It happened to others" }),
      element(
        "p",
        {},
        element("a", focusable({ href: address, target: "_blank", rel: "noopener", tabindex: null, text })),
        ": ",
        prose(says),
      ),
      element("div", { class: "row" }, cure),
      cured,
    );

    panel.replaceChildren(
      element("p", { class: "wd-anamnesis" }, prose(bed.anamnesis)),
      chart,
      samples,
      element(
        "section",
        { class: "panel", "aria-label": "Probes" },
        element("h4", { text: "Probes" }),
        element("div", { class: "scroll", ...focusable({ role: "region", "aria-label": "Table of probes" }) }, table),
        line,
      ),
      element("section", { class: "panel", "aria-label": "Diagnosis" }, form.node),
      known,
    );
    form.show(of("chosen"));
    kept.redraw = () => {
      maps.draw(floats(of("maps")));
      own.replaceChildren(...lines(of("samples")));
      const found = of("findings"),
        then = of("cures");
      const well = Object.keys(then).length > 0;
      for (const {
        name,
        cells: [value, healthy, later],
      } of rows) {
        mark(value, found[name], found[name]?.shown);
        healthy.textContent = found[name]?.healthy ?? "";
        mark(later, then[name], then[name]?.shown);
        later.hidden = !well;
      }
      after.hidden = !well;
      known.hidden = stateOf(kept.shown) !== "diagnosed";
      cured.replaceChildren(...(well ? prose(bed.cured_by) : []));
    };
  }

  function lines(texts) {
    return texts.map((text) => {
      const [prompt, ...rest] = text.split(" |");
      return element("li", {}, element("span", { class: "wd-prompt" }, prompt), rest.join(" |"));
    });
  }

  function mark(cell, result, text) {
    cell.className = result ? `wd-value ${result.passed ? "ok" : "wrong"}` : "wd-value";
    setAttributes(cell, { title: result?.sentence ?? null });
    cell.replaceChildren(
      ...(result
        ? [text, element("span", { class: "visually-hidden", text: result.passed ? ", healthy" : ", not healthy" })]
        : []),
    );
  }
  return { build };
}
