// The map of a transformer: every part can be chosen, says what it does, and leads to the notebook that teaches it.

const PAD = 14; // room around the drawing
const LEGEND = [
  ["flow", "hidden states"],
  ["residual", "residual: around the sub-layer"],
  ["memory", "memory: read by the decoder"],
];
const LEGEND_AT = [18, 96];

// The part that lies nearest in an arrow key's direction, or null.
function neighbour(parts, from, key) {
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key] ?? [0, 0];
  const centre = (part) => [
    part.x + part.width / 2,
    part.frame ? part.y + part.height - FRAME_LABEL : part.y + part.height / 2,
  ];
  const [x, y] = centre(from);
  let best = null;
  let least = Infinity;
  for (const part of parts) {
    const [u, v] = centre(part);
    const along = (u - x) * dx + (v - y) * dy;
    const across = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
    if (part === from || along < 4) continue;
    const distance = along + across * 2.5;
    if (distance < least) [least, best] = [distance, part];
  }
  return best;
}

// Where this notebook's folder is on the Jupyter server ("" for its root), or null where nobody says.
function folderOnServer() {
  const path =
    decodeURIComponent(location.pathname).match(/\/(?:tree|notebooks)\/(.*\.ipynb)$/)?.[1] ??
    document
      .querySelector(".jp-mod-current[title*='.ipynb'], .lm-mod-current[title*='.ipynb']")
      ?.title.match(/Path: (.*\.ipynb)/)?.[1];
  return path === undefined ? null : path.split("/").slice(0, -1).join("/");
}

// A link to a notebook beside this one: JupyterLab opens it in a tab, any other page follows the plain address.
function notebookLink(file, text) {
  const link = element("a", focusable({ href: file, tabindex: null }), text);
  const folder = folderOnServer();
  if (folder !== null) {
    link.dataset.commandlinkerCommand = "docmanager:open";
    link.dataset.commandlinkerArgs = JSON.stringify({ path: folder ? `${folder}/${file}` : file });
  }
  return link;
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  const parts = model.get("parts");
  const byId = new Map(parts.map((part) => [part.id, part]));
  const nodes = new Map();
  const tint = (part) => `var(--${(part.role || "ink").replaceAll("_", "-")})`;

  const middle = model.get("size")[0] / 2;

  function drawPart(part) {
    const here = Boolean(model.get("here")) && [part.id, part.notebook].includes(model.get("here"));
    const node = partOf(
      part,
      middle,
      focusable({
        class: here ? "tm-here" : "",
        role: "button",
        tabindex: -1,
        "aria-pressed": "false",
        "aria-label": [part.label, part.frame && "a block of several parts", here && "taught in this notebook"]
          .filter(Boolean)
          .join(", "),
      }),
      here && !part.frame ? svg("circle", { class: "tm-pin", cx: part.x, cy: part.y, r: 5.5 }) : null,
    );
    listen(node, "click", signal, () => choose(part.id));
    listen(node, "keydown", signal, (event) => {
      const to = event.key.startsWith("Arrow")
        ? neighbour(parts, part, event.key)
        : event.key === "Home"
          ? parts[0]
          : event.key === "End"
            ? parts.at(-1)
            : null;
      if (event.key === "Enter" || event.key === " ") choose(part.id);
      else if (to) {
        nodes.get(to.id).focus(); // before anything is changed: a focus has the page laid out
        choose(to.id);
      } else if (!event.key.startsWith("Arrow")) return;
      event.preventDefault();
    });
    nodes.set(part.id, node);
    return node;
  }

  function drawLegend([kind, text], i) {
    const [x, y] = [LEGEND_AT[0], LEGEND_AT[1] + i * 21];
    const points = [
      [x, y],
      [x + 34, y],
    ];
    return svg(
      "g",
      { class: `tm-arrow ${kind}`, "aria-hidden": "true" },
      svg("path", { d: pathOf(points) }),
      svg("polygon", { points: tipOf(points) }),
      svg("text", { class: "tm-legend-text", x: x + 44, y: y + 4 }, text),
    );
  }

  const [width, height] = model.get("size");
  const top = Math.min(...parts.map((part) => part.y));
  const bottom = Math.max(...parts.map((part) => part.y + part.height));
  const drawing = svg(
    "svg",
    {
      viewBox: `0 ${top - PAD} ${width} ${Math.min(height, bottom) - top + 2 * PAD}`,
      role: "group",
      "aria-label": "Parts of a transformer",
    },
    parts.filter((part) => part.frame).map(drawPart),
    model.get("arrows").map(arrowOf),
    model.get("marks").map(markOf),
    LEGEND.map(drawLegend),
    parts.filter((part) => !part.frame).map(drawPart),
  );
  const told = element("div", { class: "tm-told" });
  const hereHint = parts.some((part) => [part.id, part.notebook].includes(model.get("here")));
  root.append(
    heading(
      model.get("label"),
      hereHint ? element("span", { class: "tm-legend" }, element("i"), "you are here") : null,
      element("span", { class: "note", text: "Click a part, or move with the arrow keys." }),
    ),
    element("div", { class: "tm-body" }, drawing, told),
  );

  function tell() {
    const part = byId.get(model.get("selected"));
    for (const [id, node] of nodes) {
      for (const [name, value] of [
        ["aria-pressed", id === part?.id],
        ["tabindex", id === (part ?? parts[0]).id ? 0 : -1],
      ]) {
        if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
      }
    }
    if (!part) return;
    told.style.setProperty("--tint", tint(part));
    const file = `${part.notebook}.ipynb`;
    const place = `${part.title}${part.section ? ` · ${part.section}` : ""}`;
    told.replaceChildren(
      element("h4", { text: part.label }),
      element("p", { text: part.text }),
      element(
        "dl",
        { class: "tm-shapes" },
        element("dt", { text: "in" }),
        element("dd", { text: part.shape_in }),
        element("dt", { text: "out" }),
        element("dd", { text: part.shape_out }),
      ),
      !part.notebook
        ? ""
        : part.notebook === model.get("here")
          ? element("div", {}, "Taught in this notebook", part.section ? `: ${part.section}` : "", ".")
          : part.built
            ? element("div", {}, "Taught in ", notebookLink(file, place))
            : element("div", { class: "tm-later" }, `Taught in ${place} (not yet written)`),
    );
  }

  function choose(id) {
    change(model, { selected: id });
    const part = byId.get(id);
    announce(root, `${part.label}. ${part.text}`);
  }

  onChange(model, signal, "selected", tell);
  tell();
  return cleanup;
}

export default { render };
