"""Head ablation, through `tap.edit`: switch heads off, or split them the wrong way.

Where `attention_patterns` tells where a head looks, this tells what the model does without it (Michel, Levy and Neubig
2019, arXiv:1905.10650). Notebook 02.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.functional.multi_head import merge_heads, split_heads, switch_off
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.tap import Edit, edit, watch

CONTEXT = "layers.{}.{}.context"
"""Where a layer's heads can be changed: its number, and `self_attention` or `cross_attention`."""


@contextmanager
def heads_off(
    model: nn.Module,
    heads: Iterable[tuple[int, int]],
    attention: str = "self_attention",
    *,
    contexts: Float[Tensor, "num_layers all_heads"] | None = None,
) -> Iterator[None]:
    """Run `model` without some of its heads inside the `with` block.

    A head's context becomes 0: W_O then adds nothing of it to the residual stream.

    Args:
        model: an encoder or decoder with `layers`.
        heads: (layer, head) of each one to switch off, from 0.
        attention: the sub-layer they are in: "self_attention", or a decoder's "cross_attention" (notebook 06).
        contexts: what a head says in place of 0, to every position the same: from `mean_contexts`.

    Raises:
        ValueError: there is no such head.
    """
    layers: dict[int, list[int]] = {}
    for layer, head in heads:
        _check_place(model, layer, head, attention)
        layers.setdefault(layer, []).append(head)

    def without(layer: int) -> Edit:
        def change(context: Tensor) -> Tensor:
            num_heads, kept = _num_heads(model, layer, attention), context
            for head in layers[layer]:
                kept = switch_off(kept, head, num_heads)
                if contexts is not None:
                    kept = kept + contexts[layer] - switch_off(contexts[layer, None], head, num_heads)[0]
            return kept

        return change

    with edit(model, {CONTEXT.format(layer, attention): without(layer) for layer in layers}):
        yield


def mean_contexts(
    encoder: Encoder, input_ids: Int[Tensor, "batch position"], attention_mask: Int[Tensor, "batch position"]
) -> Float[Tensor, "num_layers all_heads"]:
    """What all heads find on average over the tokens of some texts: a milder stand-in for a head than 0.

    A layer was trained on what its heads usually say, and never saw a head that says 0. `heads_off` can put the mean in
    a head's place: what is lost then is what the head told about this text.
    """
    with torch.no_grad(), watch(encoder, "layers.*.self_attention.context") as seen:
        encoder(input_ids, attention_mask)
    return torch.stack([context[attention_mask.bool()].mean(dim=0) for context in seen.values()])


def head_importance(encoder: Encoder, input_ids: Int[Tensor, "1 position"]) -> Float[Tensor, "num_layers num_heads"]:
    """How far the output moves when each head is switched off alone: mean over tokens of 1 − cosine similarity.

    One row of a batch for each head, so that all experiments are one run.

    Returns:
        0 where a head makes no difference to this text, at most 2.
    """
    num_layers, num_heads = len(encoder.layers), _num_heads(encoder, 0)
    keep = 1 - torch.eye(num_layers * num_heads).unflatten(1, (num_layers, num_heads))  # experiment layer head

    def of_layer(layer: int) -> Edit:
        def change(context: Tensor) -> Tensor:
            return merge_heads(split_heads(context, num_heads) * keep[:, layer, :, None, None].to(context))

        return change

    with torch.no_grad():
        whole = encoder(input_ids)
        with edit(encoder, {CONTEXT.format(layer, "self_attention"): of_layer(layer) for layer in range(num_layers)}):
            without_one = encoder(input_ids.expand(len(keep), -1))
    moved = 1 - F.cosine_similarity(without_one, whole, dim=-1)  # experiment position
    return moved.mean(dim=-1).unflatten(0, (num_layers, num_heads))


@contextmanager
def nothing_from(encoder: Encoder, place: int) -> Iterator[None]:
    """Run `encoder` with values of 0 at one position, in all layers and heads; where heads look stays as it is."""

    def emptied(value: Tensor) -> Tensor:
        return value * (torch.arange(value.shape[-2]) != place)[:, None]

    with edit(encoder, {f"layers.{layer}.self_attention.value": emptied for layer in range(len(encoder.layers))}):
        yield


@contextmanager
def scrambled_heads(model: nn.Module) -> Iterator[None]:
    """Run `model` as if its heads were split and joined by `view` alone, without the transpose.

    A head then gets every number of a few positions instead of a few numbers of every position. No shape tells.

    Args:
        model: a `MultiHeadAttention`, or anything that has some inside and does not rotate queries and keys.

    Raises:
        ValueError: there is no `MultiHeadAttention` in `model`.
    """

    def split(vectors: Tensor) -> Tensor:  # batch heads position d_head, as the right split made it
        return merge_heads(vectors).view(vectors.shape)

    def join(num_heads: int) -> Edit:
        return lambda context: split_heads(context, num_heads).reshape(context.shape)

    edits: dict[str, Edit] = {}
    for path, module in model.named_modules():
        if isinstance(module, MultiHeadAttention):
            start = f"{path}." if path else ""
            edits |= {f"{start}{name}": split for name in ("query", "key", "value")}
            edits[f"{start}context"] = join(module.num_heads)
    if not edits:
        raise ValueError(f"{type(model).__name__} holds no MultiHeadAttention; give one, or a model made of them.")
    with edit(model, edits):
        yield


def _num_heads(model: nn.Module, layer: int, attention: str = "self_attention") -> int:
    module: MultiHeadAttention = model.get_submodule(f"layers.{layer}.{attention}")  # type: ignore[assignment]
    return module.num_heads


def _check_place(model: nn.Module, layer: int, head: int, attention: str) -> None:
    num_layers = len(model.get_submodule("layers"))  # type: ignore[arg-type]
    if not 0 <= layer < num_layers:
        raise ValueError(f"layer={layer} was asked for; this model has layers 0 to {num_layers - 1}.")
    num_heads = _num_heads(model, layer, attention)
    if not 0 <= head < num_heads:
        raise ValueError(f"head={head} was asked for; layer {layer} has heads 0 to {num_heads - 1}.")
