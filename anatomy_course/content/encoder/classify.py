"""Notebook 03: a classification head, one label for a whole text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.sizes import and_short, batch_and_primes, normal
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output


def _texts(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("padded texts", "texts of one length", "one text", "padded texts"):
        batch, position, d_model, labels = batch_and_primes(generator, kind, 4, (3, 5, 7, 11))
        real = torch.full((batch,), position)
        if kind == "padded texts":
            real = torch.randint(1, position, (batch,), generator=generator)
        arguments = {
            "hidden_states": normal(generator, batch, position, d_model),
            "attention_mask": (torch.arange(position) < real[:, None]).long(),
            "weight": normal(generator, d_model, labels),
            "bias": normal(generator, labels),
        }
        sizes = {"batch": batch, "position": position, "d_model": d_model, "labels": labels}
        yield Case(arguments, kind, sizes)


def _zeroed(x: Tensor, mask: Tensor) -> Tensor:
    return x * mask[..., None]


def _mean(x: Tensor, mask: Tensor) -> Tensor:
    return _zeroed(x, mask).sum(1) / mask.sum(1, keepdim=True)


def _last(x: Tensor, mask: Tensor) -> Tensor:
    return x[torch.arange(len(x)), mask.sum(1) - 1]


def _text_by_text(x: Tensor, mask: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return torch.stack([states[: int(real.sum())].mean(0) @ w + b for states, real in zip(x, mask, strict=True)])


def _steps(x: Tensor, mask: Tensor, w: Tensor, b: Tensor) -> Mapping[str, Tensor]:
    return {
        "vectors, padding set to 0": _zeroed(x, mask),
        "sums over real words": _zeroed(x, mask).sum(1),
        "means": _mean(x, mask),
        "logits without bias": _mean(x, mask) @ w,
    }


EXERCISE = Exercise(
    id="encoder.classify",
    title="A label for a text",
    task="Average the vectors of each text's real words, and turn the average into one logit per label.",
    difficulty="medium",
    minutes=5,
    signature="classify(hidden_states: Tensor, attention_mask: Tensor, weight: Tensor, bias: Tensor) -> Tensor",
    docstring="hidden_states (batch, position, d_model), attention_mask (batch, position): 1 = real word, 0 = padding,"
    "\nweight (d_model, labels), bias (labels,) → logits (batch, labels).",
    reference="anatomy_utils.functional.heads.classify",
    returns=(Output("logits", "labels"),),
    cases=and_short(_texts, "position", "texts of one word"),
    mistakes=(
        Mistake(
            "padding_counts",
            lambda x, mask, w, b: x.mean(1) @ w + b,
            "Your average includes the padding: a text's label would depend on the length of the other texts.",
        ),
        Mistake(
            "divided_by_the_length",
            lambda x, mask, w, b: _zeroed(x, mask).mean(1) @ w + b,
            "Padding adds nothing to your sum, but you divide by the number of all positions, padding included.",
        ),
        Mistake(
            "summed",
            lambda x, mask, w, b: _zeroed(x, mask).sum(1) @ w + b,
            "You have the sum over the real words, not their average: long texts get large logits.",
        ),
        Mistake(
            "summed_with_padding",
            lambda x, mask, w, b: x.sum(1) @ w + b,
            "You have the sum over all positions, padding included.",
        ),
        Mistake(
            "sum_over_the_real_count",
            lambda x, mask, w, b: x.sum(1) / mask.sum(1, keepdim=True) @ w + b,
            "You divide by the number of real words, but padding is still in your sum.",
        ),
        Mistake(
            "first_word",
            lambda x, mask, w, b: x[:, 0] @ w + b,
            "Your logits come from the first word alone, as in BERT; here all real words count.",
        ),
        Mistake(
            "last_word",
            lambda x, mask, w, b: _last(x, mask) @ w + b,
            "Your logits come from the last real word alone.",
        ),
        Mistake(
            "last_position",
            lambda x, mask, w, b: x[:, -1] @ w + b,
            "Your logits come from the last position, which is padding in short texts.",
        ),
        Mistake(
            "largest",
            lambda x, mask, w, b: x.masked_fill(mask[..., None] == 0, -torch.inf).amax(1) @ w + b,
            "You take the largest number of each feature over the real words; take the average.",
        ),
        Mistake(
            "padding_only",
            lambda x, mask, w, b: _mean(x, 1 - mask) @ w + b,
            "You average the padding: 1 means a real word.",
        ),
        Mistake(
            "no_bias",
            lambda x, mask, w, b: _mean(x, mask) @ w,
            "The averages are right, and so is the product; the bias is missing from your logits.",
        ),
        Mistake(
            "bias_shared_out",
            lambda x, mask, w, b: (_zeroed(x, mask).sum(1) @ w + b) / mask.sum(1, keepdim=True),
            "Your bias is divided by the number of words as well; it belongs after the average.",
        ),
        Mistake(
            "one_count_for_all",
            lambda x, mask, w, b: _zeroed(x, mask).sum(1) / mask.sum() @ w + b,
            "You divide by the number of real words in the whole batch; each text has its own number.",
        ),
        Mistake(
            "probabilities",
            lambda x, mask, w, b: (_mean(x, mask) @ w + b).softmax(-1),
            "You return probabilities; return logits, because the loss takes the softmax itself.",
        ),
        Mistake(
            "means_only",
            lambda x, mask, w, b: _mean(x, mask),
            "You return the averages; turn them into logits.",
        ),
        Mistake(
            "for_each_word",
            lambda x, mask, w, b: x @ w + b,
            "You return logits for each word, as for tags; each text needs one row.",
        ),
    ),
    also_right={
        "text by text": _text_by_text,
        "logits first": lambda x, mask, w, b: _mean(x @ w + b, mask),
        "einsum": lambda x, mask, w, b: torch.einsum("bpd,bp->bd", x, mask / mask.sum(1, keepdim=True)) @ w + b,
        "masked_fill": lambda x, mask, w, b: F.linear(
            x.masked_fill(mask[..., None] == 0, 0.0).sum(1) / mask.sum(1)[:, None], w.T, b
        ),
    },
    hints=(
        "Padding must not count in the sum, nor in the number you divide by.",
        "`attention_mask[..., None]` is (batch, position, 1): times hidden_states it sets padding to 0. How many real "
        "words does each text have?",
        "`(hidden_states * attention_mask[..., None]).sum(dim=1) / attention_mask.sum(dim=1, keepdim=True)` is the "
        "average; then a linear layer.",
    ),
    solution="real = attention_mask[..., None]\n"
    "mean = (hidden_states * real).sum(dim=1) / real.sum(dim=1)\n"
    "return mean @ weight + bias",
    explanation="The average is the sentence's vector, and MiniLM was trained to give good sentence vectors by this "
    "very average. For tags each word keeps its own logits, and no average is taken.",
    stages=_steps,
)
