"""Encoder–decoders of the same size: ours, torch.nn.Transformer, Hugging Face's T5, BART and Marian, x-transformers.

ReLU, one shared table, sources padded to unequal lengths, targets all real. Norms stand where each family has them;
their cost is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import torch
import transformers
from torch import Tensor, nn
from x_transformers import XTransformer

from anatomy_utils.nn.positions import SinusoidalPositions
from anatomy_utils.zoo.transformer import TransformerConfig, transformer
from tools.benchmarks.models import Model, Sizes
from tools.benchmarks.timing import OURS


def make(sizes: Sizes) -> tuple[dict[str, Model], tuple[Tensor, Tensor, Tensor], Tensor]:
    """All six, in training mode; source, target as the decoder reads it, and the source's mask; the labels."""
    torch.manual_seed(0)
    config = TransformerConfig(
        vocab_size=sizes.vocab_size,
        d_model=sizes.d_model,
        num_layers=sizes.num_layers,
        num_decoder_layers=sizes.num_layers,
        num_heads=sizes.num_heads,
        d_ff=sizes.d_ff,
        dropout=0.0,
    )
    models: dict[str, nn.Module] = {
        OURS: transformer(config),
        "nn.Transformer": TorchTranslator(sizes),
        **{f"HF {name}": hugging_face(name, sizes) for name in ("T5", "BART", "Marian")},
    }
    asked = {name: Model(module.train(), _asked(name, module)) for name, module in models.items()}
    asked["x-transformers"] = x_transformers(sizes)
    mask = sizes.attention_mask()
    target = sizes.ids(seed=1, length=sizes.length + 1)
    return asked, (sizes.ids() * mask, target[:, :-1], mask), target[:, 1:]


def _asked(name: str, module: nn.Module) -> Callable[..., Tensor]:
    if not name.startswith("HF"):
        return module
    return lambda source, target, mask: (
        module(input_ids=source, decoder_input_ids=target, attention_mask=mask, use_cache=False).logits
    )


def hugging_face(name: str, sizes: Sizes) -> nn.Module:
    """Hugging Face's model of that name, with torch's fused attention where it has it."""
    if name == "T5":
        config = transformers.T5Config(
            vocab_size=sizes.vocab_size,
            d_model=sizes.d_model,
            d_kv=sizes.d_head,
            d_ff=sizes.d_ff,
            num_layers=sizes.num_layers,
            num_heads=sizes.num_heads,
            dropout_rate=0.0,
            feed_forward_proj="relu",
        )
        return transformers.T5ForConditionalGeneration(config)
    kind = {"BART": "Bart", "Marian": "Marian"}[name]
    stacks = {
        f"{side}_{what}": number
        for side in ("encoder", "decoder")
        for what, number in (
            ("layers", sizes.num_layers),
            ("attention_heads", sizes.num_heads),
            ("ffn_dim", sizes.d_ff),
        )
    }
    ids = dict.fromkeys(("pad_token_id", "bos_token_id", "eos_token_id", "decoder_start_token_id"), 0)
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=sizes.vocab_size,
        d_model=sizes.d_model,
        max_position_embeddings=sizes.length,
        activation_function="relu",
        scale_embedding=True,
        dropout=0.0,
        attn_implementation="sdpa",
        forced_eos_token_id=None,
        **stacks,
        **ids,
    )
    return getattr(transformers, {"BART": "BartForConditionalGeneration", "Marian": "MarianMTModel"}[name])(config)


def x_transformers(sizes: Sizes) -> Model:
    """x-transformers' encoder–decoder with its fused attention."""
    both = {
        f"{side}_{name}": value
        for side in ("enc", "dec")
        for name, value in {
            "num_tokens": sizes.vocab_size,
            "max_seq_len": sizes.length,
            "depth": sizes.num_layers,
            "heads": sizes.num_heads,
            "attn_dim_head": sizes.d_head,
            "attn_flash": True,
            "ff_custom_activation": nn.ReLU(),
        }.items()
    }
    model = XTransformer(dim=sizes.d_model, tie_token_emb=True, **both)
    decoder = model.decoder.net
    decoder.to_logits = nn.Linear(sizes.d_model, sizes.vocab_size, bias=False)
    decoder.to_logits.weight = model.encoder.token_emb.emb.weight

    def answer(source: Tensor, target: Tensor, mask: Tensor) -> Tensor:
        real = mask.bool()
        memory = model.encoder(source, mask=real, return_embeddings=True)
        return decoder(target, context=memory, context_mask=real)

    return Model(model.train(), answer)


class TorchTranslator(nn.Module):
    """torch.nn.Transformer with the table, the positions and the projection that it leaves to its users."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.tokens = nn.Embedding(sizes.vocab_size, sizes.d_model)
        self.stacks = nn.Transformer(
            sizes.d_model,
            sizes.num_heads,
            sizes.num_layers,
            sizes.num_layers,
            sizes.d_ff,
            dropout=0.0,
            batch_first=True,
        )
        self.vocabulary = nn.Linear(sizes.d_model, sizes.vocab_size, bias=False)
        nn.init.normal_(self.tokens.weight, std=sizes.d_model**-0.5)
        self.vocabulary.weight = self.tokens.weight
        self.scale = sqrt(sizes.d_model)
        waves = SinusoidalPositions(sizes.d_model)(torch.arange(sizes.length))
        self.register_buffer("waves", waves, persistent=False)
        self.register_buffer("causal", nn.Transformer.generate_square_subsequent_mask(sizes.length), persistent=False)

    def forward(self, source: Tensor, target: Tensor, mask: Tensor) -> Tensor:
        """Logits at every target position."""
        padding = mask == 0
        hidden = self.stacks(
            self.tokens(source) * self.scale + self.waves[: source.shape[1]],
            self.tokens(target) * self.scale + self.waves[: target.shape[1]],
            tgt_mask=self.causal,
            tgt_is_causal=True,
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
        )
        return self.vocabulary(hidden)
