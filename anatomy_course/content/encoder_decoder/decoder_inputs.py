"""Notebook 05: teacher forcing, the labels shifted right."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.sizes import and_short, real_words
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_utils.training.losses import IGNORE


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, batch, position in (("padded texts", 3, 7), ("one text", 1, 13), ("padded texts", 5, 11)):
        real = real_words(generator, kind, batch, position, range(3, position - 1), position - 2)
        start, stop, pad = (4 + torch.randperm(7, generator=generator)[:3]).tolist()
        start, pad = start * (kind != "one text"), pad * (batch != 5)  # an id of 0 is one like any other
        labels = torch.randint(20, 97, (batch, position), generator=generator)
        labels = labels.where(torch.arange(position) != real.sum(1, keepdim=True) - 1, stop)
        if batch == 3:
            labels[0, 1] = 0  # so is it among the words
        arguments = {"labels": labels.masked_fill(~real, IGNORE), "start_id": start, "pad_id": pad}
        yield Case(arguments, kind, {"batch": batch, "position": position})


def _filled(labels: Tensor, pad: int) -> Tensor:
    return labels.masked_fill(labels == IGNORE, pad)


def _first(labels: Tensor, start: int) -> Tensor:
    return torch.full_like(labels[:, :1], start)


def _right(labels: Tensor, start: int, pad: int) -> Tensor:
    return torch.cat([_first(labels, start), _filled(labels, pad)[:, :-1]], 1)


def _rolled(labels: Tensor, start: int, pad: int) -> Tensor:
    ids = _filled(labels, pad).roll(1, 1)
    ids[:, 0] = start
    return ids


def _word_by_word(labels: Tensor, start: int, pad: int) -> Tensor:
    ids = torch.full_like(labels, pad)
    for row, text in enumerate(labels.tolist()):
        for place, label in enumerate([start, *text[:-1]]):
            ids[row, place] = pad if label == IGNORE else label
    return ids


def _overwritten(labels: Tensor, start: int, pad: int) -> Tensor:
    ids = _filled(labels, pad)
    return torch.cat([_first(labels, start), ids[:, 1:]], 1)


def _without_stop(labels: Tensor, start: int, pad: int) -> Tensor:
    real = (labels != IGNORE).sum(1, keepdim=True)
    return _right(labels, start, pad).where(torch.arange(labels.shape[1]) != real, pad)


EXERCISE = Exercise(
    id="encoder_decoder.decoder_inputs",
    title="Shifted right",
    task="From what the decoder should say, make what it reads in training: shift by one position to the right, put "
    "the start token in front, and the padding token in place of −100.",
    difficulty="easy",
    minutes=4,
    signature="decoder_inputs(labels: Tensor, start_id: int, pad_id: int) -> Tensor",
    docstring="labels (batch, position): each text and its stop token, then −100 → ids of the same shape.\n"
    "The labels 5 6 2 −100 give the inputs start 5 6 2.",
    reference="anatomy_utils.training.teacher_forcing.shift_right",
    returns=(Output("inputs", "batch position"),),
    cases=and_short(and_short(_cases, "position", "texts of two words", length=2), "position", "texts of one word"),
    mistakes=(
        Mistake(
            "not_shifted",
            lambda labels, start, pad: _filled(labels, pad),
            "You return the labels themselves: each position would read the very token that it should say.",
        ),
        Mistake(
            "start_over_the_first",
            _overwritten,
            "Your start token replaces the first word, and nothing has moved: from the second position on, each reads "
            "the token that it should say.",
        ),
        Mistake(
            "shifted_left",
            lambda labels, start, pad: torch.cat([_filled(labels, pad)[:, 1:], _first(labels, start)], 1),
            "Your shift goes to the left: each position reads a token that comes after its answer.",
        ),
        Mistake(
            "one_longer",
            lambda labels, start, pad: torch.cat([_first(labels, start), _filled(labels, pad)], 1),
            "Your inputs are one position longer than the labels: the last position has nothing left to say.",
        ),
        Mistake(
            "rolled",
            lambda labels, start, pad: _filled(labels, pad).roll(1, 1),
            "Your shift is right, but the last token has come round to the front, where the start token belongs.",
        ),
        Mistake(
            "ignored_left_in",
            lambda labels, start, pad: torch.cat([_first(labels, start), labels[:, :-1]], 1),
            "The shift is right, but −100 is still there: no table of embeddings has such a row.",
        ),
        Mistake(
            "start_for_padding",
            lambda labels, start, pad: _right(labels, start, start),
            "The shift is right, but padding has become the start token.",
        ),
        Mistake(
            "zero_for_padding",
            lambda labels, start, pad: _right(labels, start, 0),
            "The shift is right, but padding has become 0; the id for it is given as `pad_id`.",
        ),
        Mistake(
            "word_0_is_padding",
            lambda labels, start, pad: _right(labels.masked_fill(labels == 0, IGNORE), start, pad),
            "The shift is right, but a word with the id 0 has become padding, too; only −100 should.",
        ),
        Mistake(
            "pad_in_front",
            lambda labels, start, pad: _right(labels, pad, pad),
            "The shift is right, but the padding token comes first. T5 does that; here a start token is given.",
        ),
        Mistake(
            "ids_swapped",
            lambda labels, start, pad: _right(labels, pad, start),
            "You use the start token and the padding token in each other's place.",
        ),
        Mistake(
            "without_stop",
            _without_stop,
            "The shift is right, but the stop token has become padding. Leave it: it is read like any other, and "
            "nothing is asked after it.",
        ),
    ),
    also_right={
        "cut and put together": _right,
        "rolled": _rolled,
        "where": lambda labels, start, pad: torch.where(
            _rolled(labels, start, IGNORE) == IGNORE, pad, _rolled(labels, start, IGNORE)
        ),
        "word by word": _word_by_word,
    },
    hints=(
        "Write some labels down: 5 6 2. Above each, write the token just before it. What goes above the 5?",
        "All labels but the last move one place to the right: `labels[:, :-1]` after a column of the start token. "
        "−100 is a sign for the loss, not a token.",
        "`start = torch.full_like(labels[:, :1], start_id)` is that column; `torch.cat([start, labels[:, :-1]], "
        "dim=1)` joins the two, and `masked_fill` does the rest.",
    ),
    solution="start = torch.full_like(labels[:, :1], start_id)\n"
    "shifted = torch.cat([start, labels[:, :-1]], dim=1)\n"
    "return shifted.masked_fill(shifted == -100, pad_id)",
    explanation="In notebook 04 the text already began with <bos>, and you cut it into two. Here the labels come "
    "without it, and you put it in front. The pair is the same. When it has read only <bos>, the decoder must find the "
    "first word in the memory.",
    stages=lambda labels, start, pad: {"labels with padding in place of −100": _filled(labels, pad)},
)
