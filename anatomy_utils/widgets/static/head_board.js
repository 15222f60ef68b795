// The head board: all heads as small maps that a measure sorts and filters, one of them large (attention_map.js), and
// what becomes of the output when heads are switched off (the kernel answers).

const PAIR = "the chosen pair";
const THUMB = 48; // most pixels of a small map
const MOST_COLUMNS = 16;
const MOST_BARS = 24; // tokens whose movement is drawn
const MOVE = 420; // milliseconds of a re-ordering
const ORDERS = [
  { value: "highest", label: "highest first" },
  { value: "lowest", label: "lowest first" },
  { value: "layer", label: "by layer" },
];

// Places in the order asked for; equal values keep the model's order.
function sortedPlaces(values, order) {
  const sign = { layer: 0, highest: -1, lowest: 1 }[order];
  return Array.from(values, (value, i) => i).sort((a, b) => sign * (values[a] - values[b]) || a - b);
}

// How many decimals tell the values of a measure apart.
function digitsFor(values) {
  return Math.max(...values) < 0.1 ? 3 : 2;
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("hb");
  const shape = model.get("shape");
  const [layers, heads, queries, keys] = shape;
  const tokens = model.get("tokens");
  const data = bytes(model.get("weights"));
  const measures = model.get("measures");
  const thumbnails = smallMaps(data, shape, THUMB);
  const TRAITS = ["layer", "head", "query", "key", "rank", "order"];
  const state = Object.fromEntries(TRAITS.map((trait) => [trait, model.get(trait)]));
  const filter = { layer: "all", least: 0 };
  let values = [0];
  let shown = []; // places in the order of the board
  const top = () => Math.max(...values) || 1;
  const quoted = (i) => `“${tokens[i]}”`;

  // ---- the board and its controls
  const rank = select({
    label: "Rank by",
    options: [PAIR],
    signal,
    onChange: (value) => {
      filter.least = 0;
      choose({ rank: value, order: state.order === "layer" ? "highest" : state.order });
    },
  });
  const order = select({
    label: "Order",
    options: ORDERS,
    value: state.order,
    signal,
    onChange: (value) => choose({ order: value }),
  });
  const layerFilter = select({
    label: "Layer",
    options: [{ value: "all", label: "all" }, ...Array.from({ length: layers }, (_, i) => i)],
    value: "all",
    signal,
    onChange: (value) => {
      filter.layer = value;
      sortBoard();
    },
  });
  const least = slider({
    label: "At least",
    min: 0,
    max: 1,
    value: 0,
    signal,
    tint: "weights",
    format: (part) => format(part * top(), digitsFor(values)),
    onInput: (part) => {
      filter.least = part;
      sortBoard(false);
    },
  });
  const tokenOptions = tokens.map((token, i) => ({ value: i, label: `${shorten(token, 16)} (${i})` }));
  const from = select({
    label: "Pair: from",
    options: tokenOptions,
    signal,
    onChange: (value) => choose({ query: Number(value) }),
  });
  const to = select({
    label: "to",
    options: tokenOptions,
    signal,
    onChange: (value) => choose({ key: Number(value) }),
  });
  const board = element("div", focusable({ class: "hb-board", role: "listbox", "aria-label": "Heads" }));
  const count = element("span", { class: "shape" });
  const tiles = Array.from({ length: layers * heads }, (_, place) => {
    const [layer, head] = [Math.floor(place / heads), place % heads];
    const tile = element(
      "div",
      { class: "hb-tile", role: "option", id: uniqueId("head") },
      element("span", { class: "hb-map" }),
      element("span", { class: "visually-hidden", text: `Layer ${layer}, head ${head}: ` }),
      element("span", { class: "hb-name", "aria-hidden": "true", text: `${layer}·${head}` }),
      element("span", { class: "hb-value" }),
      element("span", { class: "hb-bar" }),
    );
    tile.addEventListener(
      "click",
      () => {
        choose({ layer, head });
        board.focus({ preventScroll: true });
      },
      { signal },
    );
    return tile;
  });
  const none = element("p", {
    class: "note",
    text: "No head reaches that value: lower “At least”, or show all layers.",
  });
  const map = attentionMap({
    root,
    signal,
    queryTokens: tokens,
    keyTokens: model.get("key_tokens"),
    query: state.query,
    key: state.key,
    onPoint: (query, key) => choose(key === null ? { query } : { query, key }),
    onColours: () => {
      const small = thumbnails(map);
      tiles.forEach((tile, place) => tile.firstChild.replaceChildren(small[place]));
    },
  });

  // ---- switching off
  const switchButton = toggleButton({ label: "", signal, onToggle: () => toggle(state.layer * heads + state.head) });
  const allOn = button({ label: "All heads on", signal, onClick: () => setOff([]) });
  const offList = element("div", { class: "row hb-off", role: "group", "aria-label": "Heads that are off" });
  const status = element("div", { class: "error", role: "status", "aria-live": "polite" });
  const effect = element("div", { class: "hb-effect" });
  const panel = element(
    "section",
    { class: "panel hb-switch", "aria-label": "Switch heads off" },
    element("div", { class: "row" }, switchButton.node, allOn, offList),
    status,
    effect,
  );

  root.append(
    heading(model.get("label"), count),
    element("div", { class: "row hb-controls" }, rank.node, order.node, layerFilter.node, least.node),
    element(
      "div",
      { class: "row hb-controls" },
      from.node,
      to.node,
      element("span", { class: "note", text: "A click in the large map chooses the pair, too." }),
    ),
    element("div", { class: "av-maps" }, element("div", { class: "av-view" }, board, none), map.view, map.told),
    map.words,
    model.get("can_switch")
      ? panel
      : element("p", { class: "note", text: "Heads can be switched off where the widget was given a model." }),
  );
  board.style.setProperty("--columns", Math.min(heads, MOST_COLUMNS));

  // ---- numbers
  const off = () => new Set(model.get("off").map(([layer, head]) => layer * heads + head));
  const headName = (place) => `layer ${Math.floor(place / heads)}, head ${place % heads}`;
  const rankName = () =>
    state.rank === PAIR ? `the weight from ${quoted(state.query)} to ${quoted(state.key)}` : state.rank;

  function measureHeads() {
    if (state.rank !== PAIR) values = measures.find(({ name }) => name === state.rank).values;
    else {
      const cell = state.query * keys + state.key;
      values = Array.from({ length: layers * heads }, (_, place) => data[place * queries * keys + cell] / STEPS);
    }
  }

  // ---- drawing the board
  function sortBoard(moving = true) {
    const old = new Map(
      moving && !prefersReducedMotion() ? shown.map((place) => [place, tiles[place].getBoundingClientRect()]) : [],
    );
    shown = sortedPlaces(values, state.order).filter(
      (place) =>
        values[place] >= filter.least * top() - 1e-9 &&
        (filter.layer === "all" || Math.floor(place / heads) === Number(filter.layer)),
    );
    board.replaceChildren(...shown.map((place) => tiles[place]));
    none.hidden = shown.length > 0;
    board.hidden = !shown.length;
    count.textContent = `(${layers} layers, ${heads} heads)${shown.length < tiles.length ? `, ${shown.length} shown` : ""}`;
    for (const [place, was] of old) {
      const is = tiles[place].getBoundingClientRect();
      const [x, y] = [was.x - is.x, was.y - is.y];
      if (is.width && (x || y))
        tiles[place].animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], {
          duration: MOVE,
          easing: "ease-in-out",
        });
    }
    tellTiles();
  }

  function tellTiles() {
    const chosen = state.layer * heads + state.head;
    const digits = digitsFor(values);
    const gone = off();
    for (const place of shown) {
      const tile = tiles[place];
      const [value, bar] = [...tile.children].slice(-2);
      value.textContent = gone.has(place) ? "off" : format(values[place], digits);
      bar.style.setProperty("--part", clamp(values[place] / top(), 0, 1));
      tile.classList.toggle("hb-gone", gone.has(place));
      tile.setAttribute("aria-selected", String(place === chosen));
    }
    if (shown.includes(chosen)) board.setAttribute("aria-activedescendant", tiles[chosen].id);
    else board.removeAttribute("aria-activedescendant");
    board.setAttribute(
      "aria-label",
      `Heads, ${ORDERS.find(({ value }) => value === state.order).label}: ${rankName()}. Arrow keys choose a head${
        model.get("can_switch") ? ", Space switches it" : ""
      }.`,
    );
  }

  function tellPair() {
    rank.setOptions([
      ...measures.map(({ name }) => name),
      { value: PAIR, label: `${PAIR}, ${quoted(state.query)} to ${quoted(state.key)}` },
    ]);
    rank.set(state.rank);
    from.set(state.query);
    to.set(state.key);
    tellEffect();
  }

  function rankHeads() {
    measureHeads();
    rank.set(state.rank);
    order.set(state.order);
    least.set(filter.least);
    sortBoard();
  }

  function showHead() {
    const place = state.layer * heads + state.head;
    map.show({
      name: headName(place),
      values: data.subarray(place * queries * keys, (place + 1) * queries * keys),
      unit: 1 / STEPS,
      exactness: exactByte,
    });
    tellSwitch();
  }

  // ---- what switching off does
  function tellSwitch() {
    const place = state.layer * heads + state.head;
    switchButton.node.textContent = `Switch ${headName(place)} off`;
    switchButton.set(off().has(place));
    allOn.disabled = !off().size;
    const [chips, rest] = [[...off()].slice(0, 24), Math.max(0, off().size - 24)];
    offList.replaceChildren(
      ...chips.map((gone) =>
        button({
          signal,
          onClick: () => toggle(gone),
          label: [
            element("span", { class: "visually-hidden", text: `Switch ${headName(gone)} on again: ` }),
            `${Math.floor(gone / heads)}·${gone % heads} ✕`,
          ],
        }),
      ),
      rest ? `and ${rest} more` : "",
    );
  }

  function tellEffect() {
    if (!model.get("can_switch")) return;
    const [before, after, moved] = ["before", "after", "moved"].map((name) => floats(model.get(name)));
    const gone = model.get("off").length;
    const cell = state.query * tokens.length + state.key;
    const difference = after[cell] - before[cell];
    const places = placesOfLargest(moved, MOST_BARS).sort((a, b) => a - b);
    const limit = Math.max(...moved, 1e-6);
    const digits = limit < 0.1 ? 3 : 2;
    effect.replaceChildren(
      element(
        "div",
        { class: "hb-moved" },
        element(
          "h4",
          {},
          "How far each token's output vector moved ",
          element("span", {
            class: "shape",
            text: `1 − cosine similarity${tokens.length > MOST_BARS ? `, the ${MOST_BARS} largest` : ""}`,
          }),
        ),
        gone
          ? element(
              "div",
              { class: "hb-bars" },
              places.map((i) =>
                element(
                  "div",
                  { class: "av-bar" },
                  word(shorten(tokens[i], 14)),
                  element("i", { style: { width: `${(moved[i] / limit) * 100}%` } }),
                  element("span", { class: "number", text: format(moved[i], digits) }),
                ),
              ),
            )
          : element("p", {
              class: "note",
              text: "All heads are on. Choose one and switch it off: the model then runs again without it.",
            }),
      ),
      element(
        "div",
        { class: "hb-pair" },
        element("h4", { text: "Similarity of two outputs" }),
        element(
          "div",
          {},
          word(shorten(tokens[state.query], 14), { class: "word query" }),
          " and ",
          word(shorten(tokens[state.key], 14), { class: "word key" }),
        ),
        element(
          "div",
          { class: "hb-big" },
          element("span", { class: "number", text: format(before[cell]) }),
          gone ? [" → ", element("span", { class: "number hb-now", text: format(after[cell]) })] : null,
        ),
        element("p", {
          class: "note",
          text: gone
            ? `with all heads → without ${gone} of ${tiles.length} (${difference < 0 ? "" : "+"}${format(difference)})`
            : "with all heads, as a cosine",
        }),
        gone
          ? element(
              "p",
              { class: "note" },
              "On average over the tokens, the output moved by ",
              element("span", { class: "number", text: format(mean(moved), 3) }),
              ". The maps show the weights with all heads on.",
            )
          : null,
      ),
    );
  }

  function toggle(place) {
    const gone = off();
    if (!gone.delete(place)) gone.add(place);
    setOff([...gone]);
    announce(root, `${headName(place)} ${gone.has(place) ? "off" : "on"}`);
  }

  const wait = answerWait(signal, (text) => {
    panel.removeAttribute("aria-busy");
    status.textContent = `${text} The numbers below are older.`;
  });
  function setOff(places) {
    status.textContent = "";
    panel.setAttribute("aria-busy", "true");
    wait.start();
    change(model, { off: places.map((place) => [Math.floor(place / heads), place % heads]) });
    tellSwitch();
    tellTiles();
  }

  onChange(model, signal, "answered", () => {
    wait.stop();
    panel.removeAttribute("aria-busy");
    status.textContent = model.get("error");
    tellEffect();
    const moved = floats(model.get("moved"));
    announce(root, `The output moved by ${format(mean(moved), 3)} on average.`);
  });
  onChange(model, signal, "off", () => {
    tellSwitch();
    tellTiles();
  });

  // ---- choosing
  function choose(changes) {
    Object.assign(state, changes);
    change(model, changes);
    apply(changes);
  }

  function apply(changes) {
    const pair = "query" in changes || "key" in changes;
    if (pair) {
      map.point(state.query, state.key);
      tellPair();
    }
    if ("rank" in changes || "order" in changes || (pair && state.rank === PAIR)) rankHeads();
    if ("layer" in changes || "head" in changes) {
      showHead();
      tellTiles();
    }
  }

  board.addEventListener(
    "keydown",
    (event) => {
      const chosen = state.layer * heads + state.head;
      if (event.key === " " && model.get("can_switch")) toggle(chosen);
      else {
        const columns = Math.min(heads, MOST_COLUMNS);
        const at = Math.max(0, shown.indexOf(chosen));
        const step = {
          ArrowLeft: -1,
          ArrowRight: 1,
          ArrowUp: -columns,
          ArrowDown: columns,
          Home: -at,
          End: shown.length - 1 - at,
        }[event.key];
        if (step === undefined) return;
        const next = shown.includes(chosen) ? (shown[at + step] ?? chosen) : shown[0];
        choose({ layer: Math.floor(next / heads), head: next % heads });
        tiles[next].scrollIntoView({ block: "nearest" });
        announce(root, `${headName(next)}, ${rankName()} ${format(values[next], digitsFor(values))}: ${map.inWords()}`);
      }
      event.preventDefault();
    },
    { signal },
  );
  for (const trait of TRAITS) {
    onChange(model, signal, trait, () => {
      if (model.get(trait) === state[trait]) return;
      state[trait] = model.get(trait);
      apply({ [trait]: state[trait] });
    });
  }
  tellPair();
  rankHeads();
  showHead();
  return cleanup;
}

export default { render };
