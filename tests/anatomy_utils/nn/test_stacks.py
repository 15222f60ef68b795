"""What every stack promises, whatever its organs: causality, padding, caches, batches, order, saving."""

from functools import cache

import pytest
import torch
from hypothesis import given, settings, strategies as st
from safetensors.torch import load_model, save_model
from torch import nn
from torch.nn import functional as F

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer, ParallelLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.nn.norm import LayerNorm, NormPlaces, RMSNorm
from anatomy_utils.nn.positions import AlibiBias, RotaryPositions, T5Bias
from anatomy_utils.nn.relative_positions import ShawPositions, TransformerXLPositions
from anatomy_utils.zoo.bart import BartConfig, bart
from anatomy_utils.zoo.bert import BertConfig, bert
from anatomy_utils.zoo.gpt2 import Gpt2Config, with_head as gpt2
from anatomy_utils.zoo.llama import LlamaConfig, with_head as llama
from anatomy_utils.zoo.t5 import T5Config, t5
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

CLOSE = {"atol": 1e-5, "rtol": 1e-4}


def decoder(scored=None, **schemes):
    """A decoder whose positions are told by `scored()` in every attention, or by what `Decoder` takes."""

    def layer():
        attention = MultiHeadAttention(12, 3, score_positions=scored() if scored else None)
        feed_forward = FeedForward(12, 17)
        norms = (NormPlaces(after=LayerNorm(12)) for _ in range(2))
        return DecoderLayer(attention, feed_forward, self_attention_norms=next(norms), feed_forward_norms=next(norms))

    body = Decoder(Embeddings(31, 12), [layer() for _ in range(2)], **schemes)
    return LanguageModel(body, nn.Linear(12, 31))


def with_a_window(window):
    """A Llama whose second layer looks only so far back."""
    model = llama(LlamaConfig(31, 12, 2, 6, 2, 17, 4, 40), "CausalLM")
    model.decoder.layers[1].window = window
    return model


def parallel():
    """Attention beside the feed-forward network, with norms of queries and keys."""
    attention = MultiHeadAttention(12, 6, num_kv_heads=3, query_norm=RMSNorm(2), key_norm=RMSNorm(2))
    layer = ParallelLayer(attention, FeedForward(12, 17), norm=LayerNorm(12))
    return LanguageModel(Decoder(Embeddings(31, 12), [layer], rotary=RotaryPositions(2)), nn.Linear(12, 31))


DECODERS = {
    "gpt2": lambda: gpt2(Gpt2Config(31, 12, 2, 3, 40, 17), "LMHeadModel"),
    "llama": lambda: llama(LlamaConfig(31, 12, 2, 6, 2, 17, 4, 40), "CausalLM"),
    "neighbors": lambda: decoder(rotary=RotaryPositions(4, layout="neighbors")),
    "alibi": lambda: decoder(score_bias=AlibiBias(3)),
    "buckets": lambda: decoder(score_bias=T5Bias(3, bidirectional=False)),
    "shaw": lambda: decoder(lambda: ShawPositions(4, max_distance=5)),
    "transformer-xl": lambda: decoder(lambda: TransformerXLPositions(12, 3, 4)),
    "window": lambda: with_a_window(4),
    "parallel": parallel,
}
READERS = {
    "transformer": lambda: transformer(TransformerConfig(31, 12, 2, 2, 3, 17)),
    "pre-norm": lambda: transformer(TransformerConfig(31, 12, 2, 2, 3, 17, pre_norm=True)),
    "t5": lambda: t5(T5Config(31, 12, 5, 17, 2, 2, 3)),
    "t5-1.1": lambda: t5(T5Config(31, 12, 5, 17, 2, 2, 3, gated=True, tied=False)),
    "bart": lambda: bart(BartConfig(31, 12, 2, 2, 3, 2, 17, 19, 40)),
}
ENCODERS = {
    "bert": lambda: bert(BertConfig(31, 12, 2, 3, 17, 40)),
    "roberta": lambda: bert(BertConfig(31, 12, 2, 3, 17, 40, 1, position_offset=2)),
    "distilbert": lambda: bert(BertConfig(31, 12, 2, 3, 17, 40, 0)),
}
STACKS = ENCODERS | DECODERS | READERS


def fresh(make, seed=0):
    torch.manual_seed(seed)
    return make().eval()


model_of = cache(fresh)
"""The same model for every example; nobody may change it."""


def ids(seed, batch, length):
    return torch.randint(3, 31, (batch, length), generator=torch.Generator().manual_seed(seed))


def shuffled(seed, length):
    return torch.randperm(length, generator=torch.Generator().manual_seed(seed))


def forget_positions(stack):
    stack.embeddings.positions = stack.rotary = stack.score_bias = None


@pytest.mark.parametrize("name", DECODERS)
@given(seed=st.integers(0, 999), length=st.integers(2, 20), pad=st.integers(1, 5), data=st.data())
@settings(max_examples=5, deadline=None)
def test_decoders_see_only_the_past_and_need_no_second_look(name, seed, length, pad, data):
    model = model_of(DECODERS[name])
    split = data.draw(st.integers(1, length - 1))
    before = ids(seed, 2, length)
    after = torch.cat([before[:, :split], ids(seed + 1, 2, length - split)], 1)
    with torch.no_grad():
        logits = model(before)
        torch.testing.assert_close(model(after)[:, :split], logits[:, :split], **CLOSE)
        torch.testing.assert_close(model(before[1:]), logits[1:], **CLOSE)  # one by one = in a batch
        cached = model.step(before[:, :split], model.start(2, length))[1]
        torch.testing.assert_close(model.step(before[:, split:], cached)[0], logits[:, -1], **CLOSE)
        padded, mask = F.pad(before, (0, pad), value=7), F.pad(torch.ones_like(before), (0, pad))
        torch.testing.assert_close(model(padded, mask)[:, :length], logits, **CLOSE)
        # The first text begins `pad` positions later than the second.
        later = torch.stack([F.pad(before[0], (pad, 0), value=7), F.pad(before[1], (0, pad), value=8)])
        mask = torch.ones_like(later)
        mask[0, :pad] = 0
        step, cached = model.step(
            later[:, : pad + split], model.start(2, length + pad, attention_mask=mask[:, : pad + split])
        )
        torch.testing.assert_close(step[0], logits[0, split - 1], **CLOSE)
        torch.testing.assert_close(model.step(later[:, pad + split :], cached)[0][0], logits[0, -1], **CLOSE)


@pytest.mark.parametrize("name", READERS)
@given(seed=st.integers(0, 999), source=st.integers(2, 12), target=st.integers(2, 12), pad=st.integers(1, 5))
@settings(max_examples=5, deadline=None)
def test_encoder_decoders_keep_their_promises(name, seed, source, target, pad):
    model = model_of(READERS[name])
    input_ids, target_ids = ids(seed, 2, source), ids(seed + 1, 2, target)
    padded, mask = F.pad(input_ids, (0, pad), value=7), F.pad(torch.ones_like(input_ids), (0, pad))
    with torch.no_grad():
        logits = model(input_ids, target_ids)
        torch.testing.assert_close(model(padded, target_ids, mask), logits, **CLOSE)
        torch.testing.assert_close(model(input_ids[1:], target_ids[1:]), logits[1:], **CLOSE)
        changed = target_ids.clone()
        changed[:, -1] = 3
        torch.testing.assert_close(model(input_ids, changed)[:, :-1], logits[:, :-1], **CLOSE)
        target_mask = F.pad(torch.ones_like(target_ids), (0, pad))
        longer = model(padded, F.pad(target_ids, (0, pad), value=7), mask, target_mask)
        torch.testing.assert_close(longer[:, :target], logits, **CLOSE)
        cached = model.start(padded, target, attention_mask=mask)
        for i in range(target):
            step, cached = model.step(target_ids[:, i : i + 1], cached)
            torch.testing.assert_close(step, logits[:, i], **CLOSE)


@pytest.mark.parametrize("name", ENCODERS)
@given(seed=st.integers(0, 999), length=st.integers(2, 15), pad=st.integers(1, 5))
@settings(max_examples=5, deadline=None)
def test_encoders_see_no_padding_and_no_neighbors_in_the_batch(name, seed, length, pad):
    model = model_of(ENCODERS[name])
    input_ids = ids(seed, 2, length)
    with torch.no_grad():
        wanted = model(input_ids)
        padded, mask = F.pad(input_ids, (0, pad), value=7), F.pad(torch.ones_like(input_ids), (0, pad))
        torch.testing.assert_close(model(padded, mask)[:, :length], wanted, **CLOSE)
        torch.testing.assert_close(model(input_ids[1:]), wanted[1:], **CLOSE)


@pytest.mark.parametrize("name", ENCODERS | READERS)
def test_without_positions_a_source_has_no_order(name):
    model, blind = model_of(STACKS[name]), fresh(STACKS[name])
    forget_positions(getattr(blind, "encoder", blind))
    source, order = torch.arange(3, 14)[None], shuffled(0, 11)
    target = (ids(1, 1, 5),) if name in READERS else ()
    with torch.no_grad():
        straight, turned = ([each(text, *target) for each in (blind, model)] for text in (source, source[:, order]))
        straight = straight if target else [states[:, order] for states in straight]
        torch.testing.assert_close(turned[0], straight[0], **CLOSE)
        assert not torch.allclose(turned[1], straight[1], atol=1e-3)


def answer(name, model):
    with torch.no_grad():
        return model(ids(0, 2, 7), ids(1, 2, 5)) if name in READERS else model(ids(0, 2, 7))


@pytest.mark.parametrize("name", ["bert", "gpt2", "shaw", "bart", "t5-1.1"])
def test_save_and_load_give_the_same(name, tmp_path):
    model, other = model_of(STACKS[name]), fresh(STACKS[name], seed=1)
    assert not torch.equal(answer(name, other), answer(name, model))
    save_model(model, str(tmp_path / "model.safetensors"))
    load_model(other, tmp_path / "model.safetensors")
    assert torch.equal(answer(name, other), answer(name, model))


@pytest.mark.parametrize("name", STACKS)
def test_low_precision_is_kept(name):
    narrow = answer(name, fresh(STACKS[name]).bfloat16())
    assert narrow.dtype == torch.bfloat16
    torch.testing.assert_close(narrow.float(), answer(name, model_of(STACKS[name])), atol=0.2, rtol=0.1)
