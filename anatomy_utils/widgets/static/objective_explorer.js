// The objective explorer: a sentence under each pretraining objective. What was handed over needs no kernel; another
// sentence, another rate and more drawings are asked of Python.

const MASK_SIDE = 210; // pixels of the picture of the mask
const KINDS = {
  everyone: "Every position may look at every one.",
  causal: "Each may look at itself and at what came before.",
  prefix: "All may look at the prefix; after it, at what came before.",
  permuted: "Each may look at those whose turn came before its own, not at itself.",
  "encoder–decoder":
    "The encoder looks at all of itself; the decoder at all of the encoder, and at what it has read so far.",
};

function ratePercent(rate) {
  return `${Math.round(rate * 100)} %`;
}

// The cells of a mask that are open, as one SVG path.
function openCells(mask, size) {
  return mask
    .flatMap(
      (row, i) =>
        (row.match(/1+|0+/g) ?? []).reduce(
          ({ at, parts }, run) => ({
            at: at + run.length,
            parts:
              run[0] === "1"
                ? [...parts, `M${at * size} ${i * size}h${run.length * size}v${size}h${-run.length * size}z`]
                : parts,
          }),
          { at: 0, parts: [] },
        ).parts,
    )
    .join("");
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("objectives");
  const objectives = model.get("objectives");
  let last = null,
    at = 0,
    alone = false,
    wanted = null;
  const objective = () => objectives.find(({ name }) => name === model.get("chosen")) ?? objectives[0];
  const rate = () => model.get("rates")[objective().name] ?? objective().rate;
  const given = () =>
    model.get("sentence") === model.get("given_sentence") && rate() === objective().rate
      ? model.get("given")[objective().name]
      : [];

  // What is to be seen now, if it is here already.
  function drawing() {
    const told = model.get("drawing");
    const fits =
      told.name === objective().name &&
      told.sentence === model.get("sentence") &&
      told.number === model.get("number") &&
      told.rate === rate();
    return fits ? told : (given()[model.get("number")] ?? null);
  }

  // ---------------------------------------------------------------- asking
  let answers = 0;
  const questions = request({
    model,
    signal,
    onBusy: (on) => {
      form.busy(on);
      if (on) answers = model.get("answered");
      else if (model.get("answered") === answers) leaveAlone();
      again.disabled = on;
    },
    onAnswer: () => {
      announce(root, drawing()?.note ?? "");
      if (wanted !== null && wanted !== rate()) ask({ rate: wanted });
      else if (!drawing()) ask({});
    },
  });
  function ask(changes) {
    questions.ask({
      name: objective().name,
      sentence: model.get("sentence"),
      rate: rate(),
      number: model.get("number"),
      ...changes,
    });
  }
  // Nobody answers: what was handed over can still be read.
  function leaveAlone() {
    alone = true;
    change(model, { sentence: model.get("given_sentence"), rates: {}, number: 0 });
    for (const input of form.node.querySelectorAll("input, button")) input.disabled = true;
    examples.input.disabled = share.input.disabled = true;
    redraw();
  }

  // ---------------------------------------------------------------- controls
  const branches = [...new Set(objectives.map(({ branch }) => branch))];
  const chips = objectives.map((each, i) => {
    const node = element("span", focusable({ class: "oe-chip", role: "radio" }), each.name);
    node.addEventListener("click", () => choose(i), { signal });
    node.addEventListener(
      "keydown",
      (event) => {
        const by = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
        if (by !== undefined) choose((i + by + objectives.length) % objectives.length, true);
        else if (event.key === " " || event.key === "Enter") choose(i);
        else return;
        event.preventDefault();
      },
      { signal },
    );
    return node;
  });
  const chooser = element(
    "div",
    { class: "oe-chooser", role: "radiogroup", "aria-label": "Objective" },
    branches.map((branch) =>
      element(
        "div",
        { class: "oe-branch" },
        element("span", { class: "oe-branch-name", text: branch }),
        element(
          "span",
          { class: "oe-chips" },
          chips.filter((_, i) => objectives[i].branch === branch),
        ),
      ),
    ),
  );
  const form = sentenceForm({
    value: model.get("sentence"),
    label: "Sentence of the street",
    action: "Use it",
    signal,
    onSentence: (sentence) => ask({ sentence, number: 0 }),
  });
  const examples = select({
    label: "or",
    options: ["another one …", ...model.get("examples")],
    signal,
    onChange: (text) => {
      if (model.get("examples").includes(text)) ask({ sentence: text, number: 0 });
      examples.set("another one …");
    },
  });
  examples.input.setAttribute("aria-label", "Another sentence");
  examples.node.hidden = !model.get("examples").length;
  const again = button({
    label: "Draw again",
    primary: true,
    signal,
    onClick: () => {
      const next = model.get("number") + 1;
      if (given()[next]) change(model, { number: next });
      else if (alone) change(model, { number: 0 });
      else ask({ number: next });
    },
  });
  const share = slider({
    label: "Rate",
    min: 0.05,
    max: 0.9,
    step: 0.01,
    value: rate() ?? 0.15,
    format: ratePercent,
    signal,
    tint: "value",
    onInput: (value) => {
      wanted = value;
      if (!again.disabled) ask({ rate: value });
    },
  });
  const shareMeans = element("span", { class: "oe-quiet" });

  // ---------------------------------------------------------------- what is seen
  const asks = element("div", { class: "oe-asks" });
  const reads = element("div", focusable({ class: "oe-tokens", role: "listbox", "aria-orientation": "horizontal" }));
  const writes = element("div", focusable({ class: "oe-tokens", role: "listbox", "aria-orientation": "horizontal" }));
  const readsTitle = element("div", { class: "oe-title" }),
    writesTitle = element("div", { class: "oe-title", text: "The decoder reads, and below it what is asked" });
  const readsPart = element("div", {}, readsTitle, reads),
    writesPart = element("div", {}, writesTitle, writes);
  const counted = element("p", { class: "oe-counted" }),
    note = element("p", { class: "note" }),
    models = element("p", { class: "oe-models" });
  const line = element("p", { class: "oe-line", role: "status" });
  const hatch = uniqueId("hatch");
  const open = svg("path", { class: "oe-open" }),
    lines = svg("path", { class: "oe-lines" }),
    row = svg("rect", { class: "oe-row" }),
    border = svg("path", { class: "oe-border" });
  const picture = svg(
    "svg",
    {
      class: "oe-mask",
      role: "img",
      width: MASK_SIDE,
      height: MASK_SIDE,
      viewBox: `-1 -1 ${MASK_SIDE + 2} ${MASK_SIDE + 2}`,
    },
    svg(
      "defs",
      {},
      svg(
        "pattern",
        { id: hatch, width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
        svg("rect", { class: "oe-hatch", width: 1.2, height: 5 }),
      ),
    ),
    svg("rect", { width: MASK_SIDE, height: MASK_SIDE, fill: `url(#${hatch})` }),
    open,
    lines,
    border,
    row,
    svg("rect", { class: "oe-frame", width: MASK_SIDE, height: MASK_SIDE }),
  );
  const kind = element("p", { class: "note" });
  root.append(
    heading(model.get("label")),
    chooser,
    element("div", { class: "panel oe-question" }, asks, models),
    element("div", { class: "oe-controls" }, form.node, examples.node),
    element("div", { class: "oe-controls" }, again, element("div", { class: "oe-rate" }, share.node, shareMeans)),
    questions.line,
    element(
      "div",
      { class: "oe-below" },
      element("div", { class: "panel" }, readsPart, writesPart, counted, note),
      element(
        "div",
        { class: "panel oe-looks" },
        element("div", { class: "oe-title", text: "Who may look at whom" }),
        element(
          "div",
          { class: "oe-axes" },
          element("span", { class: "oe-key", text: "key" }),
          element("span", { class: "oe-query", text: "query" }),
          picture,
        ),
        line,
        kind,
      ),
    ),
  );
  for (const [list, from] of [
    [reads, () => 0],
    [writes, () => last.inputs.length],
  ]) {
    list.addEventListener(
      "keydown",
      (event) => {
        const count = list.children.length;
        const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -count, End: count }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        point(from() + clamp(at - from() + by, 0, count - 1));
      },
      { signal },
    );
    list.addEventListener(
      "focus",
      () => {
        if (at < from() || at >= from() + list.children.length) point(from());
      },
      { signal },
    );
  }
  picture.addEventListener(
    "click",
    (event) => {
      const { top, height } = picture.getBoundingClientRect();
      point(clamp(Math.floor(((event.clientY - top) / height) * last.mask.length), 0, last.mask.length - 1));
    },
    { signal },
  );

  function choose(i, focus = false) {
    wanted = null;
    change(model, { chosen: objectives[i].name, number: 0 });
    if (focus) chips[i].focus();
    if (!drawing() && !alone) ask({});
  }

  // ---------------------------------------------------------------- drawing
  const words = () => [...last.inputs, ...last.decoder_inputs];
  const firstAsking = () => words().length - last.asked.length;

  // A token in its column: its mark, what goes in, what is asked.
  function token(text, i, { mark, altered, asked }) {
    const parts = [
      mark ? element("span", { class: "oe-mark", text: mark }) : null,
      word(text, { class: altered ? "word oe-in altered" : "word oe-in" }),
    ];
    const says = [text, mark ? `${last.marks_mean} ${mark}` : "", altered ? "altered" : ""];
    if (asked !== undefined) {
      parts.push(asked ? word(asked, { class: "word oe-asked" }) : element("span", { class: "oe-nothing", text: "·" }));
      says.push(asked ? `asked: ${asked}` : "nothing asked");
    }
    const node = spokenAs(
      element("div", { class: "oe-token", role: "option", id: uniqueId("token") }, parts),
      says.filter(Boolean).join(", "),
    );
    node.addEventListener("click", () => point(i), { signal });
    return node;
  }

  function point(i) {
    at = i;
    drawLooks();
  }

  function drawLooks() {
    const all = words(),
      mask = last.mask,
      size = MASK_SIDE / all.length;
    [...reads.children, ...writes.children].forEach((node, i) => {
      node.classList.toggle("unseen", mask[at][i] === "0");
      node.setAttribute("aria-selected", String(i === at));
    });
    for (const [list, from] of [
      [reads, 0],
      [writes, last.inputs.length],
    ]) {
      setAttributes(list, { "aria-activedescendant": list.children[at - from]?.id });
    }
    setAttributes(row, { x: 0, y: at * size, width: MASK_SIDE, height: size });
    const seen = [...mask[at]].filter((cell) => cell === "1").length;
    line.replaceChildren("“", word(all[at]), `” may look at ${seen} of ${all.length} positions.`);
  }

  function drawControls() {
    objectives.forEach(({ name }, i) => {
      const on = name === objective().name;
      setAttributes(chips[i], { "aria-checked": String(on), tabindex: on ? 0 : -1 });
    });
    const { asks: question, models: learnt, source, rate: published, rate_means: means } = objective();
    asks.textContent = question;
    models.replaceChildren(
      element("span", { class: "oe-quiet", text: "Learnt so: " }),
      ...learnt.flatMap((name) => [element("span", { class: "oe-model", text: name }), " "]),
      element("span", { class: "oe-quiet", text: ` (${source})` }),
    );
    share.node.parentElement.hidden = published === null;
    if (published !== null) {
      if (wanted === null || !again.disabled) share.set(rate());
      shareMeans.textContent = `${means} (published: ${ratePercent(published)})`;
    }
  }

  function draw() {
    drawControls();
    const now = drawing();
    root.querySelector(".oe-below").setAttribute("aria-busy", String(!now));
    if (!now) return;
    last = now;
    const pair = last.decoder_inputs.length > 0;
    reads.replaceChildren(
      ...last.inputs.map((text, i) =>
        token(text, i, { mark: last.marks[i], altered: last.altered[i], asked: pair ? undefined : last.asked[i] }),
      ),
    );
    writes.replaceChildren(
      ...last.decoder_inputs.map((text, i) => token(text, last.inputs.length + i, { asked: last.asked[i] })),
    );
    const marked = last.marks_mean ? ` (above it its ${last.marks_mean})` : "";
    readsTitle.textContent = pair ? "The encoder reads" : `What goes in${marked}, and below it what is asked`;
    reads.setAttribute("aria-label", pair ? "The encoder reads" : "What goes in and what is asked");
    writes.setAttribute("aria-label", "What the decoder reads and is asked");
    writesPart.hidden = !pair;
    const counts = last.counts.filter(Boolean).length;
    counted.replaceChildren(
      element("b", { text: `${counts} of ${last.counts.length}` }),
      ` ${pair ? "decoder positions" : "positions"} count in the loss.`,
    );
    note.textContent = last.note;
    const size = MASK_SIDE / last.mask.length;
    open.setAttribute("d", openCells(last.mask, size));
    lines.setAttribute("d", last.mask.map((_, i) => `M0 ${i * size}h${MASK_SIDE}M${i * size} 0v${MASK_SIDE}`).join(""));
    border.setAttribute(
      "d",
      pair ? `M0 ${last.inputs.length * size}h${MASK_SIDE}M${last.inputs.length * size} 0v${MASK_SIDE}` : "",
    );
    picture.setAttribute(
      "aria-label",
      `${last.mask.length} queries by ${last.mask.length} keys, ${last.mask_kind}: ${KINDS[last.mask_kind] ?? ""}`,
    );
    kind.textContent = KINDS[last.mask_kind] ?? last.mask_kind;
    const first = last.asked.findIndex(Boolean);
    at = firstAsking() + Math.max(0, first);
    drawLooks();
  }
  const redraw = frame(draw, signal);
  onChange(model, signal, ["chosen", "number", "rates", "drawing", "sentence"], redraw);
  onChange(model, signal, "sentence", () => form.set(model.get("sentence")));
  draw();
  return cleanup;
}

export default { render };
