// Presses what a view has, and says how high the view is after each press. `measure.py` puts this into the page.

(() => {
  const MOST_PRESSES = 20;
  // What takes long, opens something on purpose, or is no step.
  const NOT_PRESSED = new RegExp(
    "\\b(train|retrain|search|translate|compute|run|check|hint|solution|reset|clear|play|pause|copy|new|add|remove|note" +
      "|examine|again|start|take out)\\b",
    "i",
  );
  const UNFOLDS = "[aria-expanded], [data-unfolds]";
  const { measure, glance, shown, short } = window.look;
  const frames = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const event = (node, ...names) => names.forEach((name) => node.dispatchEvent(new Event(name, { bubbles: true })));
  const click = (node) => node?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  const spread = (count, most) =>
    [...Array(Math.min(count, most)).keys()].map((i) =>
      Math.round((i * (count - 1)) / Math.max(1, Math.min(count, most) - 1)),
    );
  const nameOf = (node) =>
    short(node.getAttribute("aria-label") || node.labels?.[0]?.textContent || node.textContent || node.tagName);

  // What to press, as [name, what to do]. Elements are found again each time: a press may have replaced them.
  function* presses(root, most) {
    const all = (selector) => [...root.querySelectorAll(selector)].filter((node) => shown(node) && !node.disabled);
    const sliders = all("input[type=range]").length;
    for (let i = 0; i < sliders; i += 1) {
      const before = all("input[type=range]")[i]?.value;
      for (const part of [...spread(5, most).map((each) => each / 4), null]) {
        const node = all("input[type=range]")[i];
        if (!node) break;
        const [low, high] = [Number(node.min || 0), Number(node.max || 100)];
        node.value = part === null ? before : low + part * (high - low);
        yield [`${nameOf(node)} = ${node.value}`, () => event(node, "input", "change")];
      }
    }
    for (const [i, first] of all("select").entries()) {
      const before = first.selectedIndex;
      for (const to of [...spread(first.options.length, most), before]) {
        const node = all("select")[i];
        if (!node) break;
        node.selectedIndex = to;
        yield [`${nameOf(node)} = ${short(node.selectedOptions[0]?.text ?? "")}`, () => event(node, "input", "change")];
      }
    }
    const groups = [
      ".steps button",
      "[role=radio]",
      "[role=option]",
      "[role=gridcell]",
      "input[type=radio]",
      "[role=tab]",
      "[role=treeitem]",
      "svg [role=button]",
    ];
    const chosen = "[aria-current=step], [aria-checked=true], [aria-selected=true], :checked";
    for (const group of groups) {
      const start = all(group).findIndex((node) => node.matches(chosen));
      for (const i of [...spread(all(group).length, most + 2), ...(start < 0 ? [] : [start])]) {
        const node = all(group)[i];
        if (node) yield [nameOf(node), () => click(node)];
      }
    }
    const named = (name) => all("button").find((node) => nameOf(node).replace(/[◀▶\s]/g, "") === name);
    let gone = 0;
    for (; gone < most + 2 && named("Next"); gone += 1) yield ["Next", () => click(named("Next"))];
    for (; gone > 0 && named("Back"); gone -= 1) yield ["Back", () => click(named("Back"))];
    const others =
      "button:not(.steps button, [role=radio], [role=option], [role=gridcell], [role=tab], [role=treeitem]), input[type=checkbox]";
    const skip = (node) =>
      node.matches(UNFOLDS) || NOT_PRESSED.test(nameOf(node)) || /^\W*(Next|Back)\W*$/.test(nameOf(node));
    const names = all(others)
      .filter((node) => !skip(node))
      .map(nameOf);
    for (const name of spread(names.length, 2 * most).map((i) => names[i])) {
      for (let turn = 0; turn < 2; turn += 1) {
        const node = all(others).find((each) => nameOf(each) === name);
        if (!node || (turn && !node.hasAttribute("aria-pressed") && node.type !== "checkbox")) break;
        yield [name, () => click(node)];
      }
    }
  }

  // Opens what is folded, and says whether there was anything.
  async function unfold(root, pause) {
    const folded = [...root.querySelectorAll("details:not([open]) > summary, " + UNFOLDS)].filter(shown);
    const closed = folded.filter((node) => !["ariaExpanded", "ariaPressed"].some((state) => node[state] === "true"));
    closed.forEach((node) => node.click());
    await frames();
    if (pause) await wait(pause);
    return closed;
  }

  // Presses what a view has, and says how high it is after each press, with the faults that came with it: first as it
  // opens, then with everything unfolded, whose height is one on purpose.
  async function press(root, { most, pause, limits, thorough }) {
    const same = ({ what, text }) =>
      `${what} ${/small|large/.test(what) ? text.split(" ")[0] : text.replace(/[\d.−]+/g, "0")}`;
    const known = new Set(measure(root, limits).faults.map(same));
    const late = [];
    const look = (after) => {
      for (const fault of measure(root, limits).faults) {
        if (!known.has(same(fault))) late.push({ ...fault, after });
        known.add(same(fault));
      }
    };
    async function round(start) {
      const heights = [[start, root.getBoundingClientRect().height, glance(root)]];
      for (const [name, act] of presses(root, most)) {
        if (heights.length > MOST_PRESSES * (thorough ? 4 : 1)) break;
        act();
        await frames();
        if (pause) await wait(pause);
        heights.push([name, root.getBoundingClientRect().height, glance(root)]);
        if (thorough) look(name);
      }
      return heights;
    }
    const rounds = [await round("as it opens")];
    const opened = await unfold(root, pause);
    if (opened.length) {
      look("unfolding");
      rounds.push(await round("unfolded"));
      opened.filter((node) => node.isConnected).forEach((node) => node.click());
      await frames();
    }
    return { rounds, faults: late };
  }

  window.look.press = press;
})();
