"""Notebook 02: switching a head off."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.multi_head.shared import merge, split  # noqa: F401 (variants use it)
from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case
from anatomy_course.judge.form import written


def switch_off(context: Tensor, head: int, num_heads: int) -> Tensor:
    """context (batch, position, d_model), all heads side by side; head, counted from 0
    → a new tensor like context, with 0 in the features of that head.
    """
    d_head = context.shape[-1] // num_heads
    own = context.clone()
    own[..., head * d_head : (head + 1) * d_head] = 0
    return own


def _merged_contexts(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a head in the middle", "the first head", "the last head", "a head in the middle"):
        batch, position, heads, d_head = primes(generator, 4, (3, 5, 7, 11))
        batch = 1 if kind == "the last head" else batch
        if kind == "a head in the middle":  # not head 1, which is its own square
            heads, d_head = max(heads, d_head), min(heads, d_head)
            head = int(torch.randint(2, heads - 1, (), generator=generator))
        else:
            head = 0 if kind == "the first head" else heads - 1
        context = normal(generator, batch, position, heads * d_head) + 0.5
        sizes = {"batch": batch, "position": position, "heads": heads, "d_head": d_head}
        yield Case({"context": context, "head": head, "num_heads": heads}, kind, sizes)


def _zero(context: Tensor, start: int, stop: int) -> Tensor:
    own = context.clone()
    own[..., start:stop] = 0
    return own


def _width(context: Tensor, num_heads: int) -> int:
    return context.shape[-1] // num_heads


def _switched_off(context: Tensor, head: int, num_heads: int) -> Tensor:
    d_head = _width(context, num_heads)
    return _zero(context, head * d_head, (head + 1) * d_head)


EXERCISE = written(
    switch_off,
    same_as="anatomy_utils.functional.multi_head.switch_off",
    title="Switch off a head",
    task="Return the context with 0 in the features of one head, and everything else as it was.",
    level="easy, 4 minutes",
    returns="context: position d_model",
    cases=_merged_contexts,
    mistakes="""
    counted_from_one: _zero(context, max(head - 1, 0) * _width(context, num_heads), head * _width(context, num_heads))
        “You have switched off the head before the one that was asked for. Heads are counted from 0.”
    all_others: context - _switched_off(context, head, num_heads)
        “You have switched off all the other heads: only the one that should be silent still speaks.”
    interleaved:
        own = context.clone()
        own[..., head::num_heads] = 0
        return own
        “Your zeros are num_heads apart. The features of one head are neighbors.”
    num_heads_wide: _zero(context, head * num_heads, (head + 1) * num_heads)
        “Your zeros run over num_heads features; a head is d_model / num_heads wide.”
    one_feature: _zero(context, head, head + 1)
        “A single feature is 0 in your context, the one with the head's number; a head has d_head of them.”
    from_here_on: _zero(context, head * _width(context, num_heads), context.shape[-1])
        “Your zeros begin at the right feature, but run on to the last one: the heads after it are off as well.”
    a_position:
        own = context.clone()
        own[:, head % context.shape[1]] = 0
        return own
        “You have silenced a word in all heads: your zeros fill a position, not a head's features.”
    left_out:
        kept = [i for i in range(num_heads) if i != head]
        return merge(split(context, num_heads)[:, kept])
        “Your context is narrower than before: the head was cut out, and W_O would no longer fit.”
    average_instead:
        heads = split(context, num_heads).clone()
        heads[:, head] = heads[:, head].mean((0, 1))
        return merge(heads)
        “You have put the head's average over all words in its place: it still speaks, but says the same to every word.
        It should be 0.”
    """,
    also_right="""
    a copy, then zeros: _switched_off(context, head, num_heads)
    times a mask: context * (torch.arange(context.shape[-1]) // _width(context, num_heads) != head)
    through the heads: merge(split(context, num_heads) * (torch.arange(num_heads) != head)[:, None, None])
    index_fill: context.unflatten(-1, (num_heads, -1)).index_fill(2, torch.tensor(head), 0.0).flatten(2)
    """,
    hints="""
    - Which features belong to head 0? To head 1? Write down the numbers of a head's first and last feature.
    - With d_head = d_model // num_heads the head has the features from head · d_head to (head + 1) · d_head.
    - `own = context.clone()` makes a copy that you may change; then `own[..., start:stop] = 0`.
    """,
    explanation="""
    With 0 for its context the head adds nothing to the output, whatever its rows of W_O are. The other heads are
    unchanged. `edit` takes such a function and calls it inside the running encoder.
    """,
)
