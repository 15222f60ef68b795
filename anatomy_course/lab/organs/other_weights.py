"""Other weights for a moment: what a published model loses when some of its matrices are replaced. Notebook 08.

A parameter is pointed at other numbers and back again, so that nothing of the model itself is copied or changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.training.threads import threads


@contextmanager
def other_weights(model: nn.Module, weights: Mapping[str, Tensor]) -> Iterator[None]:
    """Let a model use other numbers inside the `with` block.

    Args:
        model: any module.
        weights: name of a parameter → numbers of the same shape.

    Raises:
        ValueError: there is no such parameter, or it has another shape.
    """
    own = dict(model.named_parameters())
    for name, weight in weights.items():
        if name not in own or own[name].shape != weight.shape:
            has = f"has the shape {tuple(own[name].shape)}" if name in own else "does not exist"
            raise ValueError(f"You give numbers {tuple(weight.shape)} for {name!r}, which {has}; give one that fits.")
    before = {name: own[name].data for name in weights}
    try:
        for name, weight in weights.items():
            own[name].data = weight.detach()
        yield
    finally:
        for name, weight in before.items():
            own[name].data = weight


@torch.no_grad()
def perplexity(model: LanguageModel, input_ids: Int[Tensor, "1 position"]) -> float:
    """Among how many equally likely tokens the model hesitates, on average, over all tokens but the first."""
    return F.cross_entropy(model(input_ids[:, :-1])[0], input_ids[0, 1:]).exp().item()


@torch.no_grad()
def keys_and_values(model: LanguageModel, input_ids: Int[Tensor, "1 position"]) -> Float[Tensor, "layer position kept"]:
    """What each layer of a decoder makes of each token to keep it: its keys, before they are turned, and its values."""
    made: list[Tensor] = []
    hooks = [
        part.register_forward_hook(lambda module, given, result: made.append(result[0]))
        for layer in model.decoder.layers
        for part in (layer.self_attention.to_key, layer.self_attention.to_value)
    ]
    try:
        model(input_ids)
    finally:
        for hook in hooks:
            hook.remove()
    return torch.stack([torch.cat(pair, dim=-1) for pair in zip(made[::2], made[1::2], strict=True)])


@torch.no_grad()
def squeezed(
    model: LanguageModel, directions: Float[Tensor, "layer kept rank"]
) -> dict[str, Float[Tensor, "heads_d_head d_model"]]:
    """The matrices W_K and W_V of all layers that keep of their common output only its part along some directions.

    Args:
        model: with a decoder.
        directions: of each layer, at right angles to each other and of length 1, in the space of keys and values.

    Returns:
        Numbers for `other_weights`: U Uᵀ [W_K; W_V]. So Uᵀ [W_K; W_V] x, `rank` numbers, is all that must be kept.
    """
    result = {}
    for number, (layer, basis) in enumerate(zip(model.decoder.layers, directions, strict=True)):
        parts = [layer.self_attention.to_key.weight, layer.self_attention.to_value.weight]
        both = basis @ (basis.T @ torch.cat(parts))
        for name, weight in zip(("to_key", "to_value"), both.split([len(part) for part in parts]), strict=True):
            result[f"decoder.layers.{number}.self_attention.{name}.weight"] = weight
    return result


@threads(1)  # where another program wants a core, decompositions on two of them take minutes
def best_directions(rows: Float[Tensor, "layer row kept"]) -> Float[Tensor, "layer kept kept"]:
    """Directions at right angles, as columns: first the one along which a layer's rows are longest, and so on."""
    return torch.linalg.eigh(rows.mT @ rows).eigenvectors.flip(-1)


def unpack(
    codes: Float[Tensor, "row column"],
    scales: Float[Tensor, "row block"],
    minimum: Float[Tensor, "row block"] | None = None,
) -> Float[Tensor, "row column"]:
    """The weights again: in each block, code · scale, or minimum + code · scale."""
    blocks = codes.unflatten(-1, (scales.shape[-1], -1)) * scales[..., None]
    return (blocks if minimum is None else blocks + minimum[..., None]).flatten(-2)
