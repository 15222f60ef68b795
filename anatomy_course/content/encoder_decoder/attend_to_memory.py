"""Notebook 05: cross-attention over a padded memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.content.attention.shared import lift
from anatomy_course.content.sizes import batch_and_primes, normal, real_words
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output

BEST, HEAD = "padding that matches best", "padding at the head"


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("padded texts", "one text", HEAD, "a single position that asks", BEST):
        batch, heads, query, d_head = batch_and_primes(generator, kind, 4, (2, 3, 5, 7))
        key = 11
        query = 1 if kind.startswith("a single") else query
        real = real_words(generator, kind, batch, key, range(4, key - 2), key - 1)
        real = real.flip(1) if kind == HEAD else real
        arguments = {
            "query": 1.5 * normal(generator, batch, heads, query, d_head),
            "key": 1.5 * normal(generator, batch, heads, key, d_head),
            "value": normal(generator, batch, heads, key, d_head),
            "attention_mask": real.long(),
        }
        if kind == BEST:
            lift(arguments["query"], arguments["key"], -144.0 * real[:, None])
        elif kind == "one text":
            arguments["key"][:, :, 1] = 0.0  # a real word, though all its scores are 0
        sizes = {"batch": batch, "heads": heads, "query": query, "key": key, "d_head": d_head}
        yield Case(arguments, kind, sizes)


def _scores(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.mT * query.shape[-1] ** -0.5


def _real(mask: Tensor) -> Tensor:
    return mask.bool()[:, None, None, :]


def _by_lengths(mask: Tensor) -> Tensor:
    return (torch.arange(mask.shape[1]) < mask.sum(1, keepdim=True))[:, None, None, :]


def _causal(query: Tensor, mask: Tensor) -> Tensor:
    return _real(mask) & torch.ones(query.shape[2], mask.shape[1], dtype=torch.bool).tril()


def _weights(scores: Tensor, allowed: Tensor, hidden: float = -torch.inf) -> Tensor:
    return scores.masked_fill(~allowed, hidden).softmax(-1)


def _text_by_text(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    contexts = []
    for q, k, v, real in zip(query, key, value, mask.bool(), strict=True):
        contexts.append(_scores(q, k[:, real]).softmax(-1) @ v[:, real])
    return torch.stack(contexts)


def _over_queries(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    return _scores(query, key).softmax(-2).masked_fill(~_real(mask), 0.0) @ value


def _steps(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Mapping[str, Tensor]:
    scores = _scores(query, key)
    return {"scores": scores, "weights": _weights(scores, _real(mask))}


EXERCISE = Exercise(
    id="encoder_decoder.attend_to_memory",
    title="Attention to the memory",
    task="Let the decoder's queries attend to the memory's keys and average its values; padding gets no weight.",
    difficulty="medium",
    minutes=5,
    signature="attend_to_memory(query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor) -> Tensor",
    docstring="query (batch, heads, query, d_head) from the decoder; key, value (batch, heads, key, d_head) from the\n"
    "memory; attention_mask (batch, key) of the source, 1 = real token, 0 = padding → context, shaped like query.",
    reference="anatomy_utils.functional.attention.attend_to_memory",
    returns=(Output("context", "heads query d_head"),),
    cases=_cases,
    mistakes=(
        Mistake(
            "no_mask",
            lambda q, k, v, mask: _scores(q, k).softmax(-1) @ v,
            "Your weights do not leave out padding: every position of the memory counts, real or not.",
        ),
        Mistake(
            "mask_turned_round",
            lambda q, k, v, mask: torch.nan_to_num(_weights(_scores(q, k), ~_real(mask), -1e9)) @ v,
            "Only padding gets weight: your mask is the wrong way round.",
        ),
        Mistake(
            "masked_after_softmax",
            lambda q, k, v, mask: (_scores(q, k).softmax(-1) * _real(mask)) @ v,
            "Padding adds nothing, but it has had its share in the softmax: the weights of the real tokens do not sum "
            "to 1.",
        ),
        Mistake(
            "zero_scores",
            lambda q, k, v, mask: _weights(_scores(q, k), _real(mask), 0.0) @ v,
            "Your scores of padding are 0. Since e⁰ is 1, padding still gets weight.",
        ),
        Mistake(
            "mask_added",
            lambda q, k, v, mask: (_scores(q, k) + mask[:, None, None, :]).softmax(-1) @ v,
            "A real token gains only 1 over padding, as if the mask itself were added to the scores: padding keeps "
            "weight.",
        ),
        Mistake(
            "first_text_for_all",
            lambda q, k, v, mask: _weights(_scores(q, k), _real(mask[:1])) @ v,
            "You use the mask of the first text for all texts.",
        ),
        Mistake(
            "by_lengths",
            lambda q, k, v, mask: _weights(_scores(q, k), _by_lengths(mask)) @ v,
            "With padding at the end all is right. With padding in front you take as many positions as there are real "
            "tokens, but from the beginning: do not count them, look at which ones are real.",
        ),
        Mistake(
            "by_scores",
            lambda q, k, v, mask: _weights(_scores(q, k), _real(mask) & (_scores(q, k) != 0)) @ v,
            "A real token whose score is 0 gets no weight in yours. The mask alone should say what is hidden.",
        ),
        Mistake(
            "not_scaled",
            lambda q, k, v, mask: _weights(q @ k.mT, _real(mask)) @ v,
            "The padding is right, but your scores are not divided by √d_head.",
        ),
        Mistake(
            "keys_averaged",
            lambda q, k, v, mask: _weights(_scores(q, k), _real(mask)) @ k,
            "Your weights are right, but they average the keys, not the values.",
        ),
        Mistake(
            "over_queries",
            _over_queries,
            "Your softmax runs over the positions that ask. It should run over those that are asked.",
        ),
        Mistake(
            "causal",
            lambda q, k, v, mask: _weights(_scores(q, k), _causal(q, mask)) @ v,
            "Your mask is causal as well: the first position sees only the first word of the source. The whole source "
            "has been read; nothing of it lies in the future.",
        ),
        Mistake(
            "causal_with_a_number",
            lambda q, k, v, mask: _weights(_scores(q, k), _causal(q, mask), -1e9) @ v,
            "Your mask is causal as well: a position sees no word of the source after its own place. The whole "
            "source has been read; nothing of it lies in the future.",
        ),
    ),
    also_right={
        "torch's attention": lambda q, k, v, mask: F.scaled_dot_product_attention(q, k, v, _real(mask)),
        "a large negative number": lambda q, k, v, mask: _weights(_scores(q, k), _real(mask), -1e9) @ v,
        "a mask that is added": lambda q, k, v, mask: (
            (_scores(q, k) + (1 - mask[:, None, None, :]) * -1e9).softmax(-1) @ v
        ),
        "text by text": _text_by_text,
    },
    hints=(
        "It is the attention of notebook 01, with a mask that says which keys are real. Where do the queries come "
        "from, and where the keys and values?",
        "The scores are (batch, heads, query, key). The mask is (batch, key): insert two axes of length 1, so that it "
        "counts for every head and every query.",
        "`mask = attention_mask[:, None, None, :] == 0` is True for padding; `masked_fill(mask, float('-inf'))` before "
        "the softmax.",
    ),
    solution="scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5\n"
    "padding = attention_mask[:, None, None, :] == 0\n"
    "weights = scores.masked_fill(padding, float('-inf')).softmax(dim=-1)\n"
    "return weights @ value",
    explanation="Queries come from the text that is being written, keys and values from the text that was read. The "
    "two lengths are independent of each other. No causal mask is needed, since all of the source is known.",
    stages=_steps,
)
