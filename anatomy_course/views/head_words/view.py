"""Head words: which words each head of an encoder matches, and which it passes on, read from its matrices alone.

One dot for each head and for as many pairs of random matrices, the control: how well a head matches a word with itself,
and how much of the word itself it passes on. For the chosen head and word, the words that match it best and those that
it writes. All of it is computed beforehand. The class knows no model. Notebook 02.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import torch
import traitlets
from torch import Tensor

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import AnatomyWidget, buffer_trait
from anatomy_course.views._kit.checks import Whole, numbers, word_list
from anatomy_utils.interpret import head_circuits
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.zoo.tokenizer import Tokenizer

SHOWN = 6
"""How many words are listed."""
VOCABULARY = range(1996, 7000)
"""The ids of BERT's vocabulary that are looked through: common words come first in it."""
LEFT_OUT = set(
    "gay lesbian hispanic jews jewish muslim muslims islamic islam arab african asian mexican indians nazi nazis slave "
    "slaves slavery sex sexual sexually rape raped suicide murder murdered terrorist bitch fuck fucking shit ass "
    "damn".split()
)
"""Words that are not listed: what an encoder has near them says more about the texts that it read than about a head."""
SAMPLE = 40
"""Every how manyth word of the vocabulary the two shares are means over."""
WORDS = "animal tired street because she king london monday red three cat doctor river music happy small"


class HeadWords(AnatomyWidget):
    """All heads as dots, and the words of one.

    Args:
        words: to choose from.
        heads: names of the heads, "3·1"; those after `controls_from` are random.
        own: (head, 2): how well a head matches a word with itself, and how much of the word it passes on, 0 to 1.
        matched, written: (head, word, shown): the listed words.
        controls_from: the number of the first head that is none.
        head, word: chosen at first.

    Raises:
        ValueError: numbers or lists that do not fit together.
    """

    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    heads = traitlets.List(traitlets.Unicode()).tag(sync=True)
    controls_from = traitlets.Int().tag(sync=True)
    own = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    listed = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Every word that is listed somewhere, once."""
    lists = buffer_trait()
    """Places in `listed` (2, head, word, shown) as uint16: matched, then written."""
    head = Whole("heads").tag(sync=True)
    word = Whole("words").tag(sync=True)

    def __init__(
        self,
        words: Sequence[str],
        heads: Sequence[str],
        own: Any,
        matched: Sequence[Sequence[Sequence[str]]],
        written: Sequence[Sequence[Sequence[str]]],
        *,
        controls_from: int,
        head: int = 0,
        word: int = 0,
        label: str = "What each head matches and what it writes",
    ) -> None:
        names, asked = word_list(heads, "heads", at_most=500), word_list(words, "words")
        shares = numbers(own, "own", "head 2", head=len(names))
        both = np.array([matched, written], dtype=object)
        if both.shape[:3] != (2, len(names), len(asked)):
            raise ValueError(f"matched and written have shape {both.shape[1:]}; give (head, word, shown) of each.")
        known = list(dict.fromkeys(both.ravel().tolist()))
        number = {each: i for i, each in enumerate(known)}
        super().__init__(
            words=asked, heads=names, own=shares.tolist(), controls_from=controls_from, listed=known, head=head,
            word=word, label=label, lists=np.array([number[each] for each in both.ravel()], "<u2").tobytes(),
        )  # fmt: skip

    def still_picture(self) -> Picture:
        """The dots, those of the heads that do most named."""
        own = np.asarray(self.own)
        told = [
            name if i < self.controls_from and (own[i].max() > 0.97 or own[i].min() < 0.03) else ""  # at an edge
            for i, name in enumerate(self.heads)
        ]
        return plots.scatter_words(
            own, told, groups=["query"] * self.controls_from + ["masked"] * len(own[self.controls_from :]),
            title=f"{self.label}; squares: random matrices",
            xlabel="matches a word with itself (0.5: chance)", ylabel="passes on the word itself (0.5: chance)",
            alt=f"{self.controls_from} heads. Those at an edge, where random matrices stay between "
            f"{own[self.controls_from:].min():.2f} and {own[self.controls_from:].max():.2f}: "
            + ", ".join(filter(None, told)) + ".",
        )  # fmt: skip


def head_words(
    encoder: Encoder, tokenizer: Tokenizer, words: str = WORDS, *, head: str = "", word: str = ""
) -> HeadWords:
    """Every head of an encoder, and as many random ones, on the words of the vocabulary before any context.

    Args:
        words: to choose from, each one token.
        head: chosen at first, "5·7".
        word: chosen at first.
    """
    pieces = ((tokenizer.piece(id), id) for id in VOCABULARY)
    vocabulary = {piece: id for piece, id in pieces if piece.isalpha() and len(piece) > 2 and piece not in LEFT_OUT}
    vectors = head_circuits.word_vectors(encoder, torch.tensor([*vocabulary.values()]))
    spelled, asked = [*vocabulary], words.split()
    places = torch.tensor([*(spelled.index(each) for each in asked), *range(0, len(spelled), SAMPLE)])
    names: list[str] = []
    pairs: list[tuple[Tensor, Tensor]] = []
    controls: list[tuple[Tensor, Tensor]] = []
    generator = torch.Generator().manual_seed(0)
    for number, layer in enumerate(encoder.layers):
        attention = cast(MultiHeadAttention, layer.self_attention)
        for kind, made in (("head", pairs), ("random", controls)):
            shape = (2, attention.num_heads, vectors.shape[1], attention.d_head)
            left, right = (torch.randn(*shape, generator=generator) for _ in range(2))
            query_key, output_value = left @ right.mT
            if kind == "head":
                query_key = head_circuits.query_key_matrices(attention)
                output_value = head_circuits.output_value_matrices(attention)
                names += [f"{number}·{each}" for each in range(attention.num_heads)]
            made += zip(query_key, output_value, strict=True)
    own, lists = [], []
    for query_key, output_value in (*pairs, *controls):
        circuits = head_circuits.word_circuits(vectors, query_key, output_value, places)
        own.append([circuits.own_match(), circuits.own_writing()])
        tops = (each[: len(asked)].topk(SHOWN).indices.tolist() for each in (circuits.matches, circuits.writes))
        lists.append([[[spelled[i] for i in row] for row in rows] for rows in tops])
    heads = [*names, *(f"random {i}" for i in range(len(controls)))]
    return HeadWords(
        asked, heads, own, *zip(*lists, strict=True), controls_from=len(names),
        head=names.index(head) if head else 0, word=asked.index(word) if word else 0,
    )  # fmt: skip
