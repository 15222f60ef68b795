"""DeBERTa v2 and v3: fewer rows of offsets, and no projections of their own for them.

He et al. 2021 (arXiv:2006.03654; the changes of v2 are in the published code) and He, Gao and Chen 2023, version 3
(arXiv:2111.09543). Against DeBERTa: far offsets share buckets that widen with the logarithm, the table of offsets is
normalized and projected as contents are, keys have a bias; the large models of v2 add a convolution over neighboring
positions to the first layer. Version 3 is the same model, trained as ELECTRA is: which tokens were replaced?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, cast

from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.functional.masks import Mask
from anatomy_utils.functional.positions import Rotation
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.tap import tap
from anatomy_utils.zoo.checkpoint import KeyMap, part
from anatomy_utils.zoo.deberta import (
    KEYS as FIRST_KEYS,
    SHARED_KEYS,
    DebertaConfig,
    deberta,
    tasks,
    with_head as first_with_head,
)
from anatomy_utils.zoo.family import Family


@dataclass(frozen=True)
class DebertaV2Config(DebertaConfig):
    """The numbers of a DeBERTa v2 or v3; the defaults are DeBERTa-v3-base's."""

    vocab_size: int = 128100
    key_bias: bool = True
    num_buckets: int = 256
    shared_projections: bool = True
    offset_norm: bool = True
    kernel_size: int = 0
    """Positions that the convolution beside the first layer reads at once; 0 for no convolution."""

    @classmethod
    def from_published(cls, config: Mapping[str, Any]) -> DebertaV2Config:
        """The numbers in a published `config.json`; ValueError where one is missing, or not as DeBERTa has it here."""
        kernel_size = config.get("conv_kernel_size", 0)
        for name, left_out, expected in (("conv_act", "tanh", "gelu"), ("conv_groups", 1, 1)):
            if kernel_size and (given := config.get(name, left_out)) != expected:
                raise ValueError(f"{name} is {given!r}, but the convolution here has {expected!r}.")
        its_own = {
            "key_bias": True,
            "num_buckets": max(config.get("position_buckets", -1), 0),
            "shared_projections": config.get("share_att_key", False),
            "offset_norm": "layer_norm" in config.get("norm_rel_ebd", "none"),
            "kernel_size": kernel_size,
        }
        return cls(**asdict(DebertaConfig.from_published(config)) | its_own)


class ConvolvedLayer(EncoderLayer):
    """A layer with a convolution beside it: each position also reads its neighbors, and both are added.

    Args:
        layer: the layer, whose parts are used.
        d_model: width of the vectors.
        kernel_size: how many positions the convolution reads at once, odd.
        norm: applied to the sum.
        dropout: probability of dropping a feature of either while training.
    """

    def __init__(self, layer: EncoderLayer, d_model: int, kernel_size: int, norm: nn.Module, dropout: float) -> None:
        super().__init__(
            layer.self_attention,
            layer.feed_forward,
            self_attention_norms=layer.self_attention_norms,
            feed_forward_norms=layer.feed_forward_norms,
            dropout=dropout,
        )
        self.convolution = nn.Conv1d(d_model, d_model, kernel_size, padding=kernel_size // 2)
        self.convolution_norm = norm

    def forward(
        self,
        hidden_states: Float[Tensor, "batch position d_model"],
        mask: Mask | None = None,
        *,
        rotation: Rotation | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """Taps `convolved`, the residual stream after the convolution."""
        output = super().forward(hidden_states, mask, rotation=rotation)
        if mask is not None:  # batch 1 1 key: what stands at padding must not reach its neighbors
            hidden_states = hidden_states.masked_fill(~mask[:, 0, 0, :, None], 0.0)
        neighbors = self.convolution(hidden_states.transpose(1, 2)).transpose(1, 2)
        return tap(self, "convolved", self.convolution_norm(output + F.gelu(self.dropout(neighbors))))


def deberta_v2(config: DebertaV2Config) -> Encoder:
    """A DeBERTa v2 or v3 of the given size, with fresh weights."""
    body = deberta(config)
    if config.kernel_size:
        first, norm = cast(EncoderLayer, body.layers[0]), LayerNorm(config.d_model, config.norm_epsilon)
        body.layers[0] = ConvolvedLayer(first, config.d_model, config.kernel_size, norm, config.dropout)
    return body


def with_head(config: DebertaV2Config, task: str, num_labels: int = 2) -> nn.Module:
    """A DeBERTa v2 or v3 with the head of a task, with fresh weights; see `TASKS`."""
    return first_with_head(config, task, num_labels, body=deberta_v2(config))


_STACK = r"(?:deberta\.)?encoder\."
_SELF = _STACK + r"layer\.(\d+)\.attention\.self\."
KEYS = KeyMap(
    rename=[
        *SHARED_KEYS,
        part(_SELF + r"(query|key|value)_proj", r"layers.\1.self_attention.to_\2"),
        part(_SELF + r"pos_(query|key)_proj", r"layers.\1.self_attention.score_positions.to_\2"),
        part(_STACK + r"LayerNorm", "layers.0.self_attention.score_positions.table.norm"),
        part(_STACK + r"conv\.conv", "layers.0.convolution"),
        part(_STACK + r"conv\.LayerNorm", "layers.0.convolution_norm"),
    ],
    ignore=FIRST_KEYS.ignore,
)
TASKS = tasks(KEYS)

FAMILY = Family("DebertaV2", DebertaV2Config.from_published, with_head, TASKS)
