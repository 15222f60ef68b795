"""ModernBERT: BERT rebuilt with what decoders have learnt since.

Warner et al. 2024 (arXiv:2412.13663). Against BERT: rotary positions and no segments, norms before the sub-layers and
without a shift, a GELU gate in the feed-forward network, no biases. Only every third layer reads the whole text; the
others see a window of neighbors and turn faster. Surprises in its checkpoints: the first layer has no norm before its
attention, for the embeddings have just been normalized; queries, keys and values are one matrix, gate and values
another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.dropout import dropout_or_nothing
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder, EncoderLayer, LocalLayer
from anatomy_utils.nn.feed_forward import GatedFeedForward
from anatomy_utils.nn.heads import MaskedLanguageHead, SequenceHead, SpanHead, TokenHead, WithHead
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.zoo.checkpoint import MIXED, KeyMap, part
from anatomy_utils.zoo.family import USUAL, Family, numbers, require
from anatomy_utils.zoo.heads import under_heads


@dataclass(frozen=True)
class ModernBertConfig:
    """The numbers of a ModernBERT; the defaults are ModernBERT-base's."""

    vocab_size: int = 50368
    d_model: int = 768
    num_layers: int = 22
    num_heads: int = 12
    d_ff: int = 1152
    global_every: int = 3
    """Every so many layers, from the first on, one reads the whole text."""
    reach: int = 64
    """The farthest neighbor that the other layers see, on either side."""
    global_base: float = 160_000.0
    local_base: float = 10_000.0
    norm_epsilon: float = 1e-5
    dropout: float = 0.0
    """Of the embeddings."""
    attention_dropout: float = 0.0
    """Of attention's weights, and of its output."""
    feed_forward_dropout: float = 0.0
    classifier_dropout: float = 0.0
    mean_pooling: bool = False
    """Whether a text's label is read from the mean of its tokens instead of the first."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> ModernBertConfig:
        """The numbers in a `config.json`; ValueError where one is missing, or not as ModernBERT has it here."""
        require(config, "ModernBERT", **_EXPECTED)
        optional = (
            "norm_epsilon=norm_eps dropout=embedding_dropout attention_dropout feed_forward_dropout=mlp_dropout "
            "classifier_dropout"
        )
        known = numbers(config, USUAL, optional)
        return cls(
            **known,
            global_every=_global_every(config, known["num_layers"]),
            reach=config.get("local_attention", 128) // 2,
            global_base=_base(config, "full_attention", config.get("global_rope_theta", 160_000.0)),
            local_base=_base(config, "sliding_attention", config.get("local_rope_theta", 10_000.0)),
            mean_pooling=config.get("classifier_pooling", "cls") == "mean",
        )


_EXPECTED = {
    **dict.fromkeys(("hidden_activation", "classifier_activation"), "gelu"),
    **dict.fromkeys(("attention_bias", "mlp_bias", "norm_bias", "classifier_bias"), False),
    **dict.fromkeys(("decoder_bias", "tie_word_embeddings"), True),
}


def _global_every(config: Mapping[str, Any], num_layers: int) -> int:
    """How far apart the global layers are, from the list of the layers' kinds where a configuration has one."""
    kinds = config.get("layer_types")
    if not kinds:
        return int(config.get("global_attn_every_n_layers", 3))
    every = [*kinds, "full_attention"].index("full_attention", 1)
    if kinds != ["sliding_attention" if i % every else "full_attention" for i in range(num_layers)]:
        raise ValueError(
            f"layer_types is {kinds}, but ModernBERT here has a global layer first, and then every so many."
        )
    return every


def _base(config: Mapping[str, Any], kind: str, left_out: float | int) -> float | int:
    """The base of the rotary positions of a kind of layers."""
    rope = (config.get("rope_parameters") or {}).get(kind) or {}
    if rope.get("rope_type", "default") != "default":
        raise ValueError(f"The rotary positions are scaled ({rope}), which ModernBERT here does not do.")
    base: float | int = rope.get("rope_theta", left_out)
    return base


def modernbert(config: ModernBertConfig) -> Encoder:
    """A ModernBERT of the given size, with fresh weights."""
    d_head = config.d_model // config.num_heads
    local_rotary = RotaryPositions(d_head, base=config.local_base)

    def layer(index: int) -> EncoderLayer:
        attention = MultiHeadAttention(config.d_model, config.num_heads, bias=False, dropout=config.attention_dropout)
        feed_forward = GatedFeedForward(
            config.d_model, config.d_ff, activation=F.gelu, dropout=config.feed_forward_dropout
        )
        around = NormPlaces(
            before=_norm(config) if index > 0 else None,
            output=nn.Dropout(config.attention_dropout) if config.attention_dropout else None,
        )
        then = NormPlaces(before=_norm(config))
        norms: dict[str, Any] = {"self_attention_norms": around, "feed_forward_norms": then}
        if index % config.global_every == 0:
            return EncoderLayer(attention, feed_forward, **norms)
        return LocalLayer(attention, feed_forward, **norms, window=2 * config.reach + 1, rotary=local_rotary)

    return Encoder(
        Embeddings(config.vocab_size, config.d_model, norm=_norm(config), dropout=config.dropout),
        [layer(index) for index in range(config.num_layers)],
        _norm(config),
        rotary=RotaryPositions(d_head, base=config.global_base),
    )


def _norm(config: ModernBertConfig) -> LayerNorm:
    return LayerNorm(config.d_model, config.norm_epsilon, bias=False)


class RefinedHead(nn.Module):
    """A layer, GELU and a norm in front of a head, for each token or for the mean of all.

    Args:
        head: reads the refined vectors.
        d_model: width of the hidden states.
        norm: applied after the layer.
        mean: whether the text's mean is refined instead of each token.
        dropout: probability of dropping a refined feature while training.
    """

    def __init__(
        self, head: nn.Module, d_model: int, norm: nn.Module, *, mean: bool = False, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.dense = nn.Linear(d_model, d_model, bias=False)
        self.norm = norm
        self.mean = mean
        self.dropout = dropout_or_nothing(dropout)
        self.head = head

    def forward(
        self,
        hidden_states: Float[Tensor, "batch position d_model"],
        attention_mask: Int[Tensor, "batch position"] | None = None,
    ) -> Any:
        """The head's answer."""
        if self.mean and attention_mask is not None:
            real = attention_mask.to(hidden_states.dtype)[..., None]
            hidden_states = (hidden_states * real).sum(1, keepdim=True) / real.sum(1, keepdim=True)
        elif self.mean:
            hidden_states = hidden_states.mean(1, keepdim=True)
        return self.head(self.dropout(self.norm(F.gelu(self.dense(hidden_states)))))


def with_head(config: ModernBertConfig, task: str, num_labels: int = 2) -> nn.Module:
    """A ModernBERT with the head of a task, with fresh weights; see `TASKS`."""
    body, width = modernbert(config), config.d_model
    if task == "MaskedLM":
        return WithHead(body, MaskedLanguageHead(body.embeddings.tokens, _norm(config), bias=False))
    heads = {
        "SequenceClassification": lambda: SequenceHead(width, num_labels, activation=None),
        "TokenClassification": lambda: TokenHead(width, num_labels),
        "QuestionAnswering": lambda: SpanHead(width),
    }
    if task not in heads:
        return body
    mean = config.mean_pooling and task == "SequenceClassification"
    return WithHead(
        body, RefinedHead(heads[task](), width, _norm(config), mean=mean, dropout=config.classifier_dropout)
    )


_BODY = r"(?:model\.)?"
_LAYER = _BODY + r"layers\.(\d+)\."
KEYS = KeyMap(
    rename=[
        (_BODY + r"embeddings\.tok_embeddings\.weight", r"embeddings.tokens.weight"),
        (_BODY + r"embeddings\.norm\.weight", r"embeddings.norm.weight"),
        (_BODY + r"final_norm\.weight", r"norm.weight"),
        (_LAYER + r"attn_norm\.weight", r"layers.\1.self_attention_norms.before.weight"),
        (_LAYER + r"mlp_norm\.weight", r"layers.\1.feed_forward_norms.before.weight"),
        (_LAYER + r"attn\.Wqkv\.(weight)", MIXED),
        (_LAYER + r"attn\.Wo\.weight", r"layers.\1.self_attention.to_output.weight"),
        (
            _LAYER + r"mlp\.Wi\.weight",
            (r"layers.\1.feed_forward.gate.weight", r"layers.\1.feed_forward.expand.weight"),
        ),
        (_LAYER + r"mlp\.Wo\.weight", r"layers.\1.feed_forward.contract.weight"),
    ],
    ignore=[r"(?:head|decoder|classifier)\..*"],  # the heads of tasks
)
_REFINED = (r"head\.(dense|norm)\.weight", r"head.\1.weight")
_LABELS = [_REFINED, part("classifier", "head.head.labels")]
TASKS = under_heads(
    KEYS,
    MaskedLM=[_REFINED, part("decoder", "head.vocabulary")],
    SequenceClassification=_LABELS,
    TokenClassification=_LABELS,
    QuestionAnswering=[_REFINED, part("classifier", "head.head.ends")],
)

FAMILY = Family("ModernBert", ModernBertConfig.from_published, with_head, TASKS)
