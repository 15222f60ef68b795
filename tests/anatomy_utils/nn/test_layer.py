"""What layers of all kinds say of themselves."""

from anatomy_utils.zoo.bert import BertConfig, bert
from anatomy_utils.zoo.big_bird import BigBirdConfig, big_bird
from anatomy_utils.zoo.gptj import GptJConfig, gptj
from anatomy_utils.zoo.mistral import MistralConfig, mistral
from anatomy_utils.zoo.transfo_xl import TransfoXLConfig, transfo_xl
from anatomy_utils.zoo.transformer import TransformerConfig, transformer


def kind(layer):
    return layer.window, layer.block_size, layer.is_parallel, layer.cross_attention is not None


def test_layers_say_what_kind_they_are():
    small = {"vocab_size": 31, "d_model": 12, "num_layers": 2, "num_heads": 3}
    translator = transformer(TransformerConfig(31, 12, 1, 1, 3, 17))
    assert kind(bert(BertConfig(31, 12, 1, 3, 17, 40)).layers[0]) == (None, None, False, False)
    blocks = big_bird(BigBirdConfig(**small, d_ff=17, block_size=2, num_random=1))
    assert kind(blocks.layers[1]) == (12, 2, False, False)
    assert kind(gptj(GptJConfig(**small, d_ff=17, rotary_width=2)).layers[0]) == (None, None, True, False)
    assert kind(mistral(MistralConfig(31, 12, 2, 6, 2, 17, 4, window=7)).layers[0]) == (7, None, False, False)
    assert kind(translator.encoder.layers[0]) == (None, None, False, False)
    assert kind(translator.decoder.layers[0]) == (None, None, False, True)
    numbers = {"d_model": 12, "num_layers": 2, "num_heads": 3, "d_head": 4, "d_ff": 17, "memory_length": 5}
    for windowed in (True, False):  # with memories
        config = TransfoXLConfig(31, (), 12, own_projections=(True,), **numbers, windowed=windowed)
        assert {layer.window for layer in transfo_xl(config).layers} == {5 if windowed else None}
