"""BigBird: a BERT for long texts, in which most pairs of positions do not meet.

Zaheer et al. 2020 (arXiv:2007.14062). The text is cut into blocks of 64 positions. A block sees its neighbors, the
first and the last block, and a few random ones; the first and the last see all, so that two layers connect any two
positions. The rest is BERT with GELU's tanh approximation. Here the pattern is a mask over all pairs, to be looked at;
`window_attention` shows how pairs are left out for good. The reference draws its random blocks while training only;
afterwards it counts the first block's keys once more for each. Here they are the same in both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from anatomy_utils.functional import masks
from anatomy_utils.functional.feed_forward import gelu_tanh
from anatomy_utils.functional.masks import Mask
from anatomy_utils.functional.positions import Rotation
from anatomy_utils.functional.window_attention import bigbird_blocks
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.heads import SequenceHead
from anatomy_utils.zoo import bert
from anatomy_utils.zoo.bert import BertConfig
from anatomy_utils.zoo.family import Family, numbers, require
from anatomy_utils.zoo.heads import LABELS, POOLED, two_layers, under_heads

Pattern = Callable[[int], Bool[Tensor, "heads query_block key_block"]]
"""Number of blocks → which of them meet, in each head."""


@dataclass(frozen=True)
class BigBirdConfig(BertConfig):
    """The numbers of a BigBird; the defaults are those of the published base model."""

    vocab_size: int = 50358
    max_positions: int = 4096
    block_size: int = 64
    num_random: int = 3
    """How many random blocks each block sees."""
    sparse: bool = True
    """Whether long texts are read by the pattern; else all pairs meet, as in BERT."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> BigBirdConfig:
        """The numbers in a published `config.json`; ValueError where one is missing, or not as BigBird has it."""
        require(config, "BigBird", hidden_act="gelu_new", use_bias=True, rescale_embeddings=False)
        known = BertConfig.from_published(dict(config) | {"hidden_act": "gelu"})
        its_own = numbers(config, "block_size num_random=num_random_blocks sparse=attention_type")
        its_own["sparse"] = its_own["sparse"] == "block_sparse"
        return cls(**asdict(known) | its_own)


class BlockSparseLayer(EncoderLayer):
    """A layer in which only certain blocks of positions meet; in a short text, all do.

    Zaheer et al. 2020, section 2 (arXiv:2007.14062).

    Args:
        layer: the layer, whose parts are used.
        block_size: positions of a block.
        num_random: how many random blocks each block sees.
        pattern: which blocks meet.
    """

    block_size: int

    def __init__(self, layer: EncoderLayer, block_size: int, num_random: int, pattern: Pattern) -> None:
        super().__init__(
            layer.self_attention,
            layer.feed_forward,
            self_attention_norms=layer.self_attention_norms,
            feed_forward_norms=layer.feed_forward_norms,
        )
        self.dropout = layer.dropout
        self.block_size = block_size
        self.num_random = num_random
        self.pattern = pattern
        self.window = (5 + num_random) * block_size  # a block, its neighbors, the first, the last and the random ones

    def forward(
        self,
        hidden_states: Float[Tensor, "batch position d_model"],
        mask: Mask | None = None,
        *,
        rotation: Rotation | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """As in `EncoderLayer`, but only positions of blocks that meet see each other."""
        length = hidden_states.shape[1]
        if length > (5 + 2 * self.num_random) * self.block_size:  # published: below that, it does not pay
            mask = masks.combine(mask, self.meets(length).to(hidden_states.device))
        return super().forward(hidden_states, mask, rotation=rotation)

    def meets(self, length: int) -> Bool[Tensor, "heads query key"]:
        """The pattern as a mask for a text of that length; the last block may be cut short."""
        blocks = self.pattern(-(-length // self.block_size))
        pairs = blocks.repeat_interleave(self.block_size, 1).repeat_interleave(self.block_size, 2)
        return pairs[:, :length, :length]


def drawn(seed: int, num_heads: int, num_random: int) -> Pattern:
    """BigBird's pattern with random blocks of their own for each head, the same whenever it is asked for."""

    def pattern(count: int) -> Bool[Tensor, "heads query_block key_block"]:
        generator = torch.Generator().manual_seed(seed)
        return torch.stack([bigbird_blocks(count, generator, random=num_random) for _ in range(num_heads)])

    return pattern


def big_bird(config: BigBirdConfig) -> Encoder:
    """A BigBird of the given size, with fresh weights; each layer has random blocks of its own."""
    body = bert.bert(config, activation=gelu_tanh)
    for number, layer in enumerate(cast(list[EncoderLayer], body.layers) if config.sparse else []):
        pattern = drawn(number, config.num_heads, config.num_random)
        body.layers[number] = BlockSparseLayer(layer, config.block_size, config.num_random, pattern)
    return body


def with_head(config: BigBirdConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A BigBird with the head of a task, with fresh weights; see `TASKS`."""

    def label() -> SequenceHead:
        dropout = config.dropout
        return SequenceHead(config.d_model, num_labels, activation=gelu_tanh, dropout=dropout, input_dropout=dropout)

    body = big_bird(config)
    return bert.with_head(config, task, num_labels, body=body, activation=gelu_tanh, SequenceClassification=label)


TASKS = under_heads(
    bert.KEYS,
    MaskedLM=bert.MASKED,
    PreTraining=bert.PRETRAINING,
    SequenceClassification=two_layers("classifier"),
    TokenClassification=[LABELS],
    MultipleChoice=POOLED,
)

FAMILY = Family("BigBird", BigBirdConfig.from_published, with_head, TASKS)
