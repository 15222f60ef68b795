"""What notebook 09 tries a body on: a small Transformer of 2017, the table of all trials, and layers run one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from anatomy_course.capstone.body import Body, Examination
from anatomy_course.page.page import CellOutput, stacked, table
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.transformer import TransformerConfig, transformer


def original_transformer(*, seed: int = 0) -> tuple[EncoderDecoder, Tensor, Tensor, Tensor]:
    """A small Transformer with random weights, and what to call it with: source, target and the source's mask."""
    generator = torch.Generator().manual_seed(seed)
    sizes = {"d_model": 32, "num_layers": 2, "num_decoder_layers": 2, "num_heads": 4, "d_ff": 64}
    config = TransformerConfig(vocab_size=50, pre_norm=True, **sizes)
    model = transformer(config, generator=generator).eval()
    source = torch.randint(3, 50, (2, 9), generator=generator)
    target = torch.randint(3, 50, (2, 6), generator=generator)
    mask = torch.ones_like(source)
    mask[1, 6:] = 0  # the second text is shorter
    return model, source, target, mask


def examined(runs: Mapping[str, Examination]) -> CellOutput:
    """What each model said to the organs (`body.examine`), in a table, and below it whatever was rejected."""
    rows, rejected = [], []
    for model, run in runs.items():
        yours = sum(run.body.parts[name].whose == "yours" for name in run.found)
        exact = {None: "", 0.0: ", exactly 0"}.get(run.difference, ", but not 0")
        rows.append([model, f"{len(run.found)}, {yours} yours", str(run.count), run.together + exact])
        rejected += [f"{model}, {found}" for found in run.found.values() if found]
    page = table("", ["model", "organs tried", "accepted", "output, all at once"], rows, words=[0, 1, 2, 3])
    notes = [table("", ["rejected"], [[each] for each in rejected], words=[0])] if rejected else []
    return stacked(page, *notes)


def run_layers(
    model: LanguageModel, input_ids: Tensor, layer: Callable[..., Tensor], body: Body
) -> tuple[Tensor, Tensor]:
    """Run a Llama with another layer function in each of its layers, its attention made of a body's organs.

    Args:
        model: a Llama, such as SmolLM2.
        input_ids: (batch, position), without padding.
        layer: with the arguments of `functional.layers.llama_layer`.
        body: gives the organs of attention: rotation, masks, heads and attention itself.

    Returns:
        What came out of each layer, (layer, batch, position, d_model), and the logits.
    """
    organ = {name: part.function for name, part in body.parts.items()}
    stack: Any = model.decoder
    length = input_ids.shape[1]
    turn, causal = stack.rotary(torch.arange(length)), organ["causal_mask"](length)
    outputs = []
    with torch.no_grad(), body.inside(model):
        states = stack.embeddings(input_ids)
        for block in stack.layers:
            attention = block.self_attention
            parts = (attention.to_query, attention.to_key, attention.to_value)
            states = layer(
                states,
                block.self_attention_norms.before,
                lambda normed, parts=parts, each=attention: tuple(_heads(part(normed), each, organ) for part in parts),
                lambda vectors: organ["rotary"](vectors, turn.cosines, turn.sines),
                lambda query, key, value: organ["attention"](query, key, value, causal)[0],
                organ["merge_heads"],
                attention.to_output,
                block.feed_forward_norms.before,
                block.feed_forward,
            )
            outputs.append(states)
        return torch.stack(outputs), model.vocabulary(stack.norm(states))


def _heads(projected: Tensor, attention: Any, organ: Mapping[str, Callable[..., Any]]) -> Tensor:
    """(batch, heads, position, d_head), one for each query head: those of keys and values are shared."""
    split = organ["split_heads"](projected, projected.shape[-1] // attention.d_head)
    shared: Tensor = organ["share_heads"](split, attention.num_heads)
    return shared
