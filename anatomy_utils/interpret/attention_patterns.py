"""What a head attends to, as one number per head: to the token before, to itself, to commas, to everything alike.

All functions are pure and take the weights of any number of heads at once, as `watch` gives them. They describe where
a head looks, not what it does with what it finds there. Clark et al. 2019 (arXiv:1906.04341) asked such questions of
BERT. Notebook 02 ranks the heads of the real encoder with them.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

ENTROPY = "entropy in bits"
"""The one measure that is no share of attention: 0 … log₂(keys)."""

Weights = Float[Tensor, "*heads query key"]
PerHead = Float[Tensor, "*heads"]


def attention_at_offset(weights: Weights, offset: int) -> PerHead:
    """Mean weight that a query gives to the key `offset` places after it: −1 is the previous token, 0 itself.

    Only queries that have such a key count: the first token has no previous one.

    Raises:
        ValueError: no query has a key at that offset.

    >>> weights = torch.tensor([[1.0, 0.0, 0.0], [0.6, 0.4, 0.0], [0.1, 0.2, 0.7]])
    >>> round(attention_at_offset(weights, -1).item(), 4)  # 0.6 and 0.2
    0.4
    """
    diagonal = weights.diagonal(offset, dim1=-2, dim2=-1)
    if diagonal.shape[-1] == 0:
        queries, keys = weights.shape[-2:]
        raise ValueError(
            f"offset {offset} leads outside {queries} queries and {keys} keys; choose {1 - queries} to {keys - 1}."
        )
    return diagonal.mean(dim=-1)


def attention_on_keys(weights: Weights, chosen: Bool[Tensor, " key"]) -> PerHead:
    """Mean share of a query's attention that goes to the chosen keys together.

    >>> weights = torch.tensor([[0.5, 0.25, 0.25], [0.75, 0.25, 0.0]])
    >>> attention_on_keys(weights, torch.tensor([True, False, True])).item()  # 0.75 and 0.75
    0.75
    """
    return (weights * chosen).sum(dim=-1).mean(dim=-1)


def attention_on_pairs(weights: Weights, pairs: Bool[Tensor, "query key"]) -> PerHead:
    """Mean share of attention on each query's own chosen keys, over the queries that have any; NaN if none has.

    >>> weights = torch.tensor([[0.1, 0.9], [0.5, 0.5]])
    >>> round(attention_on_pairs(weights, torch.tensor([[False, True], [False, False]])).item(), 4)
    0.9
    """
    asked = pairs.any(dim=-1)
    return ((weights * pairs).sum(dim=-1) * asked).sum(dim=-1) / asked.sum()


def attention_entropy(weights: Weights) -> PerHead:
    """Mean entropy of a query's weights in bits, −Σ w log₂ w: 0 when all goes to one key, 3 when 8 share it evenly.

    >>> attention_entropy(torch.tensor([[0.25, 0.25, 0.25, 0.25], [1.0, 0.0, 0.0, 0.0]])).item()  # 2 and 0
    1.0
    """
    return -torch.xlogy(weights, weights).sum(dim=-1).mean(dim=-1) / torch.log(torch.tensor(2.0))


def is_special_token(token: str) -> bool:
    """Whether a token is the tokenizer's own, such as [CLS] or </s>, and no piece of the text.

    >>> is_special_token("[SEP]"), is_special_token("</s>"), is_special_token("["), is_special_token("street")
    (True, True, False, False)
    """
    return len(token) > 2 and token[0] + token[-1] in ("[]", "<>")


def same_token_pairs(tokens: Sequence[str]) -> Bool[Tensor, "query key"]:
    """True where two different positions hold the same token of the text.

    >>> same_token_pairs(["the", "cat", "the"]).nonzero().tolist()
    [[0, 2], [2, 0]]
    """
    return torch.tensor(
        [[i != j and one == other and not is_special_token(one) for j, other in enumerate(tokens)]
         for i, one in enumerate(tokens)]
    )  # fmt: skip


def punctuation_keys(tokens: Sequence[str]) -> Bool[Tensor, " key"]:
    """True at punctuation, and at the tokenizer's own tokens after the first.

    >>> punctuation_keys(["[CLS]", "stop", "!", "[SEP]"]).tolist()
    [False, False, True, True]
    """
    return torch.tensor(
        [(is_special_token(token) and i > 0) or not any(map(str.isalnum, token)) for i, token in enumerate(tokens)]
    )


def pattern_scores(weights: Weights, tokens: Sequence[str]) -> dict[str, PerHead]:
    """Every measure of self-attention weights that has a meaning for this sentence.

    Args:
        weights: of any number of heads.
        tokens: the sentence, one token per position; at least 2.

    Returns:
        Name → one number per head. "the same word" is missing where no word occurs twice, and "punctuation and [SEP]"
        where there is neither.

    Raises:
        ValueError: another number of tokens than queries or keys, or fewer than 2.
    """
    if weights.shape[-2:] != (len(tokens), len(tokens)) or len(tokens) < 2:
        raise ValueError(
            f"{len(tokens)} tokens were given for weights of shape {tuple(weights.shape)}; expected one token per "
            "query and per key, and at least 2: give the tokens that `read_activations` returned."
        )
    found = {
        "the previous token": attention_at_offset(weights, -1),
        "the next token": attention_at_offset(weights, 1),
        "itself": attention_at_offset(weights, 0),
        f"the first token, {tokens[0]}": weights[..., 0].mean(dim=-1),
    }
    if (closed := punctuation_keys(tokens)).any():
        found["punctuation and [SEP]"] = attention_on_keys(weights, closed)
    if (twins := same_token_pairs(tokens)).any():
        found["the same word"] = attention_on_pairs(weights, twins)
    return found | {ENTROPY: attention_entropy(weights)}
