// What the debugging lab shows of one patient: its loss, a head's weights, samples, probes, and where the same fault
// was met in public.

import { button } from "../_kit/controls.js";
import { limits, lineChart } from "../_kit/curves.js";
import { element, focusable, listen, prose, setAttributes, shorten, svg } from "../_kit/elements.js";
import { clamp, floats, format } from "../_kit/format.js";
import { onWidth } from "../_kit/life.js";
import { sequentialColor, theme } from "../_kit/theme.js";

export const PAGES = {
  loss: "Loss",
  attention: "Attention",
  samples: "Samples",
  probes: "Probes",
  public: "In public",
};
const CELL = { least: 12, most: 18 }; // pixels; a token's name is beside each row
const LABELS = 70; // room for a token beside a map and above it
const GAP = 14; // between the maps
const LAST_AT_ONCE = "cross"; // the last word of the prompt

// Two maps with their tokens, side by side or one below the other: {node, draw(values)}; values are
// (2, query, key), NaN where there is none.
function twoMaps(root, tokens, name, signal) {
  const size = tokens.length;
  const node = svg("svg", { class: "wd-maps", role: "img" });
  let [width, weights] = [460, null]; // until it is laid out

  function paint() {
    if (!weights || !theme(root)) return;
    const beside = Math.floor((width - LABELS - GAP - 2) / 2 / size);
    const stacked = beside < CELL.least;
    const cell = stacked ? Math.floor((width - LABELS - 2) / size) : beside;
    const fits = clamp(cell, 4, CELL.most);
    const side = size * fits;
    const after = LABELS + side + GAP;
    const places = [[LABELS, LABELS], stacked ? [LABELS, after] : [after, LABELS]];
    const across = tokens.flatMap((token, i) =>
      places
        .slice(0, stacked ? 1 : 2)
        .map(([left, top]) =>
          svg("text", {
            transform: `translate(${left + (i + 0.5) * fits + 4} ${top - 5}) rotate(-90)`,
            text: shorten(token, 7),
          }),
        ),
    );
    const down = tokens.flatMap((token, i) =>
      places
        .slice(0, stacked ? 2 : 1)
        .map(([left, top]) =>
          svg("text", { x: left - 5, y: top + (i + 0.5) * fits + 4, "text-anchor": "end", text: shorten(token, 7) }),
        ),
    );
    const cells = Array.from(weights, (value, i) => {
      const [map, query, key] = [Math.floor(i / size ** 2), Math.floor(i / size) % size, i % size];
      const [x, y] = [places[map][0] + key * fits, places[map][1] + query * fits];
      const told = `${tokens[query]} → ${tokens[key]}: ${Number.isNaN(value) ? "NaN" : format(value)}`;
      if (value === 0) return null;
      if (!Number.isNaN(value)) return tile(x, y, fits, { fill: sequentialColor(root, value) }, told);
      const [near, far] = [fits * 0.25, fits * 0.5];
      return svg(
        "g",
        {},
        tile(x, y, fits, { class: "wd-nan" }, told),
        svg("path", { class: "wd-cross", d: `M${x + near} ${y + near}l${far} ${far}m0 ${-far}l${-far} ${far}` }),
      );
    });
    const frames = places.map(([x, y]) => svg("rect", { class: "wd-frame", x, y, width: side, height: side }));
    const turn = (tokens.indexOf(LAST_AT_ONCE) + 1) * fits; // above it all is read at once
    const turns = turn
      ? places.map(([x, y]) => svg("path", { class: "wd-turn", d: `M${x - 4} ${y + turn}H${x + side}` }))
      : [];
    node.replaceChildren(...cells.filter(Boolean), ...across, ...down, ...frames, ...turns);
    node.style.height = `${LABELS + side + 2 + (stacked ? GAP + side : 0)}px`;
    const nan = Array.from(weights.subarray(0, size ** 2)).filter(Number.isNaN).length;
    const [first, second] = stacked ? ["above", "below"] : ["on the left", "on the right"];
    node.setAttribute(
      "aria-label",
      `Attention weights, ${size} queries by ${size} keys: ${name} ${first}, the healthy twin ${second}. ` +
        `${nan ? `${nan} of ${name}'s weights are NaN.` : "All are numbers."}`,
    );
  }

  onWidth(node, signal, (wide) => {
    width = wide;
    paint();
  });
  const draw = (values) => {
    weights = values;
    paint();
  };
  return { node, draw };
}

function tile(x, y, size, look, told) {
  return svg("rect", { x, y, width: size, height: size, ...look }, svg("title", { text: told }));
}

// The loss of the patient and of its twin.
function lossPage(bed, twin) {
  const curve = lineChart({ height: 322, xLabel: "step of training", yLabel: "loss" });
  const points = (loss) => loss.map((y, i) => [i + 1, y]);
  curve.draw(
    [
      { points: points(bed.loss), class: "wd-patient" },
      { points: points(twin.loss), class: "wd-twin" },
    ],
    {
      x: [0, bed.loss.length],
      y: [0, limits([...bed.loss, ...twin.loss])[1] * 1.04],
      told:
        `Loss over ${bed.loss.length} steps. ${bed.name} ends at ${format(bed.ends)}, the healthy twin ` +
        `at ${format(twin.ends)}.`,
    },
  );
  const sample = (look) =>
    svg(
      "svg",
      { class: "line-chart wd-sample", viewBox: "0 0 26 10", "aria-hidden": "true" },
      svg("path", { class: `line ${look}`, d: "M1 5H25" }),
    );
  const names = { "wd-patient": bed.name, "wd-twin": "healthy twin" };
  return element(
    "div",
    {},
    curve.node,
    element(
      "div",
      { class: "wd-legend" },
      Object.entries(names).map(([look, text]) => element("span", {}, sample(look), text)),
    ),
    element(
      "p",
      { class: "note" },
      `Training ends at ${format(bed.ends)}, the twin's at ${format(twin.ends)} (mean of the last 20 steps). ` +
        "The team reports a test loss of ",
      element("b", { class: "number", text: format(bed.test_loss) }),
      `; the twin's is ${format(twin.test_loss)}.`,
    ),
  );
}

// Each beginning with what the patient and the twin make of it: {node, show(texts)}.
function samplesPage(bed, twin, write) {
  const list = element("ul", { class: "wd-texts" });
  const rest = (text) => text?.split(" |").slice(1).join(" |") ?? "";
  const made = (who, text, look) =>
    element("div", { class: look }, element("span", { class: "wd-who", text: `${who}:` }), rest(text));
  const show = (texts) =>
    list.replaceChildren(
      ...texts.map((text, i) =>
        element(
          "li",
          {},
          element("div", { class: "wd-prompt", text: `${text.split(" |")[0]} …` }),
          made(bed.name, text, "wd-own"),
          made("twin", twin.samples[i], "wd-theirs"),
        ),
      ),
    );
  const top = element(
    "div",
    { class: "row" },
    element("span", { class: "caption", text: "Five beginnings, answered in one batch" }),
    write,
  );
  return { node: element("div", {}, top, list), show };
}

// The probes as a table, what the last one asked and found, and what cured the patient: {node, show(found, cured)}.
function probesPage({ bed, probes, signal, run }) {
  const told = element("p", { class: "wd-told" });
  let last = probes[0].name;
  let findings = {};
  const tell = (probe) => {
    last = probe;
    const { question } = probes.find(({ name }) => name === probe);
    told.replaceChildren(element("b", { text: `${probe}: ` }), question);
    if (findings[probe]) told.append(" ", element("span", { class: "wd-found", text: findings[probe].sentence }));
  };
  const rows = probes.map(({ name, question }) => {
    const go = button({ label: name, title: question, signal, onClick: () => run(name) });
    go.classList.add("wd-asks");
    listen(go, ["focus", "pointerenter"], signal, () => tell(name));
    const cells = ["wd-value", "wd-value", "wd-value"].map((css) => element("td", { class: css }));
    return { name, cells, node: element("tr", {}, element("th", { scope: "row" }, go), cells) };
  });
  const heads = ["probe", bed.name, "twin", "cured"].map((text) => element("th", { scope: "col", text }));
  const table = element(
    "table",
    { class: "wd-probes" },
    element("thead", {}, element("tr", {}, heads)),
    element(
      "tbody",
      {},
      rows.map(({ node }) => node),
    ),
  );
  const mended = element("p", { class: "wd-cured" });
  const show = (found, then) => {
    findings = found;
    const well = Object.keys(then).length > 0;
    for (const { name, cells } of rows) {
      mark(cells[0], found[name]);
      cells[1].textContent = found[name]?.healthy ?? then[name]?.healthy ?? "";
      mark(cells[2], then[name]);
      cells[2].hidden = !well;
    }
    heads.at(-1).hidden = !well;
    mended.replaceChildren(...(well ? prose(bed.cured_by) : []));
    tell(last);
  };
  const node = element(
    "div",
    {},
    element("div", { class: "scroll", ...focusable({ role: "region", "aria-label": "Table of probes" }) }, table),
    told,
    mended,
  );
  return { node, show };
}

function mark(cell, result) {
  cell.className = result ? `wd-value ${result.passed ? "ok" : "wrong"}` : "wd-value";
  setAttributes(cell, { title: result?.sentence ?? null });
  const health = () =>
    element("span", { class: "visually-hidden", text: result.passed ? ", healthy" : ", not healthy" });
  cell.replaceChildren(...(result ? [result.shown, health()] : []));
}

// The pages of one bed: {nodes, draw(), life}; `life` ends their listeners.
export function bedPages({ root, model, signal, bed: place, send }) {
  const bed = model.get("beds")[place];
  const twin = model.get("twin");
  const life = new AbortController();
  signal.addEventListener("abort", () => life.abort(), { signal: life.signal });
  const write = button({ label: "Write again", signal: life.signal, onClick: () => send({ do: "write" }) });
  write.classList.add("wd-asks", "wd-write");

  const maps = twoMaps(root, bed.tokens, bed.name, life.signal);
  const samples = samplesPage(bed, twin, write);
  const probes = probesPage({
    bed,
    probes: model.get("probes"),
    signal: life.signal,
    run: (probe) => send({ do: "probe", probe }),
  });
  const { text, address, says } = bed.report;
  const link = element("a", focusable({ href: address, target: "_blank", rel: "noopener", tabindex: null, text }));
  const nodes = {
    loss: lossPage(bed, twin),
    attention: element(
      "div",
      {},
      element("span", { class: "caption", text: `${bed.head}: ${bed.name}, then the healthy twin` }),
      maps.node,
      element("p", {
        class: "note",
        text:
          `Rows are queries, columns are keys. The words up to “${LAST_AT_ONCE}”, above the dashed line, are read at ` +
          "once, in a batch with a longer prompt; the others follow one at a time. A cross is NaN: not a number.",
      }),
    ),
    samples: samples.node,
    probes: probes.node,
    public: element(
      "div",
      { class: "wd-known" },
      element("p", { class: "caption", text: "The same fault, met in public" }),
      element("p", {}, link),
      element("p", {}, prose(says)),
    ),
  };
  const draw = () => {
    maps.draw(floats(model.get("maps")[place]));
    samples.show(model.get("samples")[place]);
    probes.show(model.get("findings")[place], model.get("cures")[place]);
  };
  return { nodes, draw, life };
}
