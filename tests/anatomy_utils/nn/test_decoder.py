"""Decoder layers, the order of their parts, and stacks that are given vectors and masks instead of ids."""

import pytest
import torch

from anatomy_utils.functional import masks
from anatomy_utils.zoo.gpt2 import Gpt2Config, gpt2
from anatomy_utils.zoo.llama import LlamaConfig, llama
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

GPT2, LLAMA = Gpt2Config(31, 12, 2, 3, 40, 17), LlamaConfig(31, 12, 2, 6, 2, 17, 4, 40)
IDS = torch.tensor([[3, 1, 4, 1, 5, 9], [2, 6, 5, 3, 5, 8]])
CLOSE = {"atol": 1e-5, "rtol": 1e-4}


def test_parts_are_listed_in_the_order_of_the_data():
    """Recipes draw their weights in this order."""
    layer = transformer(TransformerConfig(31, 12, 1, 1, 3, 17)).decoder.layers[0]
    parts = "self_attention cross_attention feed_forward".split()
    found = dict.fromkeys(name.partition(".")[0] for name, _ in layer.named_parameters())
    assert list(found) == [f"{part}{end}" for part in parts for end in ("", "_norms")]


@torch.no_grad()
@pytest.mark.parametrize("build", [lambda: gpt2(GPT2), lambda: llama(LLAMA)])
def test_a_decoder_takes_vectors_and_a_mask_in_place_of_the_causal_one(build):
    torch.manual_seed(0)
    decoder = build().eval()
    states = decoder.embeddings(IDS)
    torch.testing.assert_close(decoder.run_layers(states), decoder(IDS))
    torch.testing.assert_close(decoder.run_layers(states, masks.causal(6), causal=False), decoder(IDS), **CLOSE)
    changed = IDS.clone()
    changed[:, 5] += 1
    everything = [decoder.run_layers(decoder.embeddings(ids), causal=False) for ids in (IDS, changed)]
    assert (everything[0] - everything[1]).abs().amax(-1).min() > 1e-4  # the first word sees the last
