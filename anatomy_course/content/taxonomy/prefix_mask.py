"""Notebook 07: the mask of a prefix language model, whose prefix is read in both directions."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, and_short, written


def prefix_mask(prefix_lengths: Tensor, length: int) -> Tensor:
    """prefix_lengths (batch), how many of the first positions belong to each text's prefix; length of the
    texts → mask (batch, 1, query, key) for all heads, boolean, True = may attend.
    """
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    in_prefix = torch.arange(length) < prefix_lengths[:, None]
    return causal | in_prefix[:, None, None, :]


def cases(generator: Generator) -> Cases:
    for kind, batch, length in (
        ("texts with prefixes", 3, 7),
        ("texts with prefixes", 5, 11),
        ("one text", 1, 7),
        ("a prefix as long as its text", 2, 5),
        ("no prefix at all", 2, 5),
    ):
        prefixes = 2 + torch.randperm(length - 3, generator=generator)[:batch]
        if kind == "a prefix as long as its text":
            prefixes[0] = length
        if kind == "no prefix at all":
            prefixes[:] = 0
        yield Case({"prefix_lengths": prefixes, "length": length}, kind, {"batch": batch, "length": length})


EXERCISE = written(
    prefix_mask,
    same_as="anatomy_utils.objectives.prefix_lm.prefix_mask",
    title="A prefix",
    task="Let all positions of a text attend to its whole prefix, and each position after the prefix also to itself "
    "and to what comes before it.",
    level="medium, 4 minutes",
    returns="mask: batch head query key",
    cases=and_short(cases, "length", "texts of one word"),
    mistakes="""
    causal_everywhere: causal | in_prefix[:, None, None, :] ⇒ causal.expand(len(prefix_lengths), 1, -1, -1)
        “Your mask is the causal one for all texts: within the prefix no position looks ahead.”
    one_too_few: prefix_lengths[:, None] ⇒ prefix_lengths[:, None] - 1
        “Your prefixes are one position too short: the last word of each is hidden from those before it.”
    one_too_many: < prefix_lengths ⇒ <= prefix_lengths
        “Your prefixes are one position too long: the first word that is to be written is seen before it is written.”
    prefix_only: causal | in_prefix[:, None, None, :] ⇒ in_prefix[:, None, None, :].expand(-1, -1, length, -1)
        “In your mask every position sees the prefix, but after it no position sees the written words, not even itself.”
    both_wanted: causal | ⇒ causal &
        “In your mask a key must lie in the prefix and before the query; one of the two should be enough.”
    two_blocks: result & (in_prefix[:, None, :, None] == in_prefix[:, None, None, :])
        “In your mask the prefix sees itself and the written words see each other, but the written words do not see the
        prefix.”
    prefix_rows: [:, None, None, :] ⇒ [:, None, :, None]
        “In your mask the words of the prefix see the whole text, even the part that is still to be written: rows are
        open where columns should be.”
    no_head: result[:, 0]
        “The right pairs are allowed, but your mask is (batch, query, key); beside scores of (batch, heads, query, key)
        its texts would be taken for heads.”
    wrong_end: < prefix_lengths ⇒ >= length - prefix_lengths
        “Your mask opens as many columns at the end of the text; the prefix is at its beginning.”
    """,
    also_right="""
    text by text:
        causal | in_prefix[:, None, None, :] ⇒
            torch.stack([causal | (torch.arange(length) < prefix) for prefix in prefix_lengths])[:, None]
    a square and a triangle: | in_prefix ⇒ | in_prefix[:, None, :, None] & in_prefix
    the nearer of two ends:
        places = torch.arange(length)
        ends = torch.maximum(prefix_lengths[:, None], places + 1)
        return places < ends[:, None, :, None]
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
