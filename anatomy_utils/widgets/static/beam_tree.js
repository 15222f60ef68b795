// The beam tree: a column for every step of a beam search, likeliest on top, each text joined to the one it continues.

const BOX = { wide: 104, high: 42, across: 140, down: 50, left: 6, top: 26 };
const PENALTIES = [0, 0.5, 1, 1.5, 2];
const MOST_BEAMS = 5;
const SIGNS = { alive: "", ended: "■", dropped: "✕" };

// A text on one line; its last token where there is nothing else to say.
const said = ({ text, word: last }) => (text || last || "(nothing)").replaceAll("\n", "↵");

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("beams");
  let chosen = null; // [step, row] of the text that is told in full; null for the likeliest of the last step shown
  const questions = request({
    model,
    signal,
    onBusy: (on) => {
      form.busy(on);
      setAttributes(scroll, { "aria-busy": on ? "true" : null });
    },
    onAnswer: () => {
      chosen = null;
      announce(root, told());
    },
  });
  const ask = (question) => questions.ask({ ...question, turn: model.get("question").turn + 1 });
  const show = (step) => {
    change(model, { step: clamp(step, 1, steps()) });
    chosen = null;
    announce(root, told());
  };
  const steps = () => model.get("columns").length;
  const shown = () => clamp(model.get("step"), 1, steps());
  const done = () => shown() === steps();

  // ---------------------------------------------------------------- controls
  const form = sentenceForm({
    value: model.get("prompt_text"),
    label: "Text to continue",
    action: "Search",
    signal,
    onSentence: (prompt) => ask({ prompt }),
  });
  const width = select({
    label: "Beams kept",
    options: Array.from({ length: MOST_BEAMS }, (_, i) => i + 1),
    signal,
    onChange: (value) => ask({ num_beams: Number(value) }),
  });
  const penalty = select({
    label: "Length penalty",
    options: PENALTIES,
    signal,
    onChange: (value) => ask({ length_penalty: Number(value) }),
  });
  const back = button({ label: "◀ Back", name: "Back", signal, onClick: () => show(shown() - 1) });
  const next = button({
    label: "Next step ▶",
    name: "Next step",
    primary: true,
    signal,
    onClick: () => show(shown() + 1),
  });
  const count = slider({
    label: "Step",
    min: 1,
    max: steps(),
    step: 1,
    value: shown(),
    signal,
    format: (step) => `${step} of ${steps()}`,
    onInput: (step) => show(step),
  });
  const looked = element("p", { class: "note" });

  // ---------------------------------------------------------------- tree, one text in full, results
  const lines = svg("svg", { class: "bt-lines", "aria-hidden": "true" });
  const sheet = element(
    "div",
    { class: "bt-sheet", role: "group", "aria-label": "The tree: arrow keys go from text to text" },
    lines,
  );
  const scroll = element("div", { class: "scroll bt-scroll" }, sheet);
  const detail = element("div", { class: "bt-detail" });
  const results = element("div", { class: "bt-results" });
  const key = element(
    "div",
    { class: "row bt-key", "aria-hidden": "true" },
    [
      ["bt-alive", "goes on"],
      ["bt-ended", "■ ended, among the best"],
      ["bt-dropped", "✕ dropped"],
      ["bt-greedy", "G greedy choice"],
    ].map(([css, text]) => element("span", { class: `bt-sample ${css}`, text })),
  );
  root.append(
    heading(model.get("label"), width.node, penalty.node),
    form.node,
    questions.line,
    element("div", { class: "bt-controls" }, back, next, count.node),
    looked,
    key,
    scroll,
    detail,
    results,
  );

  function told() {
    const column = model.get("columns")[shown() - 1];
    const names = (fate) =>
      column
        .filter((node) => node.fate === fate)
        .map((node) => node.word)
        .join(", ");
    return `Step ${shown()} of ${steps()}. Going on: ${names("alive") || "none"}.${names("ended") ? ` Ended: ${names("ended")}.` : ""}`;
  }

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

  const at = (step, row) => [BOX.left + BOX.across * (step + 1), BOX.top + BOX.down * row];
  const fateOf = (node, step) =>
    ({
      alive: step === steps() - 1 ? "open when the search ended" : "goes on",
      ended: node.stops ? "ended, and among the best that have" : "no room for more; among the best",
      dropped: "dropped",
    })[node.fate];

  function drawTree() {
    const columns = model.get("columns").slice(0, shown());
    const held = sheet.contains(document.activeElement);
    const best = model.get("ranking")[0];
    const winner = done() && best ? wayTo(...best) : [];
    const place = chosen ?? [columns.length - 1, winner[columns.length - 1] ?? 0];
    const way = wayTo(...place);
    const greedy = model.get("greedy").rows;
    const rows = Math.max(...model.get("columns").map((column) => column.length));
    const size = [BOX.left * 2 + BOX.across * (steps() + 1), BOX.top + BOX.down * rows];
    setAttributes(sheet, { style: { width: `${size[0]}px`, height: `${size[1]}px` } });
    setAttributes(lines, { width: size[0], height: size[1], viewBox: `0 0 ${size.join(" ")}` });
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
            node.fate === "ended" ? ` → ${format(node.score)}` : "",
          ),
          greedy[step] === row ? element("span", { class: "bt-g", text: "G" }) : "",
        );
        spokenAs(
          box,
          `Step ${step + 1}, ${said(node)}: log-probability ${format(node.log_probability)}, ${[fateOf(node, step), ...marks].join(", ")}`,
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
        `log-probability ${parts.map((part, i) => (i ? `${part < 0 ? "− " : "+ "}${format(Math.abs(part))}` : format(part))).join(" ")} = ${format(node.log_probability)}`,
      ),
      element(
        "div",
        { class: "number" },
        `score ${format(node.log_probability)} / ${step + 1}`,
        element("span", { class: "visually-hidden", text: " to the power of " }),
        element("sup", { text: power }),
        ` = ${format(node.score)}`,
      ),
    );
  }

  function drawResults() {
    const { text, log_probability: sum, score } = model.get("greedy");
    results.hidden = !done();
    if (results.hidden) return;
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
        element("caption", { text: "What the search has found" }),
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ["", "text", "log-probability", "score"].map((name) => element("th", { scope: "col", text: name })),
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

  function choose(step, row) {
    chosen = [step, row];
    drawTree();
  }

  sheet.addEventListener(
    "keydown",
    (event) => {
      const place = event.target.dataset?.place?.split(" ").map(Number);
      if (!place) return;
      const columns = model.get("columns").slice(0, shown());
      const [step, row] = place;
      const child = columns[step + 1]?.findIndex((node) => node.parent === row) ?? -1;
      const to = {
        ArrowUp: [step, row - 1],
        ArrowDown: [step, row + 1],
        ArrowLeft: [step - 1, columns[step][row].parent],
        ArrowRight: [step + 1, child],
        Home: [step, 0],
        End: [step, columns[step].length - 1],
      }[event.key];
      if (!to) return;
      event.preventDefault();
      if (!columns[to[0]]?.[to[1]]) return;
      choose(...to);
      sheet.querySelector(`[data-place="${to.join(" ")}"]`).scrollIntoView({ block: "nearest", inline: "nearest" });
    },
    { signal },
  );

  const draw = () => {
    const kept = model.get("num_beams"),
      column = model.get("columns")[shown() - 1];
    const open = shown() === 1 ? 1 : model.get("columns")[shown() - 2].filter((node) => node.fate === "alive").length;
    width.set(kept);
    penalty.set(model.get("length_penalty"));
    setAttributes(count.input, { max: steps() });
    count.set(shown());
    const held = document.activeElement;
    back.disabled = shown() === 1;
    next.disabled = done();
    if (held === back && back.disabled) next.focus(); // a key pressed in the void would reach the notebook
    if (held === next && next.disabled) back.focus();
    looked.textContent = `Step ${shown()}: ${open === 1 ? "1 open text" : `${open} open texts`} × ${model.get("vocab_size")} tokens = ${open * model.get("vocab_size")} continuations; the ${column.length} likeliest are drawn, likeliest on top, each with its log-probability. At most ${kept} go on.`;
    drawTree();
    drawResults();
    if (shown() > 1) scroll.scrollLeft = Math.max(0, at(shown() - 1, 0)[0] + BOX.wide + 20 - scroll.clientWidth);
  };
  const redraw = frame(draw, signal);
  onChange(model, signal, ["columns", "step", "num_beams", "length_penalty"], redraw);
  onTheme(root, signal, redraw); // called once when attached, too: only then the tree has a width to scroll in
  onChange(model, signal, "prompt_text", () => form.set(model.get("prompt_text")));
  draw();
  return cleanup;
}

export default { render };
