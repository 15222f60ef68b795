// The map of a transformer: every part can be chosen, says what it does, and leads to the notebook that teaches it.

import { heading, toggleButton } from "../_kit/controls.js";
import { announce, element, focusable, listen, setAttributes, svg } from "../_kit/elements.js";
import { change, onChange, onWidth, tween, widgetRoot } from "../_kit/life.js";
import { pinOf, pinSample } from "../_kit/pin.js";
import { walkControls } from "../_kit/steps.js";
import { arrowOf, fittedFigure, FRAME_LABEL, markOf, partOf, pathOf, tipOf } from "../_kit/transformer_drawing.js";

const PAUSE = 1500; // milliseconds at each part of a token's way
const MOVE = 450; // … and from one to the next
const LEGEND = [
  ["flow", "hidden states"],
  ["residual", "residual: around the sub-layer"],
  ["memory", "memory: read by the decoder"],
];

// The part that lies nearest in an arrow key's direction, or null.
function neighbor(parts, from, key) {
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

// Where JupyterLab shows this notebook's folder ("/lab/tree/notebooks"); null elsewhere, where a file's name will do.
function folderInLab() {
  if (!/\/lab(\/|$)/.test(location.pathname)) return null;
  const title = document.querySelector(".jp-mod-current[title*='.ipynb'], .lm-mod-current[title*='.ipynb']")?.title;
  const path =
    title?.match(/Path: (.*\.ipynb)/)?.[1] ?? decodeURIComponent(location.pathname).match(/\/tree\/(.*\.ipynb)$/)?.[1];
  if (path === undefined) return null;
  const { baseUrl = "/" } = JSON.parse(document.getElementById("jupyter-config-data")?.textContent ?? "{}");
  return `${baseUrl}lab/tree/${path.split("/").slice(0, -1).map(encodeURIComponent).join("/")}`.replace(/\/$/, "");
}

// A plain link to a notebook beside this one: a command of JupyterLab would warn of code in a notebook not yet trusted.
// On the course's site it is the notebook's page.
function notebookLink(name, ...content) {
  if (window.anatomyViews) return element("a", focusable({ href: `${name}.html`, tabindex: null }), ...content);
  const folder = folderInLab();
  const href = `${folder === null ? "" : `${folder}/`}${name}.ipynb`;
  return element("a", focusable({ href, target: "_blank", rel: "noopener", tabindex: null }), ...content);
}

// The notebooks in a row, the open one marked: {node}.
function notebookStrip(model) {
  const here = model.get("here");
  return element(
    "nav",
    { class: "tm-strip", "aria-label": "The notebooks" },
    model.get("notebooks").map(({ file, title, time, built }) => {
      const number = Number(file.slice(0, 2));
      const content = [element("b", { text: number }), " ", element("span", { text: title })];
      if (file === here) return element("span", { class: "tm-stop", title: time, "aria-current": "page" }, ...content);
      const node = built ? notebookLink(file, ...content) : element("span", {}, ...content);
      // A narrow strip shows the number alone.
      setAttributes(node, {
        class: "tm-stop",
        title: `${title}: ${time}`,
        "aria-label": built ? `${number} ${title}` : null,
      });
      return node;
    }),
  );
}

// Gives an element the height of its tallest content, so that nothing below it moves with what it says.
function reserve(node, contents) {
  const { width } = node.getBoundingClientRect();
  if (!width) return;
  const style = { position: "absolute", visibility: "hidden", width: `${width}px`, "min-height": 0 };
  const copies = contents.map((content) => element(node.tagName, { class: node.className, style }, ...content));
  node.after(...copies);
  node.style.minHeight = `${Math.ceil(Math.max(...copies.map((copy) => copy.getBoundingClientRect().height)))}px`;
  copies.forEach((copy) => copy.remove());
}

// A token's way: {node, show(part)}; `go(part)` is asked for the next part, and the dot follows what is shown.
function tokensWay({ model, signal, dot, placeOf, go }) {
  const way = model.get("way");
  const told = element("p", { class: "tm-carried" });
  let at = null;
  let stop = () => {};
  const walk = walkControls({ count: way.length, pause: PAUSE, signal, go: (step) => go(way[step].part) });

  const words = (step) => [
    element("span", { class: "note", text: `Step ${step + 1} of ${way.length}. It is now ` }),
    element("b", { text: way[step].carries }),
  ];

  // Moves the dot to a part, or only puts it there again where the drawing has another size.
  function show(part, again = false) {
    const step = way.findIndex((each) => each.part === part);
    setAttributes(dot, { visibility: step < 0 ? "hidden" : null });
    if (step < 0) return;
    walk.tell(step);
    told.replaceChildren(...words(step));
    const to = placeOf(part);
    stop();
    stop = tween(at && !again ? at : to, to, MOVE, (place) => {
      at = place;
      setAttributes(dot, { transform: `translate(${place[0]} ${place[1]})` });
    });
  }

  signal.addEventListener("abort", () => stop());
  const node = element(
    "div",
    { class: "tm-way" },
    element("h4", {}, element("i", { class: "tm-token", "aria-hidden": "true" }), "Follow one token"),
    element("div", { class: "row" }, walk.play, walk.back, walk.next),
    told,
  );
  const hold = () =>
    reserve(
      told,
      way.map((_, step) => words(step)),
    );
  return { node, show, hold, pause: walk.pause };
}

// What the chosen part does, its shapes, and where it is taught.
function partText(model, part) {
  const place = `${part.title}${part.section ? ` · ${part.section}` : ""}`;
  return [
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
          ? element(
              "div",
              {},
              "Taught in ",
              notebookLink(part.notebook, place),
              element("div", { class: "note", text: `That notebook takes ${part.time}.` }),
            )
          : element("div", { class: "tm-later" }, `Taught in ${place} (not yet written)`),
  ];
}

function legend() {
  return element(
    "div",
    { class: "tm-kinds" },
    LEGEND.map(([kind, text]) => {
      const points = [
        [1, 7],
        [30, 7],
      ];
      const line = svg("g", { class: `tm-arrow ${kind}` }, svg("path", { d: pathOf(points) }));
      line.append(svg("polygon", { points: tipOf(points) }));
      return element(
        "span",
        {},
        svg("svg", { style: { width: "32px", height: "14px" }, "aria-hidden": "true" }, line),
        text,
      );
    }),
  );
}

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, model.get("label"));
  root.classList.add("transformer-map");
  const parts = model.get("parts");
  const byId = new Map(parts.map((part) => [part.id, part]));
  const isHere = (part) => Boolean(model.get("here")) && [part.id, part.notebook].includes(model.get("here"));
  const nodes = new Map();
  let fitted = null;

  function drawPart(part) {
    const here = isHere(part);
    const node = partOf(
      part,
      fitted.width / 2,
      focusable({
        class: here ? "tm-here" : "",
        role: "button",
        tabindex: -1,
        "aria-pressed": "false",
        "aria-label": [part.label, part.frame && "a block of several parts", here && "taught in this notebook"]
          .filter(Boolean)
          .join(", "),
      }),
      here && !part.frame ? pinOf(part.x + part.width - 4, part.y + 6) : null,
    );
    listen(node, "click", signal, () => {
      way.pause();
      choose(part.id);
    });
    listen(node, "keydown", signal, (event) => move(event, byId.get(part.id)));
    nodes.set(part.id, node);
    return node;
  }

  function move(event, part) {
    const to = event.key.startsWith("Arrow")
      ? neighbor(parts, part, event.key)
      : { Home: parts[0], End: parts.at(-1) }[event.key];
    if (event.key === "Enter" || event.key === " ") choose(part.id);
    else if (to) {
      nodes.get(to.id).focus(); // before anything is changed: a focus has the page laid out
      choose(to.id);
    } else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
  }

  const drawing = svg("svg", {
    role: "group",
    "aria-label": "Parts of a transformer",
    width: "100%", // until it is drawn
    style: { height: "var(--tall)" }, // as a style, since a page may set the height of pictures to auto
  });
  const figure = element("div", { class: "tm-figure" }, drawing);
  const told = element("div", { class: "tm-told" });
  const dot = svg(
    "g",
    { class: "tm-dot", "aria-hidden": "true" },
    svg("circle", { class: "tm-ring", r: 12 }),
    svg("circle", { r: 7 }),
  );
  const way = tokensWay({
    model,
    signal,
    dot,
    placeOf: (id) => {
      const part = fitted?.parts.find((each) => each.id === id);
      return part ? [part.x, part.y] : [0, 0];
    },
    go: (id) => choose(id),
  });
  const body = element(
    "div",
    { class: "tm-body" },
    figure,
    legend(),
    element("div", { class: "tm-side" }, way.node, told),
  );
  const unfold = toggleButton({
    label: "Whole map",
    pressed: !model.get("folded"),
    signal,
    onToggle: (on) => change(model, { folded: !on }),
  });
  unfold.node.dataset.unfolds = "";

  function draw(width) {
    const held = document.activeElement;
    const focused = [...nodes].find(([, node]) => node === held)?.[0];
    const figureData = { parts, arrows: model.get("arrows"), marks: model.get("marks"), size: model.get("size") };
    fitted = fittedFigure(figureData, width, drawing.getBoundingClientRect().height);
    setAttributes(drawing, { width });
    drawing.replaceChildren(
      ...fitted.parts.filter((part) => part.frame).map(drawPart),
      ...fitted.arrows.map(arrowOf),
      ...fitted.marks.map(markOf),
      ...fitted.parts.filter((part) => !part.frame).map(drawPart),
      dot,
    );
    hold();
    tell();
    way.show(model.get("selected"), true);
    if (focused) nodes.get(focused).focus();
  }

  function hold() {
    way.hold();
    reserve(
      told,
      parts.map((part) => partText(model, part)),
    );
  }

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
    drawing.classList.toggle("tm-asks", part?.id === "cross_attention");
    if (!part) return;
    told.style.setProperty("--tint", `var(--${(part.role || "ink").replaceAll("_", "-")})`);
    told.replaceChildren(...partText(model, part));
  }

  function choose(id) {
    change(model, { selected: id });
    const part = byId.get(id);
    announce(root, `${part.label}. ${part.text}`);
  }

  function fold() {
    body.hidden = model.get("folded");
    root.classList.toggle("tm-folded", model.get("folded"));
    unfold.set(!model.get("folded"));
    hold();
  }

  root.append(
    heading(
      model.get("label"),
      parts.some(isHere) ? element("span", { class: "tm-legend" }, pinSample(), "you are here") : null,
      model.get("strip")
        ? unfold.node
        : element("span", { class: "note", text: "Click a part, or use the arrow keys." }),
    ),
    model.get("strip") ? notebookStrip(model) : "",
    body,
  );
  onChange(model, signal, "folded", fold);
  onChange(model, signal, "selected", () => {
    tell();
    way.show(model.get("selected"));
  });
  fold();
  tell();
  onWidth(figure, signal, draw);
  return cleanup;
}

export default { render };
