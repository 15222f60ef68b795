// The debugging lab: beds as tabs; a chart, probes, a diagnosis and a cure for the patient that is looked at.

const STATES = { new: ["○", "not examined"], examined: ["◐", "examined"], diagnosed: ["✓", "diagnosed"] };

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("ward");
  const beds = model.get("beds"),
    twin = model.get("twin"),
    probes = model.get("probes");
  const id = uniqueId("ward");
  // What this view remembers between drawings.
  const kept = { busy: false, shown: -1, redraw: () => {} };
  // the bed whose panel is built

  const of = (trait) => model.get(trait)[model.get("bed")];

  const { ask, line } = request({
    model,
    signal,
    onBusy: (on) => {
      kept.busy = on;
      panel.setAttribute("aria-busy", String(on));
      for (const node of panel.querySelectorAll(".wd-asks")) node.disabled = on;
    },
    onAnswer: () => {
      update();
      announce(root, spoken());
    },
  });
  const send = (question) => {
    if (!kept.busy) ask({ bed: model.get("bed"), ...question });
  };

  function spoken() {
    const asked = model.get("question");
    if (asked.do === "probe") return model.get("findings")[asked.bed][asked.probe].sentence;
    if (asked.do === "write") return "Written anew.";
    return `${beds[asked.bed].name} is cured: every probe has been run again.`;
  }

  // ---- the beds
  const stateOf = (i) => {
    const right = beds[i].question.choices[model.get("chosen")[i]]?.right;
    return right ? "diagnosed" : model.get("examined")[i] || model.get("chosen")[i] >= 0 ? "examined" : "new";
  };
  const tabs = beds.map(({ name }, i) => {
    const node = button({
      signal,
      onClick: () => choose(i),
      label: [
        element("span", { class: "wd-number", text: `Bed ${i + 1}` }),
        element("b", { text: name }),
        element("span", { class: "wd-state" }),
      ],
    });
    setAttributes(node, { role: "tab", id: `${id}-${i}`, "aria-controls": `${id}-panel` });
    node.className = "wd-bed";
    listen(node, "keydown", signal, (event) => {
      const to = {
        ArrowRight: i + 1,
        ArrowDown: i + 1,
        ArrowLeft: i - 1,
        ArrowUp: i - 1,
        Home: 0,
        End: beds.length - 1,
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = (to + beds.length) % beds.length;
      choose(next);
      tabs[next].focus();
    });
    return node;
  });
  const panel = element("div", { role: "tabpanel", id: `${id}-panel`, class: "wd-panel" });
  const counted = element("span", { class: "note" });
  root.append(
    heading(model.get("label"), counted),
    element("div", { class: "wd-beds", role: "tablist", "aria-label": "Beds" }, tabs),
    panel,
  );

  function choose(i) {
    if (kept.busy) return;
    change(model, { bed: i });
    update();
  }
  const { build } = bedPanels({
    root,
    model,
    signal,
    beds,
    twin,
    probes,
    kept,
    of,
    line,
    send,
    stateOf,
    panel,
    update,
  });

  function update() {
    const now = model.get("bed");
    if (kept.shown !== now) build();
    tabs.forEach((tab, i) => {
      const [sign, state] = STATES[stateOf(i)];
      tab.setAttribute("aria-selected", String(i === now));
      tab.tabIndex = i === now ? 0 : -1;
      tab.dataset.state = stateOf(i);
      tab.querySelector(".wd-state").textContent = `${sign} ${state}`;
    });
    panel.setAttribute("aria-labelledby", `${id}-${now}`);
    counted.textContent = `${beds.filter((_, i) => stateOf(i) === "diagnosed").length} of ${beds.length} diagnosed`;
    kept.redraw();
  }

  onTheme(root, signal, update);
  onChange(model, signal, ["bed", "samples", "findings", "cures", "chosen", "examined"], frame(update, signal));
  signal.addEventListener("abort", () => panel.life?.abort());
  update();
  return cleanup;
}

export default { render };
