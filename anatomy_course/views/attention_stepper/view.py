"""The attention stepper: one head's six steps on a sentence the learner types, with the model's real numbers.

The class knows no model. It is given `compute`, a function from a sentence to `Steps`; everything else (the steps, the
choice of the query word, the arithmetic shown) happens in the browser.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import buffer_trait, float_bytes
from anatomy_course.views._kit.checks import OneOf, Whole, arrays_of, numbers, word_list
from anatomy_course.views._kit.request import Asking, usable_sentence
from anatomy_course.views.attention_viewer.view import first_word, last_word
from anatomy_utils.interpret import activations
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.zoo.tokenizer import Tokenizer

MOST_TOKENS = 32
TENSORS = {
    "hidden": "position d_model",
    "query": "position d_head",
    "key": "position d_head",
    "value": "position d_value",
    "scores": "query key",
    "weights": "query key",
    "context": "position d_value",
}
STEPPER_TOKENS = 24
"""More tokens than this do not fit beside each other in the stepper's drawings."""


@dataclass(frozen=True)
class Steps:
    """One attention head's tensors on one sentence, arrays or tensors with the axes in `TENSORS`."""

    tokens: Sequence[str]
    hidden: Any
    """What the layer reads."""
    query: Any
    key: Any
    value: Any
    scores: Any
    """Scaled: query · key / √d_head."""
    weights: Any
    """The softmax of the scores: rows sum to 1."""
    context: Any
    """The weighted sums of the values."""

    @classmethod
    def of(cls, tokens: Sequence[str], hidden: Any, query: Any, key: Any, value: Any) -> Steps:
        """The steps from the projections on, worked out in NumPy: (Vaswani et al. 2017, eq. 1, arXiv:1706.03762)."""
        given = {"query": query, "key": key, "value": value}
        q, k, v = (numbers(part, name, TENSORS[name]) for name, part in given.items())
        scores = q @ k.T / np.sqrt(q.shape[1])
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        return cls(tokens, hidden, q, k, v, scores, weights, weights @ v)


def _traits(steps: Steps) -> dict[str, Any]:
    """What the page needs to know of some steps, or one sentence saying what does not fit."""
    tokens = word_list(steps.tokens, "tokens", at_most=MOST_TOKENS)
    arrays = arrays_of(steps, TENSORS, **dict.fromkeys(("position", "query", "key"), len(tokens)))
    shapes = {name: list(array.shape) for name, array in arrays.items()}
    return {"tokens": tokens, "shapes": shapes, "tensors": b"".join(map(float_bytes, arrays.values()))}


class AttentionStepper(Asking):
    """Six steps of attention, one word or all words at a time: project, score, scale, softmax, weigh, sum.

    Args:
        compute: sentence → `Steps`. A `ValueError` it raises is shown as its one sentence, and the old picture stays.
        sentence: the first sentence.
        query: position of the first query word; the last word of the sentence if None.
        step: the first step shown, 1 to 6.
        level: "word" shows one query word, "matrix" all words at once.

    Raises:
        ValueError: `compute` refuses the first sentence, or an argument is out of range.
    """

    drawn_height = 686
    sentence = traitlets.Unicode().tag(sync=True)
    """The sentence whose numbers are shown."""
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    shapes = traitlets.Dict().tag(sync=True)
    tensors = buffer_trait()
    """The tensors of `Steps` one after the other, as float32."""
    query = Whole("tokens").tag(sync=True)
    step = Whole(6, low=1).tag(sync=True)
    level = OneOf("word matrix").tag(sync=True)

    def __init__(
        self,
        compute: Callable[[str], Steps],
        sentence: str = "The animal didn't cross the street because it was too tired.",
        *,
        query: int | None = None,
        step: int = 1,
        level: str = "word",
        label: str = "Attention, step by step",
    ) -> None:
        if not isinstance(sentence, str):
            raise ValueError(f"The sentence is a {type(sentence).__name__}; give one string.")
        self._compute = compute
        told = _traits(compute(sentence))
        query = last_word(told["tokens"]) if query is None else query
        super().__init__(
            **told, sentence=sentence, query=query, step=step, level=level, label=label, question={"sentence": sentence}
        )

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """The steps of another sentence, for the word that was chosen where the new sentence has it."""
        sentence = usable_sentence(question.get("sentence"))
        told = _traits(self._compute(sentence))
        tokens, chosen = told["tokens"], self.tokens[self.query]
        if tokens[self.query : self.query + 1] == [chosen]:  # of a word that comes twice, the one at the same place
            query = self.query
        else:
            query = tokens.index(chosen) if chosen in tokens else first_word(tokens)
        return {**told, "sentence": sentence, "query": query}

    @property
    def steps(self) -> dict[str, np.ndarray]:
        """The tensors shown, by name, as the browser has them."""
        flat = np.frombuffer(self.tensors, "<f4")
        cuts = np.cumsum([int(np.prod(self.shapes[name])) for name in TENSORS])[:-1]
        parts = np.split(flat, cuts)
        return {name: part.reshape(self.shapes[name]) for name, part in zip(TENSORS, parts, strict=True)}

    def still_picture(self) -> Picture:
        """All six steps for the query word."""
        return plots.word_steps(
            self.tokens, self.steps, self.query,
            title=f"{self.label}: the word “{self.tokens[self.query]}”",
        )  # fmt: skip


def attention_stepper(
    encoder: Encoder, tokenizer: Tokenizer, sentence: str, *, layer: int = 0, head: int = 0, word: str = ""
) -> AttentionStepper:
    """The six steps of one head of an encoder, on any sentence that the reader types, at first for `word`."""

    def compute(text: str) -> Steps:
        tokens, seen = activations.read_activations(encoder, tokenizer, text)
        if len(tokens) > STEPPER_TOKENS:
            raise ValueError(
                f"That makes {len(tokens)} tokens; the drawing has room for {STEPPER_TOKENS}: shorten the sentence."
            )
        before = seen["embeddings.output"] if layer == 0 else seen[f"layers.{layer - 1}.output"]
        path = f"layers.{layer}.self_attention"
        query, key, value, scores, weights = (
            seen[f"{path}.{name}"][0, head] for name in ("query", "key", "value", "scores", "weights")
        )
        return Steps(tokens, before[0], query, key, value, scores, weights, context=weights @ value)

    tokens = compute(sentence).tokens
    return AttentionStepper(compute, sentence=sentence, query=tokens.index(word) if word in tokens else None)
