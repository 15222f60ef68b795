"""Organs of 2017 in a small Llama: what each exchange computes, what it leaves behind, and how it is measured."""

import math

import pytest
import torch
from tokenizers import Tokenizer as RustTokenizer, models, pre_tokenizers
from torch.nn import functional as F

from anatomy_course.lab.experiments import part_swaps
from anatomy_course.lab.experiments.part_swaps import PART_SWAPS, with_part_of_2017
from anatomy_course.lab.street import is_grammatical
from anatomy_utils.decoding import SeenIds, generate, uncached
from anatomy_utils.functional.positions import sinusoids
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.zoo.gpt2 import Gpt2Config, gpt2
from anatomy_utils.zoo.llama import LlamaConfig, with_head
from anatomy_utils.zoo.tokenizer import Tokenizer

WORDS = sorted({word for text in (*part_swaps.PLAIN, *part_swaps.STREET, part_swaps.PROMPT) for word in text.split()})


@pytest.fixture(scope="module")
def model():
    """Two layers, 6 heads that share 2 key/value heads, with clear opinions."""
    torch.manual_seed(0)
    config = LlamaConfig(len(WORDS), 30, 2, 6, num_kv_heads=2, d_ff=17, d_head=8, rotary_base=100.0, tied=True)
    made = with_head(config, "CausalLM").eval()
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter, mean=1.0 if parameter.dim() == 1 else 0.0, std=0.3)
    return made


@pytest.fixture(scope="module")
def tokenizer():
    rust = RustTokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token=WORDS[0]))
    rust.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return Tokenizer(rust, pad_left=True)


IDS = torch.randint(len(WORDS), (3, 11), generator=torch.Generator().manual_seed(1))


def plain_forward(model, name):
    """The small Llama once more, written out with one part of 2017."""
    decoder = model.decoder
    places = torch.arange(IDS.shape[1])
    states = decoder.embeddings.tokens(IDS)
    if name == "sinusoids":
        states = states + sinusoids(places, 30) * decoder.embeddings.tokens.weight.square().mean().sqrt()
    turn = (lambda part: part) if name in ("no positions", "sinusoids") else decoder.rotary(places)

    def norm(module, x):
        if name == "LayerNorm":
            x = x - x.mean(-1, keepdim=True)
        return x / (x.square().mean(-1, keepdim=True) + module.epsilon).sqrt() * module.weight

    def around(module, x, sublayer):
        return norm(module, x + sublayer(x)) if name == "post-norm" else x + sublayer(norm(module, x))

    def attend(part, x):
        query, key, value = (
            w(x).unflatten(-1, (-1, 8)).transpose(1, 2) for w in (part.to_query, part.to_key, part.to_value)
        )
        key, value = (each.repeat_interleave(3, dim=1) for each in (turn(key), value))
        context = F.scaled_dot_product_attention(turn(query), key, value, is_causal=True)
        return part.to_output(context.transpose(1, 2).flatten(2))

    def feed(part, x):
        hidden = F.relu(part.expand(x)) if name == "ReLU" else F.silu(part.gate(x)) * part.expand(x)
        return part.contract(hidden)

    for layer in decoder.layers:
        states = around(layer.self_attention_norms.before, states, lambda x, p=layer.self_attention: attend(p, x))
        states = around(layer.feed_forward_norms.before, states, lambda x, p=layer.feed_forward: feed(p, x))
    return model.vocabulary(states if name == "post-norm" else norm(decoder.norm, states))


@pytest.mark.parametrize("name", ["", *PART_SWAPS])
def test_each_swap_is_the_formula_and_leaves_nothing_behind(model, name):
    before = model(IDS)
    parameters, text = dict(model.named_parameters()), repr(model)
    with torch.no_grad(), with_part_of_2017(model, name):
        inside = model(IDS)
        step = generate(model.step, model.start(3, 16), IDS, max_new_tokens=5).ids
        again = generate(uncached(model), SeenIds(), IDS, max_new_tokens=5).ids
    torch.testing.assert_close(inside, plain_forward(model, name), atol=2e-4, rtol=1e-4)
    assert torch.equal(step, again), "the cache knows of the exchange"
    changed = (inside - before).abs().max() > 0.05
    assert changed == (name not in ("", "multi-head"))
    assert torch.equal(model(IDS), before)
    assert dict(model.named_parameters()).keys() == parameters.keys() and repr(model) == text


def test_multi_head_keeps_three_times_as_much_and_a_swap_is_undone_when_something_fails_inside(model):
    before = model(IDS)
    with torch.no_grad(), with_part_of_2017(model, "multi-head"):
        assert model.start(1, 7).layers[0].key.shape == (1, 6, 7, 8)
    for name in PART_SWAPS:
        with pytest.raises(RuntimeError, match="inside"), with_part_of_2017(model, name):
            raise RuntimeError("inside")
    assert model.start(1, 7).layers[0].key.shape == (1, 2, 7, 8)
    assert torch.equal(model(IDS), before)


def test_a_swap_that_cannot_be_gets_one_sentence(model):
    with pytest.raises(ValueError, match="There is no swap 'GELU'; choose one of 'LayerNorm'"):
        with_part_of_2017(model, "GELU")
    config = Gpt2Config(5, d_model=6, num_layers=1, num_heads=2, max_positions=4, d_ff=7)
    other = LanguageModel(gpt2(config), torch.nn.Linear(6, 5, bias=False))
    for name in set(PART_SWAPS) - {"post-norm"}:  # GPT-2 is pre-norm too
        with (
            pytest.raises(ValueError, match=r"^There is no rms_norm|rotary|gated_feed_forward|has its own keys"),
            with_part_of_2017(other, name),
        ):
            pass


def test_perplexities_count_real_tokens_only(model, tokenizer):
    measured = part_swaps.measure_swap(model, tokenizer)
    for texts, found in ((part_swaps.PLAIN, measured.plain), (part_swaps.STREET, measured.street)):
        assert all(is_grammatical(text) == (texts is part_swaps.STREET) for text in texts) and len(texts) == 10
        surprise = []
        for text in texts:
            ids = tokenizer(text).input_ids
            odds = model(ids)[0].log_softmax(-1)
            surprise += [-odds[i, ids[0, i + 1]].item() for i in range(ids.shape[1] - 1)]
        assert found == pytest.approx(math.exp(sum(surprise) / len(surprise)), rel=1e-4)


def test_the_report_is_a_table(model, tokenizer):
    report = part_swaps.measure_swaps(model, tokenizer, ["multi-head", "ReLU"], progress=False)
    assert [result.name for result in report.results] == ["", "multi-head", "ReLU"]
    assert report.vocab_size == len(WORDS)
    assert report["multi-head"].cache_bytes == 3 * report[""].cache_bytes == 3 * 2 * 2 * 2 * 8 * 4
    assert report["multi-head"].plain == pytest.approx(report[""].plain, rel=1e-5)
    assert report["ReLU"].plain != pytest.approx(report[""].plain, rel=1e-2)
    assert report["multi-head"].continuation == report[""].continuation
    lines = str(report).splitlines()
    assert lines[0].split()[:3] == ["plain", "street", "cache"] and part_swaps.PROMPT in lines[0]
    assert [line.split("  ")[0].strip() for line in lines[1:]] == ["as it is", "multi-head", "ReLU"]
    assert len({line.index(" B ") for line in lines[1:]}) == 1


def test_layer_norm_of_2017_has_no_shift():
    x, norm = torch.randn(2, 3, 30), LayerNorm(30)
    small = with_head(LlamaConfig(5, 30, 1, 6, num_kv_heads=2, d_ff=17, d_head=8), "CausalLM")
    with with_part_of_2017(small, "LayerNorm"):
        torch.testing.assert_close(small.decoder.norm(x), norm(x), atol=1e-4, rtol=1e-4)
