"""The translator: a sentence is typed and written in the other language, word by word, with its alignment drawn.

Each written word shows where cross-attention looked in the source, and the likeliest rivals. One adjective can be
swapped for another that turns *it* to the other noun, and the words that change are marked. Notebook 05. The widget
knows no model: it is given `compute`, a function from a sentence to a `Translation`; what is computed already can be
read in the browser without a kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets

from anatomy_course.views._kit.base import buffer_trait, numbers, weight_bytes, word_list
from anatomy_course.views._kit.request import Asking, usable_sentence

if TYPE_CHECKING:
    import numpy.typing as npt

    from anatomy_course.figures.picture import Picture

MOST_WORDS = 32
MEAN = -1
"""The head that stands for the mean of all heads."""
END = "<eos>"
DEFAULT_LABEL = "A translator at work"


@dataclass(frozen=True)
class Translation:
    """What a model makes of one sentence."""

    source: Sequence[str]
    """The words that the encoder read; the first one says which language to write."""
    written: Sequence[str]
    """The words that the decoder wrote; the last one is "<eos>" unless it was cut off."""
    candidates: Sequence[Sequence[tuple[str, Any]]]
    """For each written word the likeliest words at its place, each with its probability."""
    weights: Any
    """(layer, head, written, source): where cross-attention looked when it wrote each word."""
    text: str
    """What was written, as a sentence."""
    direction: str = ""
    """From which language into which."""
    accepted: Sequence[str] = ()
    """The right translations; none where nobody can say."""
    remark: str = ""
    """What is odd about the sentence itself."""
    correction: str = ""
    """A sentence that may have been meant instead."""
    swaps: Sequence[tuple[str, str]] = ()
    """Reasons that turn *it* to the other noun, each with the sentence in which it replaces the reason."""
    reason: int | None = None
    """Which source word is the reason."""
    pronouns: Sequence[int] = ()
    """Which written words are pronouns."""


class UnknownWords(ValueError):  # noqa: N818
    """A sentence with words that the model has never seen.

    Attributes:
        nearest: unknown word → [(known word, the sentence with it instead)], nearest first.
        readable: the nearest sentence of known words alone, or "".
    """

    def __init__(self, sentence: str, nearest: Mapping[str, Sequence[tuple[str, str]]], readable: str = "") -> None:
        super().__init__(sentence)
        self.nearest, self.readable = nearest, readable


class Translator(
    Asking,
    module="translator/view.js",
    shares=("_kit/request.js", "_kit/tokens.js", "translator/drawing.js", "translator/comparisons.js"),
):
    """Type a sentence, have it translated word by word, see each word's alignment and rivals, swap the reason.

    Args:
        compute: sentence → `Translation`. Of a `ValueError` that it raises the sentence is shown; an `UnknownWords`
            also offers known words.
        sentence: the first sentence.
        examples: sentences to pick from.
        known: language → kind of words → the words that may be used.
        layer: whose cross-attention is drawn at first, from 0; the last one if None.
        head: which of its heads, from 0; their mean if None.
        written: how many words are written at first, or "all".
        label: heading and accessible name.

    Raises:
        ValueError: `compute` refuses the first sentence, or an argument is out of range.
    """

    sentence = traitlets.Unicode().tag(sync=True)
    """The sentence that was translated last."""
    direction = traitlets.Unicode().tag(sync=True)
    examples = traitlets.List(traitlets.Unicode()).tag(sync=True)
    known = traitlets.Dict().tag(sync=True)
    source = traitlets.List(traitlets.Unicode()).tag(sync=True)
    written = traitlets.List(traitlets.Unicode()).tag(sync=True)
    text = traitlets.Unicode().tag(sync=True)
    candidates = traitlets.List().tag(sync=True)
    """[{word, probability}] for each written word, likeliest first."""
    weights = buffer_trait()
    """(layer, head, written, source), one byte each."""
    shape = traitlets.List(traitlets.Int()).tag(sync=True)
    """Of `weights`."""
    verdict = traitlets.Dict().tag(sync=True)
    """`right` (true, false or none) and `told`, a sentence about the whole translation."""
    remark = traitlets.Unicode().tag(sync=True)
    correction = traitlets.Unicode().tag(sync=True)
    swaps = traitlets.List().tag(sync=True)
    """[{reason, sentence}]."""
    reason = traitlets.Int(-1).tag(sync=True)
    pronouns = traitlets.List(traitlets.Int()).tag(sync=True)
    before = traitlets.Dict().tag(sync=True)
    """After a swap: `source` and `written` of before it, and the places of the words that changed, in either
    (`gone_source`, `gone`) and in the new ones (`new_source`, `new`); else empty."""
    refused = traitlets.List().tag(sync=True)
    """[{word, nearest: [{word, sentence}]}] of the unknown words of the sentence asked for last."""
    refusal = traitlets.Unicode().tag(sync=True)
    readable = traitlets.Unicode().tag(sync=True)
    """After a refusal the nearest sentence that can be read, or ""."""
    revealed = traitlets.Int(0, min=0).tag(sync=True)
    """How many written words are shown."""
    current = traitlets.Int(0, min=0).tag(sync=True)
    """The written word whose alignment and rivals are shown."""
    layer = traitlets.Int(0, min=0).tag(sync=True)
    head = traitlets.Int(MEAN, min=MEAN).tag(sync=True)
    view = traitlets.Enum(["lines", "matrix"], "lines").tag(sync=True)

    def __init__(
        self,
        compute: Callable[[str], Translation],
        sentence: str = "The animal didn't cross the street because it was too tired.",
        *,
        examples: Sequence[str] = (),
        known: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
        layer: int | None = None,
        head: int | None = None,
        written: int | str = "all",
        label: str = DEFAULT_LABEL,
    ) -> None:
        self._compute = compute
        first = _traits(compute(usable_sentence(sentence)))
        layers, heads, count, _ = first["shape"]
        layer = layers - 1 if layer is None else layer
        head = MEAN if head is None else head
        for name, given, allowed in (("layer", layer, range(layers)), ("head", head, range(MEAN, heads))):
            if given not in allowed:
                raise ValueError(f"{name}={given} was asked for; choose from 0 to {allowed[-1]}.")
        revealed = count if written == "all" else written
        if not isinstance(revealed, int) or not 0 <= revealed <= count:
            raise ValueError(f"written is {written!r}; expected 0 to {count}, the words of this translation, or 'all'.")
        super().__init__(
            **first, sentence=sentence, examples=list(examples), layer=layer, head=head, revealed=revealed,
            current=_place_of_pronoun(first) if revealed == count else max(revealed - 1, 0), label=label,
            question={"sentence": sentence, "swap": False},
            known={language: {kind: list(words) for kind, words in kinds.items()}
                   for language, kinds in (known or {}).items()},
        )  # fmt: skip

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """The translation of another sentence; `swap` says that it is the same but for the reason."""
        sentence = usable_sentence(question.get("sentence"))
        try:
            told = _traits(self._compute(sentence))
        except UnknownWords as unknown:
            return {"refused": _offers(unknown), "refusal": str(unknown), "readable": unknown.readable}
        whole = self.revealed == len(self.written)
        layers, heads = told["shape"][:2]
        return told | {
            "sentence": sentence, "before": self._compared(told) if question.get("swap") else {},
            "revealed": len(told["written"]) if whole else 0, "current": _place_of_pronoun(told) if whole else 0,
            "layer": min(self.layer, layers - 1), "head": min(self.head, heads - 1), "refused": [], "refusal": "",
        }  # fmt: skip

    def alignment(self) -> npt.NDArray[np.float64]:
        """Where each written word looked, as drawn: the chosen layer's head, or its heads' mean, (written, source)."""
        heads = np.frombuffer(self.weights, np.uint8).reshape(self.shape)[self.layer] / 255
        return heads.mean(axis=0) if self.head == MEAN else heads[self.head]

    def static_twin(self) -> Picture:
        """The alignment of the whole translation."""
        from anatomy_course.figures import plots

        weights = self.alignment()
        head = "mean of heads" if self.head == MEAN else f"head {self.head}"
        most = ", ".join(
            f"{word} at {self.source[int(row.argmax())]} {row.max():.2f}"
            for word, row in zip(self.written, weights, strict=True)
        )
        return plots.heatmap(
            weights, self.written, self.source, title=f"Cross-attention, layer {self.layer}, {head}",
            axes=("written", "source"), values=False,
            alt=f"“{self.sentence}” became “{self.text}” Where each written word looked most, layer {self.layer}, "
            f"{head}: {most}.",
        )  # fmt: skip

    def _compared(self, told: dict[str, Any]) -> dict[str, Any]:
        gone_source, new_source = changes(self.source, told["source"])
        gone, new = changes(self.written, told["written"])
        return {
            "source": self.source, "written": self.written,
            "gone_source": gone_source, "new_source": new_source, "gone": gone, "new": new,
        }  # fmt: skip

    @traitlets.validate("layer", "head", "revealed", "current")
    def _in_range(self, proposal: traitlets.Bunch) -> int:
        name, value = proposal["trait"].name, int(proposal["value"])
        if not self.shape:
            return value
        layers, heads, count, _ = self.shape
        most = {"layer": layers - 1, "head": heads - 1, "revealed": count, "current": count - 1}[name]
        if value > most:
            raise ValueError(f"{name}={value} was asked for; there are {most} at most.")
        return value


def changes(before: Sequence[str], after: Sequence[str]) -> tuple[list[int], list[int]]:
    """The places of the words that went, and of those that came.

    >>> changes("parce qu' il était trop fatigué".split(), "parce qu' elle était trop large".split())
    ([2, 5], [2, 5])
    """
    steps = [step for step in SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes() if step[0] != "equal"]
    gone = [place for _, start, end, _, _ in steps for place in range(start, end)]
    return gone, [place for *_, start, end in steps for place in range(start, end)]


def _place_of_pronoun(told: dict[str, Any]) -> int:
    """The written word to look at first: the pronoun, or the last one."""
    return int(told["pronouns"][0] if told["pronouns"] else len(told["written"]) - 1)


def _offers(unknown: UnknownWords) -> list[dict[str, Any]]:
    return [
        {"word": word, "nearest": [{"word": near, "sentence": sentence} for near, sentence in offers]}
        for word, offers in unknown.nearest.items()
    ]


def _traits(translation: Translation) -> dict[str, Any]:
    """What the page needs to know of a translation.

    Raises:
        ValueError: too many words, or parts that do not fit together.
    """
    source = word_list(translation.source, "source", at_most=MOST_WORDS)
    written = word_list(translation.written, "written", at_most=MOST_WORDS)
    weights = numbers(translation.weights, "weights", ("layer", "head", "written", "source"))
    if weights.shape[2:] != (len(written), len(source)) or 0 in weights.shape:
        raise ValueError(
            f"weights has shape {weights.shape} for {len(written)} written and {len(source)} source words; "
            "expected (layer, head, written, source)."
        )
    if len(translation.candidates) != len(written):
        raise ValueError(
            f"There are candidates for {len(translation.candidates)} words, but {len(written)} were written; "
            "give a list for each."
        )
    return {
        "source": source, "written": written, "text": translation.text, "direction": translation.direction,
        "candidates": [[{"word": word, "probability": float(part)} for word, part in each]
                       for each in translation.candidates],
        "weights": weight_bytes(weights), "shape": list(weights.shape), "verdict": _verdict(translation),
        "remark": translation.remark, "correction": translation.correction,
        "swaps": [{"reason": reason, "sentence": sentence} for reason, sentence in translation.swaps],
        "reason": -1 if translation.reason is None else translation.reason, "pronouns": list(translation.pronouns),
    }  # fmt: skip


def _verdict(translation: Translation) -> dict[str, Any]:
    if translation.written[-1] != END:
        return {"right": False, "told": f"It found no end: after {len(translation.written)} words it was stopped."}
    if not translation.accepted:
        return {"right": None, "told": ""}
    if translation.text in translation.accepted:
        return {"right": True, "told": "Right to the last word."}
    return {"right": False, "told": f"The right translation is: {' or: '.join(translation.accepted)}"}
