"""Decoder layers, the order of their parts, and stacks that are given vectors and masks instead of ids."""

import pytest
import torch

from anatomy_utils.functional import masks
from anatomy_utils.nn.positions import RotaryPositions
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


@torch.no_grad()
def test_a_layer_may_turn_otherwise_than_the_stack_or_not_at_all():
    torch.manual_seed(0)
    decoder = llama(LLAMA).eval()
    alike = decoder(IDS)
    decoder.layers[1].rotary = RotaryPositions(4, base=decoder.rotary.base)
    torch.testing.assert_close(decoder(IDS), alike)
    decoder.layers[1].rotary = RotaryPositions(4, base=3.0)
    faster = decoder(IDS)
    decoder.layers[1].is_rotated = False
    unturned = decoder(IDS)
    assert (faster - alike).abs().max() > 1e-3 < (unturned - faster).abs().max()
    del decoder.layers[1:]
    decoder.layers[0].is_rotated = False  # one layer, not turned: no order but what the mask tells
    swapped = IDS[:, [1, 0, 2, 3, 4, 5]]
    torch.testing.assert_close(decoder(swapped)[:, 2:], decoder(IDS)[:, 2:], **CLOSE)
