"""Notebook 02: what each head adds to the output, and what is missing when one is switched off."""

from __future__ import annotations

import torch
from torch import Tensor

from anatomy_utils.exercises.catalogue.multi_head.shared import merge, split
from anatomy_utils.exercises.catalogue.sizes import normal, primes
from anatomy_utils.exercises.definition import Case, Exercise, Mistake, Output


def _contexts(generator: torch.Generator) -> list[Case]:
    cases = []
    for kind in ("a batch of sentences", "one sentence", "a batch of sentences"):
        batch, position, heads, d_head = primes(generator, 4, (2, 3, 5, 7))
        batch = 1 if kind == "one sentence" else batch
        arguments = {
            "context": normal(generator, batch, heads, position, d_head),
            "output_weight": normal(generator, heads * d_head, heads * d_head),
        }
        sizes = {"batch": batch, "heads": heads, "position": position, "d_head": d_head}
        cases.append(Case(arguments, kind, sizes))
    return cases


def _rows(output_weight: Tensor, context: Tensor) -> Tensor:
    """W_O cut into one block of rows per head."""
    return output_weight.unflatten(0, (context.shape[1], -1))


def _head_by_head(context: Tensor, output_weight: Tensor) -> Tensor:
    d_head = context.shape[-1]
    rows = [output_weight[head * d_head : (head + 1) * d_head] for head in range(context.shape[1])]
    return torch.stack([context[:, head] @ own for head, own in enumerate(rows)], dim=1)


def _others_zero(context: Tensor, output_weight: Tensor) -> Tensor:
    alone = torch.eye(context.shape[1])[:, :, None, None] * context[:, None]  # batch head heads position d_head
    return alone.transpose(2, 3).flatten(3) @ output_weight


HEAD_OUTPUTS = Exercise(
    id="multi_head.head_outputs",
    title="What each head adds",
    task="Work out what each head by itself adds to the output: its context through its own rows of W_O.",
    difficulty="medium",
    minutes=5,
    signature="head_outputs(context: Tensor, output_weight: Tensor) -> Tensor",
    docstring="context (batch, heads, position, d_head), output_weight (heads·d_head, d_model)\n"
    "→ (batch, heads, position, d_model). Added up over the heads: the output of multi-head attention, bias left out.",
    reference="anatomy_utils.functional.multi_head.head_outputs",
    returns=(Output("outputs", "heads position d_model"),),
    cases=_contexts,
    mistakes=(
        Mistake(
            "added_up",
            lambda context, output_weight: merge(context) @ output_weight,
            "You have the output itself: the heads' shares are added up in it and can no longer be told apart.",
        ),
        Mistake(
            "an_even_share",
            lambda context, output_weight: (
                (merge(context) @ output_weight)[:, None].expand(-1, context.shape[1], -1, -1) / context.shape[1]
            ),
            "Your heads add up to the right output, but you have given each of them the same share of it.",
        ),
        Mistake(
            "columns",
            lambda context, output_weight: context @ _rows(output_weight.T, context),
            "You have cut W_O along its columns. A head's context meets rows: the features that go in.",
        ),
        Mistake(
            "interleaved_rows",
            lambda context, output_weight: context @ output_weight.unflatten(0, (-1, context.shape[1])).transpose(0, 1),
            "Your heads take rows of W_O that are num_heads apart; the features of one head stand side by side.",
        ),
        Mistake(
            "first_rows_for_all",
            lambda context, output_weight: context @ output_weight[: context.shape[-1]],
            "The first head is right. Your other heads go through the first head's rows of W_O too.",
        ),
        Mistake(
            "last_head_first",
            lambda context, output_weight: context @ _rows(output_weight, context).flip(0),
            "Your heads go through the right blocks of rows, but in reverse: the first head gets the last block.",
        ),
        Mistake(
            "averaged",
            lambda context, output_weight: context @ _rows(output_weight, context) / context.shape[1],
            "Your outputs are divided by the number of heads; added up, they fall short of the output by that factor.",
        ),
        Mistake(
            "output_split",
            lambda context, output_weight: split(merge(context) @ output_weight, context.shape[1]),
            "You have cut the finished output into pieces. What comes out of W_O has no heads any more: every feature "
            "of it is made of all of them.",
        ),
    ),
    alternatives={
        "one product": lambda context, output_weight: context @ _rows(output_weight, context),
        "head by head": _head_by_head,
        "all others 0": _others_zero,
        "einsum": lambda context, output_weight: torch.einsum(
            "bhpd,hdm->bhpm", context, output_weight.reshape(context.shape[1], context.shape[3], -1)
        ),
    },
    hints=(
        "The contexts side by side, times W_O: which rows of W_O do the features of head 0 meet? And those of head 1?",
        "Head h meets the rows from h · d_head to (h + 1) · d_head. `context[:, h] @ output_weight[…]` is its share; "
        "torch.stack puts them on an axis of their own.",
        "Or all at once: `output_weight.unflatten(0, (heads, d_head))` has one block of rows per head, and `@` treats "
        "the heads like a batch.",
    ),
    solution="heads, d_head = context.shape[1], context.shape[3]\n"
    "rows = output_weight.view(heads, d_head, -1)\n"
    "return context @ rows",
    explanation="To join and then multiply is the same as to multiply and then add. So W_O is a projection of its own "
    "for each head, and what comes out is their sum: each head can be looked at, and taken away, by itself.",
    stages=lambda context, output_weight: {"rows of each head": _rows(output_weight, context)},
)


def _merged_contexts(generator: torch.Generator) -> list[Case]:
    cases = []
    for kind in ("a head in the middle", "the first head", "the last head", "a head in the middle"):
        batch, position, heads, d_head = primes(generator, 4, (2, 3, 5, 7))
        if kind == "a head in the middle":
            heads, d_head = max(heads, d_head), min(heads, d_head)
            head = int(torch.randint(1, heads - 1, (), generator=generator))
        else:
            head = 0 if kind == "the first head" else heads - 1
        context = normal(generator, batch, position, heads * d_head) + 0.5
        sizes = {"batch": batch, "position": position, "heads": heads, "d_head": d_head}
        cases.append(Case({"context": context, "head": head, "num_heads": heads}, kind, sizes))
    return cases


def _zero(context: Tensor, start: int, stop: int) -> Tensor:
    own = context.clone()
    own[..., start:stop] = 0
    return own


def _width(context: Tensor, num_heads: int) -> int:
    return context.shape[-1] // num_heads


def _keep_only(context: Tensor, head: int, num_heads: int) -> Tensor:
    return context - _switched_off(context, head, num_heads)


def _switched_off(context: Tensor, head: int, num_heads: int) -> Tensor:
    d_head = _width(context, num_heads)
    return _zero(context, head * d_head, (head + 1) * d_head)


def _interleaved(context: Tensor, head: int, num_heads: int) -> Tensor:
    own = context.clone()
    own[..., head::num_heads] = 0
    return own


def _average_instead(context: Tensor, head: int, num_heads: int) -> Tensor:
    heads = split(context, num_heads).clone()
    heads[:, head] = heads[:, head].mean((0, 1))
    return merge(heads)


def _position_off(context: Tensor, head: int, num_heads: int) -> Tensor:
    own = context.clone()
    own[:, head % context.shape[1]] = 0
    return own


def _left_out(context: Tensor, head: int, num_heads: int) -> Tensor:
    kept = [i for i in range(num_heads) if i != head]
    return merge(split(context, num_heads)[:, kept])


SWITCH_OFF = Exercise(
    id="multi_head.switch_off",
    title="Switch a head off",
    task="Return the context with 0 in the features of one head, and everything else as it was.",
    difficulty="easy",
    minutes=4,
    signature="switch_off(context: Tensor, head: int, num_heads: int) -> Tensor",
    docstring="context (batch, position, d_model), all heads side by side; head, counted from 0\n"
    "→ a new tensor like context, with 0 in the features of that head.",
    reference="anatomy_utils.functional.multi_head.switch_off",
    returns=(Output("context", "position d_model"),),
    cases=_merged_contexts,
    mistakes=(
        Mistake(
            "counted_from_one",
            lambda context, head, num_heads: _zero(
                context, max(head - 1, 0) * _width(context, num_heads), head * _width(context, num_heads)
            ),
            "You have switched off the head before the one that was asked for (and none in place of the first): heads "
            "are counted from 0.",
        ),
        Mistake(
            "all_others",
            _keep_only,
            "You have switched off all the others: only the head that should be silent still speaks.",
        ),
        Mistake(
            "interleaved",
            _interleaved,
            "Your zeros stand num_heads apart. The features of one head are neighbours.",
        ),
        Mistake(
            "num_heads_wide",
            lambda context, head, num_heads: _zero(context, head * num_heads, (head + 1) * num_heads),
            "Your zeros run over num_heads features; a head is d_model / num_heads wide.",
        ),
        Mistake(
            "one_feature",
            lambda context, head, num_heads: _zero(context, head, head + 1),
            "A single feature is 0 in your context, the one with the head's number; a head has d_head of them.",
        ),
        Mistake(
            "from_here_on",
            lambda context, head, num_heads: _zero(context, head * _width(context, num_heads), context.shape[-1]),
            "Your zeros begin at the right feature, but run on to the last one: the heads behind it are off as well.",
        ),
        Mistake(
            "a_position",
            _position_off,
            "You have silenced a word, in all its heads: the zeros lie in a position, not in a head's features.",
        ),
        Mistake(
            "left_out",
            _left_out,
            "Your context is narrower than before: the head was cut out, and W_O would no longer fit.",
        ),
        Mistake(
            "average_instead",
            _average_instead,
            "You have put the head's average over all words in its place: it still speaks, but says the same to every "
            "word; wanted is 0.",
        ),
    ),
    alternatives={
        "a copy, then zeros": _switched_off,
        "times a mask": lambda context, head, num_heads: (
            context * (torch.arange(context.shape[-1]) // _width(context, num_heads) != head)
        ),
        "through the heads": lambda context, head, num_heads: merge(
            split(context, num_heads) * (torch.arange(num_heads) != head)[:, None, None]
        ),
        "index_fill": lambda context, head, num_heads: (
            context.unflatten(-1, (num_heads, -1)).index_fill(2, torch.tensor(head), 0.0).flatten(2)
        ),
    },
    hints=(
        "Which features belong to head 0? To head 1? Write down where the head's first one stands and where it ends.",
        "With d_head = d_model // num_heads the head has the features from head · d_head to (head + 1) · d_head.",
        "`own = context.clone()` makes a copy that you may change; then `own[..., start:stop] = 0`.",
    ),
    solution="d_head = context.shape[-1] // num_heads\n"
    "own = context.clone()\n"
    "own[..., head * d_head : (head + 1) * d_head] = 0\n"
    "return own",
    explanation="With 0 for its context the head adds nothing to the output, whatever its rows of W_O are. The other "
    "heads do not notice. `edit` takes such a function and calls it inside the running encoder.",
)
