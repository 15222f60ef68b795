"""What one text becomes under an objective: what goes in, what is asked, where it counts, who may look at whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jaxtyping import Bool
from torch import Tensor

from anatomy_utils.functional.masks import causal

Rows = tuple[tuple[bool, ...], ...]


@dataclass(frozen=True)
class Illustration:
    """One text, prepared for training; all in words, so that it can be read.

    Attributes:
        inputs: what goes in; for an encoder–decoder, into the encoder.
        asked: what is asked at each position of `decoder_inputs` if there are any, else of `inputs`; "" for nothing.
        counts: whether that position counts in the loss.
        altered: which of `inputs` are not what the text says, or stand for something else.
        mask_kind: who may look at whom, in one or two words.
        mask: the same as rows of queries, True = may look; an encoder–decoder's positions are all inputs, then all
            decoder inputs.
        note: what was drawn, in a sentence.
        decoder_inputs: what the decoder reads while it writes; empty without a decoder.
        marks: one more row under `inputs`, or empty.
        marks_mean: what the marks say.
    """

    inputs: tuple[str, ...]
    asked: tuple[str, ...]
    counts: tuple[bool, ...]
    altered: tuple[bool, ...]
    mask_kind: str
    mask: Rows
    note: str
    decoder_inputs: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    marks_mean: str = ""


def full_mask_rows(length: int) -> Rows:
    """An encoder's mask: every position may look at every one."""
    return ((True,) * length,) * length


def mask_rows(mask: Bool[Tensor, "query key"]) -> Rows:
    """A mask as rows."""
    return tuple(map(tuple, mask.tolist()))


def encoder_decoder_mask_rows(encoder_length: int, decoder_length: int) -> Rows:
    """The encoder looks at all of itself; the decoder at all of the encoder, and at what it has written so far."""
    encoder = ((True,) * encoder_length + (False,) * decoder_length,) * encoder_length
    decoder = tuple((True,) * encoder_length + past for past in mask_rows(causal(decoder_length)))
    return encoder + decoder


def encoder_illustration(
    inputs: Sequence[str], asked: Sequence[str], note: str, *, altered: Sequence[bool] = (), **more: object
) -> Illustration:
    """An encoder's example: something is asked wherever `asked` is not empty."""
    length = len(inputs)
    return Illustration(
        inputs=tuple(inputs),
        asked=tuple(asked),
        counts=tuple(map(bool, asked)),
        altered=tuple(altered) or (False,) * length,
        mask_kind="everyone",
        mask=full_mask_rows(length),
        note=note,
        **more,  # type: ignore[arg-type]
    )
