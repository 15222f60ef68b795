"""ELMo: a word's vector depends on its text, read once from the left and once from the right by LSTMs.

Peters et al. 2018 (arXiv:1802.05365). A root of the family tree, small but running: what BERT does by attention, ELMo
did by recurrence. Two language models share a token table and a projection onto the vocabulary; one predicts the next
word, the other the one before, and neither ever sees what it is asked for. A task then takes a learned mix of all
layers. The published one makes a word's first vector from its letters (a convolution over characters); here it is a row
of a table, so its weights cannot be loaded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from anatomy_utils.functional import masks
from anatomy_utils.tap import tap
from anatomy_utils.zoo.family import Family


@dataclass(frozen=True)
class ElmoConfig:
    """The numbers of an ELMo; the defaults are the published ones, but for the vocabulary of its projection."""

    vocab_size: int = 793471
    d_model: int = 512
    """Width of the token vectors and of what each direction gives."""
    d_hidden: int = 4096
    """Width inside the LSTMs; a projection leads back to d_model where it is greater."""
    num_layers: int = 2


class BothWays(NamedTuple):
    """For each position the logits of the word behind it, from the left, and of the word before it, from the right."""

    following: Float[Tensor, "batch position vocab_size"]
    preceding: Float[Tensor, "batch position vocab_size"]


class BidirectionalLanguageModel(nn.Module):
    """Two stacks of LSTMs over one token table: one goes from left to right, the other from right to left.

    Peters et al. 2018, section 3.1. From the second layer on, what goes in is added to what comes out.

    Args:
        config: the numbers.

    Raises:
        ValueError: d_hidden is less than d_model.
    """

    def __init__(self, config: ElmoConfig) -> None:
        super().__init__()
        if config.d_hidden < config.d_model:
            raise ValueError(f"d_hidden is {config.d_hidden}; choose at least d_model, {config.d_model}.")
        back_to = config.d_model if config.d_hidden > config.d_model else 0  # 0: no projection

        def stack() -> nn.ModuleList:
            return nn.ModuleList(
                nn.LSTM(config.d_model, config.d_hidden, proj_size=back_to, batch_first=True)
                for _ in range(config.num_layers)
            )

        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.from_left = stack()
        self.from_right = stack()
        self.vocabulary = nn.Linear(config.d_model, config.vocab_size)

    def states(
        self, input_ids: Int[Tensor, "batch position"], attention_mask: Int[Tensor, "batch position"] | None = None
    ) -> Float[Tensor, "state batch position both_directions"]:
        """Every layer's vectors, the lowest first: the left-to-right half, then the right-to-left half.

        Args:
            input_ids: one id per token.
            attention_mask: 1 = real token, 0 = padding, which stands at the end.

        Returns:
            One more than layers: first the token's vector twice over, which knows nothing of its text.
        """
        masks.check_input(input_ids, attention_mask)
        mirror = _mirror(input_ids, attention_mask)[..., None]
        left = self.tokens(input_ids)
        right = left.gather(1, mirror.expand_as(left))
        found = [torch.cat([left, left], dim=-1)]
        for number, (forwards, backwards) in enumerate(zip(self.from_left, self.from_right, strict=True)):
            seen_left, seen_right = forwards(left)[0], backwards(right)[0]
            left, right = (left + seen_left, right + seen_right) if number else (seen_left, seen_right)
            found.append(torch.cat([left, right.gather(1, mirror.expand_as(right))], dim=-1))
        return torch.stack(found)

    def forward(
        self, input_ids: Int[Tensor, "batch position"], attention_mask: Int[Tensor, "batch position"] | None = None
    ) -> BothWays:
        """What the two language models expect behind and before each position."""
        left, right = self.states(input_ids, attention_mask)[-1].chunk(2, dim=-1)
        return BothWays(self.vocabulary(left), self.vocabulary(right))


class LearnedMix(nn.Module):
    """ELMo = γ · Σ_j s_j · h_j over the layers j, with s = softmax(w): each task learns which layers serve it.

    Peters et al. 2018, equation 1.

    Args:
        num_states: how many layers there are to mix, the token's vectors among them.

    >>> mix = LearnedMix(3)
    >>> mix(torch.tensor([[3.0], [6.0], [9.0]])).tolist()  # before any training their mean
    [6.0]
    """

    def __init__(self, num_states: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(num_states))
        self.scale = nn.Parameter(torch.ones(()))

    def shares(self) -> Float[Tensor, " state"]:
        """How much each layer counts; the shares sum to 1."""
        return self.weight.softmax(dim=0)

    def forward(self, states: Float[Tensor, "state *position d"]) -> Float[Tensor, "*position d"]:
        """One vector for each position."""
        return self.scale * torch.tensordot(self.shares(), states, dims=1)


class Elmo(nn.Module):
    """A bidirectional language model and the mix of its layers: token ids in, one vector per token out.

    Args:
        language_model: already trained; a task that learns on top usually leaves it as it is.
    """

    def __init__(self, language_model: BidirectionalLanguageModel) -> None:
        super().__init__()
        self.language_model = language_model
        self.mix = LearnedMix(len(language_model.from_left) + 1)

    def forward(
        self, input_ids: Int[Tensor, "batch position"], attention_mask: Int[Tensor, "batch position"] | None = None
    ) -> Float[Tensor, "batch position both_directions"]:
        """Taps `states` (state batch position both_directions) and `output`, their mix."""
        states = tap(self, "states", self.language_model.states(input_ids, attention_mask))
        return tap(self, "output", self.mix(states))


def elmo(config: ElmoConfig) -> Elmo:
    """An ELMo of the given size, with fresh weights."""
    return Elmo(BidirectionalLanguageModel(config))


def _mirror(
    input_ids: Int[Tensor, "batch position"], attention_mask: Int[Tensor, "batch position"] | None
) -> Int[Tensor, "batch position"]:
    """For each position the one it changes places with when a text is turned round; padding stays where it is."""
    positions = torch.arange(input_ids.shape[1], device=input_ids.device).expand(input_ids.shape)
    if attention_mask is None:
        return positions.flip(1)
    turned = attention_mask.sum(1, keepdim=True) - 1 - positions
    return turned.where(turned >= 0, positions)


FAMILY = Family("ELMo", lambda entries: ElmoConfig(**entries), elmo)
