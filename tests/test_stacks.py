"""What every stack promises, whatever its organs: causality, padding, caches, batches."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from anatomy_utils.zoo.bart import BartConfig, bart
from anatomy_utils.zoo.bert import BertConfig, bert
from anatomy_utils.zoo.gpt2 import Gpt2Config
from anatomy_utils.zoo.gpt2 import with_head as gpt2
from anatomy_utils.zoo.llama import LlamaConfig
from anatomy_utils.zoo.llama import with_head as llama
from anatomy_utils.zoo.t5 import T5Config, t5
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

GPT2 = Gpt2Config(31, 12, 2, 3, 40, 17)
LLAMA = LlamaConfig(31, 12, 2, 6, 2, 17, 4, 40)
DECODERS = {"gpt2": lambda: gpt2(GPT2, "LMHeadModel"), "llama": lambda: llama(LLAMA, "CausalLM")}
READERS = {
    "transformer": lambda: transformer(TransformerConfig(31, 12, 2, 2, 3, 17)),
    "pre-norm": lambda: transformer(TransformerConfig(31, 12, 2, 2, 3, 17, pre_norm=True)),
    "t5": lambda: t5(T5Config(31, 12, 5, 17, 2, 2, 3)),
    "bart": lambda: bart(BartConfig(31, 12, 2, 2, 3, 2, 17, 19, 40)),
}
CLOSE = {"atol": 1e-5, "rtol": 1e-4}


def made(make):
    torch.manual_seed(0)
    return make().eval()


def ids(seed, batch, length):
    return torch.randint(3, 31, (batch, length), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("name", DECODERS)
@given(seed=st.integers(0, 999), length=st.integers(2, 20), data=st.data())
@settings(max_examples=15, deadline=None)
def test_decoders_see_only_the_past_and_need_no_second_look(name, seed, length, data):
    model = made(DECODERS[name])
    split = data.draw(st.integers(1, length - 1))
    before = ids(seed, 2, length)
    after = torch.cat([before[:, :split], ids(seed + 1, 2, length - split)], 1)
    with torch.no_grad():
        logits = model(before)
        torch.testing.assert_close(model(after)[:, :split], logits[:, :split], **CLOSE)
        torch.testing.assert_close(model(before[1:]), logits[1:], **CLOSE)  # one by one = in a batch
        cache = model.step(before[:, :split], model.start(2, length))[1]
        torch.testing.assert_close(model.step(before[:, split:], cache)[0], logits[:, -1], **CLOSE)


@pytest.mark.parametrize("name", READERS)
@given(seed=st.integers(0, 999), source=st.integers(2, 12), target=st.integers(2, 12), pad=st.integers(1, 5))
@settings(max_examples=12, deadline=None)
def test_encoder_decoders_keep_their_promises(name, seed, source, target, pad):
    model = made(READERS[name])
    input_ids, target_ids = ids(seed, 2, source), ids(seed + 1, 2, target)
    padded = F.pad(input_ids, (0, pad), value=7)
    attention_mask = F.pad(torch.ones_like(input_ids), (0, pad))
    with torch.no_grad():
        logits = model(input_ids, target_ids)
        torch.testing.assert_close(model(padded, target_ids, attention_mask), logits, **CLOSE)
        changed = target_ids.clone()
        changed[:, -1] = 3
        torch.testing.assert_close(model(input_ids, changed)[:, :-1], logits[:, :-1], **CLOSE)
        cache = model.start(padded, target, attention_mask=attention_mask)
        for i in range(target):
            step, cache = model.step(target_ids[:, i : i + 1], cache)
            torch.testing.assert_close(step, logits[:, i], **CLOSE)


@given(seed=st.integers(0, 999), length=st.integers(2, 15), pad=st.integers(1, 5))
@settings(max_examples=12, deadline=None)
def test_an_encoder_does_not_see_padding_and_without_positions_no_order(seed, length, pad):
    model = made(lambda: bert(BertConfig(31, 12, 2, 3, 17, 40)))
    input_ids = ids(seed, 2, length)
    with torch.no_grad():
        wanted = model(input_ids)
        padded, mask = F.pad(input_ids, (0, pad)), F.pad(torch.ones_like(input_ids), (0, pad))
        torch.testing.assert_close(model(padded, mask)[:, :length], wanted, **CLOSE)
        model.embeddings.positions = None
        order = torch.randperm(length, generator=torch.Generator().manual_seed(seed))
        torch.testing.assert_close(model(input_ids[:, order]), model(input_ids)[:, order], **CLOSE)


@pytest.mark.parametrize("pre_norm", [False, True])
def test_the_transformer_equals_torch(pre_norm):
    config = TransformerConfig(31, 12, 2, 3, 3, 17, pre_norm=pre_norm)
    ours = transformer(config, generator=torch.Generator().manual_seed(0)).eval()
    theirs = nn.Transformer(
        12, 3, 2, 3, 17, batch_first=True, norm_first=pre_norm, dropout=0.0,
        custom_encoder=None, custom_decoder=None,
    ).eval()  # fmt: skip
    if not pre_norm:
        theirs.encoder.norm = theirs.decoder.norm = nn.Identity()  # the paper has no norm behind the stacks
    place = "before" if pre_norm else "after"

    def copy_attention(mine, other):
        other.in_proj_weight.data = torch.cat([part.weight for part in (mine.to_query, mine.to_key, mine.to_value)])
        other.in_proj_bias.data = torch.cat([part.bias for part in (mine.to_query, mine.to_key, mine.to_value)])
        other.out_proj.load_state_dict(mine.to_output.state_dict())

    for mine, other in zip(ours.encoder.layers, theirs.encoder.layers, strict=True):
        copy_attention(mine.self_attention, other.self_attn)
        other.linear1.load_state_dict(mine.feed_forward.expand.state_dict())
        other.linear2.load_state_dict(mine.feed_forward.contract.state_dict())
        other.norm1.load_state_dict(getattr(mine.attention_norms, place).state_dict())
        other.norm2.load_state_dict(getattr(mine.feed_forward_norms, place).state_dict())
    for mine, other in zip(ours.decoder.layers, theirs.decoder.layers, strict=True):
        copy_attention(mine.self_attention, other.self_attn)
        copy_attention(mine.cross_attention, other.multihead_attn)
        other.linear1.load_state_dict(mine.feed_forward.expand.state_dict())
        other.linear2.load_state_dict(mine.feed_forward.contract.state_dict())
    source, target = ids(0, 2, 7), ids(1, 2, 5)
    hidden = theirs(
        ours.encoder.embeddings(source),
        ours.decoder.embeddings(target),
        tgt_mask=nn.Transformer.generate_square_subsequent_mask(5),
        tgt_is_causal=True,
    )
    torch.testing.assert_close(ours(source, target), ours.vocabulary(hidden), **CLOSE)
