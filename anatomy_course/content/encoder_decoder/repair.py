"""Notebook 05's case: find out what is wrong with `colleagues_padding_mask`, and write it right."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.sizes import real_words
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_course.lab.debugging.colleague.batch_mask import colleagues_padding_mask


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind, batch, key in (
        ("padded texts", 3, 7),
        ("padded texts", 5, 11),
        ("one text", 1, 5),
        ("padding on either side", 3, 7),
    ):
        mask = real_words(generator, kind, batch, key, range(2, key - 2), key - 1).long()
        if kind == "padding on either side":
            mask[:-1] = mask[:-1].flip(1)
        yield Case({"attention_mask": mask}, kind, {"batch": batch, "key": key})


def _for_all(mask: Tensor) -> Tensor:
    return mask.bool()[:, None, None, :]


def _by_lengths(mask: Tensor, more: int = 0) -> Tensor:
    return (torch.arange(mask.shape[1]) < mask.sum(1, keepdim=True) + more)[:, None, None, :]


def _text_by_text(mask: Tensor) -> Tensor:
    return torch.stack([(row == 1).view(1, 1, -1) for row in mask])


EXERCISE = Exercise(
    id="encoder_decoder.repair",
    title="The case: a colleague's translator",
    task="Write the mask that `colleagues_padding_mask` should have been: the decoder sees each text's own real "
    "tokens and nothing else. Padding may also come first.",
    difficulty="medium",
    minutes=4,
    signature="repaired_mask(attention_mask: Tensor) -> Tensor",
    docstring="attention_mask (batch, key) of the source, 1 = real token, 0 = padding\n"
    "→ mask (batch, 1, 1, key) for all heads and all positions that ask, boolean, True = may attend.",
    reference="anatomy_utils.functional.masks.padding",
    returns=(Output("mask", "batch head query key"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "unchanged",
            colleagues_padding_mask,
            "This is what the colleague's function computes: all texts get the length of the longest.",
        ),
        Mistake(
            "by_lengths",
            _by_lengths,
            "Each of your texts has its own length now, and with padding at the end all is right. With padding in "
            "front you hide real tokens: do not count tokens, look at which ones are real.",
        ),
        Mistake(
            "first_text_for_all",
            lambda mask: _for_all(mask)[:1].expand(len(mask), 1, 1, -1),
            "You let every text see the positions of the first text.",
        ),
        Mistake(
            "real_everywhere",
            lambda mask: mask.bool().all(0)[None, None, None, :].expand(len(mask), 1, 1, -1),
            "Your mask allows only positions that are real in all texts: long texts lose words when a short one joins.",
        ),
        Mistake(
            "everything",
            lambda mask: torch.ones(len(mask), 1, 1, mask.shape[1], dtype=torch.bool),
            "Your mask hides nothing at all.",
        ),
        Mistake(
            "turned_round",
            lambda mask: ~_for_all(mask),
            "Your mask is True for padding; here True means “may attend”.",
        ),
        Mistake(
            "no_axes",
            lambda mask: mask.bool(),
            "You hide the right positions, but your mask is (batch, key). Against scores of (batch, heads, query, key) "
            "its first axis would be taken for the queries.",
        ),
        Mistake(
            "axes_in_front",
            lambda mask: mask.bool()[None, None],
            "You hide the right positions, but your mask is (1, 1, batch, key): its texts are where the queries should "
            "be.",
        ),
        Mistake(
            "queries_masked",
            lambda mask: mask.bool()[:, None, :, None],
            "Your mask is (batch, 1, key, 1): it would hide positions that ask, not those that are asked.",
        ),
        Mistake(
            "one_more",
            lambda mask: _by_lengths(mask, 1),
            "Your mask lets one position of padding through after each text.",
        ),
    ),
    also_right={
        "two axes between": _for_all,
        "compared with 1": lambda mask: (mask == 1).unsqueeze(1).unsqueeze(1),
        "reshaped": lambda mask: (mask > 0).view(len(mask), 1, 1, -1),
        "text by text": _text_by_text,
    },
    hints=(
        "Look at the line of the symptoms about positions: three texts of 5, 3 and 2 tokens have 10 real ones. How "
        "many positions may the colleague's decoder see?",
        "`lengths.max()` is one number for the whole batch. Every text needs its own row, and a length alone does not "
        "say where the padding is.",
        "`attention_mask` already says which positions are real. As booleans, `attention_mask == 1`, it lacks only two "
        "axes of length 1.",
    ),
    solution="return (attention_mask == 1)[:, None, None, :]",
    explanation="The colleague's mask gives all texts the length of the longest. A text that is alone is also the "
    "longest in its batch, and in batches of equal length there is nothing to hide, so training looked fine. A good "
    "test for any model: the same text must give the same answer alone and in company.",
)
