"""Notebook 04: a batch for a decoder, padded, shifted by one, and with labels that leave the padding out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from anatomy_course.content.sizes import primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_utils.training.losses import IGNORE

Texts = Sequence[Sequence[int]]
Both = tuple[Tensor, Tensor]
BEGIN, END = 2, 3
BOTH_ENDS, ALL_ALIKE = "one id for <bos> and <eos>", "one id for <bos>, <eos> and padding"
"""GPT-2 has a single special token, which begins texts and ends them; for want of another it is padding, too."""
DIFFERENT = ("texts of different lengths", BOTH_ENDS, ALL_ALIKE)


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, pad_id in (
        ("texts of different lengths", 98),
        ("one text", 0),
        ("texts of the same length", 1),
        (BOTH_ENDS, 0),
        (ALL_ALIKE, END),
    ):
        batch, longest = primes(generator, 2, (3, 5, 7))
        batch = 1 if kind == "one text" else batch
        lengths = torch.randint(2, longest, (batch,), generator=generator).tolist()
        lengths = [longest] * batch if kind == "texts of the same length" else lengths
        lengths[-1] = longest
        lengths[0] = max(2, longest - 1) if kind in DIFFERENT else longest
        begin = END if kind in (BOTH_ENDS, ALL_ALIKE) else BEGIN
        texts = [[begin, *torch.randint(4, 97, (length - 1,), generator=generator).tolist(), END] for length in lengths]
        yield Case({"texts": texts, "pad_id": pad_id}, kind, {"batch": batch, "position": longest})
    yield Case({"texts": [[BEGIN, END]] * 3, "pad_id": 1}, "texts of no words", {"batch": 3, "position": 1})


def _filled(rows: Texts, filling: int, width: int | None = None) -> Tensor:
    width = max(map(len, rows)) if width is None else width
    return torch.tensor([[*row, *[filling] * (width - len(row))][:width] for row in rows])


def _inputs(texts: Texts, filling: int) -> Tensor:
    return _filled([text[:-1] for text in texts], filling)


def _labels(texts: Texts, filling: int = IGNORE) -> Tensor:
    return _filled([text[1:] for text in texts], filling)


def _in_front(rows: Texts, filling: int) -> Tensor:
    width = max(map(len, rows))
    return torch.tensor([[*[filling] * (width - len(row)), *row] for row in rows])


def _whole_first(texts: Texts, pad_id: int) -> Both:
    return _filled(texts, pad_id)[:, :-1], _filled(texts, IGNORE)[:, 1:]


def _shortest(texts: Texts, pad_id: int) -> Both:
    width = min(map(len, texts)) - 1
    return _inputs(texts, pad_id)[:, :width], _labels(texts)[:, :width]


def _filled_tensors(texts: Texts, pad_id: int) -> Both:
    shape = len(texts), max(map(len, texts)) - 1
    inputs, labels = torch.full(shape, pad_id), torch.full(shape, IGNORE)
    for row, text in enumerate(texts):
        inputs[row, : len(text) - 1] = torch.tensor(text[:-1])
        labels[row, : len(text) - 1] = torch.tensor(text[1:])
    return inputs, labels


def _found_by_id(texts: Texts, pad_id: int) -> Both:
    labels = _labels(texts, pad_id)
    return _inputs(texts, pad_id), labels.masked_fill(labels == pad_id, IGNORE)


def _by_length(texts: Texts, pad_id: int) -> Both:
    whole = _filled(texts, pad_id)
    asked = torch.arange(whole.shape[1] - 1) < torch.tensor([[len(text) - 1] for text in texts])
    return whole[:, :-1].where(asked, pad_id), whole[:, 1:].where(asked, IGNORE)


def _torchs_own(texts: Texts, pad_id: int) -> Both:
    rows = [torch.tensor(text) for text in texts]
    return (
        pad_sequence([row[:-1] for row in rows], batch_first=True, padding_value=pad_id),
        pad_sequence([row[1:] for row in rows], batch_first=True, padding_value=IGNORE),
    )


def _zipped(texts: Texts, pad_id: int) -> Both:
    return (
        torch.tensor(list(zip(*zip_longest(*(text[:-1] for text in texts), fillvalue=pad_id), strict=True))),
        torch.tensor(list(zip(*zip_longest(*(text[1:] for text in texts), fillvalue=IGNORE), strict=True))),
    )


EXERCISE = Exercise(
    id="decoder.batch_of",
    title="A batch: pad, shift, −100",
    task="Make one batch of texts of different lengths: what the decoder reads, padded with pad_id, and at each "
    "position the token that follows, −100 where there is none.",
    difficulty="medium",
    minutes=6,
    signature="batch_of(texts: list[list[int]], pad_id: int) -> tuple[Tensor, Tensor]",
    docstring="The ids of each text, <bos> and <eos> included → inputs and labels, both (batch, longest − 1).\n"
    "[[2, 5, 6, 3], [2, 7, 3]] with pad_id 0 gives the inputs 2 5 6 / 2 7 0 and the labels 5 6 3 / 7 3 −100.",
    reference="anatomy_utils.training.teacher_forcing.batch_of",
    returns=(Output("inputs", "batch position"), Output("labels", "batch position")),
    cases=_cases,
    mistakes=(
        Mistake(
            "not_shifted",
            lambda texts, pad_id: (_inputs(texts, pad_id), _inputs(texts, IGNORE)),
            "Your labels are the very tokens that are read: the model would learn to copy.",
        ),
        Mistake(
            "backwards",
            lambda texts, pad_id: (_labels(texts, pad_id), _inputs(texts, IGNORE)),
            "Your shift goes the other way: each label is the token before, not the one that follows.",
        ),
        Mistake(
            "padding_labeled",
            lambda texts, pad_id: (_inputs(texts, pad_id), _labels(texts, pad_id)),
            "The shift is right, but padding has its own id as label: the model would learn to write padding.",
        ),
        Mistake(
            "found_by_id",
            _found_by_id,
            "Your labels are −100 wherever the id is pad_id, also at real tokens: with <eos> as padding, as is common, "
            "the model would never learn to stop. Go by the lengths of the texts.",
        ),
        Mistake(
            "ignored_in_the_inputs",
            lambda texts, pad_id: (_inputs(texts, IGNORE), _labels(texts)),
            "Your labels are right, but the inputs are padded with −100 too: no table of embeddings has such a row.",
        ),
        Mistake(
            "padded_then_cut",
            _whole_first,
            "Your short texts keep their last token among what is read, as if the last position were cut after "
            "padding. Nothing follows it.",
        ),
        Mistake(
            "padded_in_front",
            lambda texts, pad_id: (
                _in_front([text[:-1] for text in texts], pad_id),
                _in_front([text[1:] for text in texts], IGNORE),
            ),
            "Your padding is in front of the texts. Then <bos> is no longer at position 0; pad at the end.",
        ),
        Mistake(
            "cut_to_the_shortest",
            _shortest,
            "All your texts are as long as the shortest: the ends of the others, and what they teach, are lost.",
        ),
        Mistake(
            "zero_for_ignore",
            lambda texts, pad_id: (_inputs(texts, pad_id), _labels(texts, 0)),
            "Where nothing follows, your labels are 0, which is a token of the vocabulary.",
        ),
        Mistake(
            "one_ignored_too_many",
            lambda texts, pad_id: (
                _inputs(texts, pad_id),
                _filled([text[1:-1] for text in texts], IGNORE, max(map(len, texts)) - 1),
            ),
            "Your labels lack the last token of each text: the model would never learn to stop.",
        ),
        Mistake(
            "shifted_by_two",
            lambda texts, pad_id: (
                _inputs(texts, pad_id),
                _filled([text[2:] for text in texts], IGNORE, max(map(len, texts)) - 1),
            ),
            "Your labels are the tokens after the next.",
        ),
        Mistake(
            "inputs_not_cut",
            lambda texts, pad_id: (_filled(texts, pad_id), _labels(texts)),
            "Your inputs still have the last token of each text, so they are one position longer than the labels.",
        ),
    ),
    also_right={
        "full and filled row by row": _filled_tensors,
        "padded whole, then by length": _by_length,
        "pad_sequence": _torchs_own,
        "zip_longest": _zipped,
    },
    hints=(
        "Shift first, each text by itself: what is read, and under it what follows. Only then make the rows equally "
        "long.",
        "`text[:-1]` is what is read, `text[1:]` what follows. Both are one token shorter than the text; a row needs "
        "`longest - len(text)` more entries.",
        "`longest = max(len(text) for text in texts)`; a row of the inputs is `text[:-1] + [pad_id] * (longest - "
        "len(text))`, a row of the labels ends in -100 instead. `torch.tensor` takes a list of rows.",
    ),
    solution="longest = max(len(text) for text in texts)\n"
    "inputs = [text[:-1] + [pad_id] * (longest - len(text)) for text in texts]\n"
    "labels = [text[1:] + [-100] * (longest - len(text)) for text in texts]\n"
    "return torch.tensor(inputs), torch.tensor(labels)",
    explanation="One text of 15 tokens is 14 questions at once, because the causal mask lets each position answer "
    "without seeing what follows. The padding at the end needs no mask of its own: no real position looks to the "
    "right, and what the padding itself answers has the label −100.",
    stages=lambda texts, pad_id: {"labels": _labels(texts)},
)
