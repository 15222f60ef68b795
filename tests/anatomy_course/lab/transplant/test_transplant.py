"""A learner's functions inside every family of the zoo: same answers when right, named when wrong."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import learner
import pytest
import torch

from anatomy_course.lab.transplant import ORGANS, organs_in, reject, transplant
from anatomy_utils import pretrained
from anatomy_utils.decoding import generate
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.nn.positions import RotaryPositions, SinusoidalPositions
from anatomy_utils.tap import edit, watch
from anatomy_utils.zoo.bart import BartConfig, bart
from anatomy_utils.zoo.bert import BertConfig, with_head as bert
from anatomy_utils.zoo.distilbert import distilbert_with_head
from anatomy_utils.zoo.gemma import GemmaNorm
from anatomy_utils.zoo.gpt2 import Gpt2Config, with_head as gpt2
from anatomy_utils.zoo.gptj import GptJConfig, gptj
from anatomy_utils.zoo.llama import LlamaConfig, with_head as llama
from anatomy_utils.zoo.t5 import T5Config, t5
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

BERT = BertConfig(53, 30, 3, 5, 41, 29, dropout=0.0, attention_dropout=0.0)
ROBERTA = replace(BERT, max_positions=27, position_offset=2)
GPT2 = Gpt2Config(53, 30, 3, 5, 29, 37, dropout=0.0, attention_dropout=0.0)
LLAMA = LlamaConfig(53, 30, 3, 6, 2, 41, 10, 64)
LLAMA_WITH_BIAS = replace(LLAMA, attention_bias=True, feed_forward_bias=True)
T5 = T5Config(53, 30, 7, 41, 3, 2, 5, dropout=0.0)
BART = BartConfig(53, 30, 3, 2, 5, 6, 41, 37, 29, dropout=0.0)
TRANSFORMER = TransformerConfig(53, 30, 3, 2, 5, 41, dropout=0.0)
TRANSFORMER_PRE_NORM = replace(TRANSFORMER, pre_norm=True)
ATTENTION = {"attention", "scores", "softmax", "weighted_average", "project", "split_heads", "merge_heads", "lookup"}
ENCODER = ATTENTION | {"layer_norm", "post_norm", "feed_forward", "activation"}
LLAMAS = ATTENTION | set("causal_mask share_heads rms_norm pre_norm gated_feed_forward activation rotary".split())
READS = {"causal_mask", "attend_to_memory"}
T5S = ATTENTION | READS | {"decoder_layer", "rms_norm", "pre_norm", "activation"}


def case(kind, organs, activation, make, *arguments):
    return SimpleNamespace(kind=kind, organs=organs, activation=activation, make=partial(make, *arguments))


PRE_NORM = ENCODER - {"post_norm"} | {"pre_norm"}
SINUSOIDS = {"sinusoids"}
FAMILIES = {
    "bert": case("encoder", ENCODER, learner.gelu, bert, BERT, "MaskedLM"),
    "roberta": case("encoder", ENCODER, learner.gelu, bert, ROBERTA, "TokenClassification"),
    "distilbert": case("encoder", ENCODER, learner.gelu, distilbert_with_head, BERT, "SequenceClassification"),
    "gpt2": case("decoder", PRE_NORM | {"causal_mask"}, learner.gelu_tanh, gpt2, GPT2, "LMHeadModel"),
    "llama": case("decoder", LLAMAS, learner.silu, llama, LLAMA, "CausalLM"),
    "llama with biases": case("decoder", LLAMAS, learner.silu, llama, LLAMA_WITH_BIAS, "CausalLM"),
    "t5": case("seq2seq", T5S | {"feed_forward"}, learner.relu, t5, T5),
    "t5 1.1": case("seq2seq", T5S | {"gated_feed_forward"}, learner.gelu_tanh, t5, replace(T5, gated=True)),
    "bart": case("seq2seq", ENCODER | READS, learner.gelu, bart, BART),
    "transformer": case("seq2seq", ENCODER | READS | SINUSOIDS, learner.relu, transformer, TRANSFORMER),
    "transformer, pre-norm": case(
        "seq2seq", PRE_NORM | READS | SINUSOIDS | {"decoder_layer"}, learner.relu, transformer, TRANSFORMER_PRE_NORM
    ),
}
CLOSE = {"atol": 1e-5, "rtol": 1e-5}
PARTS = {"scores", "softmax", "weighted_average"}


def made(name):
    """A small model of the family with weights large enough for differences to show."""
    torch.manual_seed(0)
    model = FAMILIES[name].make().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            spread = 0.2 if parameter.dim() < 2 else 1.2 / parameter.shape[-1] ** 0.5
            parameter.copy_(torch.randn_like(parameter) * spread + (parameter.mean() == 1))  # norms stretch by about 1
    return model


def inputs(name, padded=True):
    generator = torch.Generator().manual_seed(1)
    input_ids, target_ids = (torch.randint(3, 53, (2, n), generator=generator) for n in (11, 7))
    attention_mask = torch.ones_like(input_ids)
    if padded:
        attention_mask[1, 6:] = 0
    return [input_ids, target_ids, attention_mask] if FAMILIES[name].kind == "seq2seq" else [input_ids, attention_mask]


def functions(name, whole=True):
    """All that the learner has for this family: attention whole, or in its parts."""
    wanted = FAMILIES[name].organs - (PARTS if whole else {"attention"})
    return {organ: function_for(name, organ) for organ in wanted}


def function_for(name, organ):
    return FAMILIES[name].activation if organ == "activation" else getattr(learner, organ)


def every(names=FAMILIES):
    return pytest.mark.parametrize("name", names)


whole_or_not = pytest.mark.parametrize("whole", [True, False], ids=["attention", "its parts"])


@every()
@torch.no_grad()
def test_each_family_has_the_organs_that_it_should_and_each_alone_gives_the_same_answer(name):
    model = made(name)
    assert organs_in(model) & ORGANS.keys() == FAMILIES[name].organs
    wanted = model(*inputs(name))
    assert wanted.abs().max() > 0.5
    for organ in sorted(FAMILIES[name].organs):
        calls = []

        def counting(*args, organ=organ, calls=calls):
            calls.append(organ)
            return function_for(name, organ)(*args)

        with transplant(model, **{organ: counting}):
            torch.testing.assert_close(model(*inputs(name)), wanted, **CLOSE, msg=lambda m, o=organ: f"{o}: {m}")
        assert calls, f"{organ} did not run"
    torch.testing.assert_close(model(*inputs(name)), wanted)


@whole_or_not
@every()
@pytest.mark.usefixtures("shapes_unchecked")
def test_all_organs_together_give_the_same_answer_and_gradients_and_nothing_right_is_rejected(name, whole):
    model = made(name).train()  # every dropout is 0
    organs = functions(name, whole)
    assert reject(model, *inputs(name), **organs) is None
    wanted = model(*inputs(name))
    with transplant(model, **organs):
        answer = model(*inputs(name))
    torch.testing.assert_close(answer, wanted, **CLOSE)
    upstream = torch.randn(answer.shape, generator=torch.Generator().manual_seed(2))
    named = {key: part for key, part in model.named_parameters() if part.requires_grad}
    mine, ours = (
        torch.autograd.grad(each, list(named.values()), upstream, allow_unused=True) for each in (answer, wanted)
    )
    for key, got, gradient in zip(named, mine, ours, strict=True):
        assert (got is None) == (gradient is None), key
        if got is not None:
            assert got.norm().item() == pytest.approx(gradient.norm().item(), rel=1e-3, abs=1e-4), key


@whole_or_not
@every([name for name, family in FAMILIES.items() if family.kind == "decoder"])
@pytest.mark.usefixtures("shapes_unchecked")
def test_generation_with_a_cache_and_padded_prompts(name, whole):
    model, organs = made(name), functions(name, whole)
    prompts = torch.randint(3, 53, (2, 5), generator=torch.Generator().manual_seed(3))
    attention_mask = torch.tensor([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1]])

    def written(mask=None):
        cache = model.start(2, 9, attention_mask=mask)
        return generate(model.step, cache, prompts, max_new_tokens=4, attention_mask=mask).new_ids.tolist()

    for mask in (None, attention_mask):
        wanted = written(mask)
        with transplant(model, **organs):
            assert written(mask) == wanted
        assert reject(model, mask, run=written, **organs) is None
        wrong = reject(model, mask, run=written, project=lambda states, weight, bias: states @ weight + bias + 0.1)
        assert str(wrong).startswith("decoder.layers.0.self_attention.to_query: your project differs")


@whole_or_not
@every([name for name, family in FAMILIES.items() if family.kind == "seq2seq"])
@pytest.mark.usefixtures("shapes_unchecked")
def test_translation_step_by_step(name, whole):
    model = made(name)
    input_ids, target_ids, attention_mask = inputs(name)

    def steps():
        cache = model.start(input_ids, 7, attention_mask=attention_mask)
        for i in range(7):
            logits, cache = model.step(target_ids[:, i : i + 1], cache)
            yield logits

    with torch.no_grad():
        wanted = list(steps())
        with transplant(model, **functions(name, whole)):
            torch.testing.assert_close(list(steps()), wanted, **CLOSE)


@every()
@pytest.mark.usefixtures("shapes_unchecked")
@torch.no_grad()
def test_watch_and_edit_go_on_during_a_transplant(name):
    model, organs = made(name), functions(name)
    organs.pop("decoder_layer", None)  # what stands between its sub-layers is its own affair
    with watch(model) as seen:
        model(*inputs(name))
    with watch(model) as again, transplant(model, **organs):
        model(*inputs(name))
    assert {key for key in seen if not key.endswith((".scores", ".hidden", ".gate"))} == set(again)
    for key in again:
        torch.testing.assert_close(again[key], seen[key], atol=1e-4, rtol=1e-4)
    edits = {next(key for key in seen if key.endswith("weights")): lambda tensor: tensor.roll(1, 0)}
    with edit(model, edits):
        wanted = model(*inputs(name))
        with transplant(model, **functions(name)):
            torch.testing.assert_close(model(*inputs(name)), wanted, **CLOSE)


@every()
@pytest.mark.usefixtures("shapes_unchecked")
@torch.no_grad()
def test_every_named_tensor_of_every_family_can_be_edited(name):
    model, generator = made(name), torch.Generator().manual_seed(5)
    with watch(model) as seen:
        wanted = model(*inputs(name))
    for key in seen:
        with edit(model, {key: lambda tensor: tensor + 3 * torch.randn(tensor.shape, generator=generator)}):
            assert not torch.allclose(model(*inputs(name)), wanted, atol=1e-3), key


# ---- rejections ----


def test_a_mistake_that_only_padding_shows():
    model = made("bert")

    def unmasked(query, key, value, mask):
        return learner.attention(query, key, value, torch.ones_like(mask))

    def without_a_mask(query, key, value):
        return unmasked(query, key, value, torch.ones((), dtype=torch.bool))

    for attention in (unmasked, without_a_mask):
        assert reject(model, *inputs("bert", padded=False), attention=attention) is None
    assert "takes no mask" in str(reject(model, *inputs("bert"), attention=without_a_mask))
    found = reject(model, *inputs("bert"), attention=unmasked)
    assert (found.path, found.organ, found.where["text"]) == ("body.layers.0.self_attention", "attention", 1)
    assert found.expected_shape == found.got_shape == (2, 5, 11, 6)
    assert found.difference > 0.01
    assert str(found).startswith("body.layers.0.self_attention: your attention differs from ours, most at text 1, head")
    assert "all of them in text 1" in str(found)


def test_the_first_mistake_is_named_and_not_its_consequences():
    calls = []

    def tired(hidden_states, weight, bias, epsilon):
        calls.append(1)
        return learner.layer_norm(hidden_states, weight, bias, epsilon) * (1.1 if len(calls) > 8 else 1.0)

    found = reject(made("bart"), *inputs("bart"), layer_norm=tired)
    assert found.path == "decoder.layers.0.self_attention_norms.after"
    assert len(calls) == 9  # two embeddings and three encoder layers come before; nothing is asked afterwards
    assert "your layer_norm differs" in str(found)


@pytest.mark.parametrize(
    ("name", "organ", "wrong", "sentence"),
    [
        ("t5", "attention", lambda q, k, v, m: learner.attention(q, k, v, m)[0] * 1.01,
         "encoder.layers.0.self_attention: your attention differs from ours, most at text"),
        ("gpt2", "causal_mask", lambda length: torch.ones(length, length).tril(1).bool(),
         "decoder.layers.0.self_attention: your causal_mask differs from ours, most at query 0, key 1: True instead "
         "of False (10 of 121 numbers are wrong)"),
        ("llama", "share_heads", lambda vectors, heads: vectors.repeat(1, heads // vectors.shape[1], 1, 1),
         "decoder.layers.0.self_attention: your share_heads differs"),
        ("llama", "rotary", lambda vectors, cosines, sines: vectors * cosines - vectors * sines,
         "decoder.rotary: your rotary differs"),
        ("bert", "post_norm", lambda states, sublayer, norm: states + sublayer(norm(states)),
         "body.layers.0: your post_norm differs"),
        ("bart", "lookup", lambda table, ids: table[ids - 1], "encoder.embeddings.tokens: your lookup differs"),
        ("transformer", "sinusoids", lambda positions, d_model: learner.sinusoids(positions + 1, d_model),
         "encoder.embeddings.positions: your sinusoids differs from ours, most at position"),
        ("t5 1.1", "gated_feed_forward", lambda x, gate, expand, contract: (learner.silu(x @ gate) * (x @ expand))
         @ contract, "encoder.layers.0.feed_forward: your gated_feed_forward differs"),
        ("bert", "softmax", lambda scores: scores.softmax(-1), "takes no mask, but some keys are forbidden here"),
        ("bert", "attention", lambda q, k, v, m: (learner.attention(q, k, v, m)[0], m * 0.5),
         "your attention gives our context, but weights that differ from ours, most at text"),
        ("bert", "attention", lambda q, k, v, m: learner.attention(q, k, v, m)[::-1],
         "gives back shape (2, 5, 11, 11), but (2, 5, 11, 6) is expected here."),
        ("bert", "scores", lambda query, key: query @ key, "stopped at line"),
        ("bert", "scores", lambda query, key: query.masked_fill_(query > 9, 0.0) @ key.mT,
         "changes its `query`, which others still need"),
        ("bert", "merge_heads", lambda vectors: None, "gives back nothing (None); does it end with `return`?"),
        ("bert", "merge_heads", lambda vectors: [vectors], "gives back a list, not a tensor"),
        ("bert", "merge_heads", lambda vectors: vectors.flatten(2),
         "gives back shape (2, 5, 66), but (2, 11, 30) is expected here"),
        ("gpt2", "causal_mask", lambda length: torch.ones(length, length).tril(),
         "gives back torch.float32, but True and False are expected here"),
        ("bert", "layer_norm", lambda x, w, b: (x - x.mean(-1, keepdim=True)) / (x * 0).sum(-1, keepdim=True),
         "body.embeddings.norm: your layer_norm differs"),
        ("bert", "layer_norm", lambda x, w, b: x / 0 * 0,
         "gives NaN (not a number), first at text 0, position 0, feature 0"),
    ],
)  # fmt: skip
def test_wrong_organs_are_rejected_at_the_right_module(name, organ, wrong, sentence):
    found = reject(made(name), *inputs(name), **{organ: wrong})
    assert found.organ == organ
    assert sentence in str(found) and "\n" not in str(found)


def test_a_crash_keeps_the_learners_line_in_sight():
    def crossed(query, key):
        return query @ key  # the crash

    model = made("bert")
    found = reject(model, *inputs("bert"), scores=crossed)
    assert "`return query @ key  # the crash`" in str(found)
    assert "given query (2, 5, 11, 6), key (2, 5, 11, 6)" in str(found)
    with transplant(model, scores=crossed), pytest.raises(ValueError, match="your scores stopped at line") as raised:
        model(*inputs("bert"))
    assert isinstance(raised.value.__cause__, RuntimeError)
    frames = [frame.name for frame in pytest.ExceptionInfo.from_exception(raised.value.__cause__).traceback]
    assert "crossed" in frames
    assert type(found.error) is type(raised.value.__cause__)


def test_transplant_stops_at_what_can_be_seen_without_ours():
    model = made("bert")
    for wrong, complaint in (
        (lambda x, w, b: x[..., 1:], "expected here"),
        (lambda x, w, b: x / 0 * 0, "gives NaN"),
        (lambda x, w, b: x.mul_(2), "changes its `hidden_states`"),
    ):
        with transplant(model, layer_norm=wrong), pytest.raises(ValueError, match=complaint):
            model(*inputs("bert"))


def test_numbers_may_be_kept_in_float64_inside():
    model = made("llama")
    with transplant(model, rms_norm=lambda x, w, epsilon: learner.rms_norm(x.double(), w, epsilon)):
        assert model(*inputs("llama")).dtype == torch.float32


@every(["bert", "llama", "t5"])
def test_in_bfloat16(name):
    model, organs = made(name).bfloat16(), functions(name)
    assert reject(model, *inputs(name), **organs) is None
    with torch.no_grad(), transplant(model, **organs):
        assert model(*inputs(name)).isfinite().all()


# ---- before and after ----


@every(["bert", "llama", "bart"])
def test_everything_is_put_back_whatever_happens(name):
    model = made(name)

    def state():
        return [dict(module.__dict__) for module in model.modules()]

    before = state()
    with pytest.raises(KeyError), transplant(model, **functions(name)):
        raise KeyError
    assert state() == before
    with pytest.raises(ValueError, match="stopped"), transplant(model, lookup=lambda table, ids: table["no"]):
        model(*inputs(name))
    assert state() == before
    assert reject(model, *inputs(name), lookup=lambda table, ids: None) is not None
    assert state() == before


def test_a_transplant_inside_a_transplant_adds_to_it():
    model, ran = made("bert"), []

    def noting(organ):
        return lambda *args: (ran.append(organ), getattr(learner, organ)(*args))[1]

    def organs_that_run():
        ran.clear()
        model(*inputs("bert"))
        return set(ran)

    with transplant(model, scores=noting("scores")):
        with transplant(model, softmax=noting("softmax")):
            assert organs_that_run() == {"scores", "softmax"}
        assert organs_that_run() == {"scores"}
    assert organs_that_run() == set()


def test_a_part_of_a_model_can_be_operated_on():
    numbers = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(4))
    assert reject(LayerNorm(5), numbers, layer_norm=learner.layer_norm) is None
    found = reject(LayerNorm(5), numbers, layer_norm=lambda x, w, b: learner.layer_norm(x, w, b, 1e-5) + 1)
    assert str(found).startswith("LayerNorm: your layer_norm differs from ours, most at text")
    gemma = GemmaNorm(5)  # gives one plus its weight
    gemma.weight.data.uniform_(generator=torch.Generator().manual_seed(3))
    wanted = gemma(numbers)
    with transplant(gemma, rms_norm=learner.rms_norm):
        torch.testing.assert_close(gemma(numbers), wanted)


def test_gptjs_sub_layers_beside_each_other_are_no_pre_norm():
    model = gptj(GptJConfig(53, 30, 2, 3, 29, 41, rotary_width=4))
    with pytest.raises(ValueError, match="There is no pre_norm"):
        reject(model, *inputs("gpt2"), pre_norm=learner.pre_norm)


@pytest.mark.parametrize(
    ("organs", "complaint"),
    [
        ({"atention": learner.attention}, "no organ 'atention'. Did you mean attention.*There are: attention, scores"),
        ({"rms_norm": learner.rms_norm}, "There is no rms_norm in this WithHead; it has activation, attention"),
        ({"causal_mask": learner.causal_mask}, "There is no causal_mask in this"),
        ({"attention": 3}, r"attention must be a function, attention\(query, key, value, mask\), not 3"),
        ({"scores": lambda query: query}, r"Your scores takes \(query\).*called as scores\(query, key\)"),
        ({"scores": lambda query, key, scale: query}, r"Your scores takes \(query, key, scale\)"),
        ({"attention": learner.attention, "softmax": learner.softmax}, "never use your softmax"),
        ({}, "at least one function"),
    ],
)
def test_what_cannot_work_is_said_before_the_model_runs(organs, complaint):
    model = made("bert")
    with pytest.raises(ValueError, match=complaint), transplant(model, **organs):
        pass
    with pytest.raises(ValueError, match=complaint):
        reject(model, *inputs("bert"), **organs)


# ---- variants that no small family has ----


@pytest.mark.parametrize("layout", ["halves", "neighbors"])
def test_one_rotary_function_serves_both_layouts_and_partial_turns(layout):
    positions = RotaryPositions(6, layout=layout)
    vectors = torch.randn(2, 3, 5, 10, generator=torch.Generator().manual_seed(5))
    where = torch.tensor([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]])
    wanted = positions(where)(vectors)
    with transplant(positions, rotary=learner.rotary):
        torch.testing.assert_close(positions(where)(vectors), wanted)


@pytest.mark.parametrize("interleaved", [True, False])
def test_sinusoids_of_both_orders(interleaved):
    module = SinusoidalPositions(6, interleaved=interleaved)
    wanted = module(torch.arange(5))
    with transplant(module, sinusoids=learner.sinusoids):
        torch.testing.assert_close(module(torch.arange(5)), wanted)


# ---- a real model ----


def test_minilm_runs_through_the_learners_parts():
    model, tokenizer = pretrained.load("minilm")
    batch = tokenizer(["The animal didn't cross the street because it was too tired.", "Apples"])
    wanted = model(batch.input_ids, batch.attention_mask)
    organs = {organ: getattr(learner, organ) for organ in ENCODER - PARTS - {"activation"}}
    organs["activation"] = learner.gelu
    with transplant(model, **organs):
        got = model(batch.input_ids, batch.attention_mask)
    real = batch.attention_mask.bool()
    torch.testing.assert_close(got[real], wanted[real], atol=1e-4, rtol=1e-4)
    assert reject(model, batch.input_ids, batch.attention_mask, **organs) is None
