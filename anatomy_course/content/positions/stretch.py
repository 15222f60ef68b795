"""Notebook 04: reading longer texts with rotary positions, by slowing the hands down that need it."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, written


def stretch(speeds: Tensor, trained: int, length: int) -> Tensor:
    """speeds (pair,), in radians per position; trained and length: positions in the longest text of
    training, and in the text to be read, longer or not → new speeds (pair,).
    The largest offset is one less than a text has positions."""
    went_round = speeds * (trained - 1) >= 2 * torch.pi
    factor = min(1.0, (trained - 1) / (length - 1))
    return torch.where(went_round, speeds, speeds * factor)


def cases(generator: Generator) -> Cases:
    for kind, pairs, trained, length in (
        ("four hands", 4, 16, 64),
        ("many hands", 17, 512, 4096),
        ("a text twice as long", 13, 101, 202),
        ("a text of the trained length", 5, 64, 64),
        ("a text shorter than those in training", 7, 128, 5),
        ("hands that are all slow", 3, 5, 23),
        ("a single hand", 1, 5, 23),
        ("texts of one word in training", 3, 1, 23),
        ("hands in any order", 11, 256, 1000),
        ("hands that turned about once", 6, 29, 97),
    ):
        base = 10.0 ** float(2 + 3 * torch.rand(1, generator=generator))
        speeds = base ** (-torch.arange(pairs) / pairs)
        speeds = speeds[torch.randperm(pairs, generator=generator)] if "order" in kind else speeds
        if kind == "hands that turned about once":
            speeds = torch.tensor([1.02, 0.98, 1.005, 0.995, 2.0, 0.5]) * 2 * torch.pi / (trained - 1)
        elif (speeds * (trained - 1) / (2 * torch.pi) - 1).abs().min() < 1e-3:  # too near to one full turn
            speeds = speeds * 1.01
        yield Case({"speeds": speeds, "trained": trained, "length": length}, kind, {"pair": pairs})


EXERCISE = written(
    stretch,
    title="Stretch it",
    task="A hand that went all the way round in training, by 2π or more, keeps its speed. Slow every other hand down "
    "just as far as is needed for the longer text to turn it no further than training did.",
    level="medium, 8 minutes",
    returns="new speeds: pair",
    cases=cases,
    stages="""
    hands that went round: went_round
    all hands slowed down: speeds * factor
    """,
    mistakes="""
    all_slowed: torch.where(went_round, speeds, speeds * factor) ⇒ speeds * factor
        “All your hands are slower, the fast ones too: neighbors then differ by angles that were never trained.”
    none_slowed: speeds * factor) ⇒ speeds)
        “Your hands all keep their speeds: in the longer text the slow ones reach angles that training never showed.”
    fast_slowed: >= 2 ⇒ < 2
        “You slow the hands down that went round, and leave those that did not: it should be the other way round.”
    length_turns: speeds * (trained - 1) >= ⇒ speeds * (length - 1) >=
        “You ask which hands go round in the longer text. What counts is what training has shown.”
    sped_up: min(1.0, (trained - 1) / (length - 1)) ⇒ (trained - 1) / (length - 1)
        “For a text shorter than those in training your slow hands turn faster. Such a text needs no change.”
    positions_for_offsets: (trained - 1) / (length - 1) ⇒ trained / length
        “You slow down by trained / length. The largest offset is one less than the number of positions, on both sides.”
    half_turn: 2 * torch.pi ⇒ torch.pi
        “Hands that went half round are left alone. They have shown half of the angles.”
    one_radian: 2 * torch.pi ⇒ 1
        “Hands that turned by more than one radian are left alone. A full turn is 2π radians.”
    faster: min(1.0, (trained - 1) / (length - 1)) ⇒ (length - 1) / max(1, trained - 1)
        “Your slow hands turn faster, so that they go even further beyond the trained angles.”
    larger_base:
        factor = min(1.0, (trained - 1) / (length - 1)) ** (torch.arange(len(speeds)) / max(1, len(speeds) - 1))
        return speeds * factor
        “You slow each hand a little more than the one before it, as a larger base does. That is used as well; here a
        hand either keeps its speed or is slowed down as far as needed.”
    """,
    also_right="""
    hand by hand:
        new = speeds.clone()
        for pair, speed in enumerate(speeds.tolist()):
            if speed * (trained - 1) < 2 * torch.pi and length > trained:
                new[pair] = speed * (trained - 1) / (length - 1)
        return new
    by a factor for each hand:
        return torch.where(went_round, speeds, speeds * factor) ⇒ return speeds * torch.where(went_round, 1.0, factor)
    by wave length: speeds * (trained - 1) >= 2 * torch.pi ⇒ 2 * torch.pi / speeds <= trained - 1
    """,
    hints="""
    - Two questions. How far did each hand turn at the largest offset of training? And by which factor must a hand be
      slower, so that the largest offset of the longer text turns it just as far?
    - `speeds * (trained - 1)` is how far each hand turned. The factor is the same for all hands that need one:
      `(trained - 1) / (length - 1)`, and never more than 1.
    - `torch.where(went_round, speeds, speeds * factor)` keeps the first where the mask is True, and takes the second
      elsewhere.
    """,
    explanation="""
    A hand that went round has shown every angle, so nothing new can happen to it, and it tells neighbors apart. The
    slow hands tell near from far; slowed down, they stay within the angles of training. YaRN (Peng et al. 2023,
    arXiv:2309.00071) does this, with a gradual passage between the two kinds of hands, and some training afterwards.
    """,
)
