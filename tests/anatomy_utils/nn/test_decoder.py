"""Decoder layers, the order of their parts, and stacks that are given vectors and masks instead of ids."""

import pytest
import torch
from random_tensors import normal

from anatomy_utils.functional import masks
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import ParallelLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import LayerNorm, RMSNorm
from anatomy_utils.zoo.gpt2 import Gpt2Config, gpt2
from anatomy_utils.zoo.llama import LlamaConfig, llama, with_head
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


def test_a_window_forgets_what_lies_further_back():
    """The second of two layers sees 4 positions, the first all; with windows in both, 7 positions count in the end."""
    torch.manual_seed(0)
    model = with_head(LLAMA, "CausalLM").eval()
    first = torch.randint(3, 31, (1, 11), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        for changed, counts in ((3, False), (4, True)):
            second = first.clone()
            second[0, changed] += 1
            for windows, matters in (((None, 4), True), ((4, 4), counts)):
                for layer, window in zip(model.decoder.layers, windows, strict=True):
                    layer.window = window
                change = (model(second) - model(first))[0, -1].abs().max()
                assert (change > 1e-5) == matters


def test_parallel_sub_layers_read_the_same_vectors():
    torch.manual_seed(0)
    attention = MultiHeadAttention(12, 6, num_kv_heads=3, query_norm=RMSNorm(2), key_norm=RMSNorm(2))
    layer = ParallelLayer(attention, FeedForward(12, 17), norm=LayerNorm(12))
    before = normal(2, 5, 12)
    normed = layer.self_attention_norms.before(before)
    wanted = before + layer.self_attention(normed, causal=True) + layer.feed_forward(normed)
    torch.testing.assert_close(layer(before), wanted)
