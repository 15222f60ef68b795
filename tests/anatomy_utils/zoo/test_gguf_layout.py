"""What a Llama's GGUF file calls its tensors, and how it turns their rows."""

from __future__ import annotations

import pytest
import torch

from anatomy_utils.zoo.gguf_layout import published_name, rows_as_published


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("token_embd.weight", "model.embed_tokens.weight"),
        ("blk.12.ffn_gate.weight", "model.layers.12.mlp.gate_proj.weight"),
        ("blk.3.attn_output.weight", "model.layers.3.self_attn.o_proj.weight"),
        ("blk.3.attn_output.weight.more", "blk.3.attn_output.weight.more"),
        ("somebody.else", "somebody.else"),
    ],
)
def test_names_are_translated_whole_or_kept(name: str, published: str) -> None:
    assert published_name(name) == published


def test_rows_go_back_into_halves() -> None:
    weight = torch.arange(16).reshape(8, 2)  # two heads of 4 rows: pairs (0, 1), (2, 3)
    heads = {"q": 2, "k": 1}
    assert rows_as_published("blk.0.attn_q.weight", weight, heads)[:, 0].tolist() == [0, 4, 2, 6, 8, 12, 10, 14]
    assert rows_as_published("blk.0.attn_v.weight", weight, heads) is weight
