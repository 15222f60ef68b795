// What is said in each lane of the splitting into heads.

import { element, prose, word } from "../_kit/elements.js";
import { format } from "../_kit/format.js";
import { diverging, readableOn } from "../_kit/theme.js";
import { PLACES, TENSORS, TITLES } from "./layout.js";

const AXES = {
  flat: ["batch", "position", "d_model"],
  cut: ["batch", "position", "heads", "d_head"],
  heads: ["batch", "heads", "position", "d_head"],
};

// What is said of the followed number: its code, its index, and how it came about.
export function explanations(journey, lanes) {
  const { root, tokens, heads, d, positions, width, tensors, limits, state } = journey;
  const { numberAt, indexOf, rowName, home, origin, contextAt, shapeOf, piece } = journey;
  const signed = (value, digits = 2) => (value < 0 ? `(${format(value, digits)})` : format(value, digits));

  function codeOf(lane) {
    const right = [
      "hidden_states",
      "value = to_value(hidden_states)",
      `value = value.view(1, ${positions}, ${heads}, ${width})`,
      "value = value.transpose(1, 2)",
      "context = attention(query, key, value)",
      "context = context.transpose(1, 2)",
      `context = context.reshape(1, ${positions}, ${d})`,
      "output = to_output(context)",
    ];
    const wrong = {
      2: `value = value.view(1, ${heads}, ${positions}, ${width})`,
      3: "# no transpose: the shape fits already",
      5: "# no transpose",
      6: `context = context.view(1, ${positions}, ${d})`,
    };
    return lane === "wrong" && state.step in wrong ? wrong[state.step] : right[state.step];
  }

  function tell(lane) {
    const { position: p, feature: f } = state;
    const place = PLACES[lane][state.step];
    const name = TENSORS[state.step];
    const index = indexOf(lane, p, f);
    const value = numberAt(lane, p, f);
    const mixing = state.step === 7;
    const followed = (of, at, number) => [
      element("code", { text: `${of}[${at.join(", ")}]` }),
      " = ",
      element("span", { class: "number ht-number", text: format(number, 3) }),
    ];
    lanes[lane].code.textContent = codeOf(lane);
    lanes[lane].shape.textContent = `${name} (${shapeOf(place).join(", ")}) ${AXES[place].join(", ")}`;
    lanes[lane].stage.setAttribute(
      "aria-label",
      `${TITLES[lane]}: ${name}, shape ${shapeOf(place).join(", ")}. ${tokens[p]}, feature ${f} is at ` +
        `${index.join(", ")}: ${format(value, 3)}. Arrow keys choose another number.`,
    );
    lanes[lane].told.replaceChildren(
      mixing
        ? element(
            "div",
            {},
            element("code", { text: `output[0, ${p}, :]` }),
            " takes ",
            followed("context", [0, p, f], contextAt(lane, home[lane](p, f))),
          )
        : element("div", {}, followed(name, index, value)),
      ...explained(lane, home[lane](p, f)),
    );
  }

  function explained(lane, [head, row, i]) {
    const { position: p, feature: f } = state;
    const note = (...children) =>
      element(
        "p",
        { class: "note" },
        children.flatMap((child) => (typeof child === "string" ? prose(child) : [child])),
      );
    const others = [...new Set(Array.from({ length: positions }, (_, r) => origin.wrong(head, r)[0]))];
    const unseen = tokens.filter((_, t) => !others.includes(t));
    const wrongly = lane === "wrong";
    switch (state.step) {
      case 1: {
        const terms = Array.from(
          { length: d },
          (_, j) => tensors.hidden_states[p * d + j] * tensors.value_weight[j * d + f],
        );
        const total = terms.reduce((sum, term) => sum + term, 0);
        const bias = tensors.value[p * d + f] - total;
        return [
          note(
            `The ${d} numbers of the row times column ${f} of W_V, added up: ${terms
              .slice(0, 3)
              .map((term) => signed(term))
              .join(" + ")} + … = ${format(total)}${Math.abs(bias) > 1e-5 ? `, and the bias ${signed(bias)}` : ""}.`,
          ),
        ];
      }
      case 2:
        return [
          note(
            wrongly
              ? `In memory the number has place ${p} × ${d} + ${f} = ${p * d + f}. Heads now begin every ` +
                  `${positions} × ${width} = ${positions * width} places: it lands in head ${head}, row ${row}.`
              : `Feature ${f} = ${Math.floor(f / width)} × ${width} + ${f % width}: head ` +
                  `${Math.floor(f / width)}, its feature ${f % width}. Still the row of its word.`,
          ),
        ];
      case 3:
        return [
          note(
            wrongly
              ? `The rows of head ${head} are not words but pieces: *${piece(origin.wrong(head, 0))}* to ` +
                  `*${piece(origin.wrong(head, positions - 1))}*.`
              : `Head ${head} now has one row for every word, and nothing but its own ${width} features of each.`,
          ),
        ];
      case 4:
        return attended(
          lane,
          head,
          row,
          i,
          wrongly && unseen.length
            ? note(
                `Rows are pieces of ${others.map((t) => `“${tokens[t]}”`).join(", ")}; this head never meets ` +
                  `${unseen.map((token) => `“${token}”`).join(", ")}.`,
              )
            : null,
        );
      case 5:
        return [
          note(
            wrongly
              ? "Nothing to undo: the axes were never swapped."
              : `Row ${row} of head ${head} is row ${head} of position ${p} again.`,
          ),
        ];
      case 6:
        return [
          note(
            wrongly
              ? "Back at its own index, with the right shape: nothing complains. But it has been averaged with " +
                  "other features of the wrong words."
              : "Back where it started, at the same index, now with something of every word in it.",
          ),
        ];
      case 7:
        return mixed(lane, head, row, i);
      default:
        return [element("p", { class: "to-come", text: "Each step says here how it came by this number." })];
    }
  }

  // The sum behind one number of the context: weight × value of every row of its head.
  function attended(lane, head, row, i, more) {
    const { weights } = tensors[lane];
    const terms = Array.from({ length: positions }, (_, r) => {
      const [q, first] = origin[lane](head, r);
      return { r, weight: weights[(head * positions + row) * positions + r], value: tensors.value[q * d + first + i] };
    });
    return [
      remark(`Row ${rowName(lane, head, row)} of head ${head} attends to`),
      element(
        "table",
        { class: "ht-sum" },
        element(
          "tbody",
          {},
          terms.map(({ r, weight, value }) =>
            element(
              "tr",
              { class: r === row ? "own" : null },
              element("th", { scope: "row" }, word(rowName(lane, head, r))),
              element("td", { class: "weights", text: format(weight) }),
              element("td", { text: `× ${signed(value)}` }),
              element("td", { text: `= ${format(weight * value, 3)}` }),
            ),
          ),
        ),
      ),
      more,
    ].filter(Boolean);
  }

  // What the followed number adds to the output of its position, and how far the lanes are apart.
  function mixed(lane, head, row, i) {
    const number = contextAt(lane, [head, row, i]);
    const share = Array.from({ length: d }, (_, j) => number * tensors.output_weight[state.feature * d + j]);
    const roomy = lanes[lane].stage.clientWidth / d > 34;
    const apart = tensors.right.output.reduce(
      (most, value, at) => Math.max(most, Math.abs(value - tensors.wrong.output[at])),
      0,
    );
    return [
      remark(`times row ${state.feature} of W_O: its share in the ${d} outputs of “${tokens[state.position]}”`),
      element(
        "div",
        { class: "ht-share" },
        share.map((value) => {
          const background = diverging(root, value / limits.output);
          return element("span", {
            style: { background, color: readableOn(background) },
            text: format(value, roomy ? 2 : 1),
          });
        }),
      ),
      lane === "wrong"
        ? remark(`Same shape as the right output, other numbers: they differ by up to ${format(apart, 2)}.`)
        : null,
    ].filter(Boolean);
  }

  function remark(text) {
    return element("p", { class: "note", text });
  }
  return { tell };
}
