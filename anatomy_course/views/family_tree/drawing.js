// The family tree as a drawing: years from left to right, a row for every line of descent, children below or beside
// their parent.

import { element, focusable, listen, setAttributes, svg } from "../_kit/elements.js";
import { onWidth } from "../_kit/life.js";

const TREE = { row: 20, axis: 26, name: 13, label: 7.3, first: 12 };
// In pixels: the width from which there are notes, the letters of names and notes, and room around them.
const NOTES = { from: 440, name: 12.5, note: 12, gap: 4, pad: 3, edge: 8 };
const BRANCHES = { encoder: "Encoders", decoder: "Decoders", "encoder–decoder": "Encoder–decoders" };
const SAME_YEAR = 0.36; // of a year: how far a child of its parent's own year stands to the right of it

// Where a model stands in time, in years: never straight under a parent of the same year.
function momentOf(model, byName) {
  const parent = byName.get(model.parent);
  return parent?.year === model.year ? momentOf(parent, byName) + SAME_YEAR : model.year;
}

// The years as columns: years in which nothing came out take the room of a quarter.
function yearColumns(models) {
  const years = [...new Set(models.map(({ year }) => year))].sort((one, other) => one - other);
  let column = 0;
  return new Map(years.map((year, i) => [year, (column += i ? (year - years[i - 1] > 1 ? 1.25 : 1) : 0)]));
}

// Children after their parent, branch by branch: the order of rows and of the arrow keys.
function descent(models) {
  const names = new Set(models.map(({ name }) => name));
  const order = ["root", ...Object.keys(BRANCHES)];
  const parents = new Set(models.map(({ parent }) => parent));
  const place = ({ name, branch, parent }) => order.indexOf(branch) + (!parent && parents.has(name) ? 0.5 : 0);
  const below = (parent) =>
    models
      .filter((model) => (names.has(model.parent) ? model.parent : "") === parent)
      .sort((one, other) => place(one) - place(other))
      .flatMap((model) => [model, ...below(model.name)]);
  return below("");
}

// Places in a drawing `width` pixels wide: {places: Map(name → {x, y}), years: [[year, x]], height}. With notes every
// model has a row of its own.
function treeLayout(models, width, notes) {
  const byName = new Map(models.map((model) => [model.name, model]));
  const columns = yearColumns(models);
  const wide = (model) => TREE.name + TREE.label * model.name.length;
  const last = Math.max(...columns.values());
  const latest = Math.max(...models.filter(({ year }) => columns.get(year) === last).map(wide));
  const column = Math.max(14, (width - TREE.first - latest - 4) / (last || 1));
  const xOf = (model) => {
    const moment = momentOf(model, byName);
    return TREE.first + (columns.get(model.year) + (moment - model.year)) * column;
  };
  const places = new Map();
  const ends = []; // row → where its last label ends
  for (const model of descent(models)) {
    const x = xOf(model);
    const above = places.get(model.parent)?.row;
    const beside = !notes && above === ends.length - 1 && ends[above] < x - TREE.name;
    const row = beside ? above : ends.length;
    ends[row] = x + wide(model);
    places.set(model.name, { x, row, y: TREE.axis + (row + 0.5) * TREE.row, beside });
  }
  const years = [...columns].map(([year, at]) => [year, TREE.first + at * column]);
  return { places, years, column, height: TREE.axis + ends.length * TREE.row };
}

// How wide a text is drawn: width(text, font).
const drawnWidth = (() => {
  const context = document.createElement("canvas").getContext("2d");
  return (text, font) => {
    context.font = font;
    return context.measureText(text).width;
  };
})();

// Where a note of some width stands: behind its model's name, else on the line that leads there or in front of it,
// where no other line crosses it; null where there is no room.
function notePlace({ x, row }, parent, stems, width, name, note) {
  const crossing = stems.filter(({ first, last }) => first < row && row <= last).map((stem) => stem.x);
  const start = x + TREE.name + name + NOTES.gap;
  if (start + note <= Math.min(width + NOTES.edge, ...crossing.filter((at) => at > start))) return start;
  const line = (parent?.x ?? x) + 3 * NOTES.gap;
  if (line + note + 3 * NOTES.gap <= x) return line;
  let end = (parent?.x ?? 0) - NOTES.gap;
  for (const at of [...crossing.filter((each) => each < end), 0].sort((one, other) => other - one)) {
    if (end - note >= at + NOTES.gap) return end - note;
    end = at - NOTES.gap;
  }
  return null;
}

// A parent's stem down to the last of its children in another branch: it belongs to none of them.
function stem(name, order, places) {
  const below = order.filter(({ parent, branch }) => parent === name && branch !== "root");
  const { x, y } = places.get(name);
  return `M${x} ${y}V${Math.max(y, ...below.map((each) => places.get(each.name).y - 6))}`;
}

// The line from a parent to its child: down and then to the right, or straight where both share a row.
function lineage(from, to) {
  if (to.beside) return `M${from.x} ${from.y}H${to.x}`;
  const bend = Math.min(6, to.x - from.x);
  return `M${from.x} ${from.y}V${to.y - bend}Q${from.x} ${to.y} ${from.x + bend} ${to.y}H${to.x}`;
}

// The tree: {node, draw(chosen), focus(name)}; `onChoose(name, focus)` hears clicks and keys.
export function familyDrawing({ models, signal, onChoose }) {
  const order = descent(models);
  const sketch = svg("svg", { class: "ft-lines", "aria-hidden": "true" });
  const nodes = new Map(order.map((model) => [model.name, nodeOf(model)]));
  const depth = new Map();
  for (const { name, parent } of order) depth.set(name, (depth.get(parent) ?? 0) + 1);
  const groups = ["root", ...Object.keys(BRANCHES)].map((branch) => ({
    branch,
    title: element("div", { class: `ft-branch ${branch}`, "aria-hidden": "true", text: BRANCHES[branch] ?? "" }),
    members: order.filter((model) => model.branch === branch),
  }));
  const node = element(
    "div",
    { class: "ft-tree", role: "tree", "aria-label": "Models by branch and year" },
    sketch,
    groups.map(({ branch, members }) =>
      element(
        "div",
        { role: "group", "aria-label": BRANCHES[branch] ?? "Roots" },
        members.map(({ name }) => nodes.get(name)),
      ),
    ),
    groups.map(({ title }) => title),
  );
  let chosen = null;

  function nodeOf(model) {
    const made = element(
      "div",
      focusable({
        class: `ft-model ${model.branch}${model.parts.length ? "" : " described"}`,
        role: "treeitem",
        title: `${model.year}: ${model.change}`,
      }),
      element("span", { class: "ft-dot" }),
      element("span", { class: "ft-label", text: model.name }),
      element("span", { class: "ft-note", "aria-hidden": "true", text: model.change }),
      element("span", { class: "visually-hidden", text: `, ${model.year}: ${model.change}` }),
    );
    listen(made, "click", signal, () => onChoose(model.name, false));
    return made;
  }

  onWidth(node, signal, (width) => {
    const notes = width >= NOTES.from;
    const { places, years, column, height } = treeLayout(models, width, notes);
    node.style.height = `${height}px`;
    setAttributes(sketch, { width, height, viewBox: `0 0 ${width} ${height}` });
    const every = Math.ceil(34 / column); // a year takes 32 pixels
    const family = new Map(order.map((model) => [model.name, model]));
    sketch.replaceChildren(
      ...years.flatMap(([year, x], i) => [
        svg("line", { class: "ft-year-line", x1: x, x2: x, y1: TREE.axis - 6, y2: height }),
        (years.length - 1 - i) % every && i
          ? ""
          : svg("text", { class: "ft-year", x: Math.max(x, 16), y: 14, "text-anchor": "middle", text: year }),
      ]),
      ...order
        .filter(({ parent }) => places.has(parent))
        .map(({ name, parent }) =>
          svg("path", {
            class: `ft-line ${family.get(name).branch}`,
            "data-from": parent,
            "data-to": name,
            d: lineage(places.get(parent), places.get(name)),
          }),
        ),
      ...order
        .filter(({ branch }) => branch === "root")
        .map(({ name }) => svg("path", { class: "ft-line root", d: stem(name, order, places) })),
    );
    const stems = [...places].map(([name, { x, row }]) => {
      const rows = order.filter(({ parent }) => parent === name).map((each) => places.get(each.name).row);
      return { x, first: row, last: Math.max(row, ...rows) };
    });
    const letters = getComputedStyle(node).fontFamily;
    for (const [name, made] of nodes) {
      const place = places.get(name);
      setAttributes(made, { style: { left: `${place.x - 6}px`, top: `${place.y - TREE.row / 2}px` } });
      const { parent, change } = family.get(name);
      const wide = [
        drawnWidth(name, `700 ${NOTES.name}px ${letters}`) + 2 * NOTES.pad, // bold once it is chosen
        drawnWidth(change, `${NOTES.note}px ${letters}`),
      ];
      const at = notes ? notePlace(place, places.get(parent), stems, width, ...wide) : null;
      const note = made.querySelector(".ft-note");
      note.hidden = at === null;
      note.style.left = `${at - place.x + 6}px`;
    }
    for (const { title, members } of groups) {
      if (members.length) title.style.top = `${places.get(members[0].name).y - TREE.row / 2 + 2}px`;
      title.hidden = !members.length || column < 36;
    }
    mark();
  });
  listen(node, "keydown", signal, (event) => {
    const at = order.findIndex(({ name }) => name === chosen);
    const to = {
      ArrowDown: order[at + 1]?.name,
      ArrowUp: order[at - 1]?.name,
      Home: order[0].name,
      End: order.at(-1).name,
      ArrowLeft: order[at].parent,
      ArrowRight: order.find(({ parent }) => parent === chosen)?.name,
    };
    if (!(event.key in to)) return;
    event.preventDefault();
    if (to[event.key]) onChoose(to[event.key], true);
  });

  // The chosen one and its line of parents.
  function mark() {
    const line = [];
    for (let name = chosen; name; name = order.find((model) => model.name === name)?.parent) line.push(name);
    for (const [name, made] of nodes) {
      setAttributes(made, {
        "aria-selected": String(name === chosen),
        "aria-level": depth.get(name),
        tabindex: name === chosen ? 0 : -1,
      });
      made.classList.toggle("parent", name === line[1]);
    }
    for (const path of sketch.querySelectorAll("path"))
      path.classList.toggle("ancestry", line.includes(path.getAttribute("data-to")));
  }
  const draw = (name) => {
    chosen = name;
    mark();
  };
  return { node, draw, focus: (name) => nodes.get(name).focus() };
}
