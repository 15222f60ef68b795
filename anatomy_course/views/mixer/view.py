"""The weighted-average mixer: drag the weights of a sentence's words and watch one word's new vector move.

Self-attention makes a new vector for word i as a weighted average of all the words' vectors, x'_i = Σ_j w_ij x_j with
Σ_j w_ij = 1 (Vaswani et al. 2017, section 3.2, arXiv 1706.03762). Here the weights are set by hand. Notebook 01.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import AnatomyWidget, buffer_trait, float_bytes
from anatomy_course.views._kit.checks import numbers, word_list
from anatomy_utils.interpret import activations
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.zoo.tokenizer import Tokenizer

MOST_WORDS = 12


class Mixer(AnatomyWidget):
    """One slider per word, a map of the words' vectors, and the average that the weights make of them.

    Args:
        words: 2 to 12 words, the sentence's (or several sentences') context.
        vectors: (word, 2) numbers, each word's place on the map.
        focus: the word whose new vector is made: one of `words`, or its position. The first by default.
        axes: names of the map's two axes; "verb ↔ insect" names both ends of one.
        towards: the two words that the axes measure likeness with: then the map shows which of them is nearer.
        weights: the weights to begin with, as for a preset; all on the focus by default, so that x' = x.
        presets: name → weights, as a list with one number per word or as {word: weight} with 0 for the others.
            Weights are divided by their sum.

    Raises:
        ValueError: too few or too many words, vectors of another shape, an unknown word, negative weights or weights
            that are all 0.

    >>> Mixer(["time", "flies"], [[0, 1], [1, 0]], weights=[1, 3]).output.tolist()
    [0.75, 0.25]
    """

    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    vector_bytes = buffer_trait()
    focus = traitlets.Int(0).tag(sync=True)
    axes = traitlets.List(traitlets.Unicode()).tag(sync=True)
    towards = traitlets.List(traitlets.Unicode()).tag(sync=True)
    presets = traitlets.List(traitlets.Dict()).tag(sync=True)
    weights = traitlets.List(traitlets.Float()).tag(sync=True)
    """One weight per word, at least 0, with sum 1; the sliders write it, and it may be set from Python."""

    def __init__(
        self,
        words: Sequence[str],
        vectors: Any,
        *,
        focus: str | int = 0,
        axes: tuple[str, str] = ("first axis", "second axis"),
        towards: tuple[str, str] | tuple[()] = (),
        weights: Any = None,
        presets: Mapping[str, Any] | None = None,
        label: str = "A new vector is a weighted average",
    ) -> None:
        listed = word_list(words, "words", at_least=2, at_most=MOST_WORDS)
        places = numbers(vectors, "vectors", "word 2", word=len(listed))
        at = _position(focus, listed)
        chosen = {str(name): _weights(value, listed, f"preset {name!r}") for name, value in (presets or {}).items()}
        first = np.eye(len(listed))[at].tolist() if weights is None else _weights(weights, listed, "weights")
        super().__init__(
            words=listed, vector_bytes=float_bytes(places), focus=at, weights=first, label=label,
            axes=word_list(axes, "axes", at_least=2, at_most=2),
            towards=word_list(towards, "towards", at_least=2, at_most=2) if towards else [],
            presets=[{"name": name, "weights": value} for name, value in chosen.items()],
        )  # fmt: skip

    @property
    def vectors(self) -> npt.NDArray[np.float32]:
        """The words' vectors, (word, 2)."""
        return np.frombuffer(self.vector_bytes, dtype="<f4").reshape(-1, 2).copy()

    @property
    def output(self) -> npt.NDArray[np.float64]:
        """The new vector x' as the weights are now, (2,)."""
        return np.asarray(self.weights) @ self.vectors.astype(np.float64)

    @traitlets.validate("weights")
    def _check_weights(self, proposal: Any) -> list[float]:
        return _weights(proposal["value"], self.words, "weights") if self.words else list(proposal["value"])

    def still_picture(self) -> Picture:
        """The map with the words, the focus and where its new vector lies."""
        word, new = self.words[self.focus], self.output
        told = ", ".join(f"{share:.2f} {name}" for share, name in zip(self.weights, self.words, strict=True) if share)
        lead = ""
        if self.towards:
            nearer = self.towards[int(new[0] < new[1])]
            lead = f" The lead of {nearer} is {abs(new[0] - new[1]):.3f}."
        return plots.scatter_words(
            np.vstack([self.vectors, new]),
            [*self.words, f"x′ of {word}"],
            groups=[*["value"] * len(self.words), "weights"],
            paths=[(self.focus, len(self.words))] if not np.allclose(new, self.vectors[self.focus]) else (),
            title=self.label, xlabel=self.axes[0], ylabel=self.axes[1],
            alt=f"Map of {len(self.words)} words. The new vector of {word} is the weighted average {told}, "
            f"at ({new[0]:.2f}, {new[1]:.2f}).{lead}",
        )  # fmt: skip


def _position(focus: str | int, words: list[str]) -> int:
    if isinstance(focus, str):
        if focus not in words:
            raise ValueError(f"focus is {focus!r}; expected one of {', '.join(words)}.")
        return words.index(focus)
    if isinstance(focus, bool) or not isinstance(focus, int) or not 0 <= focus < len(words):
        raise ValueError(f"focus is {focus!r}; expected one of the words or a position from 0 to {len(words) - 1}.")
    return focus


def _weights(given: Any, words: list[str], name: str) -> list[float]:
    """Weights with sum 1, one per word."""
    if isinstance(given, Mapping):
        if unknown := [word for word in given if word not in words]:
            raise ValueError(f"{name} names {unknown[0]!r}; expected only {', '.join(words)}.")
        given = [given.get(word, 0.0) for word in words]
    row = numbers(given, name, "word", word=len(words))
    if (row < 0).any() or row.sum() <= 0:
        raise ValueError(f"{name} is {row.tolist()}; expected weights of at least 0 that are not all 0.")
    if abs(row.sum() - 1) > 1e-9:  # otherwise as given: what a slider sends must not come back changed
        row = row / row.sum()
    share: list[float] = row.tolist()
    return share


def mixer(
    encoder: Encoder,
    tokenizer: Tokenizer,
    words: list[str],
    *,
    focus: str,
    towards: tuple[str, str],
    weights: dict[str, float] | None = None,
    presets: dict[str, dict[str, float]] | None = None,
) -> Mixer:
    """Words of the encoder's vocabulary on a plane, to be mixed by hand.

    Args:
        words: single-token words.
        towards: two words; a point's coordinates are the dot products with them, all at length 1.
        focus, weights, presets: see `Mixer`.
    """
    vectors = activations.unit_embeddings(encoder, tokenizer, words)
    plane = vectors @ activations.unit_embeddings(encoder, tokenizer, towards).T  # word 2
    right, up = towards
    axes = (f"like “{right}”", f"like “{up}”")
    return Mixer(words, plane, focus=focus, axes=axes, towards=towards, weights=weights, presets=presets)
