"""How a Llama's GGUF file differs from the published one: other names, and query and key rows in another order.

It needs torch alone: the program that notebook 10 exports holds this text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from torch import Tensor

GGUF_NAMES = {
    r"token_embd\.weight": "model.embed_tokens.weight",
    r"output_norm\.weight": "model.norm.weight",
    r"output\.weight": "lm_head.weight",
    r"blk\.(\d+)\.attn_norm\.weight": r"model.layers.\1.input_layernorm.weight",
    r"blk\.(\d+)\.ffn_norm\.weight": r"model.layers.\1.post_attention_layernorm.weight",
    r"blk\.(\d+)\.attn_([qkv])\.weight": r"model.layers.\1.self_attn.\2_proj.weight",
    r"blk\.(\d+)\.attn_output\.weight": r"model.layers.\1.self_attn.o_proj.weight",
    r"blk\.(\d+)\.ffn_(gate|up|down)\.weight": r"model.layers.\1.mlp.\2_proj.weight",
}
"""A tensor's name in the file → its published name."""


def published_name(name: str) -> str:
    """The published name of a tensor; its own where there is none, which loading by name will not know.

    >>> published_name("blk.3.attn_q.weight")
    'model.layers.3.self_attn.q_proj.weight'
    """
    for pattern, published in GGUF_NAMES.items():
        if match := re.fullmatch(pattern, name):
            return match.expand(published)
    return name


def rows_as_published(name: str, weight: Tensor, heads: Mapping[str, int]) -> Tensor:
    """Rows of queries and keys from neighboring pairs (2i, 2i + 1) back into halves (i, i + d/2), head by head.

    Args:
        name: in the file; other tensors stay as they are.
        weight: (heads · d, d_model) for queries and keys.
        heads: "q" and "k" → how many.
    """
    part = re.fullmatch(r"blk\.\d+\.attn_([qk])\.weight", name)
    if part is None:
        return weight
    pairs = weight.reshape(heads[part[1]], -1, 2, weight.shape[-1])  # head pair 2 d_model
    return pairs.transpose(1, 2).reshape(weight.shape)
