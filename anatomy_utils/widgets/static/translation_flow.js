// The translation flow: the figure of 2017, lit part by part while a sentence is translated, with the tensors of each
// step beside it.

const PAD = 14; // room around the figure
const TOP = 74; // where the figure begins
const PAUSE = 1100; // milliseconds per step while playing
const AT_WORK = { heads: "encoder_self_attention" }; // parts that work together with another

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

  listen(root, "keydown", signal, (event) => {
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
  });

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
        if (atWork.has(here)) listen(node, "click", signal, () => go(nearestOf(here)));
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
      listen(node, "click", signal, () => go(startOf(i + 1)));
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
  const { drawTensor } = tensorDrawings({ root, round, numbers, words });
  const { drawChoices } = choiceBars({ model, written, round });

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
