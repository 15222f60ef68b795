"""The attention viewer: every head of every layer as a small map, and one of them large.

Rows are queries (who attends), columns are keys (what is attended to), as in every figure of the course. The weights
travel to the browser as one byte each in a single binary buffer: 12 layers × 12 heads × 64 tokens are 0.6 MB.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.arrays import to_array
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import AnatomyWidget, buffer_trait, weight_bytes
from anatomy_course.views._kit.checks import Whole, word_list
from anatomy_utils.interpret import activations
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.zoo.tokenizer import Tokenizer

MOST_TOKENS = 256
SMALL_WORDS = frozenset(
    "a an the this that these those my your his her its our their i you he she it we they there here is are was were "
    "am be been do does did has have had will would can could may might must not no and or but if so as of in on at to "
    "for from by with what who which why how when where".split()
)
"""English words with which a sentence often begins and which say little by themselves."""
STEPS = 255
"""A weight is stored as the nearest multiple of 1/255, so it is off by at most 1/510."""


def weights_of_layers(weights: Any) -> npt.NDArray[np.float32]:
    """Attention weights as one array (layers heads query key), checked.

    Args:
        weights: one array (layers heads query key), or a sequence with one array (heads query key) per layer. A batch
            axis of length 1, as `watch` gives it, is dropped.

    Raises:
        ValueError: another number of axes, a batch of several sentences, layers of unequal shapes, more than 256
            positions, or a value that is no weight (below 0, above 1, or not a number).
    """
    if hasattr(weights, "shape"):
        array = _floats(weights)
    else:
        layers = [_floats(layer) for layer in weights]
        shapes = list(dict.fromkeys(layer.shape for layer in layers))
        if len(shapes) > 1:
            raise ValueError(
                f"The layers have different shapes ({shapes[0]} and {shapes[1]}); show layers of one shape together."
            )
        array = np.stack(layers) if layers else np.zeros((0, 0, 0, 0), np.float32)
    if array.ndim == 5:
        if array.shape[1] != 1:
            raise ValueError(
                f"The weights hold a batch of {array.shape[1]} sentences; choose one, for example weights[layer][0]."
            )
        array = array[:, 0]
    if array.ndim != 4:
        raise ValueError(
            f"The weights have {array.ndim} axes {array.shape}; give (layers heads query key), "
            "or a list with one (heads query key) per layer."
        )
    if 0 in array.shape:
        raise ValueError(f"The weights are empty: their shape is {array.shape}; give at least one of each axis.")
    if max(array.shape[2:]) > MOST_TOKENS:
        raise ValueError(
            f"The viewer shows up to {MOST_TOKENS} tokens and was given {max(array.shape[2:])}; cut the sentence."
        )
    if not np.isfinite(array).all():
        raise ValueError("The weights hold NaN or infinity; give weights after the softmax, not the scores before it.")
    if array.min() < -1e-4 or array.max() > 1 + 1e-4:
        raise ValueError(
            f"The weights run from {array.min():.3g} to {array.max():.3g}; weights lie between 0 and 1, "
            "so give what comes out of the softmax, not the scores."
        )
    return array


def _words(tokens: Sequence[str]) -> list[int]:
    """Positions of the tokens that are words: no punctuation, no special token such as [SEP]."""
    return [i for i, token in enumerate(tokens) if any(map(str.isalnum, token)) and token[:1] not in ("[", "<")]


def last_word(tokens: Sequence[str]) -> int:
    """Position of the last token that is a word; 0 if there is none."""
    return max(_words(tokens), default=0)


def first_word(tokens: Sequence[str]) -> int:
    """Position of the first word with a meaning of its own, or of the first word if there is none; 0 without any word.

    >>> first_word(["[CLS]", "the", "bees", "like", "flowers", ".", "[SEP]"])
    2
    """
    words = _words(tokens)
    return next((i for i in words if tokens[i].lower() not in SMALL_WORDS), words[0] if words else 0)


def _floats(weights: object) -> npt.NDArray[np.float32]:
    try:
        return to_array(weights).astype(np.float32)
    except (TypeError, ValueError):
        raise ValueError(
            f"The weights hold a {type(weights).__name__} that is no array of numbers; "
            "give NumPy arrays or tensors of shape (heads query key)."
        ) from None


def _tokens(tokens: Sequence[str], name: str, count: int, axis: str) -> list[str]:
    words = word_list(tokens, name, at_most=MOST_TOKENS)
    if len(words) != count:
        raise ValueError(
            f"{name} has {len(words)} entries and the weights have {count} {axis} positions; give one token for each."
        )
    return words


class AttentionViewer(AnatomyWidget):
    """Layers × heads × tokens: an overview of small maps, one large map, and the exact weight under the pointer.

    Args:
        weights: one array (layers heads query key), or one (heads query key) per layer; a batch axis of 1 is dropped.
        tokens: the query tokens, and the key tokens too unless `key_tokens` differ.
        layer, head: the ones shown large at first, from 0.
        key_tokens: the tokens attended to, where they are others (cross-attention).
        average: show the mean over the layer's heads instead of one head.
        query: position of the query token highlighted at first; the last word if None.

    Raises:
        ValueError: weights or tokens that do not fit together; the message names both.
    """

    weights = buffer_trait()
    shape = traitlets.List(traitlets.Int()).tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    key_tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    layer = Whole("shape.0").tag(sync=True)
    head = Whole("shape.1").tag(sync=True)
    average = traitlets.Bool(False).tag(sync=True)
    query = Whole("tokens").tag(sync=True)
    """The position of the query token whose row is highlighted."""

    def __init__(
        self,
        weights: Any,
        tokens: Sequence[str],
        *,
        layer: int = 0,
        head: int = 0,
        key_tokens: Sequence[str] | None = None,
        average: bool = False,
        query: int | None = None,
        label: str = "Attention viewer",
    ) -> None:
        array = weights_of_layers(weights)
        queries, keys = array.shape[2:]
        words = _tokens(tokens, "tokens", queries, "query")
        if key_tokens is None and queries != keys:
            raise ValueError(
                f"The weights have {queries} query and {keys} key positions; name the keys' tokens with key_tokens=."
            )
        key_words = words if key_tokens is None else _tokens(key_tokens, "key_tokens", keys, "key")
        query = last_word(words) if query is None else query
        super().__init__(
            weights=weight_bytes(array), shape=list(array.shape), tokens=words, key_tokens=key_words,
            layer=layer, head=head, average=average, query=query, label=label,
        )  # fmt: skip

    @property
    def shown(self) -> np.ndarray:
        """The weights of the large map as the browser has them: (query key), multiples of 1/255 (or their mean)."""
        array = np.frombuffer(self.weights, np.uint8).reshape(self.shape)[self.layer].astype(np.float32) / STEPS
        return array.mean(axis=0) if self.average else array[self.head]

    def still_picture(self) -> Picture:
        """The large map."""
        one = "mean over heads" if self.average else f"head {self.head}"
        return plots.heatmap(self.shown, self.tokens, self.key_tokens, title=f"Layer {self.layer}, {one}")


def attention_viewer(
    encoder: Encoder, tokenizer: Tokenizer, text: str, *, layer: int = 0, head: int = 0, word: str = ""
) -> AttentionViewer:
    """Every head of every layer of an encoder as it reads `text`; the row of `word` is picked out at first."""
    tokens, seen = activations.read_activations(encoder, tokenizer, text)
    weights = [each[0] for each in seen.matching("layers.*.self_attention.weights").values()]
    query = tokens.index(word) if word in tokens else 0
    return AttentionViewer(torch.stack(weights), tokens, layer=layer, head=head, query=query)
