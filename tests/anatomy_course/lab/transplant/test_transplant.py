"""A learner's functions inside every family of the zoo: same answers when right, named when wrong."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import learner
import pytest
import torch

from anatomy_course.lab.transplant import ORGANS, Rejection, reject, transplant
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
GPT2 = Gpt2Config(53, 30, 3, 5, 29, 37, dropout=0.0, attention_dropout=0.0)
LLAMA = LlamaConfig(53, 30, 3, 6, 2, 41, 10, 64)
LLAMA_WITH_BIAS = LlamaConfig(53, 30, 3, 6, 2, 41, 10, 64, attention_bias=True, feed_forward_bias=True)
T5 = T5Config(53, 30, 7, 41, 3, 2, 5, dropout=0.0)
T5_GATED = T5Config(53, 30, 7, 41, 3, 2, 5, gated=True, dropout=0.0)
BART = BartConfig(53, 30, 3, 2, 5, 6, 41, 37, 29, dropout=0.0)
ATTENTION = {"attention", "scores", "softmax", "weighted_average", "project", "split_heads", "merge_heads", "lookup"}
ENCODER = ATTENTION | {"layer_norm", "post_norm", "feed_forward", "activation"}
LLAMAS = ATTENTION | {
    "causal_mask",
    "share_heads",
    "rms_norm",
    "pre_norm",
    "gated_feed_forward",
    "activation",
    "rotary",
}
READS = {"causal_mask", "attend_to_memory"}
T5S = ATTENTION | READS | {"decoder_layer", "rms_norm", "pre_norm", "activation"}


def case(make, kind, organs, activation):
    return SimpleNamespace(make=make, kind=kind, organs=organs, activation=activation)


FAMILIES = {
    "bert": case(lambda: bert(BERT, "MaskedLM"), "encoder", ENCODER, learner.gelu),
    "roberta": case(
        lambda: bert(replace(BERT, max_positions=27, position_offset=2), "TokenClassification"),
        "encoder", ENCODER, learner.gelu,
    ),
    "distilbert": case(
        lambda: distilbert_with_head(BERT, "SequenceClassification"), "encoder", ENCODER, learner.gelu
    ),
    "gpt2": case(
        lambda: gpt2(GPT2, "LMHeadModel"), "decoder", ENCODER - {"post_norm"} | {"pre_norm", "causal_mask"},
        learner.gelu_tanh,
    ),
    "llama": case(lambda: llama(LLAMA, "CausalLM"), "decoder", LLAMAS, learner.silu),
    "llama with biases": case(lambda: llama(LLAMA_WITH_BIAS, "CausalLM"), "decoder", LLAMAS, learner.silu),
    "t5": case(lambda: t5(T5), "seq2seq", T5S | {"feed_forward"}, learner.relu),
    "t5 1.1": case(lambda: t5(T5_GATED), "seq2seq", T5S | {"gated_feed_forward"}, learner.gelu_tanh),
    "bart": case(lambda: bart(BART), "seq2seq", ENCODER | READS, learner.gelu),
    "transformer": case(
        lambda: transformer(TransformerConfig(53, 30, 3, 2, 5, 41, dropout=0.0)), "seq2seq",
        ENCODER | READS | {"sinusoids"}, learner.relu,
    ),
    "transformer, pre-norm": case(
        lambda: transformer(TransformerConfig(53, 30, 3, 2, 5, 41, pre_norm=True, dropout=0.0)), "seq2seq",
        ENCODER - {"post_norm"} | READS | {"decoder_layer", "sinusoids", "pre_norm"}, learner.relu,
    ),
}  # fmt: skip
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


@every()
def test_each_family_has_the_organs_that_it_should(name):
    model = made(name)
    for organ in ORGANS:
        if organ in FAMILIES[name].organs:
            with transplant(model, **{organ: function_for(name, organ)}):
                pass
        else:
            with (
                pytest.raises(ValueError, match=f"no {organ} in this .*; it has .*attention"),
                transplant(model, **{organ: getattr(learner, organ)}),
            ):
                pass


@every()
def test_each_organ_alone_gives_the_same_answer(name):
    model = made(name)
    with torch.no_grad():
        wanted = model(*inputs(name))
        assert wanted.abs().max() > 0.5
        for organ in sorted(FAMILIES[name].organs):
            calls = []

            def counting(*args, organ=organ, calls=calls):
                calls.append(organ)
                return function_for(name, organ)(*args)

            with transplant(model, **{organ: counting}):
                torch.testing.assert_close(model(*inputs(name)), wanted, **CLOSE, msg=lambda m, o=organ: f"{o}: {m}")
            assert calls  # it really ran
    torch.testing.assert_close(model(*inputs(name)), wanted)


@every()
@pytest.mark.usefixtures("shapes_unchecked")
def test_nothing_right_is_rejected(name):
    model = made(name)
    for whole in (True, False):
        assert reject(model, *inputs(name), **functions(name, whole)) is None


@pytest.mark.parametrize(
    ("whole", "padded"), [(True, False), (True, True), (False, True)], ids=["full", "padded", "in parts"]
)
@every()
def test_all_organs_together_give_the_same_answer_and_gradients(name, whole, padded):
    model = made(name).train()  # every dropout is 0
    upstream = gradients = None
    for organs in ({}, functions(name, whole)):
        model.zero_grad()
        if organs:
            with transplant(model, **organs):
                answer = model(*inputs(name, padded))
        else:
            wanted = answer = model(*inputs(name, padded))
            upstream = torch.randn(answer.shape, generator=torch.Generator().manual_seed(2))
        answer.backward(upstream)
        norms = {key: part.grad.norm() for key, part in model.named_parameters() if part.grad is not None}
        gradients = gradients or norms
    torch.testing.assert_close(answer, wanted, **CLOSE)
    assert norms.keys() == gradients.keys()
    for key, norm in norms.items():
        assert norm.item() == pytest.approx(gradients[key].item(), rel=1e-3, abs=1e-4), key


@pytest.mark.parametrize("whole", [True, False], ids=["attention", "its parts"])
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


@pytest.mark.parametrize("whole", [True, False], ids=["attention", "its parts"])
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
def test_watch_and_edit_go_on_during_a_transplant(name):
    model, organs = made(name), functions(name)
    organs.pop("decoder_layer", None)  # what stands between its sub-layers is its own affair
    with torch.no_grad(), watch(model) as seen:
        model(*inputs(name))
    with torch.no_grad(), watch(model) as again, transplant(model, **organs):
        model(*inputs(name))
    assert {key for key in seen if not key.endswith((".scores", ".hidden", ".gate"))} == set(again)
    for key in again:
        torch.testing.assert_close(again[key], seen[key], atol=1e-4, rtol=1e-4)
    weights = next(key for key in seen if key.endswith("weights"))
    edits = {weights: lambda tensor: tensor.roll(1, 0)}
    with torch.no_grad():
        with edit(model, edits):
            wanted = model(*inputs(name))
        with edit(model, edits), transplant(model, **functions(name)):
            torch.testing.assert_close(model(*inputs(name)), wanted, **CLOSE)


@every()
@pytest.mark.usefixtures("shapes_unchecked")
def test_every_named_tensor_of_every_family_can_be_edited(name):
    model, generator = made(name), torch.Generator().manual_seed(5)
    with torch.no_grad():
        with watch(model) as seen:
            wanted = model(*inputs(name))
        for key in seen:
            with edit(model, {key: lambda tensor: tensor + 3 * torch.randn(tensor.shape, generator=generator)}):
                unchanged = torch.allclose(model(*inputs(name)), wanted, atol=1e-3)
            assert not unchanged, key


# ---- rejections ----


def test_a_mistake_that_only_padding_shows():
    model = made("bert")

    def unmasked(query, key, value, mask):
        return learner.attention(query, key, value, torch.ones_like(mask))

    assert reject(model, *inputs("bert", padded=False), attention=unmasked) is None
    found = reject(model, *inputs("bert"), attention=unmasked)
    assert (found.path, found.organ, found.where["text"]) == ("body.layers.0.self_attention", "attention", 1)
    assert found.expected_shape == found.got_shape == (2, 5, 11, 6)
    assert found.difference > 0.01
    assert str(found).startswith("body.layers.0.self_attention: your attention differs from ours, most at text 1, head")
    assert "all of them in text 1" in str(found)


def test_the_first_mistake_is_named_and_not_its_consequences():
    model = made("bart")
    calls = []

    def tired(hidden_states, weight, bias, epsilon):
        calls.append(1)
        return learner.layer_norm(hidden_states, weight, bias, epsilon) * (1.1 if len(calls) > 8 else 1.0)

    found = reject(model, *inputs("bart"), layer_norm=tired)
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
        ("bert", "split_heads", lambda vectors, heads: vectors.view(len(vectors), heads, vectors.shape[1], -1),
         "body.layers.0.self_attention: your split_heads differs"),
        ("bert", "post_norm", lambda states, sublayer, norm: states + sublayer(norm(states)),
         "body.layers.0: your post_norm differs"),
        ("bart", "activation", torch.relu, "encoder.layers.0.feed_forward: your activation differs"),
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
    assert isinstance(found, Rejection)
    assert found.organ == organ
    assert sentence in str(found)
    assert "\n" not in str(found)


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
    model = made(name).bfloat16()
    organs = functions(name)
    assert reject(model, *inputs(name), **organs) is None
    with torch.no_grad(), transplant(model, **organs):
        assert model(*inputs(name)).isfinite().all()


# ---- before and after ----


def state(model):
    return [dict(module.__dict__) for module in model.modules()]


@every(["bert", "llama", "bart"])
def test_everything_is_put_back_whatever_happens(name):
    model = made(name)
    before = state(model)
    with pytest.raises(KeyError), transplant(model, **functions(name)):
        raise KeyError
    assert state(model) == before
    with pytest.raises(ValueError, match="stopped"), transplant(model, lookup=lambda table, ids: table["no"]):
        model(*inputs(name))
    assert state(model) == before
    assert reject(model, *inputs(name), lookup=lambda table, ids: None) is not None
    assert state(model) == before


def test_a_transplant_inside_a_transplant_adds_to_it():
    model = made("bert")
    ran = []

    def noting(organ):
        return lambda *args: (ran.append(organ), getattr(learner, organ)(*args))[1]

    with transplant(model, scores=noting("scores")):
        with transplant(model, softmax=noting("softmax")):
            model(*inputs("bert"))
        assert set(ran) == {"scores", "softmax"}
        ran.clear()
        model(*inputs("bert"))
        assert set(ran) == {"scores"}
    ran.clear()
    model(*inputs("bert"))
    assert not ran


def test_a_part_of_a_model_can_be_operated_on():
    norm = LayerNorm(5)
    numbers = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(4))
    assert reject(norm, numbers, layer_norm=learner.layer_norm) is None
    found = reject(norm, numbers, layer_norm=lambda x, w, b: learner.layer_norm(x, w, b, 1e-5) + 1)
    assert str(found).startswith("LayerNorm: your layer_norm differs from ours, most at text")


def test_gemmas_norm_gives_one_plus_its_weight_and_gptjs_sub_layers_beside_each_other_are_no_pre_norm():
    norm = GemmaNorm(5)
    norm.weight.data.uniform_(generator=torch.Generator().manual_seed(3))
    numbers = torch.randn(2, 3, 5, generator=torch.Generator().manual_seed(4))
    with transplant(norm, rms_norm=learner.rms_norm):
        operated = norm(numbers)
    torch.testing.assert_close(operated, norm(numbers))
    with pytest.raises(ValueError, match="There is no pre_norm"):
        reject(gptj(GptJConfig(53, 30, 2, 3, 29, 41, rotary_width=4)), *inputs("gpt2"), pre_norm=learner.pre_norm)


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


def test_a_function_without_a_mask_serves_where_nothing_is_forbidden():
    def unmasked(query, key, value):
        return learner.attention(query, key, value, torch.ones((), dtype=torch.bool))

    assert reject(made("bert"), *inputs("bert", padded=False), attention=unmasked) is None
    assert "takes no mask" in str(reject(made("bert"), *inputs("bert"), attention=unmasked))


@pytest.mark.parametrize("layout", ["halves", "neighbors"])
def test_one_rotary_function_serves_both_layouts_and_partial_turns(layout):
    positions = RotaryPositions(6, layout=layout)
    vectors = torch.randn(2, 3, 5, 10, generator=torch.Generator().manual_seed(5))
    where = torch.tensor([[0, 1, 2, 3, 4], [0, 0, 0, 1, 2]])
    wanted = positions(where)(vectors)
    with transplant(positions, rotary=learner.rotary):
        torch.testing.assert_close(positions(where)(vectors), wanted)


def test_sinusoids_of_both_orders():
    for interleaved in (True, False):
        module = SinusoidalPositions(6, interleaved=interleaved)
        wanted = module(torch.arange(5))
        with transplant(module, sinusoids=learner.sinusoids):
            torch.testing.assert_close(module(torch.arange(5)), wanted)


# ---- the real models ----


def test_minilm_runs_through_the_learners_parts():
    pretrained = pytest.importorskip("anatomy_utils.pretrained")
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


@pytest.mark.usefixtures("unchecked")
def test_smollm2_writes_the_same_text_through_the_learners_parts():
    pytest.importorskip("gguf", reason="the gguf package is not installed")
    pretrained = pytest.importorskip("anatomy_utils.pretrained")
    model, tokenizer = pretrained.load("smollm2")
    batch = tokenizer(["Water boils at", "The capital of France is"])
    organs = {organ: getattr(learner, organ) for organ in LLAMAS - PARTS - {"activation"}}
    organs["activation"] = learner.silu

    def written():
        cache = model.start(2, 16, attention_mask=batch.attention_mask)
        mask = batch.attention_mask
        return generate(model.step, cache, batch.input_ids, max_new_tokens=3, attention_mask=mask).new_ids.tolist()

    wanted = written()
    with transplant(model, **organs):
        assert written() == wanted
    assert reject(model, batch.input_ids[1:], **organs) is None
    found = reject(model, batch.input_ids[1:], share_heads=lambda vectors, heads: vectors.repeat(1, heads // 3, 1, 1))
    assert str(found).startswith("decoder.layers.0.self_attention: your share_heads differs from ours, most at text 0")
