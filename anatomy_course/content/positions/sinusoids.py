"""Notebook 04: sinusoidal positions."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, and_short, primes, written
from anatomy_utils.functional import positions as library


def sinusoids(positions: Tensor, d_model: int) -> Tensor:
    """positions (position,), whole numbers → waves (position, d_model).
    With d_model 4, position 1 gets sin 1, cos 1, sin 0.01, cos 0.01: 0.84, 0.54, 0.01, 1.00.
    """
    two_i = torch.arange(0, d_model, 2)
    angles = positions[..., None] / 10000 ** (two_i / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


def counted(generator: Generator) -> Cases:
    for kind in ("4 features", "positions from 0", "2 features", "positions far on"):
        position, pairs = primes(generator, 2, (3, 5, 7))
        pairs = {"4 features": 2, "2 features": 1}.get(kind, pairs)
        start = int(torch.randint(200, 300, (1,), generator=generator)) if kind == "positions far on" else 0
        arguments = {"positions": torch.arange(start, start + position), "d_model": 2 * pairs}
        yield Case(arguments, kind, {"position": position, "d_model": 2 * pairs})


def cases(generator: Generator) -> Cases:
    """Those, a single position, and positions that are not counted up by 1 from the first one."""
    yield from and_short(counted, "position", "a single position")(generator)
    arguments = {"positions": torch.randperm(97, generator=generator)[:5], "d_model": 6}
    yield Case(arguments, "positions in any order", {"position": 5, "d_model": 6})


EXERCISE = written(
    sinusoids,
    same_as=library.sinusoids,
    title="Waves for positions",
    task="Give each position its fixed vector: feature 2i is the sine and feature 2i + 1 the cosine of p / 10000^(2i / "
    "d_model).",
    level="medium, 6 minutes",
    returns="waves: position d_model",
    cases=cases,
    stages="""
    lengths of the waves: 10000 ** (two_i / d_model)
    angles
    sines: angles.sin()
    cosines: angles.cos()
    """,
    mistakes="""
    sines_first:
        torch.stack ⇒ torch.cat
        .flatten(-2) ⇒
        “Your waves are right, but all sines come first and then all cosines; here they alternate.”
    cosine_first: [angles.sin(), angles.cos()] ⇒ [angles.cos(), angles.sin()]
        “Your sines and cosines are swapped: your even features are cosines.”
    sines_only: angles.cos() ⇒ angles.sin()
        “All your features are sines; each pair holds the same number twice.”
    each_feature_its_own:
        features = torch.arange(d_model)
        angles = positions[:, None] / 10000 ** (features / d_model)
        return torch.where(features % 2 == 0, angles.sin(), angles.cos())
        “Each of your features has a wavelength of its own; a sine and the cosine after it should share one.”
    exponent_doubled: two_i / ⇒ 2 * two_i /
        “Your wavelengths grow too fast, up to 10000² instead of 10000, as if the exponent had one factor 2 too many.”
    exponent_halved: torch.arange(0, d_model, 2) ⇒ torch.arange(d_model // 2)
        “Your wavelengths grow too slowly, up to 100 instead of 10000, as if the exponent lacked a factor 2.”
    multiplied: / 10000 ⇒ * 10000
        “Your waves get shorter from pair to pair, as if the positions were multiplied where they should be divided.”
    one_wave: 10000 ⇒ 1
        “All your pairs have the same wave, that of the first pair, as if 10000 were not used.”
    from_one: positions[..., None] ⇒ (positions[..., None] + 1)
        “Your vectors are those of the next position, as if you counted from 1.”
    positions_counted_again: positions[..., None] ⇒ torch.arange(len(positions))[..., None]
        “Your vectors are those of positions 0, 1, 2 …, whatever `positions` contains.”
    not_waves: [angles.sin(), angles.cos()] ⇒ [angles, angles]
        “You return the angles, each of them twice, without sine and cosine.”
    in_turns: angles = positions ⇒ angles = 2 * torch.pi * positions
        “Your waves are 2π times too short: the angle of position 1 in the first pair is 1, not a full turn.”
    """,
    also_right="""
    filled in:
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2) ⇒
            waves = torch.empty(*positions.shape, d_model)
            waves[..., 0::2], waves[..., 1::2] = angles.sin(), angles.cos()
            return waves
    by the logarithm:
        angles = positions[..., None] / 10000 ** (two_i / d_model) ⇒
            frequencies = torch.exp(two_i * (-torch.tensor(10000.0).log() / d_model))
            angles = torch.outer(positions.float(), frequencies)
    by broadcasting:
        features = torch.arange(d_model)
        angles = positions[..., None] / 10000 ** ((features - features % 2) / d_model)
        return torch.where(features % 2 == 0, angles.sin(), angles.cos())
    """,
    again="""
    torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2) ⇒ torch.cat([angles.sin(), angles.cos()], dim=-1)
        “This time all sines come first, then all cosines.”
        Not here: cosine_first sines_only not_waves
    """,
    hints="""
    - Make the angles first: one row for each position, one column for each pair, (position, d_model / 2).
    - `torch.arange(0, d_model, 2)` holds 2i for every pair. `positions[..., None]` divided by one number per pair makes
      the table of angles.
    - `torch.stack([angles.sin(), angles.cos()], dim=-1)` puts each sine beside its cosine; `.flatten(-2)` makes one row
      of the pairs.
    """,
    explanation="""
    Section 3.5 of the 2017 paper. Every pair is a clock hand, each slower than the one before. Moving k positions on
    turns each hand by a fixed angle, wherever it started. So for each k there is one matrix that looks k positions back
    from every position; another k needs another matrix.
    """,
)
