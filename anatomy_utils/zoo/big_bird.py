"""BigBird: a BERT for long texts, in which most pairs of positions do not meet.

Zaheer et al. 2020 (arXiv:2007.14062). The text is cut into blocks of 64 positions. A block sees its neighbours, the
first and the last block, and a few random ones; the first and the last see all, so that two layers connect any two
positions. The rest is BERT with GELU's tanh approximation. Here the pattern is a mask over all pairs, to be looked at;
`window_attention` shows how pairs are left out for good. The reference draws its random blocks while training only;
afterwards it counts the first block's keys once more for each. Here they are the same in both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from anatomy_utils.functional import masks
from anatomy_utils.functional.feed_forward import gelu_tanh
from anatomy_utils.functional.masks import Mask
from anatomy_utils.functional.positions import Rotation
from anatomy_utils.functional.window_attention import bigbird_blocks
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.heads import (
    MaskedLanguageHead,
    MultipleChoice,
    PretrainingHead,
    SequenceHead,
    TokenHead,
    WithHead,
)
from anatomy_utils.nn.norm import LayerNorm, Norms
from anatomy_utils.nn.positions import LearnedPositions
from anatomy_utils.zoo import bert
from anatomy_utils.zoo.bert import KEYS, BertConfig
from anatomy_utils.zoo.checkpoint import load_published, number_of_labels, pick, task_of, unfilled

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
        """Read the entries of a Hugging Face `config.json`.

        Raises:
            ValueError: an entry is missing, or the model has a variation that BigBird does not have here.
        """
        expected = {"hidden_act": "gelu_new", "use_bias": True, "rescale_embeddings": False, "is_decoder": False}
        for name, value in expected.items():
            if config.get(name, value) != value:
                raise ValueError(f"{name} is {config[name]!r}, but BigBird here has {value!r}.")
        names = (
            "vocab_size hidden_size num_hidden_layers num_attention_heads intermediate_size max_position_embeddings "
            "type_vocab_size layer_norm_eps hidden_dropout_prob attention_probs_dropout_prob"
        )
        of_bert, no_offset = pick(config, *names.split()), 0
        block_size, num_random, kind = pick(config, "block_size", "num_random_blocks", "attention_type")
        numbers = [*of_bert, no_offset, block_size, num_random, kind == "block_sparse"]
        return cls(*numbers)


class BlockSparseLayer(EncoderLayer):
    """A layer in which only certain blocks of positions meet; in a short text, all do.

    Zaheer et al. 2020, section 2 (arXiv:2007.14062).

    Args:
        self_attention: mixes information between the blocks that meet.
        feed_forward: works on each position by itself.
        self_attention_norms: the norms around self-attention.
        feed_forward_norms: the norms around the feed-forward network.
        dropout: probability of dropping a feature of a sub-layer's output while training.
        block_size: positions of a block.
        num_random: how many random blocks each block sees.
        pattern: which blocks meet.
    """

    block_size: int

    def __init__(
        self,
        self_attention: MultiHeadAttention,
        feed_forward: nn.Module,
        *,
        self_attention_norms: Norms,
        feed_forward_norms: Norms,
        dropout: float,
        block_size: int,
        num_random: int,
        pattern: Pattern,
    ) -> None:
        super().__init__(
            self_attention,
            feed_forward,
            self_attention_norms=self_attention_norms,
            feed_forward_norms=feed_forward_norms,
            dropout=dropout,
        )
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

    def norm() -> LayerNorm:
        return LayerNorm(config.d_model, config.norm_epsilon)

    def layer(number: int) -> EncoderLayer:
        attention = MultiHeadAttention(config.d_model, config.num_heads, dropout=config.attention_dropout)
        feed_forward = FeedForward(config.d_model, config.d_ff, activation=gelu_tanh)
        first, second, dropout = Norms(after=norm()), Norms(after=norm()), config.dropout
        if not config.sparse:
            return EncoderLayer(
                attention, feed_forward, self_attention_norms=first, feed_forward_norms=second, dropout=dropout
            )
        return BlockSparseLayer(
            attention,
            feed_forward,
            self_attention_norms=first,
            feed_forward_norms=second,
            dropout=dropout,
            block_size=config.block_size,
            num_random=config.num_random,
            pattern=drawn(number, config.num_heads, config.num_random),
        )

    embeddings = Embeddings(
        config.vocab_size,
        config.d_model,
        LearnedPositions(config.max_positions, config.d_model),
        num_segments=config.num_segments,
        norm=norm(),
        dropout=config.dropout,
    )
    return Encoder(embeddings, [layer(number) for number in range(config.num_layers)])


def with_head(config: BigBirdConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A BigBird with the head of a task, with fresh weights; see `TASKS`."""
    body, width = big_bird(config), config.d_model

    def masked() -> MaskedLanguageHead:
        norm = LayerNorm(width, config.norm_epsilon)
        return MaskedLanguageHead(body.embeddings.tokens, norm, activation=gelu_tanh)

    if task == "MultipleChoice":
        return MultipleChoice(body, SequenceHead(width, 1, dropout=config.dropout))
    heads = {
        "MaskedLM": masked,
        "PreTraining": lambda: PretrainingHead(masked(), SequenceHead(width, 2)),
        "SequenceClassification": lambda: SequenceHead(
            width, num_labels, activation=gelu_tanh, dropout=config.dropout, input_dropout=config.dropout
        ),
        "TokenClassification": lambda: TokenHead(width, num_labels, dropout=config.dropout),
    }
    return WithHead(body, heads[task]()) if task in heads else body


_LABELS = (r"classifier\.(weight|bias)", r"head.labels.\1")
TASKS = {
    "Model": KEYS,
    "MaskedLM": bert.TASKS["MaskedLM"],
    "PreTraining": bert.TASKS["PreTraining"].within(
        "", (r"bert\.pooler\.(weight|bias)", r"head.next_sentence.dense.\1")
    ),
    "SequenceClassification": KEYS.within(
        "body.",
        (r"classifier\.dense\.(weight|bias)", r"head.dense.\1"),
        (r"classifier\.out_proj\.(weight|bias)", r"head.labels.\1"),
    ),
    "TokenClassification": KEYS.within("body.", _LABELS),
    "MultipleChoice": KEYS.within(
        "body.", (r"bert\.pooler\.(weight|bias)", r"head.dense.\1"), _LABELS, ignore=KEYS.ignore[:1]
    ),
}
"""Task, as published architectures name it → where each tensor goes."""


def load(config: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> nn.Module:
    """A BigBird, with the head its configuration names, ready to use (dropout off)."""
    task = task_of(config, "BigBird", TASKS)
    with unfilled():
        model = with_head(BigBirdConfig.from_published(config), task, number_of_labels(config))
    load_published(model, tensors, TASKS[task])
    return model.eval()
