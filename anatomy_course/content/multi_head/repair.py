"""Notebook 02's case: find out what is wrong with `colleagues_heads`, and write it right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial  # noqa: F401 (variants use it)

import torch
from torch import Tensor

from anatomy_course.content.attention.shared import attend, dots, lift
from anatomy_course.content.multi_head import shared
from anatomy_course.content.multi_head.shared import in_heads, merge, split  # noqa: F401 (variants use it)
from anatomy_course.content.sizes import and_short, batch_and_primes, normal
from anatomy_course.judge.definition import Case
from anatomy_course.judge.form import written
from anatomy_course.lab.debugging.colleague.head_splitting import colleagues_heads  # noqa: F401 (variants use it)


# fmt: off
def repaired_heads(query: Tensor, key: Tensor, value: Tensor, num_heads: int, mask: Tensor) -> Tensor:
    """query (batch, query, d_model), key and value (batch, key, d_model), all heads side by side;
    mask (broadcast to batch, heads, query, key; True = may attend; each query has a key to attend to)
    → context (batch, query, d_model).
    """
    query, key, value = (part.unflatten(-1, (num_heads, -1)).transpose(1, 2) for part in (query, key, value))
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = scores.masked_fill(~mask, float('-inf')).softmax(dim=-1)
    return (weights @ value).transpose(1, 2).flatten(2)
# fmt: on


ENDING = ("one sentence", "padding that matches best")


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a padded batch", "a mask of its own for each query", "more keys than queries", *ENDING):
        batch, query, heads, d_head = batch_and_primes(generator, kind, 4, (2, 3, 5, 7))
        key = 11 if kind == "more keys than queries" else query
        if kind == "a mask of its own for each query":
            mask = torch.rand(query, key, generator=generator) < 0.6
            mask[:, 0], mask[0, 1] = True, False
        else:
            real = torch.randint(1, key, (batch, 1, 1, 1), generator=generator)
            mask = torch.arange(key) < real  # batch 1 1 key
        asking, asked = (normal(generator, batch, length, heads, d_head) for length in (query, key))
        asking *= 2
        if kind == "a padded batch":
            asked[:, 0] = 0.0  # all scores of this key are 0, and it is allowed
        if kind == "padding that matches best":
            lift(asking, asked, -144.0 * mask[:, 0, 0, :, None])
        arguments = {
            "query": asking.flatten(2),
            "key": asked.flatten(2),
            "value": normal(generator, batch, key, heads * d_head),
            "num_heads": heads,
            "mask": mask,
        }
        yield Case(arguments, kind, {"batch": batch, "query": query, "heads": heads, "d_head": d_head})


def _steps(query: Tensor, key: Tensor, value: Tensor, num_heads: int, mask: Tensor) -> Mapping[str, Tensor]:
    query, key, value = (split(part, num_heads) for part in (query, key, value))
    context, weights = attend(query, key, value, query.shape[-1] ** -0.5, mask)
    return {
        "queries of each head": query,
        "keys of each head": key,
        "scores": dots(query, key) * query.shape[-1] ** -0.5,
        "weights": weights,
        "contexts of each head": context,
    }


def _zero_afterwards(q: Tensor, k: Tensor, v: Tensor, n: int, m: Tensor) -> Tensor:
    query, key, value = (split(part, n) for part in (q, k, v))
    return merge((attend(query, key, value, query.shape[-1] ** -0.5)[1] * m) @ value)


def _queries_only(q: Tensor, k: Tensor, v: Tensor, n: int, m: Tensor) -> Tensor:
    query, (key, value) = split(q, n), (shared.split_scrambled(part, n) for part in (k, v))
    return merge(attend(query, key, value, query.shape[-1] ** -0.5, m)[0])


def _head_by_head(q: Tensor, k: Tensor, v: Tensor, n: int, m: Tensor) -> Tensor:
    own = m if m.dim() == 2 else m[:, 0]
    contexts = []
    for query, key, value in zip(q.chunk(n, -1), k.chunk(n, -1), v.chunk(n, -1), strict=True):
        contexts.append(attend(query, key, value, query.shape[-1] ** -0.5, own)[0])
    return torch.cat(contexts, dim=-1)


def _view_then_transpose(q: Tensor, k: Tensor, v: Tensor, n: int, m: Tensor) -> Tensor:
    batch, _, d_model = q.shape
    query, key, value = (part.view(batch, -1, n, d_model // n).transpose(1, 2) for part in (q, k, v))
    context = attend(query, key, value, (d_model // n) ** -0.5, m)[0]
    return context.transpose(1, 2).reshape(batch, -1, d_model)


EXERCISE = written(
    repaired_heads,
    same_as="anatomy_utils.functional.multi_head.attend_in_heads",
    title="The case: a colleague's heads",
    task="Write the function that `colleagues_heads` should have been: attention in heads. It must obey the mask.",
    level="hard, 6 minutes",
    returns="context: query d_model",
    cases=and_short(_cases, "query", "a single word"),
    stages=_steps,
    mistakes="""
    unchanged: colleagues_heads(query, key, value, num_heads, mask)
        “This is what the patient computes: a head still gets a few neighboring words in full, and not a part of every
        word.”
    not_merged_rightly: partial(in_heads, join=shared.merge_scrambled)(query, key, value, num_heads, mask)
        “The way in is repaired: your heads see a part of every word. On the way out they are still scrambled.”
    not_split_rightly: partial(in_heads, cut=shared.split_scrambled)(query, key, value, num_heads, mask)
        “The way out is repaired, but the heads are still scrambled on the way in.”
    queries_only: _queries_only(query, key, value, num_heads, mask)
        “Your queries are split correctly now; keys and values are still cut as the patient cuts them.”
    interleaved:
        return partial(in_heads, cut=shared.split_interleaved, join=shared.merge_interleaved)(
            query, key, value, num_heads, mask
        )
        “Your heads see a part of every word, but its features are num_heads apart; a head's features are neighbors.”
    mask_ignored: in_heads(query, key, value, num_heads)
        “Your heads are repaired, but forbidden keys still get a weight: the mask has no effect.”
    mask_inverted: in_heads(query, key, value, num_heads, ~mask)
        “Your heads are repaired, but they look where they may not: True means 'may attend'.”
    zero_afterwards: _zero_afterwards(query, key, value, num_heads, mask)
        “Your heads are repaired, but the mask acts as if it came after the softmax: the allowed keys do not get the
        weight that the others had.”
    one_wide_head: in_heads(query, key, value, 1, mask if mask.dim() == 4 else mask[None, None])
        “Nothing is scrambled any more, but your context is that of a single head, as wide as d_model.”
    scaled_by_d_model: in_heads(query, key, value, num_heads, mask, scale=query.shape[-1] ** -0.5)
        “Your heads are repaired, but their scores are divided by √d_model and not by √d_head.”
    not_scaled: in_heads(query, key, value, num_heads, mask, scale=1.0)
        “Your heads are repaired, but their weights are those of scores not divided by √d_head.”
    """,
    also_right="""
    in steps: in_heads(query, key, value, num_heads, mask)
    view and transpose: _view_then_transpose(query, key, value, num_heads, mask)
    head by head: _head_by_head(query, key, value, num_heads, mask)
    fused kernel:
        return merge(
            F.scaled_dot_product_attention(
                split(query, num_heads), split(key, num_heads), split(value, num_heads), attn_mask=mask
            )
        )
    heads in the batch's place:
        return (
            lambda q, k, v, n, m: merge(
                torch.stack(
                    [
                        attend(query, key, value, (q.shape[-1] / n) ** -0.5, m if m.dim() == 2 else m[:, 0])[0]
                        for query, key, value in zip(*(split(part, n).unbind(1) for part in (q, k, v)), strict=True)
                    ],
                    dim=1,
                )
            )
        )(query, key, value, num_heads, mask)
    """,
    hints="""
    - Look at the table of symptoms: a change of the last word reaches only its neighbors. At which step are the words
      separated?
    - The patient's `view` goes straight to (batch, heads, position, d_head). You have written how to split and how to
      merge; both belong in here, one before the attention and one after it.
    - `part.unflatten(-1, (num_heads, -1)).transpose(1, 2)` for query, key and value; scores, mask, softmax, times
      value; then `.transpose(1, 2).flatten(2)`.
    """,
    explanation="""
    The patient's `view` keeps all numbers in their order, so its first head holds the first words in full. Words in
    different heads never meet, and padding shifts which word is in which head. The way back keeps that order too, so
    every number returns to its word: that is why the model still trains.
    """,
)
