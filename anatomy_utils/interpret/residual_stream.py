"""The residual stream: what each part of a pre-norm decoder adds to it, and what becomes of it without one of them.

A layer computes x + attention(norm(x)), then x + feed_forward(norm(x)): each part reads the stream and adds to it, and
nothing else ever changes it. So the last vector of a position is the sum of its token's vector and of all that was
added (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"). A post-norm model such as BERT rescales
the stream after each sum; there the last vector is no such sum. Notebook 02.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from anatomy_utils.functional import masks
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.tap import watch


class StreamParts(NamedTuple):
    """One text's stream, part by part: the embedding, then attention and feed-forward network of each layer.

    Attributes:
        states: the stream after each part.
        added: what each part added; summed up over the parts up to one, they are the stream after it.
        shares: what each part adds to the last position's logit of the likeliest next token, less that of the second
            likeliest; the last norm's scale is kept. They sum up to the lead of the likeliest.
    """

    states: Float[Tensor, "part position d_model"]
    added: Float[Tensor, "part position d_model"]
    shares: Float[Tensor, " part"]


class WithoutParts(NamedTuple):
    """What becomes of a text when one part adds nothing: at each position alone, and last at all of them.

    Attributes:
        moved: how far the stream is from what it was after each part, as a share of its length.
        logits: of the next token, at the last position.
    """

    moved: Float[Tensor, "out experiment part position"]
    logits: Float[Tensor, "out experiment vocab_size"]


@torch.no_grad()
def read_residual_stream(model: LanguageModel, input_ids: Int[Tensor, "1 position"]) -> StreamParts:
    """What each part of a pre-norm decoder adds to the stream of one text.

    Raises:
        ValueError: several texts, or a model whose stream is not a sum.
    """
    if len(input_ids) != 1:
        raise ValueError(f"One text has one stream, but input_ids has {len(input_ids)} rows; give one.")
    places = _places(model)
    with watch(model.decoder, *places, "layers.*.self_attention.output") as seen:
        logits = model.vocabulary(model.decoder(input_ids))[0, -1]
    states = torch.stack([seen[place][0] for place in places])
    added = torch.cat([states[:1], states.diff(dim=0)])
    attended = torch.stack([*seen.matching("layers.*.self_attention.output").values()])[:, 0]
    if not torch.allclose(added[1::2], attended, atol=1e-3 * float(states.abs().max())):
        raise ValueError("This decoder rescales its stream, so that is no sum of what was added; give a pre-norm one.")
    first, second = logits.topk(2).indices
    scale = model.decoder.norm(states[-1, -1:])[0] / states[-1, -1]  # the norm's gain and 1 / its root mean square
    direction = model.vocabulary.weight[first] - model.vocabulary.weight[second]
    return StreamParts(states, added, added[:, -1] * scale @ direction)


@torch.no_grad()
def without_each_part(model: LanguageModel, input_ids: Int[Tensor, "1 position"]) -> WithoutParts:
    """Take out each part in turn, at each position alone and at all of them.

    One way up the stack: below the part that is taken out nothing is different, so each experiment joins there, as one
    more row of the batch.
    """
    decoder, count = model.decoder, input_ids.shape[1]
    out = torch.cat([torch.eye(count, dtype=torch.bool), torch.ones(1, count, dtype=torch.bool)])[..., None]
    states = decoder.embeddings(input_ids)
    states = torch.cat([states, states.masked_fill(out, 0.0)])  # row 0: nothing is taken out
    moved = [_moved(states)]
    for layer in decoder.layers:
        rotary = decoder.rotary_of(layer)
        rotation = None if rotary is None else rotary(torch.arange(count))
        near = None if layer.window is None else masks.local_causal(count, layer.window)
        attend = partial(layer.self_attention, mask=near, causal=True, rotation=rotation)
        for norms, part in ((layer.self_attention_norms, attend), (layer.feed_forward_norms, layer.feed_forward)):
            after = norms.around(states, part, layer.dropout)
            states = torch.cat([after, torch.where(out, states[:1], after[:1])])
            moved.append(_moved(states))
    rows = [F.pad(each, (0, 0, 0, len(states) - 1 - len(each))) for each in moved]
    logits = model.vocabulary(decoder.norm(states[1:, -1]))
    return WithoutParts(torch.stack(rows, dim=1).unflatten(0, (-1, len(out))), logits.unflatten(0, (-1, len(out))))


def _moved(states: Float[Tensor, "row position d_model"]) -> Float[Tensor, "experiment position"]:
    return (states[1:] - states[:1]).norm(dim=-1) / states[:1].norm(dim=-1)


def _places(model: LanguageModel) -> list[str]:
    """Where the stream can be seen after each part."""
    layers = range(len(model.decoder.layers))
    after = [f"layers.{layer}.{name}" for layer in layers for name in ("after_self_attention", "output")]
    return ["embeddings.output", *after]
