"""Notebook 03: masked words, what an encoder is pretrained with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import and_short
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_utils.training.losses import IGNORE

VOCABULARY, MASK = 97, 103


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, batch, position in (("padded texts", 5, 23), ("one text", 1, 61), ("padded texts", 7, 17)):
        shape = (batch, position)
        ids = torch.randint(VOCABULARY, shape, generator=generator)
        real = torch.randint(position // 2, position, (batch, 1), generator=generator)
        real = torch.full_like(real, position) if kind == "one text" else real
        uniform, part = torch.rand(2, *shape, generator=generator)
        chosen = torch.rand(shape, generator=generator) < 0.5  # more than 15 %, so that all three parts occur
        third = torch.randint(3, shape, generator=generator)
        action = torch.where(third == 0, 0.8 * part, torch.where(third == 1, 0.8 + 0.1 * part, 0.9 + 0.1 * part))
        arguments = {
            "input_ids": ids,
            "attention_mask": (torch.arange(position) < real).long(),
            "choice": torch.where(chosen, 0.15 * uniform, 0.15 + 0.85 * uniform),
            "action": action,
            "random_ids": (ids + torch.randint(1, VOCABULARY, shape, generator=generator)) % VOCABULARY,
            "mask_id": MASK,
        }
        yield Case(arguments, kind, {"batch": batch, "position": position})


def _and_equal_ids(generator: torch.Generator) -> Iterator[Case]:
    """Those, texts of one word, and words that are exchanged for themselves or have the mask's own id already."""
    yield from and_short(_cases, "position", "texts of one word")(generator)
    case = next(case for case in _cases(generator) if case.kind == "one text")  # without padding
    ids, real, choice, action, other = list(case.arguments.values())[:5]
    exchanged = _chosen(real, choice) & (action >= 0.8) & (action < 0.9)
    even = torch.arange(ids.shape[1]) % 2 == 0
    equal = {"input_ids": ids.masked_fill(exchanged & ~even, MASK), "random_ids": torch.where(even, ids, other)}
    yield Case({**case.arguments, **equal}, "ids that happen to be equal", case.sizes)


Both = tuple[Tensor, Tensor]


def _made(
    ids: Tensor, chosen: Tensor, hidden: Tensor, exchanged: Tensor, random_ids: Tensor, mask_id: int, rest: int = IGNORE
) -> Both:
    masked = ids.masked_fill(chosen & hidden, mask_id)
    return torch.where(chosen & exchanged, random_ids, masked), ids.masked_fill(~chosen, rest)


def _right(ids: Tensor, real: Tensor, choice: Tensor, action: Tensor, other: Tensor, mask_id: int) -> Both:
    return _made(ids, _chosen(real, choice), action < 0.8, (action >= 0.8) & (action < 0.9), other, mask_id)


def _chosen(real: Tensor, choice: Tensor) -> Tensor:
    return (choice < 0.15) & (real == 1)


def _hidden_labelled_only(
    ids: Tensor, real: Tensor, choice: Tensor, action: Tensor, other: Tensor, mask_id: int
) -> Both:
    masked, labels = _right(ids, real, choice, action, other, mask_id)
    return masked, labels.masked_fill(action >= 0.8, IGNORE)


def _changed_labelled_only(
    ids: Tensor, real: Tensor, choice: Tensor, action: Tensor, other: Tensor, mask_id: int
) -> Both:
    masked, labels = _right(ids, real, choice, action, other, mask_id)
    return masked, labels.masked_fill(masked == ids, IGNORE)


def _by_index(ids: Tensor, real: Tensor, choice: Tensor, action: Tensor, other: Tensor, mask_id: int) -> Both:
    chosen = _chosen(real, choice)
    masked, labels = ids.clone(), ids.clone()
    labels[~chosen] = IGNORE
    exchanged = chosen & (action < 0.9)
    masked[exchanged] = other[exchanged]
    masked[chosen & (action < 0.8)] = mask_id
    return masked, labels


def _where(ids: Tensor, real: Tensor, choice: Tensor, action: Tensor, other: Tensor, mask_id: int) -> Both:
    chosen = _chosen(real, choice)
    instead = torch.where(action < 0.8, mask_id, torch.where(action < 0.9, other, ids))
    return torch.where(chosen, instead, ids), torch.where(chosen, ids, IGNORE)


def _word_by_word(ids: Tensor, real: Tensor, choice: Tensor, action: Tensor, other: Tensor, mask_id: int) -> Both:
    masked, labels = ids.clone(), torch.full_like(ids, IGNORE)
    for row in range(ids.shape[0]):
        for place in range(ids.shape[1]):
            if real[row, place] == 0 or choice[row, place] >= 0.15:
                continue
            labels[row, place] = ids[row, place]
            if action[row, place] < 0.8:
                masked[row, place] = mask_id
            elif action[row, place] < 0.9:
                masked[row, place] = other[row, place]
    return masked, labels


def _steps(
    ids: Tensor, real: Tensor, choice: Tensor, action: Tensor, other: Tensor, mask_id: int
) -> Mapping[str, Tensor]:
    chosen = _chosen(real, choice)
    return {
        "chosen words": chosen,
        "hidden words": chosen & (action < 0.8),
        "exchanged words": chosen & (action >= 0.8) & (action < 0.9),
    }


EXERCISE = Exercise(
    id="encoder.mask_words",
    title="Masked words",
    task="Choose the real words whose `choice` is below 0.15; hide those whose `action` is below 0.8, exchange those "
    "from 0.8 to below 0.9, keep the others; label all chosen words.",
    difficulty="hard",
    minutes=7,
    signature="mask_words(\n"
    "    input_ids: Tensor, attention_mask: Tensor, choice: Tensor, action: Tensor, random_ids: Tensor, mask_id: int\n"
    ") -> tuple[Tensor, Tensor]",
    docstring="All (batch, position): ids, 1 = real word, two tables of random numbers from 0 to 1, and what an\n"
    "exchanged word becomes; mask_id stands for a hidden word\n"
    "→ masked_ids, and labels: the chosen words' own ids, −100 elsewhere.",
    reference="anatomy_utils.objectives.masked_tokens.mask_words",
    returns=(Output("masked_ids", "batch position"), Output("labels", "batch position")),
    cases=_and_equal_ids,
    mistakes=(
        Mistake(
            "all_hidden",
            lambda ids, real, choice, action, other, mask_id: _made(
                ids, _chosen(real, choice), action < 2, action > 2, other, mask_id
            ),
            "You hide all chosen words, whatever `action` says.",
        ),
        Mistake(
            "none_exchanged",
            lambda ids, real, choice, action, other, mask_id: _made(
                ids, _chosen(real, choice), action < 0.8, action > 2, other, mask_id
            ),
            "The right words are hidden, and the other chosen ones all stay; half of those should be exchanged.",
        ),
        Mistake(
            "none_left",
            lambda ids, real, choice, action, other, mask_id: _made(
                ids, _chosen(real, choice), action < 0.8, action >= 0.8, other, mask_id
            ),
            "The right words are hidden, and the other chosen ones are all exchanged; half of those should stay.",
        ),
        Mistake(
            "halves_swapped",
            lambda ids, real, choice, action, other, mask_id: _made(
                ids, _chosen(real, choice), action < 0.8, action >= 0.9, other, mask_id
            ),
            "Your shares are right, but you keep those from 0.8 to 0.9 and exchange those above; it should be "
            "the other way round.",
        ),
        Mistake(
            "exchange_wins",
            lambda ids, real, choice, action, other, mask_id: _made(
                ids, _chosen(real, choice), action < 0.8, action < 0.9, other, mask_id
            ),
            "In the end no word is hidden: those below 0.8, which are below 0.9 too, are exchanged.",
        ),
        Mistake(
            "padding_chosen",
            lambda ids, real, choice, action, other, mask_id: _right(
                ids, torch.ones_like(real), choice, action, other, mask_id
            ),
            "Padding is among your chosen words; there is nothing to learn from it.",
        ),
        Mistake(
            "chosen_turned_round",
            lambda ids, real, choice, action, other, mask_id: _right(ids, real, 0.3 - choice, action, other, mask_id),
            "You choose the words from 0.15 up: 85% instead of 15%.",
        ),
        Mistake(
            "not_only_chosen",
            lambda ids, real, choice, action, other, mask_id: (
                _right(ids, torch.ones_like(real), 0 * choice, action, other, mask_id)[0],
                _right(ids, real, choice, action, other, mask_id)[1],
            ),
            "Your labels are right, but words that were not chosen are hidden and exchanged as well.",
        ),
        Mistake(
            "exchanged_everywhere",
            lambda ids, real, choice, action, other, mask_id: (
                torch.where(
                    (action >= 0.8) & (action < 0.9), other, _right(ids, real, choice, action, other, mask_id)[0]
                ),
                _right(ids, real, choice, action, other, mask_id)[1],
            ),
            "Your labels are right and the right words are hidden, but words that were not chosen are exchanged too.",
        ),
        Mistake(
            "all_labelled",
            lambda ids, real, choice, action, other, mask_id: (
                _right(ids, real, choice, action, other, mask_id)[0],
                ids,
            ),
            "Your masked_ids are right, but all words have labels: the model would mostly learn to copy.",
        ),
        Mistake(
            "real_labelled",
            lambda ids, real, choice, action, other, mask_id: (
                _right(ids, real, choice, action, other, mask_id)[0],
                ids.masked_fill(real == 0, IGNORE),
            ),
            "Your masked_ids are right, but all real words have labels, not the chosen ones alone.",
        ),
        Mistake(
            "hidden_labelled_only",
            _hidden_labelled_only,
            "Your masked_ids are right, but only the hidden words have labels; exchanged and left ones are asked for "
            "too.",
        ),
        Mistake(
            "changed_labelled_only",
            _changed_labelled_only,
            "Your masked_ids are right, but only the words that have changed have labels; chosen words that stay as "
            "they are need one too.",
        ),
        Mistake(
            "labels_turned_round",
            lambda ids, real, choice, action, other, mask_id: (
                _right(ids, real, choice, action, other, mask_id)[0],
                ids.masked_fill(_chosen(real, choice), IGNORE),
            ),
            "Your masked_ids are right, but your labels are −100 where words were chosen, and ids where they were not.",
        ),
        Mistake(
            "labels_of_the_masked",
            lambda ids, real, choice, action, other, mask_id: (
                _right(ids, real, choice, action, other, mask_id)[0],
                _right(ids, real, choice, action, other, mask_id)[0].masked_fill(~_chosen(real, choice), IGNORE),
            ),
            "Your labels are the ids after masking; they should be the ids before.",
        ),
        Mistake(
            "zero_elsewhere",
            lambda ids, real, choice, action, other, mask_id: _made(
                ids, _chosen(real, choice), action < 0.8, (action >= 0.8) & (action < 0.9), other, mask_id, 0
            ),
            "Where no word was chosen your labels are 0, which is a word of the vocabulary.",
        ),
    ),
    also_right={"where": _where, "by index": _by_index, "word by word": _word_by_word, "three masks": _right},
    hints=(
        "Three masks of True and False: which words are chosen, which of those are hidden, which are exchanged.",
        "`(choice < 0.15) & (attention_mask == 1)` are the chosen ones. `masked_fill` puts one number where a mask is "
        "True, `torch.where(mask, one, other)` takes from two tensors.",
        "`labels = input_ids.masked_fill(~chosen, -100)`; for masked_ids first `masked_fill(chosen & (action < 0.8), "
        "mask_id)`, then `torch.where` with random_ids.",
    ),
    solution="chosen = (choice < 0.15) & (attention_mask == 1)\n"
    "labels = input_ids.masked_fill(~chosen, -100)\n"
    "masked_ids = input_ids.masked_fill(chosen & (action < 0.8), mask_id)\n"
    "exchanged = chosen & (action >= 0.8) & (action < 0.9)\n"
    "return torch.where(exchanged, random_ids, masked_ids), labels",
    explanation="Devlin et al. 2018, section 3.1. A model in use never sees the mask token. Because some chosen words "
    "are exchanged and some kept, the model must make a good vector for every word, hidden or not. −100 is the label "
    "that torch's cross_entropy leaves out.",
    stages=_steps,
    look_first=("labels", "masked_ids"),
)
