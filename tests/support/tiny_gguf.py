"""A GGUF file of a Llama with one layer and four tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gguf
import numpy as np

SIZES = {
    "embedding_length": 8, "block_count": 1, "attention.head_count": 2, "attention.head_count_kv": 1,
    "feed_forward_length": 12, "context_length": 16,
}  # fmt: skip
SHAPES = {
    "token_embd": (4, 8), "output_norm": (8,), "blk.0.attn_norm": (8,), "blk.0.ffn_norm": (8,),
    "blk.0.attn_q": (8, 8), "blk.0.attn_k": (4, 8), "blk.0.attn_v": (4, 8), "blk.0.attn_output": (8, 8),
    "blk.0.ffn_gate": (12, 8), "blk.0.ffn_up": (12, 8), "blk.0.ffn_down": (8, 12),
}  # fmt: skip


def written(
    path: Path,
    *,
    sizes: Mapping[str, Any] = SIZES,
    tokens: Sequence[str] = ("<e>", "a", "b", "ab"),
    merges: Sequence[str] = ("a b",),
    padding: int | None = 0,
    queries: Callable[..., Any] = np.ones,
) -> Path:
    """The file of a tiny Llama."""
    writer = gguf.GGUFWriter(path, "llama")
    for name, size in sizes.items():
        (writer.add_string if isinstance(size, str) else writer.add_int32)(f"llama.{name}", size)
    writer.add_float32("llama.attention.layer_norm_rms_epsilon", 1e-5)
    if tokens:
        writer.add_token_list(list(tokens))
    writer.add_token_merges(list(merges))
    writer.add_token_types([3, 1, 1, 1])
    if padding is not None:
        writer.add_pad_token_id(padding)
    for name, shape in SHAPES.items():
        make = queries if name.endswith("attn_q") else np.ones
        writer.add_tensor(f"{name}.weight", make(shape, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
