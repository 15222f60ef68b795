"""The logit lens as a table: what a decoder would say after each layer, at each position.

nostalgebraist 2020, "interpreting GPT: the logit lens" (LessWrong). The class knows no model: it is given `compute`, a
function from a text to `Readings`. Notebook 05.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.lab.street.vocabulary import Vocabulary
from anatomy_course.views._kit.base import buffer_trait, float_bytes
from anatomy_course.views._kit.checks import Whole, arrays_of, numbers, word_list
from anatomy_course.views._kit.request import Asking, usable_sentence
from anatomy_course.views._kit.token_text import spelling
from anatomy_utils.interpret.logit_lens import apply_logit_lens as read
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.tokenizer import Tokenizer

MOST_TOKENS = 24
FINAL = {"final_probabilities": "layer position", "final_ranks": "layer position"}
DEFAULT_LABEL = "Logit lens: what would it say after each layer?"


@dataclass(frozen=True)
class Readings:
    """A text and what the model would say after each layer; layer 0 is before the first one."""

    tokens: Sequence[str]
    top: Sequence[Sequence[Sequence[str]]]
    """(layer, position, most): the likeliest next tokens, likeliest first."""
    top_probabilities: Any
    """(layer, position, most)"""
    final_probabilities: Any
    """(layer, position): of what the model says in the end, after that layer."""
    final_ranks: Any
    """(layer, position): its rank, from 1."""


class LogitLens(Asking):
    """Layers × positions, the likeliest token in each cell; five of them, and the final token's curve, for one chosen.

    Args:
        compute: text → `Readings`. A `ValueError` it raises is shown as its one sentence.
        text: read at first.
        position: the token chosen at first; the last one when left out.

    Raises:
        ValueError: `compute` refuses the text, the readings do not fit together, or there are too many tokens.
    """

    text = traitlets.Unicode().tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    layers = traitlets.Int().tag(sync=True)
    """Rows of the table, the one before the first layer included."""
    most = traitlets.Int().tag(sync=True)
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Every token that is named somewhere, once."""
    top = buffer_trait()
    """Places in `words` (layer, position, most) as uint16."""
    probabilities = buffer_trait()
    """Theirs (layer, position, most) as float32."""
    final = buffer_trait()
    """Probability and rank of the final token (2, layer, position) as float32."""
    layer = Whole("layers").tag(sync=True)
    position = Whole("tokens").tag(sync=True)

    def __init__(
        self, compute: Callable[[str], Readings], text: str, *, position: int | None = None, label: str = DEFAULT_LABEL
    ) -> None:
        self._compute = compute
        told = {**self.answer({"text": text}), "text": text}
        told["position"] = told["position"] if position is None else position
        super().__init__(**told, label=label, question={"text": text})

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """The readings of another text."""
        text = usable_sentence(question.get("text"))
        traits = _traits(self._compute(text))
        return {**traits, "text": text, "layer": traits["layers"] - 1, "position": len(traits["tokens"]) - 1}

    def said(self, layer: int, position: int) -> list[tuple[str, float]]:
        """The likeliest tokens of a cell with their probabilities, as the browser has them."""
        shape = (self.layers, len(self.tokens), self.most)
        top = np.frombuffer(self.top, "<u2").reshape(shape)[layer, position]
        probabilities = np.frombuffer(self.probabilities, "<f4").reshape(shape)[layer, position]
        return [(self.words[i], float(p)) for i, p in zip(top, probabilities, strict=True)]

    def settled(self, position: int) -> int:
        """The layer from which on the final token is the likeliest, and stays it."""
        final = self.said(self.layers - 1, position)[0][0]
        layer = self.layers
        while layer and self.said(layer - 1, position)[0][0] == final:
            layer -= 1
        return layer

    def still_picture(self) -> Picture:
        """The probability of the final token after each layer, for the last positions."""
        count = len(self.tokens)
        curves = np.frombuffer(self.final, "<f4").reshape(2, self.layers, count)[0]
        shown = sorted({self.position, *range(max(0, count - 4), count)})
        finals = {place: self.said(self.layers - 1, place)[0][0] for place in shown}
        told = "; ".join(f"after “{self.tokens[p]}” “{finals[p]}” from layer {self.settled(p)} on" for p in shown)
        return plots.lines(
            np.arange(self.layers), {f"{self.tokens[p]} → {finals[p]} ({p})": curves[:, p] for p in shown},
            xlabel="layer (0: before the first)", ylabel="probability of the final token", title=self.label,
            limits=(0, 1.02),
            alt=f"Read after each of {self.layers - 1} layers, the final token is the likeliest: {told}.",
        )  # fmt: skip


def _traits(readings: Readings) -> dict[str, Any]:
    tokens = word_list(readings.tokens, "tokens", at_most=MOST_TOKENS)
    probabilities = numbers(
        readings.top_probabilities, "top_probabilities", "layer position most", position=len(tokens)
    )
    layers, positions, most = probabilities.shape
    rows = arrays_of(readings, FINAL, layer=layers, position=positions)
    named = np.array(readings.top, dtype=object)
    if named.shape != probabilities.shape:
        raise ValueError(
            f"top has shape {named.shape} and top_probabilities {probabilities.shape} for {len(tokens)} tokens; "
            "expected (layer, position, most) twice."
        )
    words = list(dict.fromkeys(named.ravel().tolist()))
    place = {each: i for i, each in enumerate(words)}
    return {
        "tokens": tokens, "layers": layers, "most": most, "words": words,
        "top": np.array([place[each] for each in named.ravel()], dtype="<u2").tobytes(),
        "probabilities": float_bytes(probabilities), "final": float_bytes(np.stack([*rows.values()])),
    }  # fmt: skip


def logit_lens(
    model: LanguageModel, words: Vocabulary | Tokenizer, text: str, *, position: int | None = None
) -> LogitLens:
    """What a decoder would say after each of its layers, for any text that the reader types.

    Args:
        model: any language model whose layers are tapped.
        words: the street's vocabulary, or the tokenizer of a published model.
        text, position: see `LogitLens`.
    """
    spell = spelling(words)

    def compute(typed: str) -> Readings:
        ids = spell.ids(typed)
        lens = read(model, torch.tensor([ids]))
        return Readings(
            [spell.word(i) for i in ids],
            [[[spell.word(i) for i in top] for top in layer] for layer in lens.top_ids.tolist()],
            lens.top_probabilities, lens.final_probabilities, lens.final_ranks,
        )  # fmt: skip

    return LogitLens(compute, text, position=position)
