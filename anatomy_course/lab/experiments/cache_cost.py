"""What the key/value cache saves: counted, and measured by the clock, for a single step and for a whole text.

Keys and values of earlier positions never change while a decoder writes. With a cache each position is computed once
and read ever after; without one, every step computes all of them again. Notebook 05 draws both, and what sharing keys
and values between heads saves; `nn.cache` is the cache itself. It settles a prediction with whole texts, written from
the first token to the last, so that the texts can be compared too.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor, nn

from anatomy_course.lab.experiments.attention_cost import take_turns
from anatomy_utils.decoding.generation import generate
from anatomy_utils.decoding.steps import SeenIds, uncached
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.training.threads import threads
from anatomy_utils.zoo.llama import LlamaConfig, llama

ROUNDS = 2


@dataclass(frozen=True)
class CacheEntry:
    """What a decoder keeps of one position.

    Attributes:
        layers: each keeps its own keys and values.
        kv_heads: key/value heads in a layer; query heads that share one keep nothing more.
        heads: query heads in a layer.
        d_head: numbers in a key, and in a value.
        number_bytes: of one number: 4 for float32.
    """

    layers: int
    kv_heads: int
    heads: int
    d_head: int
    number_bytes: int

    @property
    def bytes(self) -> int:
        """2 (a key and a value) · layers · kv_heads · d_head · number_bytes.

        >>> CacheEntry(layers=30, kv_heads=3, heads=9, d_head=64, number_bytes=4).bytes  # SmolLM2 in float32
        46080
        """
        return 2 * self.layers * self.kv_heads * self.d_head * self.number_bytes


def cache_entry_of(model: LanguageModel) -> CacheEntry:
    """What this model keeps of each position."""
    first: Any = model.decoder.layers[0]
    attention: MultiHeadAttention = first.self_attention
    table = model.decoder.embeddings.tokens.weight
    return CacheEntry(
        layers=len(model.decoder.layers),
        kv_heads=attention.num_kv_heads,
        heads=attention.num_heads,
        d_head=attention.d_head,
        number_bytes=table.element_size(),
    )


def count_operations(model: LanguageModel, length: int, new: int) -> int:
    """Multiplications and additions that the last `new` of `length` positions take, and the logits of the last one.

    Two for each weight of a layer's matrices and position, 4 · heads · d_head for each query that looks at a key.
    """
    entry = cache_entry_of(model)
    weights = sum(part.numel() for layer in model.decoder.layers for part in layer.parameters() if part.dim() > 1)
    looks = new * length - new * (new - 1) // 2  # the first of them sees length − new + 1 keys, the last all
    return (
        2 * weights * new + 4 * entry.layers * entry.heads * entry.d_head * looks + 2 * model.vocabulary.weight.numel()
    )


@dataclass(frozen=True)
class CacheCost:
    """What the token after `length` positions costs, and what is kept meanwhile.

    Attributes:
        length: positions that the new token can look at, its own included.
        with_cache: seconds, the fastest of some rounds: other work on the machine only ever adds to it.
        without: the same, all positions computed again.
        kept: bytes of the real cache's filled positions.
    """

    length: int
    with_cache: float
    without: float
    kept: int


def measure_cache_cost(model: LanguageModel, length: int, *, rounds: int = ROUNDS) -> CacheCost:
    """Time one step at a given length, with and without the cache, taking turns.

    Both make the logits of the last position only, so that the difference is the cache's alone.

    Args:
        model: any language model with at least `length` positions.
        length: positions, the new one included; at least 2.
        rounds: how many times each, after one that is not counted.

    Raises:
        ValueError: fewer than 2 positions or 1 round.
    """
    if length < 2 or rounds < 1:
        raise ValueError(f"length={length}, rounds={rounds} was given; there must be at least 2 positions and 1 round.")
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(model.vocabulary.out_features, (1, length), generator=generator)
    again = uncached(lambda seen: model.vocabulary(model.decoder(seen)[:, -1:]))
    with torch.inference_mode():
        before = model.step(ids[:, :-1], model.start(1, length))[1]  # every round writes the last place again
        ways = {
            "with": lambda: model.step(ids[:, -1:], before),
            "without": lambda: again(ids[:, -1:], SeenIds(ids[:, :-1])),
        }
        take_turns(ways, 1)
        seconds = take_turns(ways, rounds)
        _, cache = model.step(ids[:, -1:], before)
    return CacheCost(length, seconds["with"], seconds["without"], cache.bytes)


class KeyValueSharing(NamedTuple):
    """One attention module's heads and what they cost."""

    num_heads: int
    num_kv_heads: int
    parameters: int
    """Of the four projections."""
    cache_bytes: int
    """Keys and values of all positions, in one layer."""


def key_value_sharing(attention: MultiHeadAttention, positions: int = 1) -> KeyValueSharing:
    """Count a real module's parameters, and the keys and values that it makes of so many positions.

    Raises:
        ValueError: positions is not at least 1.

    >>> key_value_sharing(MultiHeadAttention(8, 4, num_kv_heads=1, bias=False), positions=10)  # 2 wide, 4 bytes each
    KeyValueSharing(num_heads=4, num_kv_heads=1, parameters=160, cache_bytes=160)
    """
    if positions < 1:
        raise ValueError(f"positions={positions} was given; a cache holds at least 1 position.")
    weight = attention.to_key.weight
    with torch.no_grad():
        made = attention.project_memory(weight.new_zeros(1, positions, weight.shape[1]))
    return KeyValueSharing(
        num_heads=attention.num_heads,
        num_kv_heads=attention.num_kv_heads,
        parameters=sum(parameter.numel() for parameter in attention.parameters()),
        cache_bytes=sum(part.numel() * part.element_size() for part in made),
    )


@dataclass(frozen=True)
class GenerationCost:
    """A text and what it cost.

    Attributes:
        ids: the prompt and what follows it.
        read: tokens that passed through the layers, each as often as it did.
        seconds: for all of it.
    """

    ids: Int[Tensor, "1 position"]
    read: int
    seconds: float


def generate_with_and_without_cache(
    model: LanguageModel, prompt_ids: Int[Tensor, "1 position"], new_tokens: int
) -> tuple[GenerationCost, GenerationCost]:
    """Write the likeliest tokens twice: with the model's cache, then reading the whole text again for each token.

    On one core: a token alone is too little work to be shared.

    Args:
        model: with room for all positions.
        prompt_ids: one row, at least one token.
        new_tokens: how many are written; no token ends the text.

    Returns:
        With the cache, and without it. Both make the logits of the last position only.
    """
    read: list[int] = []

    def embed(module: nn.Module, arguments: tuple[Tensor, ...], output: Tensor) -> None:
        read.append(output.shape[1])

    whole = uncached(lambda ids: model.vocabulary(model.decoder(ids)[:, -1:]))
    ways = (
        (model.step, model.start(1, prompt_ids.shape[1] + new_tokens)),
        (whole, SeenIds()),
    )
    results = []
    handle = model.decoder.embeddings.register_forward_hook(embed)
    try:
        for step, cache in ways:
            read.clear()
            start = time.perf_counter()
            with threads(1):
                ids = generate(step, cache, prompt_ids, max_new_tokens=new_tokens).ids  # type: ignore[arg-type, type-var]
            results.append(GenerationCost(ids, sum(read), time.perf_counter() - start))
    finally:
        handle.remove()
    return results[0], results[1]


def untrained_llama(generator: torch.Generator) -> LanguageModel:
    """A Llama of 4 layers, 128 features wide, with random weights: what writing costs does not depend on them.

    Args:
        generator: the source of its weights.
    """
    config = LlamaConfig(1000, d_model=128, num_layers=4, num_heads=4, num_kv_heads=4, d_ff=512, d_head=32)
    model = LanguageModel(llama(config), nn.Linear(config.d_model, config.vocab_size, bias=False))
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.1, generator=generator)
    return model.eval()
