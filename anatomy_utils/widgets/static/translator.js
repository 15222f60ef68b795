// The translator: a typed sentence is written anew word by word, with cross-attention drawn as lines or as a matrix.
// A whole translation arrives at once; the words appear one by one here, so that most of it needs no kernel.

const ROW = 24; // pixels of a word's row between which lines are drawn
const LINES = 150; // pixels across which lines are drawn
const PAUSE = 420; // milliseconds between two words of "Translate all"
const FAINT = 0.08; // weights below this get no line for words that are not chosen
const PRINTED = 0.05; // weights below this are printed in the current row only
const VIEWS = [
  { value: "lines", label: "lines" },
  { value: "matrix", label: "matrix" },
];

// One layer's weights (written × source): a head's, or their mean where `head` is -1.
function alignment(data, [, heads, written, source], layer, head) {
  const size = written * source;
  const found = new Float32Array(size);
  const chosen = head < 0 ? Array.from({ length: heads }, (_, i) => i) : [head];
  for (const each of chosen) {
    const start = (layer * heads + each) * size;
    for (let i = 0; i < size; i += 1) found[i] += data[start + i] / 255 / chosen.length;
  }
  return found;
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("translator");
  let weights = new Float32Array(0),
    timer = 0,
    chips = [];
  const source = () => model.get("source");
  const written = () => model.get("written");
  const revealed = () => Math.min(model.get("revealed"), written().length);
  const current = () => clamp(model.get("current"), 0, Math.max(0, revealed() - 1));
  const weight = (i, j) => weights[i * source().length + j] ?? 0;
  const finished = () => revealed() === written().length;

  // ---------------------------------------------------------------- the sentence
  const ask = (sentence, swap = false) => {
    stop();
    form.set(sentence);
    refusal.hidden = true;
    questions.ask({ sentence, swap });
  };
  const questions = request({ model, signal, onBusy: (on) => form.busy(on), onAnswer: answered });
  const form = sentenceForm({
    value: model.get("sentence"),
    label: "Sentence, English or French",
    action: "Read it",
    signal,
    onSentence: (sentence) => ask(sentence),
  });
  const examples = select({
    label: "or pick one",
    options: [],
    signal,
    onChange: (sentence) => {
      if (sentence) ask(sentence);
    },
  });
  examples.setOptions([{ value: "", label: "examples …" }, ...model.get("examples")]);
  const refusal = element("div", {
    class: "panel tr-refusal",
    role: "group",
    "aria-label": "Unknown words",
    hidden: true,
  });
  const remark = element("p", { class: "note tr-remark" });
  const direction = element("span", { class: "shape" });

  function answered() {
    if (model.get("refusal")) announce(root, model.get("refusal"));
    else if (finished()) announce(root, told());
    else announce(root, `Read. ${model.get("direction")}: press Next word.`);
  }

  function drawRefusal() {
    refusal.hidden = !model.get("refusal") || Boolean(model.get("error"));
    if (refusal.hidden) return;
    const offers = model.get("refused").map(({ word: unknown, nearest }) =>
      element(
        "div",
        { class: "row" },
        element("span", {}, "instead of ", word(shorten(unknown, 20)), ":"),
        nearest.map(({ word: near, sentence }) =>
          button({ label: near, name: `${near} instead of ${unknown}`, signal, onClick: () => ask(sentence) }),
        ),
      ),
    );
    refusal.replaceChildren(
      element("p", { class: "error", text: model.get("refusal") }),
      ...offers,
      element("p", {
        class: "note",
        text: "It was never shown these words, so it has no vectors for them. “Words of the street” below lists those that it knows.",
      }),
      element("p", { class: "note" }, "Still shown: ", element("bdi", { dir: "auto", text: model.get("sentence") })),
    );
  }

  // ---------------------------------------------------------------- writing
  const next = button({
    label: "Next word",
    primary: true,
    signal,
    onClick: () => {
      stop();
      writeOne();
    },
  });
  const all = button({ label: "Translate all", signal, onClick: play });
  const again = button({
    label: "Start over",
    signal,
    onClick: () => {
      stop();
      change(model, { revealed: 0, current: 0 });
      announce(root, "Nothing is written yet.");
    },
  });

  function writeOne() {
    if (finished()) return;
    const place = revealed();
    change(model, { revealed: place + 1, current: place });
    announce(root, finished() ? `${spoken(place)} ${told()}` : spoken(place));
  }

  function play() {
    stop();
    if (prefersReducedMotion()) {
      change(model, { revealed: written().length, current: written().length - 1 });
      announce(root, told());
      return;
    }
    writeOne();
    timer = setInterval(() => {
      writeOne();
      if (finished()) stop();
    }, PAUSE);
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
  }

  // What a screen reader hears of one written word.
  function spoken(place) {
    const best = source()
      .map((_, j) => j)
      .reduce((most, j) => (weight(place, j) > weight(place, most) ? j : most), 0);
    return `${shownWord(written()[place])}, looked at ${shownWord(source()[best])} ${format(weight(place, best))}.`;
  }

  function told() {
    const { gone, new: fresh } = model.get("before");
    const swapped = gone?.length
      ? ` ${model
          .get("before")
          .written.filter((_, i) => gone.includes(i))
          .join(" ")} became ${written()
          .filter((_, i) => fresh.includes(i))
          .join(" ")}.`
      : "";
    return `${model.get("text")} ${model.get("verdict").told}${swapped}`;
  }

  // ---------------------------------------------------------------- the written words
  const sentenceList = element(
    "div",
    focusable({
      class: "word-list tr-written",
      role: "listbox",
      "aria-label": "Written so far",
      "aria-orientation": "horizontal",
    }),
  );
  sentenceList.addEventListener(
    "keydown",
    (event) => {
      const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Home: -99, End: 99 }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      stop();
      if (by === 1 && current() >= revealed() - 1) writeOne();
      else if (revealed()) lookAt(clamp(current() + by, 0, revealed() - 1));
    },
    { signal },
  );
  const lookAt = (place) => {
    change(model, { current: place });
    announce(root, spoken(place));
  };

  function drawWritten() {
    const count = revealed();
    chips = written()
      .slice(0, count)
      .map((text, i) => {
        const node = word(shownWord(text), {
          role: "option",
          id: uniqueId("written"),
          "aria-selected": String(i === current()),
          "aria-label": shownWord(text),
        });
        if (model.get("pronouns").includes(i)) node.classList.add("tr-pronoun");
        node.addEventListener(
          "click",
          () => {
            stop();
            lookAt(i);
          },
          { signal },
        );
        return node;
      });
    // An empty listbox must hold an option for assistive technology too.
    const rest =
      count < written().length
        ? element("span", {
            class: "tr-blank",
            role: "option",
            "aria-selected": "false",
            "aria-disabled": "true",
            "aria-label": count ? "the next word is not written yet" : "nothing is written yet",
            text: "…",
          })
        : null;
    sentenceList.replaceChildren(...chips, ...(rest ? [rest] : []));
    setAttributes(sentenceList, { "aria-activedescendant": chips[current()]?.id ?? null });
  }

  // ---------------------------------------------------------------- the alignment
  const view = select({
    label: "Alignment as",
    options: VIEWS,
    value: model.get("view"),
    signal,
    onChange: (value) => change(model, { view: value }),
  });
  const layer = select({
    label: "Layer",
    options: [],
    signal,
    onChange: (value) => change(model, { layer: Number(value) }),
  });
  const head = select({
    label: "Head",
    options: [],
    signal,
    onChange: (value) => change(model, { head: Number(value) }),
  });
  const drawing = element("div", { class: "tr-drawing" });
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
      node.addEventListener("click", () => lookAt(i), { signal });
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
            height: rows * ROW,
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
    return `Alignment: ${shownWord(written()[current()])} looked at ${row.map(({ text, value }) => `${text} ${format(value)}`).join(", ")}.`;
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
            const fill = sequentialColour(root, value);
            const cell = element("td", { style: { background: fill, color: readableOn(fill) } });
            cell.append(
              i === now || value >= PRINTED
                ? format(value)
                : element("span", { class: "visually-hidden", text: format(value) }),
            );
            return cell;
          }),
        );
        node.addEventListener("click", () => lookAt(i), { signal });
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

  // ---------------------------------------------------------------- rivals, verdict, swaps
  const rivals = element("div", { class: "panel tr-rivals" });
  const verdict = element("p", { class: "tr-verdict" });
  const swaps = element("div", { class: "row tr-swaps", role: "group", "aria-label": "Swap the reason" });
  const compared = element("div", { class: "tr-compared" });
  const lexicon = element(
    "details",
    { class: "tr-known" },
    element("summary", focusable({ tabindex: null }), "Words of the street"),
    Object.entries(model.get("known")).map(([language, kinds]) =>
      element(
        "div",
        {},
        Object.entries(kinds).map(([kind, words]) =>
          element("p", { class: "note" }, element("b", { text: `${language}, ${kind}: ` }), words.join(", ")),
        ),
      ),
    ),
  );
  lexicon.hidden = !Object.keys(model.get("known")).length;

  function drawRivals() {
    const place = current();
    const candidates = model.get("candidates")[place];
    if (!revealed()) {
      rivals.replaceChildren(
        element("div", { class: "note", text: "The rivals of each word appear here as it is written." }),
      );
      return;
    }
    rivals.replaceChildren(
      element("div", { class: "tr-title" }, "Likeliest at “", word(shownWord(written()[place])), "”"),
      ...candidates.map(({ word: text, probability }) =>
        element(
          "div",
          { class: `tr-rival${text === written()[place] ? " ok" : ""}` },
          word(shownWord(text)),
          element("span", { class: "tr-bar" }, element("i", { style: { width: `${100 * probability}%` } })),
          element("span", { class: "number", text: format(probability, 3) }),
        ),
      ),
    );
  }

  function drawVerdict() {
    const { right, told: said } = model.get("verdict");
    verdict.textContent = finished() ? said : "";
    verdict.className = `tr-verdict${right === null || !finished() || !said ? "" : right ? " ok" : " wrong"}`;
  }

  function drawSwaps() {
    const offers = model.get("swaps");
    const from = offers.length ? source()[model.get("reason")] : "";
    swaps.replaceChildren(
      ...(offers.length
        ? [
            element("span", { class: "caption" }, "Swap ", element("b", { class: "tr-reason", text: from }), " for"),
            ...offers.map(({ reason, sentence }) =>
              button({ label: reason, name: `Swap ${from} for ${reason}`, signal, onClick: () => ask(sentence, true) }),
            ),
          ]
        : []),
    );
  }

  function drawCompared() {
    const { source: from, written: wrote, gone, gone_source: left } = model.get("before");
    compared.hidden = !wrote;
    if (!wrote) return;
    const { new: fresh, new_source: came } = model.get("before");
    const line = (name, words, marked) => [
      element("dt", { text: name }),
      element(
        "dd",
        {},
        words.map((text, i) => [
          marked.includes(i) ? element("mark", {}, word(shownWord(text))) : word(shownWord(text)),
          " ",
        ]),
      ),
    ];
    const plain = (words) => words.slice(1);
    const less = (places) => places.map((i) => i - 1);
    compared.replaceChildren(
      element(
        "dl",
        {},
        line("before", plain(from), less(left)),
        line("", wrote, gone),
        line("now", plain(source()), less(came)),
        line("", written().slice(0, revealed()), fresh),
      ),
    );
  }

  root.append(
    heading(model.get("label"), direction),
    form.node,
    element("div", { class: "row tr-pick" }, examples.node),
    questions.line,
    refusal,
    remark,
    element("div", { class: "row tr-write" }, next, all, again),
    sentenceList,
    verdict,
    swaps,
    compared,
    element("div", { class: "row tr-where" }, view.node, layer.node, head.node),
    element("div", { class: "tr-two" }, drawing, rivals),
    lexicon,
  );

  function drawRemark() {
    const correction = model.get("correction");
    remark.hidden = !model.get("remark");
    remark.replaceChildren(
      model.get("remark"),
      " ",
      ...(correction ? [button({ label: `Take: ${correction}`, signal, onClick: () => ask(correction) })] : []),
    );
  }

  function load() {
    const shape = model.get("shape");
    layer.setOptions(Array.from({ length: shape[0] }, (_, i) => i));
    head.setOptions([{ value: -1, label: "mean of heads" }, ...Array.from({ length: shape[1] }, (_, i) => i)]);
    direction.textContent = model.get("direction");
    drawRefusal();
    drawRemark();
    drawSwaps();
  }

  function draw() {
    weights = alignment(bytes(model.get("weights")), model.get("shape"), model.get("layer"), model.get("head"));
    if (weights.length !== source().length * written().length) return; // the other half of an answer is still on its way
    view.set(model.get("view"));
    layer.set(model.get("layer"));
    head.set(model.get("head"));
    const held = [next, all, again].find((node) => node.matches(":focus"));
    next.disabled = all.disabled = finished();
    again.disabled = !revealed();
    if (held?.disabled) (finished() ? sentenceList : next).focus(); // a disabled button loses the keys
    drawWritten();
    if (model.get("view") === "lines") drawLines();
    else drawMatrix();
    drawRivals();
    drawVerdict();
    drawCompared();
  }
  const redraw = frame(draw, signal);
  onChange(model, signal, ["revealed", "current", "layer", "head", "view"], redraw);
  const reload = frame(() => {
    load();
    draw();
  }, signal);
  onChange(model, signal, ["weights", "answered"], reload);
  onTheme(root, signal, redraw);
  signal.addEventListener("abort", stop);
  load();
  draw();
  return cleanup;
}

export default { render };
