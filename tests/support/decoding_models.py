"""Tiny random models for the decoding tests: Hugging Face's as the reference, ours with the same weights, a table."""

from __future__ import annotations

from functools import cache

import torch
from torch import nn
from torch.nn import functional as F

from anatomy_utils.decoding import SeenIds, uncached
from anatomy_utils.decoding.steps import Step

VOCAB_SIZE = 23


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def some_logits(seed: int, vocab_size: int = 13) -> torch.Tensor:
    """Three rows, flat or peaked depending on the seed."""
    spread = 0.5 + seed % 7
    return normal(3, vocab_size, seed=seed) * spread


def table_model(odds: torch.Tensor) -> Step[SeenIds]:
    """A model that looks at the last token only: row = that token, column = probability of the next."""
    return uncached(lambda ids: odds.log()[ids])


@cache
def hf_gpt2(seed: int) -> nn.Module:
    """A GPT-2 whose weights are so large that it has clear opinions."""
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(seed)
    config = GPT2Config(
        vocab_size=VOCAB_SIZE,
        n_positions=32,
        n_embd=12,
        n_layer=2,
        n_head=3,
        initializer_range=0.6,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=0,
    )
    return GPT2LMHeadModel(config).eval()


def our_gpt2(reference: nn.Module) -> nn.Module:
    from anatomy_utils.zoo import gpt2

    config = reference.config.to_dict() | {"architectures": ["GPT2LMHeadModel"]}
    return gpt2.FAMILY.load(config, reference.state_dict())


def our_t5(reference: nn.Module) -> nn.Module:
    from anatomy_utils.zoo import t5

    return t5.FAMILY.load(
        reference.config.to_dict() | {"architectures": ["T5ForConditionalGeneration"]}, reference.state_dict()
    )


def gpt2_step(model: nn.Module) -> Step[SeenIds]:
    """The reference as a step without a cache; padding at the head is masked, and not counted in the positions."""

    def logits(ids: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        mask = torch.ones_like(ids) if mask is None else mask
        return model(ids, attention_mask=mask, position_ids=(mask.cumsum(1) - 1).clamp(min=0)).logits

    return uncached(logits)


@cache
def hf_t5(seed: int) -> nn.Module:
    from transformers import T5Config, T5ForConditionalGeneration

    torch.manual_seed(seed)
    config = T5Config(
        vocab_size=VOCAB_SIZE,
        d_model=12,
        d_kv=5,
        d_ff=17,
        num_layers=2,
        num_heads=3,
        decoder_start_token_id=0,
        eos_token_id=1,
        pad_token_id=0,
        initializer_factor=2.0,
    )
    return T5ForConditionalGeneration(config).eval()


def prompts(seed: int, batch: int = 3, length: int = 4) -> torch.Tensor:
    return torch.randint(2, VOCAB_SIZE, (batch, length), generator=torch.Generator().manual_seed(seed))


def padded(rows: list[list[int]], pad_id: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Rows of unequal length, padded at the head, with their mask."""
    longest = max(map(len, rows))
    tensors = [F.pad(torch.tensor(row), (longest - len(row), 0), value=pad_id) for row in rows]
    masks = [F.pad(torch.ones(len(row), dtype=torch.long), (longest - len(row), 0)) for row in rows]
    return torch.stack(tensors), torch.stack(masks)
