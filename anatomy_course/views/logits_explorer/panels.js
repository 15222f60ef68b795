// What the logits explorer shows: the tokens that may come next, and the dot product behind one of them.

import { element, focusable, listen, setAttributes, shorten, svg, uniqueId, word } from "../_kit/elements.js";
import { clamp, format, grouped } from "../_kit/format.js";
import { change } from "../_kit/life.js";
import { spokenAs } from "../_kit/spoken.js";
import { canvas, diverging, theme } from "../_kit/theme.js";

const SHOWN = 10; // tokens with a row of their own
const ROW = 22; // a row's height
const CELL = 4.5; // a vector's cell is at least so wide
const BYTE = 127;

// Temperature, then top-k, then top-p, over entries {logit, count} with the largest logit first; a count above 1
// stands for a group of tokens. Returns each entry's probability before and after, its share of what top-k left, and
// how many tokens are kept of it.
function distribution(entries, temperature, topK, topP) {
  const largest = entries[0].logit / temperature;
  const each = entries.map(({ logit }) => Math.exp(logit / temperature - largest));
  const total = each.reduce((sum, mass, i) => sum + mass * entries[i].count, 0);
  let rank = 0;
  let last = largest;
  const kept = entries.map(({ logit, count }, i) => {
    each[i] /= total;
    const left = topK ? clamp(topK - rank, 0, count) : count;
    rank += count;
    if (left > 0) last = logit;
    return left || (count === 1 && logit === last ? 1 : 0); // those that tie with the last stay too
  });
  const left = each.reduce((sum, mass, i) => sum + mass * kept[i], 0);
  const share = each.map((mass, i) => (mass * kept[i]) / left);
  if (topP < 1) {
    let below = 0; // from the least likely up: what can go is what adds up to 1 − p or less
    for (let i = entries.length - 1; i >= 0; i -= 1) {
      const gone = share[i] ? Math.floor(((1 - topP - below) * kept[i]) / share[i] + 1e-9) : kept[i];
      below += share[i];
      kept[i] -= clamp(gone, 0, kept[i]);
    }
    kept[0] = Math.max(kept[0], 1);
  }
  const sum = each.reduce((so, mass, i) => so + mass * kept[i], 0);
  return {
    before: each.map((mass, i) => mass * entries[i].count),
    after: each.map((mass, i) => (mass * kept[i]) / sum),
    share,
    kept,
  };
}

// 0.1234 as "12.3 %"; what is small keeps its digits.
function finePercent(part) {
  const hundred = part * 100;
  if (hundred === 0) return "0 %";
  return hundred < 0.001 ? "<0.001 %" : `${format(hundred, hundred < 0.1 ? 3 : hundred < 1 ? 2 : 1)} %`;
}

// The tokens that may come next, with what is left of their probability.
export function distributionPanel({
  model,
  signal,
  truths,
  known,
  at,
  logits,
  groupSizes,
  groupLogits,
  tokens,
  names,
  vocab,
  nameOf,
}) {
  // ---------------------------------------------------------------- the distribution
  const title = element("div", { class: "le-title" });
  const list = element("div", focusable({ class: "le-rows", role: "listbox", "aria-label": "Next token" }));
  const line = svg("svg", { class: "le-line", "aria-hidden": "true", preserveAspectRatio: "none" });
  const other = element("div", { class: "le-other" });
  const verdict = element("p", { class: "note le-verdict" });

  function shownRanks() {
    const ranks = Array.from({ length: Math.min(SHOWN, known) }, (_, i) => i);
    const truth = truths[at()];
    return truth.rank >= ranks.length ? [...ranks, truth.rank] : ranks;
  }

  function entriesAt(position) {
    const single = Array.from({ length: known }, (_, i) => ({ logit: logits[position * known + i], count: 1 }));
    return [
      ...single,
      ...groupSizes.map((count, i) => ({ logit: groupLogits[position * groupSizes.length + i], count })),
    ];
  }

  function drawDistribution() {
    const position = at(),
      truth = truths[position];
    const [t, k, p] = ["temperature", "top_k", "top_p"].map((name) => model.get(name));
    const entries = entriesAt(position);
    const found = distribution(entries, t, k, p);
    const keptInAll = found.kept.reduce((sum, count) => sum + count, 0);
    const ranks = shownRanks();
    const chosen = ranks.includes(model.get("token")) ? model.get("token") : 0;
    const first = Math.min(SHOWN, known);
    const rows = ranks.map((rank) => {
      const logit = rank === truth.rank ? truth.logit : entries[rank].logit;
      const before = rank < known ? found.before[rank] : found.before[0] * Math.exp((logit - entries[0].logit) / t);
      const kept = rank < known ? found.kept[rank] > 0 : rank < keptInAll;
      return {
        rank,
        name: names[nameOf(position, rank)],
        logit,
        before,
        kept,
        after: kept ? (before * found.after[0]) / found.before[0] : 0,
        truth: rank === truth.rank,
      };
    });
    const sumOf = (values, which) =>
      rows.reduce(
        (sum, row) => sum - which(row),
        values.reduce((a, b) => a + b, 0),
      );
    const rest = {
      before: Math.max(
        0,
        sumOf(found.before, (row) => row.before),
      ),
      after: Math.max(
        0,
        sumOf(found.after, (row) => row.after),
      ),
      count: vocab - rows.length,
      kept: Math.max(0, keptInAll - rows.filter((row) => row.kept).length),
    };
    const filtered = k > 0 || p < 1;
    const top = Math.max(...rows.map((row) => Math.max(row.before, row.after))) || 1;
    const bar = (part, css) =>
      element("i", {
        class: part > top * 1.001 ? `${css} le-torn` : css,
        style: { width: `${Math.min(1, part / top) * 100}%` },
      });
    const bars = ({ before, after, kept }) =>
      element(
        "span",
        { class: "le-bars", "aria-hidden": "true" },
        bar(before, kept ? "le-before" : "masked-cell le-gone"),
        filtered && kept ? bar(after, "le-after") : null,
      );
    const cells = (row, name) => [
      element("span", { class: "le-rank", text: row.rank === undefined ? "" : `${grouped(row.rank + 1)}.` }),
      name,
      element("span", { class: "number le-logit", text: row.logit === undefined ? "" : format(row.logit) }),
      bars(row),
      element("span", { class: "number", text: finePercent(row.before) }),
      element("span", { class: "number le-now", text: filtered ? (row.kept ? finePercent(row.after) : "out") : "" }),
    ];
    const head = element(
      "div",
      { class: "le-row le-head", "aria-hidden": "true" },
      ["", "token", "logit", "", `softmax, T = ${format(t)}`, filtered ? "after filters" : ""].map((text) =>
        element("span", { text }),
      ),
    );
    list.replaceChildren(
      head,
      ...rows.map((row) => {
        const left = row.kept ? `, after the filters ${finePercent(row.after)}` : ", ruled out";
        const spoken =
          `${row.name}: logit ${format(row.logit)}, probability ${finePercent(row.before)}` +
          `${filtered ? left : ""}${row.truth ? ", came next" : ""}`;
        const node = element(
          "div",
          {
            class: "le-row le-token",
            role: "option",
            id: uniqueId("next"),
            "aria-selected": String(row.rank === chosen),
          },
          cells(
            row,
            element(
              "span",
              { class: "le-name" },
              word(shorten(row.name, 16)),
              row.truth ? element("span", { class: "le-truth" }, element("span", { text: "came next" })) : null,
            ),
          ),
        );
        node.classList.toggle("le-out", !row.kept);
        listen(node, "click", signal, () => change(model, { token: row.rank }));
        if (row.rank === chosen) list.setAttribute("aria-activedescendant", node.id);
        return spokenAs(node, spoken);
      }),
    );
    // A row stays free for the token that came next, so that nothing moves where it is among the first.
    if (truth.rank === undefined || truth.rank < first)
      list.append(element("div", { class: "le-row", "aria-hidden": "true" }));
    const othersKept =
      !filtered || rest.kept === rest.count
        ? ""
        : rest.kept
          ? `, ${keptInAll > known ? "about " : ""}${grouped(Math.round(rest.kept))} kept`
          : ", all ruled out";
    const otherRow = { before: rest.before, after: rest.after, kept: rest.kept > 0 };
    other.replaceChildren(
      element(
        "div",
        { class: "le-row" },
        cells(
          otherRow,
          element("span", { class: "le-name le-rest", text: `all other ${grouped(rest.count)} tokens${othersKept}` }),
        ),
      ),
    );
    other.classList.toggle("le-out", !otherRow.kept);
    drawLine(found.share.slice(0, first), p);
    const place = truth.rank ? `${grouped(truth.rank + 1)}${ordinal(truth.rank + 1)} ` : "";
    title.replaceChildren(
      "What may come after ",
      word(tokens[position]),
      truth.rank === undefined ? "" : `, where the ${place}likeliest token really came`,
    );
    verdict.textContent = filtered
      ? `${keptInAll > known ? "About " : ""}${grouped(Math.round(keptInAll))} of ${grouped(vocab)} tokens stay. ` +
        "Together they had " +
        `${finePercent(found.before.reduce((sum, mass, i) => sum + (mass * found.kept[i]) / entries[i].count, 0))}; ` +
        "divided by that, they have 100 %."
      : `All ${grouped(vocab)} tokens stay; their probabilities sum to 100 %.`;
    return rows.find((row) => row.rank === chosen);
  }

  // The running sum of the probabilities that top-k left, from the likeliest down, and where top-p cuts it.
  function drawLine(share, p) {
    const height = share.length * ROW;
    let sum = 0;
    const points = share.map((part, i) => {
      sum += part;
      return `${(sum * 100).toFixed(2)},${(i + 0.5) * ROW}`;
    });
    setAttributes(line, { viewBox: `0 0 100 ${height}`, style: { height: `${height}px` } });
    line.replaceChildren(
      svg("rect", { class: "le-frame", x: 0, y: 0, width: 100, height, "vector-effect": "non-scaling-stroke" }),
      svg("polyline", { class: "le-sum", points: points.join(" "), "vector-effect": "non-scaling-stroke" }),
      p < 1
        ? svg("line", {
            class: "le-cut",
            x1: p * 100,
            x2: p * 100,
            y1: 0,
            y2: height,
            "vector-effect": "non-scaling-stroke",
          })
        : "",
    );
    sumHead.replaceChildren(
      element("span", { text: "running sum" }),
      element("span", { text: p < 1 ? `cut at ${format(p)}` : "from 0 to 1" }),
    );
  }
  const sumHead = element("div", { class: "le-sumhead", "aria-hidden": "true" });
  return { list, line, title, other, verdict, shownRanks, sumHead, drawDistribution };
}

// The state and the row of the table that are multiplied: {dot, drawDot()}.
export function dotProduct({ root, model, d, tokens, states, rowBytes, rowLimit, at, nameOf }) {
  // ---------------------------------------------------------------- one logit as a dot product
  const strip = () => {
    const drawn = canvas({ role: "img" });
    const caption = element("div", { class: "le-caption" });
    return { drawn, caption, node: element("div", { class: "le-strip" }, caption, drawn.node) };
  };
  const strips = { state: strip(), row: strip(), products: strip() };
  const dot = element(
    "section",
    { class: "panel le-dot", "aria-label": "One logit" },
    Object.values(strips).map(({ node }) => node),
  );

  // ---------------------------------------------------------------- the dot product
  let dotDrawn = "",
    dotWide = 640; // out of view it has no width, and keeps the one it had

  function drawVector({ drawn, caption }, values, said, name) {
    const width = Math.max(120, dotWide - 24);
    const across = Math.min(d, Math.floor(width / CELL / 96) * 96 || 48),
      down = Math.ceil(d / across);
    const [wide, high] = [width / across, down > 1 ? 8 : 18];
    const limit = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    drawn.resize(width, down * high);
    for (let i = 0; i < d; i += 1) {
      drawn.context.fillStyle = diverging(root, values[i] / limit);
      drawn.context.fillRect(
        (i % across) * wide,
        Math.floor(i / across) * high,
        Math.max(wide - (wide > 4 ? 1 : 0), 1),
        high - 1,
      );
    }
    caption.replaceChildren(
      ...said,
      element("span", { class: "shape", text: ` (${d},), from −${format(limit)} (brown) to ${format(limit)} (teal)` }),
    );
    drawn.node.setAttribute("aria-label", name);
  }

  function drawDot(row) {
    const position = at();
    dotWide = dot.clientWidth || dotWide;
    const drawing = `${position} ${row.rank} ${dotWide} ${theme(root)}`;
    if (drawing === dotDrawn) return; // a slider leaves it as it is
    dotDrawn = drawing;
    const place = nameOf(position, row.rank);
    const state = states.subarray(position * d, (position + 1) * d);
    const vector = Float32Array.from(
      rowBytes.subarray(place * d, (place + 1) * d),
      (value) => (value / BYTE) * rowLimit,
    );
    drawVector(
      strips.state,
      state,
      ["hidden state after ", word(shorten(tokens[position], 16))],
      `Hidden state after ${tokens[position]}, ${d} numbers`,
    );
    drawVector(
      strips.row,
      vector,
      [
        "× row of ",
        word(shorten(row.name, 16)),
        model.get("tied") ? " in the token table, which is the embeddings' own" : " in the token table",
      ],
      `Row of ${row.name} in the token table, ${d} numbers`,
    );
    drawVector(
      strips.products,
      state.map((value, i) => value * vector[i]),
      ["= products; their sum is the logit: ", element("b", { class: "number", text: format(row.logit) })],
      `Products, whose sum is the logit ${format(row.logit)}`,
    );
  }
  return { dot, drawDot };
}

function ordinal(number) {
  if (number % 100 >= 11 && number % 100 <= 13) return "th";
  return { 1: "st", 2: "nd", 3: "rd" }[number % 10] ?? "th";
}
