"""Where a published encoder's heads look, as functions that an experiment can call. Notebook 01."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import product

import torch
from torch import Tensor

from anatomy_utils.interpret.activations import read_activations
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.zoo.tokenizer import Tokenizer

Look = Callable[[str, str, str], float]


def looks(encoder: Encoder, tokenizer: Tokenizer) -> dict[tuple[int, int], Look]:
    """(layer, head) → a function from a sentence, a word and a target to the weight from the word to the target.

    A sentence is read once for all heads. Words are tokens; of one that occurs twice, the first counts.
    """

    @cache
    def read(sentence: str) -> tuple[list[str], Tensor]:
        tokens, seen = read_activations(encoder, tokenizer, sentence)
        layers = [seen[f"layers.{i}.self_attention.weights"][0] for i in range(len(encoder.layers))]
        return tokens, torch.stack(layers)  # layer head query key

    def look(layer: int, head: int, sentence: str, word: str, target: str) -> float:
        tokens, weights = read(sentence)
        return float(weights[layer, head, tokens.index(word), tokens.index(target)])

    places = product(range(len(encoder.layers)), range(read("it")[1].shape[1]))
    return {(layer, head): partial(look, layer, head) for layer, head in places}
