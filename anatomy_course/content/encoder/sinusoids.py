"""Notebook 03: sinusoidal positions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

import torch
from torch import Tensor

from anatomy_course.content.sizes import and_short, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("4 features", "positions from 0", "2 features", "positions far on"):
        position, pairs = primes(generator, 2, (3, 5, 7))
        pairs = {"4 features": 2, "2 features": 1}.get(kind, pairs)
        start = int(torch.randint(200, 300, (1,), generator=generator)) if kind == "positions far on" else 0
        arguments = {"positions": torch.arange(start, start + position), "d_model": 2 * pairs}
        yield Case(arguments, kind, {"position": position, "d_model": 2 * pairs})


def _and_gaps(generator: torch.Generator) -> Iterator[Case]:
    """Those, a single position, and positions that are not counted up by 1 from the first one."""
    yield from and_short(_cases, "position", "a single position")(generator)
    arguments = {"positions": torch.randperm(97, generator=generator)[:5], "d_model": 6}
    yield Case(arguments, "positions in any order", {"position": 5, "d_model": 6})


def _angles(positions: Tensor, d_model: int) -> Tensor:
    return positions[..., None] / 10_000 ** (torch.arange(0, d_model, 2) / d_model)


def _alternating(even: Tensor, odd: Tensor) -> Tensor:
    return torch.stack((even, odd), dim=-1).flatten(-2)


def _of(angles: Callable[[Tensor, int], Tensor]) -> Callable[[Tensor, int], Tensor]:
    """Sine and cosine alternate, of other angles than the right ones."""

    def waves(positions: Tensor, d_model: int) -> Tensor:
        wrong = angles(positions, d_model)
        return _alternating(wrong.sin(), wrong.cos())

    return waves


def _each_feature_its_own(positions: Tensor, d_model: int) -> Tensor:
    angles = positions[:, None] / 10_000 ** (torch.arange(d_model) / d_model)
    return torch.where(torch.arange(d_model) % 2 == 0, angles.sin(), angles.cos())


def _steps(positions: Tensor, d_model: int) -> Mapping[str, Tensor]:
    angles = _angles(positions, d_model)
    return {
        "lengths of the waves": 10_000 ** (torch.arange(0, d_model, 2) / d_model),
        "angles": angles,
        "sines": angles.sin(),
        "cosines": angles.cos(),
    }


def _filled(positions: Tensor, d_model: int) -> Tensor:
    waves = torch.empty(*positions.shape, d_model)
    waves[..., 0::2], waves[..., 1::2] = _angles(positions, d_model).sin(), _angles(positions, d_model).cos()
    return waves


def _one_by_one(positions: Tensor, d_model: int) -> Tensor:
    rows = []
    for position in positions.tolist():
        angles = [position / 10_000 ** (2 * (i // 2) / d_model) for i in range(d_model)]
        rows.append([math.cos(angle) if i % 2 else math.sin(angle) for i, angle in enumerate(angles)])
    return torch.tensor(rows)


def _by_logarithm(positions: Tensor, d_model: int) -> Tensor:
    frequencies = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10_000.0) / d_model))
    angles = torch.outer(positions.float(), frequencies)
    return _alternating(angles.sin(), angles.cos())


EXERCISE = Exercise(
    id="encoder.sinusoids",
    title="Waves for positions",
    task="Give each position its fixed vector: feature 2i is the sine and feature 2i + 1 the cosine of "
    "p / 10000^(2i / d_model).",
    difficulty="medium",
    minutes=6,
    signature="sinusoids(positions: Tensor, d_model: int) -> Tensor",
    docstring="positions (position,), whole numbers → waves (position, d_model).\n"
    "With d_model 4, position 1 gets sin 1, cos 1, sin 0.01, cos 0.01: 0.84, 0.54, 0.01, 1.00.",
    reference="anatomy_utils.functional.positions.sinusoids",
    returns=(Output("waves", "position d_model"),),
    cases=_and_gaps,
    mistakes=(
        Mistake(
            "sines_first",
            lambda positions, d_model: torch.cat(
                (_angles(positions, d_model).sin(), _angles(positions, d_model).cos()), dim=-1
            ),
            "Your waves are right, but all sines come first and then all cosines; here they alternate.",
        ),
        Mistake(
            "cosine_first",
            lambda positions, d_model: _alternating(
                _angles(positions, d_model).cos(), _angles(positions, d_model).sin()
            ),
            "Your sines and cosines are swapped: your even features are cosines.",
        ),
        Mistake(
            "sines_only",
            lambda positions, d_model: _angles(positions, d_model).sin().repeat_interleave(2, dim=-1),
            "All your features are sines; each pair holds the same number twice.",
        ),
        Mistake(
            "each_feature_its_own",
            _each_feature_its_own,
            "Each of your features has a wavelength of its own; a sine and the cosine after it should share one.",
        ),
        Mistake(
            "exponent_doubled",
            _of(lambda positions, d: positions[:, None] / 10_000 ** (2 * torch.arange(0, d, 2) / d)),
            "Your wavelengths grow too fast, up to 10000² instead of 10000, as if the exponent had one factor 2 too "
            "many.",
        ),
        Mistake(
            "exponent_halved",
            _of(lambda positions, d: positions[:, None] / 10_000 ** (torch.arange(d // 2) / d)),
            "Your wavelengths grow too slowly, up to 100 instead of 10000, as if the exponent lacked a factor 2.",
        ),
        Mistake(
            "multiplied",
            _of(lambda positions, d: positions[:, None] * 10_000 ** (torch.arange(0, d, 2) / d)),
            "Your waves get shorter from pair to pair, as if the positions were multiplied where they should be "
            "divided.",
        ),
        Mistake(
            "one_wave",
            _of(lambda positions, d: positions[:, None].expand(-1, d // 2).float()),
            "All your pairs have the same wave, that of the first pair, as if 10000 were not used.",
        ),
        Mistake(
            "from_one",
            _of(lambda positions, d: _angles(positions + 1, d)),
            "Your vectors are those of the next position, as if you counted from 1.",
        ),
        Mistake(
            "positions_counted_again",
            _of(lambda positions, d: _angles(torch.arange(len(positions)), d)),
            "Your vectors are those of positions 0, 1, 2 …, whatever `positions` contains.",
        ),
        Mistake(
            "not_waves",
            lambda positions, d_model: _angles(positions, d_model).repeat_interleave(2, dim=-1),
            "You return the angles, each of them twice, without sine and cosine.",
        ),
        Mistake(
            "in_turns",
            _of(lambda positions, d: 2 * math.pi * _angles(positions, d)),
            "Your waves are 2π times too short: the angle of position 1 in the first pair is 1, not a full turn.",
        ),
    ),
    also_right={
        "filled in": _filled,
        "one by one": _one_by_one,
        "by the logarithm": _by_logarithm,
        "by broadcasting": lambda positions, d_model: torch.where(
            torch.arange(d_model) % 2 == 0,
            _angles(positions, d_model).repeat_interleave(2, -1).sin(),
            _angles(positions, d_model).repeat_interleave(2, -1).cos(),
        ),
    },
    hints=(
        "Make the angles first: one row for each position, one column for each pair, (position, d_model / 2).",
        "`torch.arange(0, d_model, 2)` holds 2i for every pair. `positions[..., None]` divided by one number per pair "
        "makes the table of angles.",
        "`torch.stack([angles.sin(), angles.cos()], dim=-1)` puts each sine beside its cosine; `.flatten(-2)` makes "
        "one row of the pairs.",
    ),
    solution="two_i = torch.arange(0, d_model, 2)\n"
    "angles = positions[..., None] / 10000 ** (two_i / d_model)\n"
    "return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)",
    explanation="Section 3.5 of the 2017 paper. Every pair is a clock hand, each slower than the one before. Moving k "
    "positions on turns each hand by a fixed angle, wherever it started. So for each k there is one matrix that looks "
    "k positions back from every position; another k needs another matrix.",
    stages=_steps,
)
