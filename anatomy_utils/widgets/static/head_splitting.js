// The head traveller: the numbers of one projection as cells that travel into their heads and back, on the right way and on
// the wrong way (view alone), step by step.

const PLAY_PAUSE = 3400; // milliseconds per step
const LABEL = 62; // pixels of a word beside its row
const PIECE = 86; // pixels of a piece of a word, such as “animal 4–7”
const HEAD_LABEL = 48; // pixels of “head 0”
const CELL_MAX = 34;
const CELL_MIN = 15;
const BLOCK_CELL_MIN = 24; // pixels of a cell from which two blocks stand side by side
const NUMBER_ROOM = 22; // pixels that a number needs
const GAP = 16;
const TITLE = 20; // pixels of a block's title
const NAMES = ["Enter", "Project", "View", "Transpose", "Attend", "Transpose back", "Join", "Mix"];
const LANES = ["right", "wrong"];
const TITLES = { right: "Right: view, then transpose", wrong: "Wrong: view alone" };
// Where the numbers lie: "flat" (position, d_model), "cut" (position, heads, d_head), "heads" (heads, position, d_head).
const PLACES = {
  right: ["flat", "flat", "cut", "heads", "heads", "cut", "flat", "flat"],
  wrong: ["flat", "flat", "heads", "heads", "heads", "heads", "flat", "flat"],
};
const TENSORS = ["hidden_states", "value", "value", "value", "context", "context", "context", "output"];
const AXES = {
  flat: ["batch", "position", "d_model"],
  cut: ["batch", "position", "heads", "d_head"],
  heads: ["batch", "heads", "position", "d_head"],
};

// Cuts the one buffer of numbers into named tensors.
function unpackJourney(data, positions, d, heads) {
  const sizes = { hidden_states: positions * d, value_weight: d * d, value: positions * d, output_weight: d * d };
  const lane = { weights: heads * positions * positions, context: positions * d, output: positions * d };
  let start = 0;
  const cut = (size) => data.subarray(start, (start += size));
  const taken = (wanted) => Object.fromEntries(Object.entries(wanted).map(([name, size]) => [name, cut(size)]));
  return { ...taken(sizes), right: taken(lane), wrong: taken(lane) };
}

function largestSize(...tensors) {
  return Math.max(...tensors.map((values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0))) || 1;
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("ht");
  const [tokens, heads, d] = ["tokens", "heads", "d_model"].map((name) => model.get(name));
  const positions = tokens.length;
  const width = d / heads; // d_head
  const tensors = unpackJourney(floats(model.get("tensors")), positions, d, heads);
  const limits = {
    hidden_states: largestSize(tensors.hidden_states),
    value: largestSize(tensors.value),
    context: largestSize(tensors.right.context, tensors.wrong.context),
    output: largestSize(tensors.right.output, tensors.wrong.output),
  };
  const state = { position: model.get("position"), feature: model.get("feature"), step: model.get("step") - 1 };
  const signed = (value, digits = 2) => (value < 0 ? `(${format(value, digits)})` : format(value, digits));

  // ---- where a number is: (head, row, i) of its head in each lane
  const home = {
    right: (p, f) => [Math.floor(f / width), p, f % width],
    wrong: (p, f) => {
      const place = p * d + f; // in memory: view alone cuts it every positions × d_head numbers
      return [Math.floor(place / (positions * width)), Math.floor(place / width) % positions, place % width];
    },
  };
  // What row `row` of head `head` is made of: a position and the first of its features.
  const origin = {
    right: (head, row) => [row, head * width],
    wrong: (head, row) => {
      const place = (head * positions + row) * width;
      return [Math.floor(place / d), place % d];
    },
  };
  const piece = ([p, f]) => `${shorten(tokens[p], 8)} ${f}–${f + width - 1}`;
  const rowName = (lane, head, row) => (lane === "right" ? shorten(tokens[row], 8) : piece(origin.wrong(head, row)));
  const contextAt = (lane, [head, row, i]) => tensors[lane].context[(head * positions + row) * width + i];
  const numberAt = (lane, p, f) => {
    const name = TENSORS[state.step];
    if (name === "context") return contextAt(lane, home[lane](p, f));
    return (name === "output" ? tensors[lane].output : tensors[name])[p * d + f];
  };
  const indexOf = (lane, p, f) => {
    const [head, row, i] = home[lane](p, f);
    return { flat: [0, p, f], cut: [0, p, Math.floor(f / width), f % width], heads: [0, head, row, i] }[
      PLACES[lane][state.step]
    ];
  };
  const shapeOf = (place) =>
    ({ flat: [1, positions, d], cut: [1, positions, heads, width], heads: [1, heads, positions, width] })[place];

  // ---- elements
  const whose = select({
    label: "Follow",
    options: tokens.map((token, i) => ({ value: i, label: token })),
    signal,
    onChange: (value) => choose({ position: Number(value) }),
  });
  const which = select({
    label: "feature",
    options: Array.from({ length: d }, (_, i) => i),
    signal,
    onChange: (value) => choose({ feature: Number(value) }),
  });
  const steps = stepControls({ names: NAMES, pause: PLAY_PAUSE, signal, go: (step) => choose({ step }) });
  const say = element("p", { class: "ht-say" });
  const lanes = Object.fromEntries(LANES.map((lane) => [lane, makeLane(lane)]));
  const low = element("span");
  const high = element("span");
  const bar = element("i");
  root.append(
    heading(model.get("label"), whose.node, which.node),
    steps.list,
    element(
      "div",
      { class: "row ht-go" },
      steps.back,
      steps.next,
      steps.play,
      element(
        "span",
        { class: "ht-key" },
        element("span", { class: "ht-mark" }),
        "all numbers of this word ",
        element("span", { class: "ht-mark followed" }),
        "the one followed ",
        element("span", { class: "ht-mark reached" }),
        "what it goes into",
      ),
      element("span", { class: "ht-scale" }, low, bar, high),
    ),
    say,
    element(
      "div",
      { class: "ht-lanes" },
      LANES.map((lane) => lanes[lane].node),
    ),
  );

  function makeLane(lane) {
    const code = element("code", { class: "ht-code" });
    const shape = element("span", { class: "shape" });
    const labels = element("div", { "aria-hidden": "true" });
    const told = element("div", { class: "ht-told" });
    const cells = [];
    const stage = element(
      "div",
      focusable({ class: "ht-stage", role: "application", "aria-roledescription": "tensor" }),
      labels,
    );
    for (let p = 0; p < positions; p += 1) {
      for (let f = 0; f < d; f += 1) {
        const cell = element("div", { class: "ht-cell", "aria-hidden": "true" });
        cell.addEventListener("click", () => choose({ position: p, feature: f }), { signal });
        cells.push(cell);
        stage.append(cell);
      }
    }
    stage.addEventListener(
      "keydown",
      (event) => {
        const to = arrowMove(event, state.position, state.feature, positions, d);
        if (!to) return;
        event.preventDefault();
        choose({ position: to[0], feature: to[1] });
        announce(
          root,
          `${tokens[to[0]]}, feature ${to[1]}: ${format(numberAt(lane, ...to), 3)} at [${indexOf(lane, ...to).join(", ")}]`,
        );
      },
      { signal },
    );
    const node = element(
      "section",
      { class: `ht-lane ht-${lane}`, "aria-label": TITLES[lane] },
      element("h4", { class: lane === "right" ? "ok" : "wrong", text: TITLES[lane] }),
      element("div", { class: "ht-line" }, code),
      element("div", { class: "ht-line" }, shape),
      stage,
      told,
    );
    return { node, code, shape, labels, cells, stage, told };
  }

  // ---- layout: where each cell and label stands in a lane of so many pixels
  // The blocks of a layout: [{title, rows: [names], x, y, cell, row}]; two stand side by side where there is room.
  function blocksOf(lane, place, wide) {
    if (place === "flat") {
      const cell = clamp((wide - LABEL) / d, CELL_MIN, CELL_MAX);
      return [
        {
          rows: tokens.map((token) => shorten(token, 8)),
          x: LABEL,
          y: TITLE,
          title: "",
          cell,
          row: Math.max(cell, 18),
        },
      ];
    }
    const [count, rows] = place === "cut" ? [positions, heads] : [heads, positions];
    const margin = place === "cut" ? HEAD_LABEL : lane === "wrong" ? PIECE : LABEL;
    const room = ((wide + GAP) / 2 - margin - GAP) / width;
    const [side, cell] =
      room >= BLOCK_CELL_MIN ? [2, Math.min(room, CELL_MAX)] : [1, clamp((wide - margin) / width, CELL_MIN, CELL_MAX)];
    const row = clamp(Math.round(cell * 0.72), 17, 22);
    return Array.from({ length: count }, (_, b) => ({
      title: place === "cut" ? tokens[b] : `head ${b}`,
      cell,
      row,
      rows: Array.from({ length: rows }, (_, r) => (place === "cut" ? `head ${r}` : rowName(lane, b, r))),
      x: (b % side) * (margin + width * cell + GAP) + margin,
      y: Math.floor(b / side) * (rows * row + TITLE + 8) + TITLE,
    }));
  }

  function layOut(lane) {
    const { labels, cells, stage } = lanes[lane];
    const wide = stage.clientWidth;
    const place = PLACES[lane][state.step];
    const blocks = blocksOf(lane, place, wide);
    const tallest = Math.max(
      ...["flat", "cut", "heads"].flatMap((name) =>
        LANES.flatMap((each) => blocksOf(each, name, wide).map((block) => block.y + block.rows.length * block.row)),
      ),
    );
    stage.style.height = `${tallest + 6}px`;
    const name = TENSORS[state.step];
    cells.forEach((node, at) => {
      const [p, f] = [Math.floor(at / d), at % d];
      const [head, r, i] = home[lane](p, f);
      const [block, across, down] =
        place === "flat" ? [0, f, p] : place === "cut" ? [p, f % width, Math.floor(f / width)] : [head, i, r];
      const value = numberAt(lane, p, f);
      const background = diverging(root, value / limits[name]);
      const { x, y, cell, row } = blocks[block];
      node.style.transform = `translate(${x + across * cell}px, ${y + down * row}px)`;
      node.style.width = `${cell}px`;
      node.style.height = `${row}px`;
      node.style.background = background;
      node.style.color = readableOn(background);
      node.textContent = cell < NUMBER_ROOM ? "" : format(value, 1);
      node.classList.toggle("of-word", p === state.position);
      node.classList.toggle("followed", p === state.position && f === state.feature);
      node.classList.toggle("reached", reached(lane, p, f));
    });
    const chosenRow = (b, r) =>
      place === "flat"
        ? r === state.position
        : place === "cut"
          ? b === state.position
          : origin[lane](b, r)[0] === state.position;
    labels.replaceChildren(
      ...blocks
        .flatMap((block, b) => [
          block.title
            ? element(
                "div",
                { class: "ht-title", style: { left: `${block.x}px`, top: `${block.y - TITLE}px` } },
                word(shorten(block.title, 12)),
              )
            : null,
          ...(place === "flat"
            ? Array.from({ length: d }, (_, f) =>
                element("div", {
                  class: f === state.feature ? "ht-column chosen" : "ht-column",
                  text: f,
                  style: { left: `${block.x + f * block.cell}px`, top: `${block.y - 17}px`, width: `${block.cell}px` },
                }),
              )
            : []),
          ...block.rows.map((text, r) =>
            element(
              "div",
              {
                class: chosenRow(b, r) ? "ht-row chosen" : "ht-row",
                style: {
                  right: `${wide - block.x + 5}px`,
                  top: `${block.y + r * block.row}px`,
                  "line-height": `${block.row}px`,
                },
              },
              word(text),
            ),
          ),
        ])
        .filter(Boolean),
    );
  }

  // Which cells the followed number has just had a share in, besides its own.
  function reached(lane, p, f) {
    if (state.step === 7) return p === state.position;
    if (state.step < 4) return false;
    const [head, , i] = home[lane](state.position, state.feature);
    const [otherHead, , other] = home[lane](p, f);
    return head === otherHead && i === other;
  }

  // ---- words
  const sayings = () => {
    const name = `“${tokens[state.position]}”`;
    return [
      `${name} comes in as one vector of d_model = ${d} numbers. Choose any number and follow it.`,
      `W_V makes ${d} new numbers of them. (W_Q and W_K do the same for queries and keys, which travel the same way.)`,
      `Now ${d} features become ${heads} heads × ${width}. view only says where one axis ends and the next begins: not one number moves in memory.`,
      "Attention wants the heads in front: for each head a matrix (position, d_head). transpose exchanges the two axes.",
      `Each head attends by itself. In its head, the number goes into the context of every row, as much as the row's weight says.`,
      "The way back: the positions come in front again.",
      `The heads' parts are laid side by side: d_model = ${d} numbers for each position again.`,
      "W_O mixes: every number of the joined vector has a share in all numbers of the output, so the heads meet here.",
    ][state.step];
  };

  function codeOf(lane) {
    const right = [
      "hidden_states",
      "value = to_value(hidden_states)",
      `value = value.view(1, ${positions}, ${heads}, ${width})`,
      "value = value.transpose(1, 2)",
      "context = attention(query, key, value)",
      "context = context.transpose(1, 2)",
      `context = context.reshape(1, ${positions}, ${d})`,
      "output = to_output(context)",
    ];
    const wrong = {
      2: `value = value.view(1, ${heads}, ${positions}, ${width})`,
      3: "# no transpose: the shape fits already",
      5: "# no transpose",
      6: `context = context.view(1, ${positions}, ${d})`,
    };
    return lane === "wrong" && state.step in wrong ? wrong[state.step] : right[state.step];
  }

  function tell(lane) {
    const { position: p, feature: f } = state;
    const place = PLACES[lane][state.step];
    const name = TENSORS[state.step];
    const index = indexOf(lane, p, f);
    const value = numberAt(lane, p, f);
    const mixing = state.step === 7;
    const followed = (of, at, number) => [
      element("code", { text: `${of}[${at.join(", ")}]` }),
      " = ",
      element("span", { class: "number ht-number", text: format(number, 3) }),
    ];
    lanes[lane].code.textContent = codeOf(lane);
    lanes[lane].shape.textContent = `${name} (${shapeOf(place).join(", ")}) ${AXES[place].join(", ")}`;
    lanes[lane].stage.setAttribute(
      "aria-label",
      `${TITLES[lane]}: ${name}, shape ${shapeOf(place).join(", ")}. ${tokens[p]}, feature ${f} is at ${index.join(", ")}: ${format(value, 3)}. Arrow keys choose another number.`,
    );
    lanes[lane].told.replaceChildren(
      mixing
        ? element(
            "div",
            {},
            element("code", { text: `output[0, ${p}, :]` }),
            " takes ",
            followed("context", [0, p, f], contextAt(lane, home[lane](p, f))),
          )
        : element("div", {}, followed(name, index, value)),
      ...explained(lane, home[lane](p, f)),
    );
  }

  function explained(lane, [head, row, i]) {
    const { position: p, feature: f } = state;
    const note = (...children) =>
      element(
        "p",
        { class: "note" },
        children.flatMap((child) => (typeof child === "string" ? prose(child) : [child])),
      );
    const others = [...new Set(Array.from({ length: positions }, (_, r) => origin.wrong(head, r)[0]))];
    const unseen = tokens.filter((_, t) => !others.includes(t));
    const wrongly = lane === "wrong";
    switch (state.step) {
      case 1: {
        const terms = Array.from(
          { length: d },
          (_, j) => tensors.hidden_states[p * d + j] * tensors.value_weight[j * d + f],
        );
        const total = terms.reduce((sum, term) => sum + term, 0);
        const bias = tensors.value[p * d + f] - total;
        return [
          note(
            `The ${d} numbers of the row times column ${f} of W_V, added up: ${terms
              .slice(0, 3)
              .map((term) => signed(term))
              .join(" + ")} + … = ${format(total)}${Math.abs(bias) > 1e-5 ? `, and the bias ${signed(bias)}` : ""}.`,
          ),
        ];
      }
      case 2:
        return [
          note(
            wrongly
              ? `In memory the number has place ${p} × ${d} + ${f} = ${p * d + f}. Heads now begin every ${positions} × ${width} = ${positions * width} places: it lands in head ${head}, row ${row}.`
              : `Feature ${f} = ${Math.floor(f / width)} × ${width} + ${f % width}: head ${Math.floor(f / width)}, its feature ${f % width}. Still the row of its word.`,
          ),
        ];
      case 3:
        return [
          note(
            wrongly
              ? `The rows of head ${head} are no words but pieces: *${piece(origin.wrong(head, 0))}* to *${piece(origin.wrong(head, positions - 1))}*.`
              : `Head ${head} now has one row for every word, and nothing but its own ${width} features of each.`,
          ),
        ];
      case 4:
        return attended(
          lane,
          head,
          row,
          i,
          wrongly && unseen.length
            ? note(
                `Rows are pieces of ${others.map((t) => `“${tokens[t]}”`).join(", ")}; this head never meets ${unseen.map((token) => `“${token}”`).join(", ")}.`,
              )
            : null,
        );
      case 5:
        return [
          note(
            wrongly
              ? "Nothing to undo: the axes were never exchanged."
              : `Row ${row} of head ${head} is row ${head} of position ${p} again.`,
          ),
        ];
      case 6:
        return [
          note(
            wrongly
              ? "Back at its own index, with the right shape: nothing complains. But it has been averaged with other features of the wrong words."
              : "Back where it set out from, at the same index, now with something of every word in it.",
          ),
        ];
      case 7:
        return mixed(lane, head, row, i);
      default:
        return [];
    }
  }

  // The sum behind one number of the context: weight × value of every row of its head.
  function attended(lane, head, row, i, more) {
    const { weights } = tensors[lane];
    const terms = Array.from({ length: positions }, (_, r) => {
      const [q, first] = origin[lane](head, r);
      return { r, weight: weights[(head * positions + row) * positions + r], value: tensors.value[q * d + first + i] };
    });
    return [
      remark(`Row ${rowName(lane, head, row)} of head ${head} attends to`),
      element(
        "table",
        { class: "ht-sum" },
        element(
          "tbody",
          {},
          terms.map(({ r, weight, value }) =>
            element(
              "tr",
              { class: r === row ? "own" : null },
              element("th", { scope: "row" }, word(rowName(lane, head, r))),
              element("td", { class: "weights", text: format(weight) }),
              element("td", { text: `× ${signed(value)}` }),
              element("td", { text: `= ${format(weight * value, 3)}` }),
            ),
          ),
        ),
      ),
      more,
    ].filter(Boolean);
  }

  // What the followed number adds to the output of its position, and how far the lanes are apart.
  function mixed(lane, head, row, i) {
    const number = contextAt(lane, [head, row, i]);
    const share = Array.from({ length: d }, (_, j) => number * tensors.output_weight[state.feature * d + j]);
    const roomy = lanes[lane].stage.clientWidth / d > 34;
    const apart = tensors.right.output.reduce(
      (most, value, at) => Math.max(most, Math.abs(value - tensors.wrong.output[at])),
      0,
    );
    return [
      remark(`times row ${state.feature} of W_O: its share in the ${d} outputs of “${tokens[state.position]}”`),
      element(
        "div",
        { class: "ht-share" },
        share.map((value) => {
          const background = diverging(root, value / limits.output);
          return element("span", {
            style: { background, color: readableOn(background) },
            text: format(value, roomy ? 2 : 1),
          });
        }),
      ),
      lane === "wrong"
        ? remark(`Same shape as the right output, other numbers: they differ by up to ${format(apart, 2)}.`)
        : null,
    ].filter(Boolean);
  }

  function remark(text) {
    return element("p", { class: "note", text });
  }

  // ---- drawing and choosing
  const draw = frame(() => {
    if (!theme(root) || !root.clientWidth) return;
    const limit = limits[TENSORS[state.step]];
    low.textContent = format(-limit, 1);
    high.textContent = format(limit, 1);
    bar.style.background = `linear-gradient(to right, ${Array.from({ length: 9 }, (_, i) => diverging(root, i / 4 - 1)).join(", ")})`;
    for (const lane of LANES) {
      layOut(lane);
      tell(lane);
    }
    root.classList.add("ht-ready"); // from now on cells move
  }, signal);

  function refresh() {
    steps.tell(state.step);
    whose.set(state.position);
    which.set(state.feature);
    say.textContent = sayings();
    draw();
  }

  function choose(next) {
    const moved = "step" in next && next.step !== state.step;
    Object.assign(state, next);
    change(model, { position: state.position, feature: state.feature, step: state.step + 1 });
    refresh();
    if (moved) announce(root, `Step ${state.step + 1} of ${NAMES.length}, ${NAMES[state.step]}. ${sayings()}`);
  }

  for (const [trait, shift] of [
    ["position", 0],
    ["feature", 0],
    ["step", 1],
  ]) {
    onChange(model, signal, trait, () => {
      if (model.get(trait) - shift === state[trait]) return;
      state[trait] = model.get(trait) - shift;
      refresh();
    });
  }
  let measuredAt = 0;
  const resized = new ResizeObserver(() => {
    if (root.clientWidth === measuredAt) return;
    measuredAt = root.clientWidth;
    draw();
  });
  resized.observe(root);
  signal.addEventListener("abort", () => resized.disconnect());
  onTheme(root, signal, draw);
  refresh();
  return cleanup;
}

export default { render };
