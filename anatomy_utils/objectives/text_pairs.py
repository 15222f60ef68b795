"""Text pairs: a text to read and a text to write, as the first Transformer learned from translations.

Every objective of an encoder–decoder ends here: translation, span corruption, infilling differ only in the two texts.
Vaswani et al. 2017, sections 3.1 and 5.1 (arXiv:1706.03762). Notebooks 06 and 07; `training.teacher_forcing` has the
shift, `street.batches.translation` whole batches.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from anatomy_utils.training.teacher_forcing import shift_right


class DecoderText(NamedTuple):
    """What the decoder reads while it writes, and what it should say at each position."""

    decoder_input_ids: Int[Tensor, " longer"]
    labels: Int[Tensor, " longer"]


def decoder_text(target_ids: Int[Tensor, " target"], start_id: int, end_id: int) -> DecoderText:
    """A text to be written: the decoder reads start + text, and is asked for text + end.

    Args:
        target_ids: the text.
        start_id: the token that the decoder starts with.
        end_id: the token that says "finished".

    >>> written = decoder_text(torch.tensor([5, 6]), start_id=1, end_id=2)
    >>> written.decoder_input_ids.tolist(), written.labels.tolist()
    ([1, 5, 6], [5, 6, 2])
    """
    labels = torch.cat([target_ids, target_ids.new_tensor([end_id])])
    return DecoderText(shift_right(labels[None], start_id)[0], labels)
