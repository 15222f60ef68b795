"""Attention as explanation: do the weights say which words a result depends on? Two tests.

The first compares weights with what happens when a word may not be looked at at all. The second searches for quite
different weights that give the same result (Jain and Wallace 2019, sections 4.1 and 4.2.2, arXiv:1902.10186; for what
follows from it and what does not, Wiegreffe and Pinter 2019, arXiv:1908.04626). Notebook 07.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F

from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.heads import WithHead
from anatomy_utils.tap import edit, watch

SAME = 1e-3
"""How far a logit may move and still count as the same."""
TRIES = 300
HALVINGS = 40
"""Of the way between two choices of words, at most."""


class WeightsAndEffects(NamedTuple):
    """What a model looks at, and what it needs.

    Attributes:
        weights: mean over the heads of each layer.
        effects: how far the output at each query moves with nothing from the key: 1 − cosine similarity, 0 to 2.
    """

    weights: Float[Tensor, "layer query key"]
    effects: Float[Tensor, "query key"]


@torch.no_grad()
def weights_and_effects(
    encoder: Encoder, input_ids: Int[Tensor, "1 position"], *, values_only: bool = False
) -> WeightsAndEffects:
    """Run a text as it is, and once more for each of its positions with nothing from that position, in every layer.

    Args:
        encoder: a small one or a large one.
        input_ids: one text without padding.
        values_only: the position's values become 0 and all weights stay; otherwise it is hidden, and the softmax
            shares its weight among the others.
    """
    length = input_ids.shape[1]
    with watch(encoder, "layers.*.self_attention.weights") as seen:
        whole = encoder(input_ids)
    weights = torch.cat([each.mean(dim=1) for each in seen.matching("*").values()])
    without_one = 1 - torch.eye(length, dtype=torch.long)  # key position
    texts = input_ids.expand(length, -1)
    if values_only:
        emptied = {
            f"layers.{layer}.self_attention.value": lambda value: value * without_one[:, None, :, None]
            for layer in range(len(encoder.layers))
        }
        with edit(encoder, emptied):
            outputs = encoder(texts)  # key query d_model
    else:
        outputs = encoder(texts, without_one)
    return WeightsAndEffects(weights, (1 - F.cosine_similarity(outputs, whole, dim=-1)).T)


def spearman(first: Float[Tensor, "*batch number"], second: Float[Tensor, "*batch number"]) -> Float[Tensor, "*batch"]:
    """The correlation of two rankings: 1 = the same order, −1 = the opposite one, 0 = nothing in common.

    Spearman 1904. Equal numbers are ranked in the order in which they stand.

    >>> spearman(torch.tensor([0.1, 0.5, 0.2]), torch.tensor([1.0, 99.0, 2.0])).item()
    1.0
    """
    ranks = [numbers.argsort(dim=-1).argsort(dim=-1).double() for numbers in (first, second)]
    first, second = (each - each.mean(dim=-1, keepdim=True) for each in ranks)
    return ((first * second).sum(dim=-1) / (first.norm(dim=-1) * second.norm(dim=-1))).float()


def weights_and_effects_correlation(found: WeightsAndEffects) -> Float[Tensor, "layer query"]:
    """For each layer and query: do the keys it looks at most move it most? `spearman` over the keys, from −1 to 1.

    A key's effect on its own position is left out: without it, a word is always much changed.
    """
    length = found.effects.shape[0]
    others = ~torch.eye(length, dtype=torch.bool)
    weights = found.weights[:, others].unflatten(1, (length, length - 1))
    return spearman(weights, found.effects[others].view(length, length - 1).expand_as(weights))


def same_top_word(found: WeightsAndEffects) -> Bool[Tensor, "layer query"]:
    """Whether the other word that a query looks at most is also the one whose loss moves it most."""
    others = ~torch.eye(found.effects.shape[0], dtype=torch.bool)
    weights = found.weights.masked_fill(~others, -1)
    return weights.argmax(dim=-1) == found.effects.masked_fill(~others, -1).argmax(dim=-1)


class AlternativeWeights(NamedTuple):
    """Two ways to look at one text that lead to the same answer.

    Attributes:
        weights: of the last layer's first position, as they are; rows sum to 1 over key.
        others: as they could be.
        answer: the model's logit.
        other_answer: its logit with the other weights; `SAME` or less away.
    """

    weights: Float[Tensor, "head key"]
    others: Float[Tensor, "head key"]
    answer: float
    other_answer: float

    @property
    def moved(self) -> float:
        """The share of attention, from 0 to 1, that lies on other words: ½ Σ |w − w'|, mean over the heads."""
        return (self.weights - self.others).abs().sum(dim=-1).mean().item() / 2


def find_alternative_weights(
    model: WithHead, input_ids: Int[Tensor, "1 position"], generator: torch.Generator, *, tries: int = TRIES
) -> AlternativeWeights | None:
    """Find quite different weights that give the answer that the model's own weights give.

    Each head looks at one word alone, drawn at random. Some such choices make the answer too high, others too low; so
    somewhere on the way from one to the other it is right. Of all tries, the two that overlap least with the model's
    own weights are taken. Only the row from which the head reads is changed: the first position's, in the last layer.
    The model's parameters stay untouched.

    Args:
        model: an encoder with a `SequenceHead` of one label, which reads the first position.
        input_ids: one text without padding.
        generator: draws the words.
        tries: how many choices are drawn.

    Returns:
        None where all tries make the answer too high, or all too low.

    Raises:
        ValueError: the model gives more than one logit.
    """
    encoder: Encoder = model.body  # type: ignore[assignment]
    name = f"body.layers.{len(encoder.layers) - 1}.self_attention.weights"
    with torch.no_grad(), watch(model, name) as seen:
        logits = model(input_ids)
    if logits.shape != (1, 1):
        raise ValueError(f"The model's answer has shape {tuple(logits.shape)}; give one text, and a head of one label.")
    weights, answer = seen[name][0, :, 0], logits.item()  # head key

    def answers(rows: Float[Tensor, "row head key"]) -> Float[Tensor, " row"]:
        """The model's answers when it looks as each row says."""

        def replace(all_weights: Float[Tensor, "row head query key"]) -> Float[Tensor, "row head query key"]:
            return torch.cat([rows[:, :, None], all_weights[:, :, 1:]], dim=2)

        with torch.no_grad(), edit(model, {name: replace}):
            return model(input_ids.expand(len(rows), -1))[:, 0]

    words = torch.randint(input_ids.shape[1], (tries, len(weights)), generator=generator)
    rows = F.one_hot(words, input_ids.shape[1]).float()  # try head key
    found, overlap = answers(rows), (rows * weights).sum(dim=(1, 2))
    ends = [side.nonzero()[:, 0] for side in (found < answer, found > answer)]
    if not all(len(end) for end in ends):
        return None
    low, high = (rows[end[overlap[end].argmin()]] for end in ends)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        other = answers(middle[None]).item()
        if abs(other - answer) <= SAME:
            return AlternativeWeights(weights, middle, answer, other)
        low, high = (middle, high) if other < answer else (low, middle)
    return None
