"""Notebook 05: one step of beam search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output

Three = tuple[Tensor, Tensor, Tensor]
BEAMS = {"a few beams": 3, "beams that are close": 5, "one beam far ahead": 3, "a single beam": 1, "long texts": 3}


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, beams in BEAMS.items():
        vocab_size = primes(generator, 1, (7, 11))[0]
        gaps = torch.rand(beams, generator=generator) * (0.02 if kind == "beams that are close" else 1.0)
        before = -1.5 - gaps.cumsum(0)
        logits = normal(generator, beams, vocab_size)
        if kind == "beams that are close":  # all of them go on with the same token; the last has a second one, too
            same, other = torch.randperm(vocab_size, generator=generator)[:2].tolist()
            logits[:, same] += 9.0
            logits[-1, other] += 5.0
        if kind == "one beam far ahead":  # all that are kept continue it
            before[1:] -= 20.0
        if kind == "long texts":  # their probabilities are too small for float32, as they are after 100 words
            before -= 200.0
        arguments = {"log_probabilities": before, "next_log_probabilities": logits.log_softmax(-1)}
        yield Case(arguments, kind, {"beams": beams, "vocab_size": vocab_size})


def _best(sums: Tensor, *, largest: bool = True) -> Three:
    values, index = sums.flatten().topk(len(sums), largest=largest)
    return values, index // sums.shape[1], index % sums.shape[1]


def _sums(before: Tensor, following: Tensor) -> Tensor:
    return before[:, None] + following


def _each_its_own(before: Tensor, following: Tensor) -> Three:
    values, tokens = _sums(before, following).max(-1)
    order = values.argsort(descending=True)
    return values[order], order, tokens[order]


def _first_only(before: Tensor, following: Tensor) -> Three:
    values, tokens = _sums(before, following)[0].topk(len(before))
    return values, torch.zeros_like(tokens), tokens


def _once_per_token(before: Tensor, following: Tensor) -> Three:
    values, parents = _sums(before, following).max(0)
    values, tokens = values.topk(len(before))
    return values, parents[tokens], tokens


def _divided_by_beams(before: Tensor, following: Tensor) -> Three:
    values, index = _sums(before, following).flatten().topk(len(before))
    return values, index // len(before), index % len(before)


def _with_place(before: Tensor, following: Tensor) -> Three:
    values, index = _sums(before, following).flatten().topk(len(before))
    return values, index // following.shape[1], index


def _all_sorted(before: Tensor, following: Tensor) -> Three:
    index = _sums(before, following).flatten().argsort(descending=True)[: len(before)]
    parents, tokens = torch.unravel_index(index, following.shape)
    return before[parents] + following[parents, tokens], parents, tokens


def _best_of_the_best(before: Tensor, following: Tensor) -> Three:
    most = min(len(before), following.shape[1])
    values, tokens = _sums(before, following).topk(most, -1)
    best = values.flatten().topk(len(before))
    return best.values, best.indices // most, tokens.flatten()[best.indices]


def _by_sorting_a_list(before: Tensor, following: Tensor) -> Three:
    texts = [
        (float(sum_), parent, token)
        for parent, row in enumerate(_sums(before, following).tolist())
        for token, sum_ in enumerate(row)
    ]
    values, parents, tokens = zip(*sorted(texts, reverse=True)[: len(before)], strict=True)
    return torch.tensor(values), torch.tensor(parents), torch.tensor(tokens)


def _steps(before: Tensor, following: Tensor) -> Mapping[str, Tensor]:
    return {"sums": _sums(before, following)}


EXERCISE = Exercise(
    id="encoder_decoder.beam_step",
    title="A step of beam search",
    task="Continue each kept text with each token. Keep the best, as many as before, best first.",
    difficulty="hard",
    minutes=7,
    signature="beam_step(\n"
    "    log_probabilities: Tensor, next_log_probabilities: Tensor\n"
    ") -> tuple[Tensor, Tensor, Tensor]",
    docstring="log_probabilities (beams): log p of each kept text; next_log_probabilities (beams, vocab_size): log p\n"
    "of each token after each → log p of the new texts, which text each continues, and with which token, all (beams).",
    reference="anatomy_utils.decoding.by_hand.beam_step",
    returns=(Output("log_probabilities", "beams"), Output("parents", "beams"), Output("tokens", "beams")),
    cases=_cases,
    mistakes=(
        Mistake(
            "past_forgotten",
            lambda before, following: _best(following),
            "You keep the likeliest next tokens, and ignore how likely the texts before them were.",
        ),
        Mistake(
            "each_its_own",
            _each_its_own,
            "Each of your texts goes on with its own best token. They should compete: one text may get several "
            "continuations, and another none.",
        ),
        Mistake("first_only", _first_only, "Everything you keep continues the first text. The others have no chance."),
        Mistake(
            "once_per_token",
            _once_per_token,
            "You keep each token at most once. Two texts may go on with the same token.",
        ),
        Mistake(
            "worst",
            lambda before, following: _best(_sums(before, following), largest=False),
            "You keep the least likely continuations.",
        ),
        Mistake(
            "worst_first",
            lambda before, following: tuple(part.flip(0) for part in _best(_sums(before, following))),
            "You keep the right texts, but the best one comes last.",
        ),
        Mistake(
            "multiplied",
            lambda before, following: _best(before[:, None] * following),
            "You multiply logarithms. Probabilities are multiplied; their logarithms are added.",
        ),
        Mistake(
            "probabilities",
            lambda before, following: (_best(_sums(before, following))[0].exp(), *_best(_sums(before, following))[1:]),
            "You keep the right texts, but return their probabilities. The next step needs logarithms.",
        ),
        Mistake(
            "probabilities_added",
            lambda before, following: _best(before.exp()[:, None] + following.exp()),
            "You add probabilities. Add their logarithms.",
        ),
        Mistake(
            "divided_by_beams",
            _divided_by_beams,
            "You found the right numbers, but their places are read as if a row of the sums had one column for each "
            "beam. A row is vocab_size long.",
        ),
        Mistake(
            "whole_place",
            _with_place,
            "Your tokens are places among all sums of all beams. A token is the place within its row.",
        ),
        Mistake(
            "parents_and_tokens",
            lambda before, following: (
                _best(_sums(before, following))[0],
                _best(_sums(before, following))[2],
                _best(_sums(before, following))[1],
            ),
            "You return parents and tokens in each other's place.",
        ),
    ),
    also_right={
        "sorted": _all_sorted,
        "the best of each beam first": _best_of_the_best,
        "a sorted list": _by_sorting_a_list,
    },
    hints=(
        "The probability of a text is the product of its tokens' probabilities, so log-probabilities add up. How many "
        "texts compete?",
        "`log_probabilities[:, None] + next_log_probabilities` has a row for each text and a column for each token. "
        "Make one long row of it: `flatten()`, then `topk`.",
        "Place 17 in a long row made of rows of 7 is row 17 // 7 and column 17 % 7.",
    ),
    solution="sums = log_probabilities[:, None] + next_log_probabilities\n"
    "best = sums.flatten().topk(len(log_probabilities))\n"
    "vocab_size = sums.shape[1]\n"
    "return best.values, best.indices // vocab_size, best.indices % vocab_size",
    explanation="With one beam this is greedy choice. With several, a text that begins badly may still win, as long as "
    "it stays among the best. A whole search also sets aside texts that have ended, and divides the log-probability "
    "of each by a power of its length.",
    stages=_steps,
)
