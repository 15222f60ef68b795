"""What a whole text costs to write, with a cache and without: tokens read, and seconds.

`cache_lab` measures a single step at a given length; this one writes from the first token to the last, so that the
texts can be compared too. Notebook 04 settles a prediction with it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor, nn

from anatomy_utils.decoding.generation import generate
from anatomy_utils.decoding.steps import SeenIds, uncached
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.training.threads import threads
from anatomy_utils.zoo.llama import LlamaConfig, llama


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
