"""Notebook 08: weights in a few bits, each block with a scale."""

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written


# fmt: off
def quantize(weight: Tensor, bits: int, block: int) -> tuple[Tensor, Tensor]:
    """weight (rows, columns), where columns is a multiple of block → codes (rows, columns), whole
    numbers from −top to top, kept as floats, where top is 2^(bits − 1) − 1; and one scale for each
    block of neighbors in a row (rows, columns / block)."""
    top = 2 ** (bits - 1) - 1
    blocks = weight.unflatten(-1, (-1, block))
    scales = blocks.abs().amax(dim=-1) / top
    codes = (blocks / scales[..., None].clamp(min=1e-30)).round()
    return codes.flatten(-2), scales
# fmt: on


def cases(generator: Generator) -> Cases:
    kinds = {"4 bits": 4, "8 bits": 8, "2 bits": 2, "one row": 3, "a block of zeros": 4, "blocks of unequal size": 5}
    alone = {"one row": "rows", "blocks of one weight": "block", "a single column": "block blocks"}
    for kind, bits in (kinds | {"blocks of one weight": 3, "a single column": 4}).items():
        draw = Draw(generator, "rows blocks block", (3, 5, 7), kind)
        draw.sizes |= dict.fromkeys(alone.get(kind, "").split(), 1)
        weight = 0.3 * draw("rows blocks block")
        if kind == "a block of zeros":
            weight[0, 1] = 0
        if kind == "blocks of unequal size":
            weight *= torch.logspace(-2, 2, draw["blocks"])[:, None]
        weight[-1, 0, 0] = -weight[-1, 0].abs().max() - 0.1  # the largest in its block is below 0
        yield draw.case(weight=weight.flatten(1), bits=bits, block=draw["block"])


EXERCISE = written(
    quantize,
    title="Round the weights",
    task="Round a matrix to whole numbers of so many bits, with a scale for each block: codes times scale is close to "
    "the weight, and the largest size in a block gets the code top or −top. A block of zeros has codes 0 and scale 0.",
    level="medium, 8 minutes",
    returns="codes: row column; scales: row block",
    cases=cases,
    look_first="scales codes",
    stages="""
    scales
    codes
    """,
    mistakes="""
    bits_without_a_sign: 2 ** (bits - 1) - 1 ⇒ 2**bits - 1
        “Your codes run up to 2^bits − 1 on both sides of 0: that takes one bit more than there are.”
    one_code_too_many: 2 ** (bits - 1) - 1 ⇒ 2 ** (bits - 1)
        “Your codes run from −2^(bits − 1) to 2^(bits − 1), with 0: that is one code more than so many bits have.”
    without_the_sign: blocks.abs().amax(dim=-1) ⇒ blocks.amax(dim=-1)
        “Your scale follows from the largest number of a block, not from the largest size: a number far below 0 gets a
        code beyond the range.”
    spread: blocks.abs().amax(dim=-1) ⇒ blocks.abs().mean(dim=-1)
        “Your scale follows from the average size in a block; larger numbers get codes beyond the range.”
    one_scale: blocks.abs().amax(dim=-1) ⇒ blocks.abs().amax().expand(blocks.shape[:-1])
        “You have one scale for the whole matrix. A single large number then makes all others coarse; each block should
        have its own.”
    a_scale_for_a_row: blocks.abs().amax(dim=-1) ⇒ blocks.abs().amax(dim=(-2, -1))[:, None].expand(blocks.shape[:-1])
        “You have one scale for each row; each block of the row should have its own.”
    every_nth_column:
        weight.unflatten(-1, (-1, block)) ⇒ weight.unflatten(-1, (block, -1)).mT
        codes.flatten(-2) ⇒ codes.mT.flatten(-2)
        “Your blocks take every n-th column; a block is made of neighbors.”
    cut_off: .round() ⇒ .trunc()
        “You cut off what comes after the point, toward 0; the nearest whole number is up to half a step closer.”
    rounded_down: .round() ⇒ .floor()
        “You round down, so all weights become smaller on average; take the nearest whole number.”
    not_rounded: .round() ⇒
        “Your codes are not whole numbers: nothing is saved yet.”
    zero_by_zero: .clamp(min=1e-30) ⇒
        “Where a block is all zeros you divide 0 by 0, which is NaN.”
    unpacked: codes.flatten(-2), scales ⇒ (codes * scales[..., None]).flatten(-2), scales
        “You return the rounded weights themselves; the codes are what is stored.”
    turned_over: codes.flatten(-2), scales ⇒ codes.flatten(-2), 1 / scales
        “Your scales are turned over: a weight should be its code times the scale.”
    largest_as_scale: codes.flatten(-2), scales ⇒ codes.flatten(-2), scales * top
        “Your codes are right, but your scale is the largest size of the block: a code of 1 should be one step, 1 / top
        of it.”
    """,
    also_right="""
    reshape and where:
        top = max(2 ** (bits - 1) - 1, 1)
        blocks = weight.reshape(weight.shape[0], -1, block)
        largest = blocks.abs().max(dim=-1, keepdim=True).values
        codes = torch.round(blocks / torch.where(largest > 0, largest / top, torch.ones_like(largest)))
        return codes.reshape(weight.shape), largest[..., 0] / top
    nan_to_num:
        (blocks / scales[..., None].clamp(min=1e-30)).round() ⇒ (blocks / scales[..., None]).nan_to_num().round()
    block by block:
        top, codes, scales = 2 ** (bits - 1) - 1, torch.zeros_like(weight), []
        for start in range(0, weight.shape[1], block):
            part = weight[:, start : start + block]
            scales.append(part.abs().amax(dim=1) / top)
            codes[:, start : start + block] = (part / scales[-1][:, None].clamp(min=1e-30)).round()
        return codes, torch.stack(scales, dim=1)
    """,
    hints="""
    - `weight.unflatten(-1, (-1, block))` gives the blocks an axis. What is the largest size in each?
    - That size should get the code `top`, so the scale is the largest size / top, and the code is weight / scale,
      rounded.
    - `scales[..., None]` has an axis for the numbers of a block. Divide by `scales.clamp(min=1e-30)`, so that 0 / 0
      cannot occur; `flatten(-2)` makes rows of the blocks again.
    """,
    explanation="""
    A weight of b bits then takes b bits and its part of the scale: with 16 bits for a scale and blocks of 32, half a
    bit. Small blocks follow the weights more closely and need more scales.
    """,
)
