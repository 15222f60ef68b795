"""Parity: the reference's states are all there, in order, and ours are measured against them."""

import pytest
import torch

from anatomy_course.lab.experiments import parity
from anatomy_utils import pretrained
from anatomy_utils.tap import watch

pytest.importorskip("transformers", reason="the reference implementation is not installed")


def test_the_reference_has_a_state_before_the_first_layer_and_after_each():
    encoder, tokenizer = pretrained.load("minilm")
    batch = tokenizer(["time flies like an arrow", "bees buzz"])
    states = parity.reference_states("minilm", batch.input_ids, batch.attention_mask)
    assert states.shape == (7, 2, batch.input_ids.shape[1], 384)
    with torch.no_grad(), watch(encoder) as seen:
        encoder(batch.input_ids, batch.attention_mask)
    real = batch.attention_mask.bool()
    names = ["embeddings.output", *(f"layers.{layer}.output" for layer in range(6))]
    for name, theirs in zip(names, states, strict=True):
        torch.testing.assert_close(seen[name][real], theirs[real], atol=1e-5, rtol=0, msg=name)


def test_an_unknown_encoder_gets_one_sentence():
    ids = torch.ones(1, 2, dtype=torch.long)
    with pytest.raises(ValueError, match="There is no encoder 'bert' to compare with; choose 'minilm'"):
        parity.reference_states("bert", ids, ids)
