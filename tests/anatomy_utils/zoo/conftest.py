"""A tiny random BERT for the tests of this room, and readable failures in the checks that they share."""

from __future__ import annotations

import pytest
import torch

pytest.register_assert_rewrite("zoo_checks")


@pytest.fixture
def tiny(tmp_path):
    """A tiny random BERT of unequal sizes, saved as a Hugging Face folder."""
    transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")
    sizes = {"vocab_size": 53, "hidden_size": 30, "num_hidden_layers": 3, "num_attention_heads": 5}
    config = transformers.BertConfig(
        **sizes, intermediate_size=41, max_position_embeddings=19, attn_implementation="eager"
    )
    torch.manual_seed(0)
    reference = transformers.BertModel(config).eval()
    reference.save_pretrained(tmp_path)
    return reference, tmp_path
