"""What layers say of themselves, and stacks that are given vectors and masks instead of ids."""

import pytest
import torch

from anatomy_utils.functional import masks
from anatomy_utils.nn.norm import LayerNorm, Norms
from anatomy_utils.zoo.bert import BertConfig, bert
from anatomy_utils.zoo.big_bird import BigBirdConfig, big_bird
from anatomy_utils.zoo.gpt2 import Gpt2Config, gpt2
from anatomy_utils.zoo.gptj import GptJConfig, gptj
from anatomy_utils.zoo.llama import LlamaConfig, llama
from anatomy_utils.zoo.mistral import MistralConfig, mistral
from anatomy_utils.zoo.t5 import T5Config, t5
from anatomy_utils.zoo.transfo_xl import TransfoXLConfig, transfo_xl
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

GPT2, LLAMA = Gpt2Config(31, 12, 2, 3, 40, 17), LlamaConfig(31, 12, 2, 6, 2, 17, 4, 40)
IDS = torch.tensor([[3, 1, 4, 1, 5, 9], [2, 6, 5, 3, 5, 8]])
REAL = torch.tensor([[1] * 6, [1] * 4 + [0] * 2])
CLOSE = {"atol": 1e-5, "rtol": 1e-4}


def kind(layer):
    return layer.window, layer.block_size, layer.is_parallel, layer.cross_attention is not None


def test_layers_say_what_kind_they_are():
    small = {"vocab_size": 31, "d_model": 12, "num_layers": 2, "num_heads": 3}
    translator = transformer(TransformerConfig(31, 12, 1, 1, 3, 17))
    assert kind(bert(BertConfig(31, 12, 1, 3, 17, 40)).layers[0]) == (None, None, False, False)
    assert kind(big_bird(BigBirdConfig(**small, d_ff=17, block_size=2, num_random=1)).layers[1]) == (
        12,
        2,
        False,
        False,
    )
    assert kind(gptj(GptJConfig(**small, d_ff=17, rotary_width=2)).layers[0]) == (None, None, True, False)
    assert kind(mistral(MistralConfig(31, 12, 2, 6, 2, 17, 4, window=7)).layers[0]) == (7, None, False, False)
    assert kind(translator.encoder.layers[0]) == (None, None, False, False)
    assert kind(translator.decoder.layers[0]) == (None, None, False, True)


@pytest.mark.parametrize("windowed", [True, False])
def test_layers_with_memories_have_a_window_where_their_stack_has_one(windowed):
    numbers = {"d_model": 12, "num_layers": 2, "num_heads": 3, "d_head": 4, "d_ff": 17}
    config = TransfoXLConfig(31, (), 12, own_projections=(True,), **numbers, memory_length=5, windowed=windowed)
    assert {layer.window for layer in transfo_xl(config).layers} == {5 if windowed else None}


def test_parts_are_listed_in_the_order_of_the_data():
    """Recipes draw their weights in this order."""
    layer = transformer(TransformerConfig(31, 12, 1, 1, 3, 17)).decoder.layers[0]
    parts = "self_attention cross_attention feed_forward".split()
    found = dict.fromkeys(name.partition(".")[0] for name, _ in layer.named_parameters())
    assert list(found) == [f"{part}{end}" for part in parts for end in ("", "_norms")]


@pytest.mark.parametrize(
    ("norms", "placement"),
    [
        (Norms(before=LayerNorm(5)), "pre_norm"),
        (Norms(after=LayerNorm(5)), "post_norm"),
        (Norms(before=LayerNorm(5), output=LayerNorm(5)), ""),
        (Norms(), ""),
    ],
)
def test_a_residual_connection_adds_and_normalizes(norms, placement):
    states = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(0))
    assert norms.placement == placement
    added = norms.output(3 * norms.before(states)) / 2  # the dropout halves
    torch.testing.assert_close(norms.around(states, lambda x: 3 * x, lambda x: x / 2), norms.after(states + added))


@torch.no_grad()
@pytest.mark.parametrize(
    "build", [lambda: bert(BertConfig(31, 12, 2, 3, 17, 40)), lambda: t5(T5Config(31, 12, 4, 17, 2, 2, 3)).encoder]
)
def test_an_encoder_takes_vectors_and_a_mask(build):
    torch.manual_seed(0)
    encoder = build().eval()
    got = encoder.run_layers(encoder.embeddings(IDS), masks.padding(REAL))
    torch.testing.assert_close(got, encoder(IDS, REAL))


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
