// The family tree: a tree to walk through, the chosen model's blocks with what its parent does not have, its costs, a run.

const BRANCH_TITLES = [
  ["encoder", "Encoder branch"],
  ["decoder", "Decoder branch"],
  ["encoder–decoder", "Encoder–decoder"],
];
const STEPS = 255;
const CELL = 18;
const LABELS = 78; // room for words beside and above the map

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
      running = on;
      drawRun();
    },
    onAnswer: () => announce(root, `${chosen().name} ran.`),
  });
  let running = false;

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
          node.addEventListener("click", () => choose(each.name), { signal });
          nodes.set(each.name, node);
          return node;
        }),
      ),
    ),
  );
  tree.addEventListener(
    "keydown",
    (event) => {
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
    },
    { signal },
  );

  function choose(name, focus = false) {
    change(model, { chosen: name });
    if (focus) nodes.get(name).focus();
    announce(root, summary());
  }

  // ---------------------------------------------------------------- the chosen one
  const about = element("div", { class: "ft-about" });
  const drawing = element("div", { class: "tx-stacks" });
  const differences = element("div", {});
  const costs = element("div", {});
  const lengths = lengthSlider({ value: model.get("length"), signal, onLength: (length) => change(model, { length }) });
  const go = button({ label: "Run it", primary: true, signal, onClick: () => questions.ask({ name: chosen().name }) });
  const which = select({ label: "Layer", options: [], signal, onChange: () => drawMap() });
  const head = select({ label: "Head", options: [], signal, onChange: () => drawMap() });
  const ran = element("div", {});
  const map = element("div", { class: "ft-map" });
  const diagramPanel = element(
    "div",
    { class: "panel ft-diagram" },
    element("div", { class: "tx-title", text: "Drawn from its modules" }),
    drawing,
  );
  const costPanel = element(
    "div",
    { class: "panel" },
    element("div", { class: "tx-title", text: "Published sizes" }),
    lengths.node,
    element("div", focusable({ class: "scroll", role: "group", "aria-label": "Published sizes" }), costs),
    element("p", {
      class: "note",
      text: "Operations: multiplications and additions of one token with the whole text in sight. Bytes: what a writing model keeps of that text, two for each number.",
    }),
  );
  const runPanel = element(
    "div",
    { class: "panel ft-run" },
    element(
      "div",
      { class: "row" },
      element("div", { class: "tx-title", text: "A small one at work: random weights, a sentence of the street" }),
      go,
    ),
    questions.line,
    ran,
    element("div", { class: "row ft-choices" }, which.node, head.node),
    map,
  );
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

  function drawAbout() {
    const each = chosen();
    const paper = each.paper
      ? element(
          "a",
          focusable({ href: `https://arxiv.org/abs/${each.paper}`, target: "_blank", rel: "noopener", tabindex: null }),
          `arXiv:${each.paper}`,
        )
      : null;
    about.replaceChildren(
      element(
        "div",
        { class: "ft-name" },
        element("b", { text: each.name }),
        ` ${each.year}`,
        each.parent ? `, from ${each.parent}: ${each.change}` : `: ${each.change}`,
        paper ? [" · ", paper] : "",
      ),
      ...each.objectives.map(([name, asks]) =>
        element("div", {}, "Trained on ", element("em", { text: name }), ": ", prose(asks)),
      ),
      ...(each.note ? [element("div", { class: "note", text: each.note })] : []),
      ...(each.parts.length
        ? []
        : [element("div", { class: "note", text: "This row is only described: the zoo does not build it." })]),
    );
  }

  function drawDifferences() {
    const each = chosen(),
      parent = byName.get(each.parent),
      built = each.parts.length > 0;
    for (const panel of [diagramPanel, costPanel, runPanel]) panel.hidden = !built;
    differences.parentNode.hidden = !built;
    if (!built) return;
    const comparable = parent?.parts.length > 0;
    const changed = comparable ? differing(each, parent) : new Set();
    const marked = comparable ? differing(each, parent, true) : new Set();
    drawing.replaceChildren(...each.stacks.map((stack) => stackDrawing(stack, marked, each.stacks.length > 1)));
    const rows = (wanted) =>
      each.parts.filter(
        ({ name, value, is_size: isSize }) => isSize === wanted && (comparable ? changed.has(name) : value !== "none"),
      );
    const line = ({ name, value }) =>
      element(
        "tr",
        {},
        element("th", { scope: "row", text: name }),
        comparable ? element("td", { text: parent.parts.find((part) => part.name === name).value }) : null,
        element("td", {}, comparable ? element("b", { text: value }) : value),
      );
    const columns = element(
      "thead",
      {},
      element(
        "tr",
        {},
        element("th", { scope: "col", text: "part" }),
        comparable ? element("th", { scope: "col", text: parent.name }) : null,
        element("th", { scope: "col", text: each.name }),
      ),
    );
    const design = rows(false),
      sizes = rows(true);
    differences.replaceChildren(
      element("div", { class: "tx-title", text: comparable ? `≠ What ${parent.name} has otherwise` : "Its parts" }),
      design.length
        ? element("table", { class: "tx-table" }, columns, element("tbody", {}, design.map(line)))
        : element("p", { text: `The same design: only training and numbers differ from ${parent.name}.` }),
      sizes.length
        ? element("div", {
            class: "tx-title ft-sizes",
            text: comparable
              ? `Numbers that differ (${each.sizes[0].name}, beside ${parent.name} ${parent.sizes[0].name})`
              : `Numbers (${each.sizes[0].name})`,
          })
        : "",
      sizes.length ? element("table", { class: "tx-table" }, element("tbody", {}, sizes.map(line))) : "",
    );
  }

  function drawCosts() {
    const each = chosen(),
      length = model.get("length"),
      end = each.parts.length ? tableEnd(each) : null;
    if (!each.parts.length) return;
    const published = (size) =>
      !size.published
        ? ""
        : size.exact
          ? grouped(size.published)
          : roughly(size.published) + (size.counts === "all" ? "" : ` (${size.counts})`);
    const kept = (size) => (size.cache.growing.length ? bytesText(quantityAt(size.cache, length)) : "nothing");
    costs.replaceChildren(
      element(
        "table",
        { class: "tx-table" },
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            ["size", "parameters", "published", "operations per token", "bytes kept"].map((text) =>
              element("th", { scope: "col", text }),
            ),
          ),
        ),
        element(
          "tbody",
          {},
          each.sizes.map((size) =>
            element(
              "tr",
              {},
              element("th", { scope: "row", text: size.name }),
              [grouped(size.parameters), published(size), roughly(quantityAt(size.work, length)), kept(size)].map(
                (text) => element("td", { class: "number", text }),
              ),
            ),
          ),
        ),
      ),
      end !== null && length > end
        ? element("div", { class: "error", text: `Its table of positions ends at ${grouped(end)}.` })
        : "",
    );
    lengths.set(length);
  }

  function drawRun() {
    const each = chosen(),
      result = model.get("runs")[each.name];
    go.disabled = running || !model.get("can_run");
    go.textContent = running ? "Running …" : result ? "Run it again" : "Run it";
    which.node.hidden = head.node.hidden = !result?.maps.length;
    map.replaceChildren();
    if (!result) {
      ran.replaceChildren(
        element("p", { class: "note", text: model.get("can_run") ? "Not run yet." : "Not run: this needs a kernel." }),
      );
      return;
    }
    ran.replaceChildren(
      ...result.texts.map((text, i) =>
        element(
          "div",
          { class: "ft-text" },
          element("span", { class: "caption", text: result.texts.length > 1 ? ["reads: ", "writes: "][i] : "reads: " }),
          text.map((token) => [word(token), " "]),
        ),
      ),
      element(
        "details",
        {},
        element("summary", focusable({ tabindex: null, text: `${result.shapes.length} tensors and their shapes` })),
        element(
          "ul",
          { class: "ft-shapes" },
          result.shapes.map(([name, shape]) =>
            element("li", {}, name, " ", element("span", { class: "shape", text: shape })),
          ),
        ),
      ),
    );
    const labels = result.maps.map(({ label }, i) => ({ value: i, label }));
    const before = Number(which.get()) || 0;
    which.setOptions(labels);
    which.set(before < labels.length ? before : 0);
    if (labels.length) drawMap();
    else map.replaceChildren(element("p", { class: "note", text: "There is no attention to show." }));
  }

  function drawMap() {
    const result = model.get("runs")[chosen().name];
    if (!result?.maps.length || !theme(root)) return;
    const { label, queries, keys, weights } = result.maps[Number(which.get())];
    const beforeHead = Number(head.get()) || 0;
    head.setOptions(weights.map((_, i) => ({ value: i, label: String(i) })));
    head.set(beforeHead < weights.length ? beforeHead : 0);
    const chosenHead = Number(head.get()),
      rows = weights[chosenHead];
    let best = [0, 0];
    rows.forEach((row, q) =>
      row.forEach((weight, k) => {
        if (weight > rows[best[0]][best[1]]) best = [q, k];
      }),
    );
    const told = `${label}, head ${chosenHead}: the largest weight, ${format(rows[best[0]][best[1]] / STEPS)}, goes from “${queries[best[0]]}” to “${keys[best[1]]}”.`;
    const width = LABELS + keys.length * CELL + 2,
      height = LABELS + queries.length * CELL + 2;
    map.replaceChildren(
      svg(
        "svg",
        { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": told },
        keys.map((token, k) =>
          svg("text", {
            class: "ft-token",
            transform: `translate(${LABELS + (k + 0.7) * CELL} ${LABELS - 5}) rotate(-60)`,
            text: shorten(token, 11),
          }),
        ),
        queries.map((token, q) =>
          svg("text", {
            class: "ft-token",
            x: LABELS - 6,
            y: LABELS + (q + 0.72) * CELL,
            "text-anchor": "end",
            text: shorten(token, 11),
          }),
        ),
        rows.flatMap((row, q) =>
          row.map((weight, k) =>
            svg("rect", {
              x: LABELS + k * CELL,
              y: LABELS + q * CELL,
              width: CELL - 1,
              height: CELL - 1,
              fill: sequentialColour(root, Math.sqrt(weight / STEPS)),
              class: weight ? "" : "ft-zero",
            }),
          ),
        ),
      ),
      element("p", {
        class: "note",
        text: `${told} Rows ask, columns are asked; faint weights are lifted. The weights are random: the pattern of what may be seen is the model's, the rest is chance.`,
      }),
    );
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
