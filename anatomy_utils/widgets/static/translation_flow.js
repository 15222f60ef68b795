// The flow: the figure of 2017, lit part by part while a sentence is translated, with the tensors of each step beside it.

const PAD = 14; // room around the figure
const TOP = 74; // where the figure begins
const LABEL = 74; // pixels of a word beside its row
const ROW = 12; // pixels of a row
const FEATURE = 9; // pixels of a feature
const LETTERS = "10.5px sans-serif";
const PAUSE = 1100; // milliseconds per step while playing
const AT_WORK = { heads: "encoder_self_attention" }; // parts that work together with another

// A tensor's name that may be broken behind its dots and underscores.
function breakable(name) {
  return name.split(/(?<=[._])/).flatMap((piece) => [piece, element("wbr")]);
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("flow");
  const [source, target, written] = ["source", "target", "written"].map((name) => model.get(name).map(shownWord));
  const [encoder, decoder, tensors] = ["encoder", "decoder", "tensors"].map((name) => model.get(name));
  const numbers = floats(model.get("values"));
  const count = encoder.length + decoder.length * written.length;
  const place = () => clamp(model.get("place"), 0, count - 1);
  const round = (at = place()) => (at < encoder.length ? 0 : Math.floor((at - encoder.length) / decoder.length) + 1);
  const momentAt = (at) => (at < encoder.length ? encoder[at] : decoder[(at - encoder.length) % decoder.length]);
  const startOf = (which) => (which < 1 ? 0 : encoder.length + (which - 1) * decoder.length);
  const words = { source, target };
  const show = (to) => {
    change(model, { place: clamp(to, 0, count - 1) });
  };

  // ---------------------------------------------------------------- controls
  const steps = walkControls({
    count,
    pause: PAUSE,
    signal,
    go: (to, byHand) => {
      show(to);
      if (byHand) announce(root, `${phase()}. ${momentAt(place()).title}.`);
    },
  });
  const { back, next, jump: go } = steps;
  const wordBack = button({ label: "« Previous word", name: "Previous word", signal, onClick: () => go(jump(-1)) });
  const wordNext = button({ label: "Next word »", name: "Next word", signal, onClick: () => go(jump(1)) });
  const slide = slider({
    label: "Step",
    min: 1,
    max: count,
    step: 1,
    value: 1,
    format: (value) => `${value} of ${count}`,
    signal,
    tint: "query",
    onInput: (value) => {
      steps.pause();
      show(value - 1);
    },
  });
  // The beginning of another decoding step; from within one, back leads to its own beginning first.
  const jump = (by) =>
    by < 0 && place() > startOf(round())
      ? startOf(round())
      : round() + by > written.length
        ? count - 1
        : startOf(round() + by);

  root.addEventListener(
    "keydown",
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.matches("input") && !event.key.startsWith("Page")) return; // the slider has its own
      const to = {
        ArrowRight: place() + 1,
        ArrowLeft: place() - 1,
        PageDown: jump(1),
        PageUp: jump(-1),
        Home: 0,
        End: count - 1,
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      go(to);
    },
    { signal },
  );

  // ---------------------------------------------------------------- the figure
  const parts = model.get("parts");
  const atWork = new Set([...encoder, ...decoder].map(({ part }) => part));
  const nodes = new Map();
  const [width, height] = model.get("size");
  const figureParts = (frames) =>
    parts
      .filter(({ frame: framed }) => framed === frames)
      .map((part) => {
        const here = AT_WORK[part.id] ?? part.id;
        const node = partOf(part, width / 2, { class: atWork.has(here) ? "" : "fl-still" });
        if (atWork.has(here)) node.addEventListener("click", () => go(nearestOf(here)), { signal });
        nodes.set(part.id, node);
        return node;
      });
  const arrows = model.get("arrows").map((arrow) => ({ ...arrow, node: arrowOf(arrow) }));
  const figure = svg(
    "svg",
    { class: "fl-figure", role: "img", viewBox: `0 ${TOP} ${width} ${height - TOP - PAD + 6}` },
    figureParts(true),
    arrows.map(({ node }) => node),
    model.get("marks").map(markOf),
    figureParts(false),
  );

  // The next time a part works, in the encoder or in this decoding step, from here on and round again.
  function nearestOf(part) {
    const reading = encoder.findIndex((moment) => moment.part === part) >= 0;
    const [first, side] = reading ? [0, encoder] : [startOf(Math.max(1, round())), decoder];
    const places = side.map((moment, i) => (moment.part === part ? first + i : -1)).filter((at) => at >= 0);
    return places.find((at) => at > place()) ?? places[0];
  }

  // ---------------------------------------------------------------- words, title, tensors
  const phaseLine = element("span", { class: "shape" });
  const track = element("div", { class: "fl-track" });
  const title = element("h4");
  const say = element("p");
  const box = element("div", { class: "fl-tensors" });
  root.append(
    heading(model.get("label"), phaseLine),
    track,
    element("div", { class: "row fl-controls" }, back, next, wordBack, wordNext, steps.play),
    slide.node,
    element("p", {
      class: "note fl-keys",
      text: "Keys: ← → a step, Page Up and Page Down a word. Or click a part of the figure.",
    }),
    element("div", { class: "fl-body" }, figure, element("div", { class: "fl-told" }, title, say, box)),
  );

  function phase() {
    return round() ? `Writing token ${round()} of ${written.length}` : "Reading the source";
  }

  function drawTrack() {
    const now = round();
    const appended = momentAt(place()).part === "next_token";
    const line = (name, list) => [element("dt", { text: name }), element("dd", {}, list)];
    const chips = target.slice(0, Math.max(now, 1)).map((text, i) => {
      const node = word(text, { class: `word fl-chip${i === now - 1 ? " now" : ""}` });
      node.addEventListener("click", () => go(startOf(i + 1)), { signal });
      return node;
    });
    if (appended) chips.push(word(written[now - 1], { class: "word fl-chip new" }));
    track.replaceChildren(
      element(
        "dl",
        {},
        line(
          "source",
          source.map((text) => word(text, { class: "word fl-chip still" })),
        ),
        line("target", now ? chips : element("span", { class: "note", text: "nothing yet: the encoder reads first" })),
      ),
    );
  }

  const sizesOf = ({ axes, sizes }) =>
    axes.map((axis, i) => `${axis} ${axis === "target" ? round() : sizes[i]}`).join(", ");
  const rowsOf = ({ axes, kind }) => axes.at(kind === "ids" ? -1 : -2);
  const visible = (axis, list) => (axis === "target" ? list.slice(0, round()) : list);

  function drawTensor(tensor) {
    const size = tensor.stored.reduce((product, each) => product * each, 1);
    const values = numbers.subarray(tensor.start, tensor.start + size);
    const name = element(
      "div",
      { class: "fl-name" },
      element("code", {}, breakable(tensor.name)),
      " ",
      element("span", { class: "shape", text: `(${sizesOf(tensor)})` }),
    );
    const drawn = { vectors: drawVectors, weights: drawWeights, ids: drawIds }[tensor.kind](tensor, values);
    return element("div", { class: `fl-tensor ${tensor.kind}` }, name, drawn);
  }

  function drawIds(tensor, values) {
    const list = visible(rowsOf(tensor), words[rowsOf(tensor)]);
    return element(
      "div",
      { class: "fl-ids" },
      list.map((text, i) =>
        element("span", { class: "fl-id" }, word(text), element("b", { class: "number", text: String(values[i]) })),
      ),
    );
  }

  function drawVectors(tensor, values) {
    const [, features] = tensor.stored;
    const list = visible(rowsOf(tensor), words[rowsOf(tensor)]);
    const limit = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    const now = rowsOf(tensor) === "target" ? list.length - 1 : -1;
    const { node, context, resize } = canvas({ role: "img" });
    resize(LABEL + features * FEATURE + 4, list.length * ROW + 4);
    rowLabels(context, list, 2, now);
    list.forEach((_, i) => {
      for (let j = 0; j < features; j += 1) {
        context.fillStyle = diverging(root, values[i * features + j] / limit);
        context.fillRect(LABEL + j * FEATURE, 2 + i * ROW, FEATURE - 0.5, ROW - 1);
      }
    });
    if (now >= 0) outline(context, LABEL, 2 + now * ROW, features * FEATURE);
    const all = tensor.sizes.at(-1);
    const shown = features < all ? `first ${features} of ${all} numbers` : `${features} numbers`;
    const of = tensor.sizes.length === 4 ? `head 0 of 0–${tensor.sizes[1] - 1}, ` : "";
    const row = now >= 0 ? now : 0;
    const begin = Array.from(values.subarray(row * features, row * features + 4), (value) => format(value)).join(", ");
    node.setAttribute("aria-label", `${tensor.name} (${sizesOf(tensor)}), ${of}${shown}; ${list[row]}: ${begin} …`);
    return [
      node,
      element("div", { class: "note fl-scale", text: `${of}${shown}, ±${format(limit, limit < 10 ? 2 : 0)}` }),
    ];
  }

  function rowLabels(context, list, top, now) {
    context.textAlign = "right";
    context.textBaseline = "middle";
    list.forEach((text, i) => {
      context.font = `${i === now ? "bold " : ""}${LETTERS}`;
      context.fillStyle = colour(root, i === now ? "query" : "ink");
      context.fillText(shorten(text, 12), LABEL - 5, top + i * ROW + ROW / 2);
    });
  }

  function outline(context, x, y, wide) {
    context.strokeStyle = colour(root, "query");
    context.lineWidth = 1.5;
    context.strokeRect(x - 1, y - 0.5, wide + 1, ROW);
  }

  function drawWeights(tensor, values) {
    const [heads, rows, columns] = tensor.stored;
    const [rowAxis, columnAxis] = tensor.axes.slice(-2);
    const [rowWords, columnWords] = [visible(rowAxis, words[rowAxis]), visible(columnAxis, words[columnAxis])];
    const now = rowAxis === "target" ? rowWords.length - 1 : -1;
    const maps = Array.from({ length: heads }, (_, head) => {
      const at = (i, j) => values[(head * rows + i) * columns + j];
      const { node, context, resize } = canvas({ role: "img" });
      const cell = ROW - 1;
      context.font = LETTERS;
      const above = Math.ceil(Math.max(...columnWords.map((text) => context.measureText(shorten(text, 12)).width))) + 8;
      resize(LABEL + columnWords.length * cell + 4, above + rowWords.length * ROW + 4);
      rowLabels(context, rowWords, above, now);
      columnWords.forEach((text, j) => {
        context.save();
        context.translate(LABEL + (j + 0.5) * cell, above - 4);
        context.rotate(-Math.PI / 2);
        context.textAlign = "left";
        context.font = LETTERS;
        context.fillStyle = colour(root, "ink");
        context.fillText(shorten(text, 12), 0, 0.5);
        context.restore();
      });
      rowWords.forEach((_, i) =>
        columnWords.forEach((__, j) => {
          const [x, y] = [LABEL + j * cell, above + i * ROW];
          if (tensor.causal && j > i) {
            context.strokeStyle = colour(root, "masked");
            context.lineWidth = 0.7;
            context.beginPath();
            context.moveTo(x + 1, y + ROW - 2);
            context.lineTo(x + cell - 2, y + 1);
            context.stroke();
            return;
          }
          context.fillStyle = sequentialColour(root, at(i, j));
          context.fillRect(x, y, cell, ROW);
          context.strokeStyle = colour(root, "faint");
          context.lineWidth = 0.5;
          context.strokeRect(x, y, cell, ROW);
        }),
      );
      if (now >= 0) outline(context, LABEL, above + now * ROW, columnWords.length * cell);
      // What is said of the map: the row at work, or the largest weight of all.
      const row =
        now >= 0
          ? now
          : Math.floor(indexOfLargest(values.subarray(head * rows * columns, (head + 1) * rows * columns)) / columns);
      const most = indexOfLargest(columnWords.map((_, j) => at(row, j)));
      const best = `${rowWords[row]} → ${columnWords[most]} ${format(at(row, most))}`;
      node.setAttribute("aria-label", `Head ${head}: ${best}`);
      return element(
        "div",
        { class: "fl-map" },
        node,
        element("div", { class: "note fl-scale" }, `head ${head}: ${best}`),
      );
    });
    return [
      element("div", { class: "fl-maps" }, maps),
      element("div", { class: "note fl-scale", text: "0 (the page's colour) to 1; each row sums to 1" }),
    ];
  }

  function drawChoices(part) {
    const list = model.get("choices")[round() - 1];
    if (part === "next_token")
      return [
        element(
          "div",
          { class: "fl-chosen" },
          word(written[round() - 1]),
          element("span", {
            class: "note",
            text:
              round() === written.length
                ? "the end token: the translation is done"
                : "is appended to the target; the next decoding step reads it",
          }),
        ),
      ];
    const logits = part === "final_linear";
    const values = list.map((each) => (logits ? each.logit : each.probability));
    const most = Math.max(...values.map(Math.abs)) || 1;
    return [
      element("div", { class: "fl-name" }, logits ? "The largest logits" : "The likeliest next tokens", ", last row"),
      ...list.map(({ word: text }, i) =>
        element(
          "div",
          { class: "fl-choice" },
          word(shownWord(text)),
          element(
            "span",
            { class: "fl-bar" },
            element("i", { style: { width: `${(100 * Math.max(0, values[i])) / (logits ? most : 1)}%` } }),
          ),
          element("span", { class: "number", text: format(values[i], logits ? 2 : 3) }),
        ),
      ),
    ];
  }

  function draw() {
    const now = place();
    const moment = momentAt(now);
    const reading = round() === 0;
    const done = new Set(
      (reading
        ? encoder.slice(0, now)
        : [...encoder, ...decoder.slice(0, (now - encoder.length) % decoder.length)]
      ).map(({ part }) => part),
    );
    for (const [id, node] of nodes) {
      const part = AT_WORK[id] ?? id;
      node.classList.toggle("fl-now", part === moment.part);
      node.classList.toggle("fl-done", part !== moment.part && done.has(part));
    }
    for (const { end, start: from, node } of arrows) {
      const adding = from.endsWith("positions"); // its arrow ends at a sum, not at a part
      node.classList.toggle("fl-lit", (adding ? from : end) === moment.part);
    }
    figure.setAttribute("aria-label", `Figure of the encoder–decoder; at work: ${moment.title}`);
    phaseLine.textContent = phase();
    title.textContent = moment.title;
    say.replaceChildren(...prose(moment.text));
    drawTrack();
    const chosen = ["final_linear", "softmax", "next_token"].includes(moment.part) ? drawChoices(moment.part) : [];
    box.replaceChildren(...chosen, ...moment.tensors.map((i) => drawTensor(tensors[i])));
    const held = [back, wordBack, next, wordNext].find((node) => node.matches(":focus"));
    steps.tell(now);
    wordBack.disabled = back.disabled;
    wordNext.disabled = next.disabled;
    if (held?.disabled) (now ? back : next).focus(); // a disabled button loses the keys
    slide.set(now + 1);
  }
  const redraw = frame(draw, signal);
  onChange(model, signal, "place", redraw);
  onTheme(root, signal, redraw);
  draw();
  return cleanup;
}

export default { render };
