"""Encoders of the same size that label every token: ours, Hugging Face's BERT, torch.nn's encoder, x-transformers."""

from __future__ import annotations

import torch
import transformers
from torch import Tensor, nn
from torch.nn import functional as F
from x_transformers import Encoder, TransformerWrapper

from anatomy_utils.zoo import bert
from tools.benchmarks.models import Model, Sizes
from tools.benchmarks.timing import OURS

LABELS = 17


def make(sizes: Sizes) -> tuple[dict[str, Model], tuple[Tensor, Tensor], Tensor]:
    """All four, in training mode; ids and their mask; and a label for every real token."""
    torch.manual_seed(0)
    mask = sizes.attention_mask()
    ids = sizes.ids() * mask
    theirs = transformers.BertForTokenClassification(hugging_face_config(sizes, num_labels=LABELS))
    config = {**theirs.config.to_dict(), "architectures": ["BertForTokenClassification"]}
    ours = bert.FAMILY.load(config, {name: tensor.clone() for name, tensor in theirs.state_dict().items()})
    x, torchs = x_transformers(sizes), TorchClassifier(sizes)
    models = {
        OURS: Model(ours.train(), ours),
        "HF BERT": Model(theirs.train(), lambda ids, mask: theirs(ids, mask).logits),
        "x-transformers": Model(x.train(), lambda ids, mask: x(ids, mask=mask.bool())),
        "nn.TransformerEncoder": Model(torchs.train(), torchs),
    }
    return models, (ids, mask), (ids % LABELS).masked_fill(mask == 0, -100)


def hugging_face_config(sizes: Sizes, **more: object) -> transformers.BertConfig:
    """A BERT of these sizes, without dropout, with torch's fused attention."""
    return transformers.BertConfig(
        vocab_size=sizes.vocab_size,
        hidden_size=sizes.d_model,
        num_hidden_layers=sizes.num_layers,
        num_attention_heads=sizes.num_heads,
        intermediate_size=sizes.d_ff,
        max_position_embeddings=sizes.length,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        attn_implementation="sdpa",
        **more,
    )


def x_transformers(sizes: Sizes) -> TransformerWrapper:
    """x-transformers' encoder with its fused attention; its "vocabulary" is the labels."""
    stack = Encoder(
        dim=sizes.d_model,
        depth=sizes.num_layers,
        heads=sizes.num_heads,
        attn_dim_head=sizes.d_head,
        attn_flash=True,
    )
    return TransformerWrapper(
        num_tokens=sizes.vocab_size, max_seq_len=sizes.length, attn_layers=stack, logits_dim=LABELS
    )


class TorchClassifier(nn.Module):
    """torch.nn.TransformerEncoder with BERT's embeddings in front and the labels behind."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.encoder = TorchBert(sizes)
        self.labels = nn.Linear(sizes.d_model, LABELS)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Logits of the labels at every position."""
        return self.labels(self.encoder(ids, mask))


class TorchBert(nn.Module):
    """BERT out of torch.nn.TransformerEncoder, which packs padding away when nothing is trained."""

    def __init__(self, sizes: Sizes, epsilon: float = 1e-12) -> None:
        super().__init__()
        width = sizes.d_model
        self.tokens, self.positions = nn.Embedding(sizes.vocab_size, width), nn.Embedding(sizes.length, width)
        self.segments, self.norm = nn.Embedding(2, width), nn.LayerNorm(width, epsilon)
        layer = nn.TransformerEncoderLayer(
            width, sizes.num_heads, sizes.d_ff, 0.0, F.gelu, layer_norm_eps=epsilon, batch_first=True
        )
        self.stack = nn.TransformerEncoder(layer, sizes.num_layers)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Hidden states of the last layer."""
        summed = self.tokens(ids) + self.positions.weight[: ids.shape[1]] + self.segments.weight[0]
        return self.stack(self.norm(summed), src_key_padding_mask=mask == 0)

    def load_published(self, tensors: dict[str, Tensor]) -> None:
        """Take over the weights of a Hugging Face `BertModel`."""
        wanted = {f"embeddings.{name}.weight": part.weight for name, part in self._tables().items()}
        wanted |= {f"embeddings.LayerNorm.{name}": tensor for name, tensor in self.norm.named_parameters()}
        with torch.no_grad():
            for name, tensor in wanted.items():
                tensor.copy_(tensors[name][: len(tensor)])
            for number, layer in enumerate(self.stack.layers):
                self._load_layer(layer, f"encoder.layer.{number}.", tensors)

    def _tables(self) -> dict[str, nn.Embedding]:
        return {
            "word_embeddings": self.tokens,
            "position_embeddings": self.positions,
            "token_type_embeddings": self.segments,
        }

    @staticmethod
    def _load_layer(layer: nn.TransformerEncoderLayer, place: str, tensors: dict[str, Tensor]) -> None:
        parts = {
            "attention.output.dense": layer.self_attn.out_proj,
            "attention.output.LayerNorm": layer.norm1,
            "intermediate.dense": layer.linear1,
            "output.dense": layer.linear2,
            "output.LayerNorm": layer.norm2,
        }
        for end in ("weight", "bias"):
            mixed = [tensors[f"{place}attention.self.{name}.{end}"] for name in ("query", "key", "value")]
            getattr(layer.self_attn, f"in_proj_{end}").copy_(torch.cat(mixed))
            for name, part in parts.items():
                getattr(part, end).copy_(tensors[f"{place}{name}.{end}"])
