"""Notebook 04: a penalty for what has been said already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import and_short, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, batch, position, vocab_size, penalty in (
        ("a batch of texts", 3, 5, 11, 1.5),
        ("one text", 1, 7, 13, 2.0),
        ("a batch of texts", 3, 5, 11, 1.2),
    ):
        ids = torch.randint(vocab_size - 2, (batch, position), generator=generator)
        ids[0, 0] *= penalty > 1.2  # token 0 is one like any other
        ids[:, 1] = ids[:, 0]  # one token twice
        ids[:, 2] = (ids[:, 0] + 1) % (vocab_size - 2)
        ids[:, 3] = (ids[:, 0] + 2) % (vocab_size - 2)
        logits = 2 * normal(generator, batch, vocab_size)
        logits.scatter_(1, ids[:, :1], 1 + torch.rand(batch, 1, generator=generator))  # a seen one above 0 …
        if penalty == 1.2:
            logits[1, ids[1, 0]] *= -1  # another text may like it less
        logits.scatter_(1, ids[:, 2:3], -1 - torch.rand(batch, 1, generator=generator))  # … and one below
        yield Case(
            {"logits": logits, "input_ids": ids, "penalty": penalty},
            kind,
            {"batch": batch, "position": position, "vocab_size": vocab_size},
        )


def _lowered(logits: Tensor, penalty: float) -> Tensor:
    return torch.where(logits > 0, logits / penalty, logits * penalty)


def _seen(logits: Tensor, ids: Tensor) -> Tensor:
    return torch.zeros_like(logits, dtype=torch.bool).scatter(1, ids, True)


def _instead(logits: Tensor, ids: Tensor, changed: Tensor) -> Tensor:
    return torch.where(_seen(logits, ids), changed, logits)


def _each_time(logits: Tensor, ids: Tensor, penalty: float) -> Tensor:
    logits = logits.clone()
    for row, text in enumerate(ids.tolist()):
        for token in text:
            logits[row, token] = _lowered(logits[row, token], penalty)
    return logits


def _token_by_token(logits: Tensor, ids: Tensor, penalty: float) -> Tensor:
    logits = logits.clone()
    for row, text in enumerate(ids.tolist()):
        for token in set(text):
            logits[row, token] = (
                logits[row, token] / penalty if logits[row, token] > 0 else logits[row, token] * penalty
            )
    return logits


def _by_index(logits: Tensor, ids: Tensor, penalty: float) -> Tensor:
    rows, result = torch.arange(len(ids))[:, None], logits.clone()
    result[rows, ids] = _lowered(logits[rows, ids], penalty)
    return result


def _steps(logits: Tensor, ids: Tensor, penalty: float) -> Mapping[str, Tensor]:
    seen = logits.gather(1, ids)
    return {"logits of the text's tokens": seen, "lowered logits": _lowered(seen, penalty)}


EXERCISE = Exercise(
    id="decoder.repetition_penalty",
    title="Repetition penalty",
    task="Lower the logits of the tokens that each row's text contains: divide those above 0 by the penalty, multiply "
    "those below 0.",
    difficulty="medium",
    minutes=5,
    signature="repetition_penalty(logits: Tensor, input_ids: Tensor, penalty: float) -> Tensor",
    docstring="logits (batch, vocab_size), input_ids (batch, position): the text so far, penalty above 1 → logits,\n"
    "the same shape. A token counts once, however often it occurs.",
    reference="anatomy_utils.decoding.filters.repetition_penalty",
    returns=(Output("logits", "batch vocab_size"),),
    cases=and_short(_cases, "position", "texts of one word"),
    mistakes=(
        Mistake(
            "all_divided",
            lambda logits, ids, penalty: _instead(logits, ids, logits / penalty),
            "You divide negative logits too, which brings them nearer to 0: those tokens have become likelier.",
        ),
        Mistake(
            "all_multiplied",
            lambda logits, ids, penalty: _instead(logits, ids, logits * penalty),
            "You multiply positive logits too: those tokens have become likelier.",
        ),
        Mistake(
            "turned_round",
            lambda logits, ids, penalty: _instead(
                logits, ids, torch.where(logits > 0, logits * penalty, logits / penalty)
            ),
            "Tokens of the text have become likelier in yours: dividing and multiplying are swapped.",
        ),
        Mistake(
            "each_time",
            _each_time,
            "A token that occurs twice in the text is punished twice in yours; once is enough.",
        ),
        Mistake(
            "everybody",
            lambda logits, ids, penalty: _lowered(logits, penalty),
            "You lower all logits, not only those of the tokens in the text.",
        ),
        Mistake(
            "unseen",
            lambda logits, ids, penalty: torch.where(_seen(logits, ids), logits, _lowered(logits, penalty)),
            "You lower the tokens that are not in the text, and spare those that are.",
        ),
        Mistake(
            "subtracted",
            lambda logits, ids, penalty: _instead(logits, ids, logits - penalty),
            "You subtract the penalty; here it is a factor.",
        ),
        Mistake(
            "forbidden",
            lambda logits, ids, penalty: logits.masked_fill(_seen(logits, ids), -torch.inf),
            "You forbid every repetition altogether; they should only become less likely.",
        ),
        Mistake(
            "last_token",
            lambda logits, ids, penalty: _instead(logits, ids[:, -1:], _lowered(logits, penalty)),
            "Only the last token of the text is punished; all of them should be.",
        ),
        Mistake(
            "all_rows",
            lambda logits, ids, penalty: _instead(
                logits, ids.flatten().expand(len(ids), -1), _lowered(logits, penalty)
            ),
            "Each row of yours is punished for the other rows' words too.",
        ),
        Mistake(
            "lowered_alone",
            lambda logits, ids, penalty: _lowered(logits.gather(1, ids), penalty),
            "Your numbers are those of the text's tokens alone; they should be put back among all logits.",
        ),
    ),
    also_right={
        "by index": _by_index,
        "token by token": _token_by_token,
        "where": lambda logits, ids, penalty: _instead(logits, ids, _lowered(logits, penalty)),
        "minimum": lambda logits, ids, penalty: _instead(
            logits, ids, torch.minimum(logits / penalty, logits * penalty)
        ),
    },
    hints=(
        "Three steps: fetch the logits of the tokens in the text, lower them, put them back where they came from.",
        "`logits.gather(1, input_ids)` fetches: row by row, the columns that the ids name. `logits.scatter(1, "
        "input_ids, new)` returns a copy with `new` in those columns.",
        "`torch.where(seen > 0, seen / penalty, seen * penalty)` lowers both kinds.",
    ),
    solution="seen = logits.gather(1, input_ids)\n"
    "lowered = torch.where(seen > 0, seen / penalty, seen * penalty)\n"
    "return logits.scatter(1, input_ids, lowered)",
    explanation="Keskar et al. 2019 divide by the penalty in every case, which raises any logits below 0. The rule "
    "for those is a later repair, which the common libraries use. The prompt counts as text: a name in it becomes "
    "less likely, too.",
    stages=_steps,
)
