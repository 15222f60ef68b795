"""Notebook 04: teacher forcing, the text shifted by one against its labels."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_utils.exercises.catalogue.sizes import and_short, real_words
from anatomy_utils.exercises.definition import Case, Exercise, Mistake, Output
from anatomy_utils.training.losses import IGNORE

PADDING = 1
"""The id that fills texts up here; 0 is a word like any other."""

Both = tuple[Tensor, Tensor]


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, batch, position in (("padded texts", 3, 7), ("one text", 1, 13), ("padded texts", 5, 11)):
        mask = real_words(generator, kind, batch, position, range(3, position - 1), position - 2).long()
        ids = torch.randint(2, 97, (batch, position), generator=generator)
        arguments = {"input_ids": ids.masked_fill(mask == 0, PADDING), "attention_mask": mask}
        yield Case(arguments, kind, {"batch": batch, "position": position})


def _labels(ids: Tensor, mask: Tensor, ignore: int = IGNORE) -> Tensor:
    return ids.masked_fill(mask == 0, ignore)


def _word_by_word(ids: Tensor, mask: Tensor) -> Both:
    labels = torch.full_like(ids[:, 1:], IGNORE)
    for row in range(ids.shape[0]):
        for place in range(ids.shape[1] - 1):
            if mask[row, place + 1]:
                labels[row, place] = ids[row, place + 1]
    return ids[:, :-1], labels


def _by_index(ids: Tensor, mask: Tensor) -> Both:
    labels = ids[:, 1:].clone()
    labels[mask[:, 1:] == 0] = IGNORE
    return ids[:, :-1], labels


EXERCISE = Exercise(
    id="decoder.next_tokens",
    title="Shift by one",
    task="Make what the decoder reads (each text without its last position) and its labels: at each position the token "
    "that follows, −100 where that is padding.",
    difficulty="easy",
    minutes=4,
    signature="next_token_pair(input_ids: Tensor, attention_mask: Tensor) -> tuple[Tensor, Tensor]",
    docstring="Both (batch, position), 1 = real token, 0 = padding at the end → inputs and labels, each one position\n"
    "shorter. The text 5 6 7 gives the inputs 5 6 and the labels 6 7.",
    reference="anatomy_utils.training.teacher_forcing.next_token_pair",
    returns=(Output("inputs", "batch position"), Output("labels", "batch position")),
    cases=and_short(_cases, "position", "texts of two words", length=2),
    mistakes=(
        Mistake(
            "not_shifted",
            lambda ids, mask: (ids[:, :-1], _labels(ids, mask)[:, :-1]),
            "Your labels are the very tokens that are read: the model would learn to copy.",
        ),
        Mistake(
            "backwards",
            lambda ids, mask: (ids[:, 1:], _labels(ids, mask)[:, :-1]),
            "Your shift goes the other way: each label is the token before, not the one that follows.",
        ),
        Mistake(
            "padding_labelled",
            lambda ids, mask: (ids[:, :-1], ids[:, 1:]),
            "The shift is right, but padding has its own id as label: the model would learn to write padding.",
        ),
        Mistake(
            "mask_of_the_inputs",
            lambda ids, mask: (ids[:, :-1], _labels(ids[:, 1:], mask[:, :-1])),
            "The shift is right, but your −100 come one position late: the last real token is asked for padding.",
        ),
        Mistake(
            "zero_for_padding",
            lambda ids, mask: (ids[:, :-1], _labels(ids, mask, 0)[:, 1:]),
            "Where padding follows your labels are 0, which is a token of the vocabulary.",
        ),
        Mistake(
            "mask_turned_round",
            lambda ids, mask: (ids[:, :-1], _labels(ids, 1 - mask)[:, 1:]),
            "Your −100 stand on the real tokens, and the padding has labels.",
        ),
        Mistake(
            "padding_read_as_ignored",
            lambda ids, mask: (_labels(ids, mask)[:, :-1], _labels(ids, mask)[:, 1:]),
            "Your labels are right, but −100 stands in the inputs too: no table of embeddings has such a row.",
        ),
        Mistake(
            "inputs_not_cut",
            lambda ids, mask: (ids, _labels(ids, mask)[:, 1:]),
            "Your labels are right, but the inputs still have their last position: nothing follows it.",
        ),
        Mistake(
            "rolled",
            lambda ids, mask: (ids, _labels(ids, mask).roll(-1, 1)),
            "Your labels are rolled: the last one of a text is its own first token.",
        ),
        Mistake(
            "both_cut",
            lambda ids, mask: (ids[:, 1:], _labels(ids, mask)[:, 1:]),
            "The first position is gone from both: your labels are the very tokens that are read.",
        ),
        Mistake(
            "shifted_by_two",
            lambda ids, mask: (ids[:, :-2], _labels(ids, mask)[:, 2:]),
            "Your labels are the tokens after the next.",
        ),
    ),
    alternatives={
        "where": lambda ids, mask: (ids[:, :-1], torch.where(mask[:, 1:] == 1, ids[:, 1:], IGNORE)),
        "by index": _by_index,
        "word by word": _word_by_word,
        "narrow and pad": lambda ids, mask: (
            ids.narrow(1, 0, ids.shape[1] - 1),
            F.pad(_labels(ids, mask), (0, 1), value=IGNORE)[:, 1:-1],
        ),
    },
    hints=(
        "Write a text of four tokens down, and under each token the one that follows. Which one has nothing under it?",
        "`[:, :-1]` drops the last position, `[:, 1:]` the first. The labels' own padding is what the mask says about "
        "their own positions.",
        "`labels = input_ids.masked_fill(attention_mask == 0, -100)`, then cut: inputs without the last position, "
        "labels without the first.",
    ),
    solution="labels = input_ids.masked_fill(attention_mask == 0, -100)\nreturn input_ids[:, :-1], labels[:, 1:]",
    explanation="One text of 15 tokens is 14 questions at once: thanks to the causal mask, each position answers "
    "without seeing what follows.",
    stages=lambda ids, mask: {"labels, not yet shifted": _labels(ids, mask)},
)
