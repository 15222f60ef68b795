"""Parity: what the reference implementation makes of the same published weights.

Notebook 03 prints how far our own modules are from it. Needs `transformers`, which comes with the `lab` extra.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor

from anatomy_utils.pretrained import PACKAGES


def reference_states(
    name: str, input_ids: Int[Tensor, "batch position"], attention_mask: Int[Tensor, "batch position"]
) -> Float[Tensor, "states batch position d_model"]:
    """The hidden states of an encoder in Hugging Face's implementation: what enters the first layer, then every layer.

    Args:
        name: "minilm".
        input_ids: one id per token.
        attention_mask: 1 = real token, 0 = padding.

    Raises:
        ValueError: no such encoder's weights come with the course, or the reference implementation is not installed.
    """
    if name != "minilm":
        raise ValueError(f"There is no encoder {name!r} to compare with; choose 'minilm'.")
    try:
        from transformers import BertModel
    except ImportError as error:
        raise ValueError("The reference implementation is not installed: pip install transformers") from error
    from transformers.utils import logging

    bar = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        model = BertModel.from_pretrained(str(PACKAGES[name].path()), attn_implementation="eager").eval()
    finally:
        if bar:
            logging.enable_progress_bar()
    with torch.no_grad():
        answer = model(input_ids=input_ids, attention_mask=attention_mask, output_hidden_states=True)
    return torch.stack(answer.hidden_states)
