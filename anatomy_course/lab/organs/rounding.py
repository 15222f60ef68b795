"""Two ways to round to few bits, compared fairly: in the blocks that a file was rounded in already, and in others.

SmolLM2 comes from a file in which each block of 32 weights has a scale, a minimum and codes of 4 bits. To round it in
the same way once more changes nothing. In blocks that are moved by half a block it does. Notebook 08.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from anatomy_course.lab.organs.other_weights import other_weights, perplexity
from anatomy_utils.nn.heads import LanguageModel

BLOCK = 32
TABLE_BITS = 8


def rounded(
    weight: Float[Tensor, "row column"], bits: int, *, minimum: bool = False, moved: int = 0
) -> Float[Tensor, "row column"]:
    """The weights, rounded in blocks of 32 to what codes of so many bits can say.

    Args:
        weight: with a multiple of 32 numbers in all.
        bits: of a code.
        minimum: codes from a block's smallest weight to its largest; otherwise equally far to both sides of 0.
        moved: by how many weights all blocks are moved; the first weights then share a block with the last.
    """
    blocks = weight.flatten().roll(-moved).view(-1, BLOCK)
    if minimum:
        low = blocks.amin(dim=1, keepdim=True)
        step = (blocks.amax(dim=1, keepdim=True) - low) / (2**bits - 1)
    else:
        low, step = torch.zeros(()), blocks.abs().amax(dim=1, keepdim=True) / (2 ** (bits - 1) - 1)
    codes = ((blocks - low) / step.clamp(min=1e-30)).round()
    return (low + codes * step).flatten().roll(moved).view(weight.shape)


def compare_roundings(
    model: LanguageModel, input_ids: Int[Tensor, "1 position"], *, bits: int = 4
) -> dict[str, list[float]]:
    """Perplexity with all matrices rounded and the token table at 8 bits.

    Returns:
        "scale" and "scale and minimum" → in blocks as they are, and in blocks moved by half a block.
    """
    weights = {name: weight.detach() for name, weight in model.named_parameters() if weight.dim() == 2}
    tables = {name: rounded(weight, TABLE_BITS) for name, weight in weights.items() if "tokens" in name}
    results: dict[str, list[float]] = {}
    for name, minimum in (("scale", False), ("scale and minimum", True)):
        for moved in (0, BLOCK // 2):
            others = {
                key: rounded(weight, bits, minimum=minimum, moved=moved)
                for key, weight in weights.items()
                if key not in tables
            }
            with other_weights(model, tables | others):
                results.setdefault(name, []).append(perplexity(model, input_ids))
    return results
