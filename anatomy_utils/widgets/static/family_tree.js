// The family tree: a tree to walk through, the chosen model's blocks with what its parent does not have, its costs, a
// run.

const BRANCH_TITLES = [
  ["encoder", "Encoder branch"],
  ["decoder", "Decoder branch"],
  ["encoder–decoder", "Encoder–decoder"],
];

// The models of a branch, children behind their parent: [{model, depth}].
function inOrder(models, branch, parent, depth = 0) {
  return models
    .filter((model) => model.branch === branch && model.parent === parent)
    .flatMap((model) => [{ model, depth }, ...inOrder(models, branch, model.name, depth + 1)]);
}

// Roots first, then branch by branch: [{title, rows: [{model, depth}]}].
function groupsOf(models) {
  const roots = models.filter(({ branch }) => branch === "root");
  const tops = (branch) =>
    models.filter(
      (model) => model.branch === branch && models.find(({ name }) => name === model.parent)?.branch !== branch,
    );
  return [
    { title: "Roots", rows: roots.map((model) => ({ model, depth: 0 })) },
    ...BRANCH_TITLES.map(([branch, title]) => ({
      title,
      branch,
      rows: tops(branch).flatMap((model) => [{ model, depth: 0 }, ...inOrder(models, branch, model.name, 1)]),
    })),
  ].filter(({ rows }) => rows.length);
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("family-tree");
  const models = model.get("models"),
    byName = new Map(models.map((each) => [each.name, each]));
  const groups = groupsOf(models),
    order = groups.flatMap(({ rows }) => rows.map(({ model: each }) => each.name));
  const chosen = () => byName.get(model.get("chosen")) ?? models[0];
  const questions = request({
    model,
    signal,
    onBusy: (on) => {
      asked.running = on;
      drawRun();
    },
    onAnswer: () => announce(root, `${chosen().name} ran.`),
  });
  const asked = { running: false };

  // ---------------------------------------------------------------- the tree
  const tree = element("div", { class: "ft-tree", role: "tree", "aria-label": "Models by branch and year" });
  const nodes = new Map();
  tree.append(
    ...groups.map(({ title, branch, rows }) =>
      element(
        "div",
        { class: branch ? "ft-branch" : "ft-branch ft-roots", role: "group", "aria-label": title },
        element("div", { class: "ft-branch-title", text: title, "aria-hidden": "true" }),
        rows.map(({ model: each, depth }) => {
          const node = element(
            "div",
            focusable({
              class: each.parts.length ? "ft-model" : "ft-model described",
              role: "treeitem",
              "aria-level": depth + 1,
              style: { "--depth": depth },
            }),
            element("b", { text: each.name }),
            element("span", { class: "ft-year", text: String(each.year) }),
            element("span", { class: "ft-change", text: each.change }),
          );
          listen(node, "click", signal, () => choose(each.name));
          nodes.set(each.name, node);
          return node;
        }),
      ),
    ),
  );
  listen(tree, "keydown", signal, (event) => {
    const at = order.indexOf(chosen().name),
      here = chosen();
    const to = {
      ArrowDown: order[at + 1],
      ArrowUp: order[at - 1],
      Home: order[0],
      End: order.at(-1),
      ArrowLeft: here.parent,
      ArrowRight: models.find(({ parent }) => parent === here.name)?.name,
    }[event.key];
    if (to === undefined && !["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"].includes(event.key)) return;
    event.preventDefault();
    if (to) choose(to, true);
  });

  function choose(name, focus = false) {
    change(model, { chosen: name });
    if (focus) nodes.get(name).focus();
    announce(root, summary());
  }
  const lengths = lengthSlider({ value: model.get("length"), signal, onLength: (length) => change(model, { length }) });
  const go = button({ label: "Run it", primary: true, signal, onClick: () => questions.ask({ name: chosen().name }) });
  const which = select({ label: "Layer", options: [], signal, onChange: () => drawMap() });
  const head = select({ label: "Head", options: [], signal, onChange: () => drawMap() });
  const { drawRun, drawMap, runPanel } = runPanels({ root, model, questions, go, which, head, chosen, asked });
  const { about, differences, diagramPanel, costPanel, drawAbout, drawDifferences, drawCosts } = modelPanels({
    model,
    lengths,
    chosen,
    byName,
    runPanel,
  });
  root.append(
    heading(model.get("label")),
    element("div", { class: "panel ft-panel" }, tree),
    about,
    element("div", { class: "ft-two" }, diagramPanel, element("div", { class: "panel" }, differences)),
    costPanel,
    runPanel,
  );

  function summary() {
    const each = chosen(),
      parent = byName.get(each.parent);
    if (!each.parts.length) return `${each.name}, ${each.year}: described, not built here.`;
    const count = parent?.parts.length ? `${differing(each, parent, true).size} parts differ from ${parent.name}.` : "";
    return `${each.name}, ${each.year}: ${each.change}. ${count}`;
  }

  function drawTree() {
    for (const [name, node] of nodes) {
      const on = name === chosen().name;
      setAttributes(node, { "aria-selected": String(on), tabindex: on ? 0 : -1 });
      node.classList.toggle("parent", name === chosen().parent);
    }
  }

  const draw = frame(() => {
    drawTree();
    drawAbout();
    drawDifferences();
    drawCosts();
    drawRun();
  }, signal);
  onChange(model, signal, ["chosen", "runs"], draw);
  onChange(model, signal, "length", frame(drawCosts, signal));
  onTheme(root, signal, drawMap);
  drawTree();
  drawAbout();
  drawDifferences();
  drawCosts();
  drawRun();
  return cleanup;
}

export default { render };
