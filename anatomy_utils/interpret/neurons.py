"""Neurons of a feed-forward network: what makes one fire, what it writes, and what changes without it.

A network with a hidden layer is a sum over neurons, FFN(x) = Σ aⱼ(x) vⱼ: a number that says how much neuron j fires,
times its value vector vⱼ, a column of W_2's matrix as torch keeps it. Geva et al. 2020 (arXiv:2012.14913) read it as a
memory of keys and values; Geva et al. 2022 (arXiv:2203.14680) read the values through the token table. Notebook 03.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.tap import edit, watch

HIDDEN = "layers.{}.feed_forward.hidden"
"""Where a decoder's neurons can be seen and changed, by the number of the layer."""


def neuron_activations(
    model: LanguageModel, input_ids: Int[Tensor, "batch position"], layer: int
) -> Float[Tensor, "batch position neuron"]:
    """How much each neuron of a layer fires at each token: what is multiplied by its value vector."""
    name = HIDDEN.format(_checked(model, layer))
    with torch.no_grad(), watch(model.decoder, name) as seen:
        model.decoder(input_ids)
    return seen[name]


def value_vectors(model: LanguageModel, layer: int) -> Float[Tensor, "neuron d_model"]:
    """What each neuron of a layer adds to the residual stream when it fires with 1."""
    layers: Any = model.decoder.layers
    weight: Tensor = layers[_checked(model, layer)].feed_forward.contract.weight
    return weight.detach().T


def words_written(
    model: LanguageModel, vectors: Float[Tensor, "vector d_model"], *, most: int = 8
) -> tuple[Int[Tensor, "vector most"], Float[Tensor, "vector most"]]:
    """The tokens that each vector makes likelier when it is added: through the last norm's weight and the token table.

    Args:
        model: a decoder with its projection onto the vocabulary.
        vectors: value vectors, or any other directions of the residual stream.
        most: how many tokens to name.

    Returns:
        The most favored tokens, the most favored one first, and how many standard deviations of the vocabulary each
        is above its mean.
    """
    norm: Any = model.decoder.norm
    found = []
    for part in (vectors * norm.weight.detach()).split(256):  # a vocabulary is wide
        logits = part @ model.vocabulary.weight.detach().T
        logits = (logits - logits.mean(-1, keepdim=True)) / logits.std(-1, keepdim=True)
        found.append(logits.topk(most, dim=-1))
    return torch.cat([each.indices for each in found]), torch.cat([each.values for each in found])


@contextmanager
def neurons_off(model: LanguageModel, layer: int, neurons: Iterable[int]) -> Iterator[None]:
    """Run `model` without some neurons of a layer inside the `with` block: what they add is 0.

    Raises:
        ValueError: there is no such layer or neuron.
    """
    count, off = len(value_vectors(model, layer)), sorted(neurons)
    if off and not 0 <= off[0] <= off[-1] < count:
        raise ValueError(f"Neurons {off} were named; layer {layer} has neurons 0 to {count - 1}.")

    def silence(hidden: Tensor) -> Tensor:
        return hidden.index_fill(-1, torch.tensor(off, dtype=torch.long), 0.0)

    with edit(model.decoder, {HIDDEN.format(layer): silence}):
        yield


def _checked(model: LanguageModel, layer: int) -> int:
    count = len(model.decoder.layers)
    if layer not in range(count):
        raise ValueError(f"Layer {layer!r} was named; the decoder has layers 0 to {count - 1}.")
    return layer
