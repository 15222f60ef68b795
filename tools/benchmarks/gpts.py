"""GPTs of the same size: ours, Hugging Face's GPT-2, x-transformers' decoder, torch.nn's encoder with a causal mask.

Ours and Hugging Face's have the same weights, so that their losses and greedy texts can be compared. In training the
activation is the exact GELU in all: its tanh approximation, GPT-2's own, costs several times as much and would hide
the rest.
"""

from __future__ import annotations

import torch
import transformers
from torch import Tensor, nn
from torch.nn import functional as F
from x_transformers import Decoder, TransformerWrapper

from anatomy_utils.nn.decoder import DecoderLayer
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo import gpt2
from tools.benchmarks.models import Model, Sizes
from tools.benchmarks.timing import OURS


def make(sizes: Sizes) -> tuple[dict[str, Model], tuple[Tensor], Tensor]:
    """All four, in training mode; a batch; and its labels, the tokens that follow."""
    torch.manual_seed(0)
    theirs = hugging_face(sizes)
    text = sizes.ids(length=sizes.length + 1)
    models = {
        OURS: from_hugging_face(theirs),
        "HF GPT-2": theirs,
        "x-transformers": x_transformers(sizes),
        "torch.nn": TorchGpt(sizes),
    }
    asked = {name: Model(module.train(), module) for name, module in models.items()}
    asked["HF GPT-2"] = Model(theirs.train(), lambda ids: theirs(ids, use_cache=False).logits)
    return asked, (text[:, :-1],), text[:, 1:]


def hugging_face(sizes: Sizes, activation: str = "gelu") -> transformers.GPT2LMHeadModel:
    """Hugging Face's GPT-2 with torch's fused attention; its own activation is called `gelu_new`."""
    config = transformers.GPT2Config(
        vocab_size=sizes.vocab_size,
        n_positions=sizes.length,
        n_embd=sizes.d_model,
        n_layer=sizes.num_layers,
        n_head=sizes.num_heads,
        activation_function=activation,
        resid_pdrop=0.0,
        embd_pdrop=0.0,
        attn_pdrop=0.0,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=None,
        attn_implementation="sdpa",
    )
    return transformers.GPT2LMHeadModel(config)


def from_hugging_face(theirs: transformers.GPT2LMHeadModel) -> LanguageModel:
    """Ours with a copy of their weights, through the zoo's loader."""
    config = {**theirs.config.to_dict(), "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"]}
    model = gpt2.FAMILY.load(config, {name: tensor.clone() for name, tensor in theirs.state_dict().items()})
    if theirs.config.activation_function == "gelu":
        for layer in model.decoder.layers:
            assert isinstance(layer, DecoderLayer)
            layer.feed_forward.activation = F.gelu
    return model


def x_transformers(sizes: Sizes) -> TransformerWrapper:
    """x-transformers' decoder with its fused attention."""
    stack = Decoder(
        dim=sizes.d_model,
        depth=sizes.num_layers,
        heads=sizes.num_heads,
        attn_dim_head=sizes.d_head,
        attn_flash=True,
    )
    return TransformerWrapper(
        num_tokens=sizes.vocab_size, max_seq_len=sizes.length, attn_layers=stack, tie_embedding=True
    )


class TorchGpt(nn.Module):
    """What torch.nn offers for a GPT: its encoder with a causal mask."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        width = sizes.d_model
        self.tokens, self.positions = nn.Embedding(sizes.vocab_size, width), nn.Embedding(sizes.length, width)
        layer = nn.TransformerEncoderLayer(
            width, sizes.num_heads, sizes.d_ff, dropout=0.0, activation=F.gelu, batch_first=True, norm_first=True
        )
        self.stack = nn.TransformerEncoder(layer, sizes.num_layers, nn.LayerNorm(width), enable_nested_tensor=False)
        self.vocabulary = nn.Linear(width, sizes.vocab_size, bias=False)
        nn.init.normal_(self.tokens.weight, std=0.02)
        self.vocabulary.weight = self.tokens.weight
        self.register_buffer("causal", nn.Transformer.generate_square_subsequent_mask(sizes.length), persistent=False)

    def forward(self, ids: Tensor) -> Tensor:
        """Logits at every position."""
        length = ids.shape[1]
        hidden = self.tokens(ids) + self.positions.weight[:length]
        return self.vocabulary(self.stack(hidden, mask=self.causal[:length, :length], is_causal=True))
