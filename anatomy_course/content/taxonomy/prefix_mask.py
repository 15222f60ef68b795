"""Notebook 06: the mask of a prefix language model, whose prefix is read in both directions."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.attention.shared import ones
from anatomy_course.content.sizes import and_short
from anatomy_course.judge.definition import Case
from anatomy_course.judge.form import written


def prefix_mask(prefix_lengths: Tensor, length: int) -> Tensor:
    """prefix_lengths (batch), how many of the first positions belong to each text's prefix; length of the
    texts → mask (batch, 1, query, key) for all heads, boolean, True = may attend.
    """
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    in_prefix = torch.arange(length) < prefix_lengths[:, None]
    return causal | in_prefix[:, None, None, :]


def _prefixes(generator: torch.Generator) -> Iterator[Case]:
    for kind, batch, length in (
        ("texts with prefixes", 3, 7),
        ("texts with prefixes", 5, 11),
        ("one text", 1, 7),
        ("a prefix as long as its text", 2, 5),
        ("no prefix at all", 2, 5),
    ):
        prefixes = 2 + torch.randperm(length - 3, generator=generator)[:batch]
        prefixes = torch.zeros_like(prefixes) if kind.startswith("no") else prefixes
        if kind == "a prefix as long as its text":
            prefixes[0] = length
        arguments = {"prefix_lengths": prefixes, "length": length}
        yield Case(arguments, kind, {"batch": batch, "length": length})


def _in_prefix(prefixes: Tensor, length: int) -> Tensor:
    """(batch, 1, 1, key)"""
    return (torch.arange(length) < prefixes[:, None])[:, None, None, :]


def _prefix_mask(prefixes: Tensor, length: int) -> Tensor:
    return ones(length).tril() | _in_prefix(prefixes, length)


EXERCISE = written(
    prefix_mask,
    same_as="anatomy_utils.objectives.prefix_lm.prefix_mask",
    title="A prefix",
    task="Let all positions of a text attend to its whole prefix, and each position after the prefix also to itself "
    "and to what comes before it.",
    level="medium, 4 minutes",
    returns="mask: batch head query key",
    cases=and_short(_prefixes, "length", "texts of one word"),
    mistakes="""
    causal_everywhere: ones(length).tril().expand(len(prefix_lengths), 1, -1, -1)
        “Your mask is the causal one for all texts: within the prefix no position looks ahead.”
    first_prefix_for_all: _prefix_mask(prefix_lengths[:1], length).expand(len(prefix_lengths), -1, -1, -1)
        “All of your texts have the prefix of the first one.”
    one_too_few: _prefix_mask(prefix_lengths - 1, length)
        “Your prefixes are one position too short: the last word of each is hidden from those before it.”
    one_too_many: _prefix_mask(prefix_lengths + 1, length)
        “Your prefixes are one position too long: the first word that is to be written is seen before it is written.”
    prefix_only: _in_prefix(prefix_lengths, length).expand(-1, -1, length, -1)
        “In your mask every position sees the prefix, but after it no position sees the written words, not even itself.”
    both_wanted: ones(length).tril() & _in_prefix(prefix_lengths, length)
        “In your mask a key must lie in the prefix and before the query; one of the two should be enough.”
    two_blocks:
        return (_in_prefix(prefix_lengths, length) & _in_prefix(prefix_lengths, length).mT) | (
            ones(length).tril() & ~_in_prefix(prefix_lengths, length)
        )
        “In your mask the prefix sees itself and the written words see each other, but the written words do not see the
        prefix.”
    prefix_rows: ones(length).tril() | _in_prefix(prefix_lengths, length).mT
        “In your mask the words of the prefix see the whole text, even the part that is still to be written: rows are
        open where columns should be.”
    everything: ones(length).expand(len(prefix_lengths), 1, -1, -1)
        “Your mask forbids nothing at all.”
    turned_round: ~_prefix_mask(prefix_lengths, length)
        “Your mask is True for what is forbidden; here True means “may attend”.”
    no_head: _prefix_mask(prefix_lengths, length)[:, 0]
        “The right pairs are allowed, but your mask is (batch, query, key); beside scores of (batch, heads, query, key)
        its texts would be taken for heads.”
    wrong_end: ones(length).tril() | (torch.arange(length) >= length - prefix_lengths[:, None])[:, None, None]
        “Your mask opens as many columns at the end of the text; the prefix is at its beginning.”
    """,
    also_right="""
    or: _prefix_mask(prefix_lengths, length)
    text by text:
        masks = []
        for prefix in prefix_lengths.tolist():
            mask = ones(length).tril()
            mask[:, :prefix] = True
            masks.append(mask)
        return torch.stack(masks)[:, None]
    a square and a triangle:
        ones(length).tril() | (_in_prefix(prefix_lengths, length) & _in_prefix(prefix_lengths, length).mT)
    the nearer of two ends:
        return (
            torch.arange(length) < torch.maximum(prefix_lengths[:, None], torch.arange(1, length + 1))[:, None, :, None]
        )
    """,
    hints="""
    - Which columns may every position see, in each text? And which pairs are allowed wherever the prefix ends?
    - `torch.arange(length) < prefix_lengths[:, None]` is (batch, key): True in the columns of each text's prefix. The
      causal mask is (query, key). A pair that one of the two allows is allowed.
    - Index the table of prefixes with `[:, None, None, :]`: that adds two axes of length 1, so that it counts for all
      heads and all queries. `|` joins it and the causal mask.
    """,
    explanation="""
    One stack with two ways of reading: the source in both directions, as an encoder does, and the target as a decoder
    does. With a prefix of 0 it is a GPT. Raffel et al. 2019 (section 3.2) compare it with the two stacks of an
    encoder–decoder.
    """,
)
