"""Notebook 02: four other matrices, no feature of a head left as it was, and nobody notices at the output."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch.nn import functional as F

from anatomy_course.content.multi_head.shared import four_weights
from anatomy_course.content.writing import Cases, Draw, Generator, Objection, Output, Tensor, written
from anatomy_utils.functional.multi_head import multi_head_attention

ALIKE = 0.999
"""From this cosine on, a feature counts as the one that it was."""
NAMES = ("query", "key", "value", "output")


def disguise(
    query_weight: Tensor, key_weight: Tensor, value_weight: Tensor,
    output_weight: Tensor, num_heads: int,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    """W_Q, W_K, W_V and W_O of a layer without biases, each (d_model, d_model), head 0's d_head
    columns (of W_O: rows) first → four other matrices. On every input the layer must give the
    output that it gave. But no column of the first three, and no row of W_O, may be one that was
    there before, whatever its place, length or sign."""
    d_head = query_weight.shape[1] // num_heads
    turn = torch.block_diag(*(torch.linalg.qr(torch.randn(d_head, d_head)).Q for _ in range(num_heads)))
    return query_weight @ turn, key_weight @ turn, value_weight @ turn, turn.T @ output_weight


def cases(generator: Generator) -> Cases:
    for kind in ("few words", "a sentence", "many narrow heads"):
        draw = Draw(generator, kind=kind, among=(3, 5, 7), heads=2 if kind == "few words" else 3)
        draw.sizes |= {"d_head": 4 if kind == "many narrow heads" else 5, "words": 3 if kind == "few words" else 7}
        weights = four_weights(draw)
        vectors = 1.5 * draw(f"words {draw['heads'] * draw['d_head']}")
        yield draw.case(**weights, num_heads=draw["heads"], vectors=vectors)


def recognized(was: Tensor, now: Tensor) -> Tensor:
    """The share of columns that are old ones: of any length and sign, at the old place, and of the old length."""
    alike = (F.normalize(was, dim=0).T @ F.normalize(now, dim=0)).abs() > ALIKE
    long = torch.isclose(was.norm(dim=0)[:, None], now.norm(dim=0), rtol=1e-3)
    shares = alike.any(dim=0), alike.diagonal(), (alike & long).any(dim=0)
    return torch.stack([each.float().mean() for each in shares])


def objection(
    given: Sequence[Tensor], found: Sequence[Tensor], heads: int, same: bool, old: Tensor
) -> Objection | None:
    """What is said of two mixtures that many answers can have: one across heads, and one that leaves features out."""
    sides = [[each.unflatten(1, (heads, -1)) for each in four[:2]] for four in (given, found)]
    before, after = (torch.einsum("ihd,jhd->hij", *pair) for pair in sides)
    fits = torch.allclose(before.sum(0), after.sum(0), atol=1e-3)
    if not same and fits and not torch.allclose(before, after, atol=1e-3):
        said = "W_Q and W_K still fit together as a whole, but no longer head by head: your mixture goes across heads."
        return Objection("across", said)
    if same and ((old > 0) & (old < 1)).any():
        counts = (old * len(given[0])).round().int().tolist()
        some = ", ".join(f"{count} of W_{name[0].upper()}" for name, count in zip(NAMES, counts, strict=True))
        return Objection("some", f"The output is the same, but some features are old ones: {some}. Mix them all.", some)
    return None


def drive(answer: Callable[..., Any], *arguments: Any) -> tuple[Tensor, ...] | Objection:
    """The change of the output, and the shares of features that can still be recognized."""
    *were, num_heads, vectors = arguments
    given = [each.clone() for each in were]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        found = answer(*were, num_heads)
    shapes = [getattr(each, "shape", ()) for each in found] if isinstance(found, tuple | list) else []
    if shapes != [each.shape for each in given]:
        return Objection("four", "Return four matrices, as wide as those that you got: W_Q, W_K, W_V, W_O.")
    attend = partial(multi_head_attention, vectors, num_heads=num_heads)
    before, after = attend(*given), attend(*found)
    known = [recognized(*pair) for pair in zip((*given[:3], given[3].T), (*found[:3], found[3].T), strict=True)]
    change, shares = (after - before) / before.norm(), torch.stack(known)
    same = bool(change.abs().max() < 1e-4)
    return objection(given, found, num_heads, same, shares[:, 0]) or (change, shares)


EXERCISE = written(
    disguise,
    title="Change all, change nothing",
    task="Rewrite the four matrices of a layer beyond recognition, so that its output stays what it was.",
    level="hard, 10 minutes",
    returns=(
        Output("change of the output", "position d_model"),
        Output("share of old features in W_Q, W_K, W_V and W_O", "matrix kind"),
    ),
    cases=cases,
    observe=drive,
    mistakes="""
    signs: -query_weight, -key_weight, -value_weight, -output_weight
        “The output is the same, but every feature is an old one, at most with the other sign. Mix the features
        of a head.”
    lengths: 2 * query_weight, key_weight / 2, 3 * value_weight, output_weight / 3
        “The output is the same, but every feature is an old one of another length. Mix the features of a head.”
    heads_permuted:
        query_weight, key_weight, value_weight = (
            each.unflatten(1, (num_heads, -1)).flip(1).flatten(1) for each in (query_weight, key_weight, value_weight)
        )
        return query_weight, key_weight, value_weight, output_weight.unflatten(0, (num_heads, -1)).flip(0).flatten(0, 1)
        “The output is the same, but the heads have only changed places: every feature can be found again.”
    scores_alone: value_weight @ turn, turn.T @ output_weight ⇒ value_weight, output_weight
        “The output is the same and W_Q and W_K are new, but W_V and W_O are the old ones.”
    values_alone: query_weight @ turn, key_weight @ turn ⇒ query_weight, key_weight
        “The output is the same and W_V and W_O are new, but W_Q and W_K are the old ones.”
    queries_alone: key_weight @ turn ⇒ key_weight
        “W_Q is turned and W_K is not: queries and keys no longer meet in the same directions, and all scores change.”
    not_turned_back: turn.T @ output_weight ⇒ output_weight
        “W_V is turned and W_O is not: it reads features that are no longer what it learned to read.”
    turned_twice: turn.T @ output_weight ⇒ turn @ output_weight
        “W_O turns once more in the same direction, in place of back.”
    across_heads:
        torch.block_diag(*(torch.linalg.qr(torch.randn(d_head, d_head)).Q for _ in range(num_heads))) ⇒
            torch.linalg.qr(torch.randn(d_head * num_heads, d_head * num_heads)).Q
        “Your mixture goes across heads: a head's scores now contain features of other heads, and all maps change.”
    not_a_rotation: torch.linalg.qr(torch.randn(d_head, d_head)).Q ⇒ torch.randn(d_head, d_head)
        “Your mixture stretches, so dot products change. Turn both by a rotation, or undo in one what the other gets.”
    """,
    also_right="""
    one rotation for all heads:
        *(torch.linalg.qr(torch.randn(d_head, d_head)).Q for _ in range(num_heads)) ⇒
            *[torch.linalg.qr(torch.randn(d_head, d_head)).Q] * num_heads
    any mixture and its inverse:
        torch.linalg.qr(torch.randn(d_head, d_head)).Q ⇒ torch.randn(d_head, d_head) + 3 * torch.eye(d_head)
        key_weight @ turn ⇒ key_weight @ torch.linalg.inv(turn).T
        turn.T @ output_weight ⇒ torch.linalg.inv(turn) @ output_weight
    a mirror in each head:
        torch.linalg.qr(torch.randn(d_head, d_head)).Q ⇒
            torch.eye(d_head) - 2 * torch.ones(d_head, d_head) / d_head
    """,
    hints="""
    - A score is a dot product of two vectors of one head. What can you do to both of them without changing it?
    - A rotation (an orthogonal matrix) of a head's d_head features, the same for its queries and its keys, keeps every
      dot product. W_V may be turned as well, if W_O turns back. `torch.linalg.qr(torch.randn(n, n)).Q` is a rotation.
    - `turn = torch.block_diag(*rotations)`, one for each head; then `query_weight @ turn`, `key_weight @ turn`,
      `value_weight @ turn`, and `turn.T @ output_weight`.
    """,
    explanation="""
    Only two products of a head's matrices are ever used: W_Q W_Kᵀ and W_V W_O. A rotation and its inverse cancel inside
    each of them. So "feature 5 of this head's queries" is no fact about the model, and the two products are. (Where
    rotary positions turn pairs of features, notebook 04, only rotations that go with these pairs are free.)
    """,
)
