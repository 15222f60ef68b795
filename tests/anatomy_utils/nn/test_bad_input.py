"""What a learner may give a whole model by mistake, and the sentence that comes back: both numbers, and the cure."""

import re

import pytest
import torch
from unchecked import shapes_unchecked

from anatomy_utils.decoding import beam_search, generate
from anatomy_utils.functional import masks
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.zoo.bart import BartConfig, bart
from anatomy_utils.zoo.bert import BertConfig, bert
from anatomy_utils.zoo.gpt2 import Gpt2Config, with_head as gpt2
from anatomy_utils.zoo.llama import LlamaConfig, with_head as llama
from anatomy_utils.zoo.t5 import T5Config, t5
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

READER = bert(BertConfig(31, 12, 2, 3, 17, 8))
WITHOUT_SEGMENTS = bert(BertConfig(31, 12, 2, 3, 17, 8, 0))
WRITER = gpt2(Gpt2Config(31, 12, 2, 3, 8, 17), "LMHeadModel")
ROTARY = llama(LlamaConfig(31, 12, 2, 6, 2, 17, 4, 8), "CausalLM")
TRANSLATOR = bart(BartConfig(31, 12, 2, 2, 3, 2, 17, 19, 8))
RELATIVE = t5(T5Config(31, 12, 5, 17, 2, 2, 3))
TOO_LARGE = "input_ids run from 31 to 31, but this vocabulary's ids run from 0 to 30; use the tokenizer"
TOO_LONG = "The text has 9 positions, but the position table ends at 8; shorten or split .*, max_length=8"
INDIVISIBLE = "d_model 10 cannot be split into 3 heads of equal width; choose a number of heads that divides it"


def zeros(*shape):
    return torch.zeros(*shape, dtype=torch.long)


def ones(*shape):
    return torch.ones(*shape, dtype=torch.long)


def shapes(mask, wanted):
    return re.escape(f"attention_mask has shape {mask}, but input_ids has {wanted}; give one 0 or 1 per token")


MISTAKES = {
    "heads: gpt2": (lambda: gpt2(Gpt2Config(31, 10, 2, 3), "Model"), INDIVISIBLE),
    "heads: transformer": (lambda: transformer(TransformerConfig(31, 10, 2, 2, 3)), INDIVISIBLE),
    "heads: key/value": (
        lambda: llama(LlamaConfig(31, 12, 2, 6, 4), "CausalLM"), "6 heads cannot share 4 key/value heads evenly; choose"
    ),
    "heads: odd and rotary": (lambda: RotaryPositions(3), "d_head is 3"),
    "causal: cross-attention": (
        lambda: MultiHeadAttention(12, 3)(torch.ones(1, 2, 12), torch.ones(1, 3, 12), causal=True), "self-attention"
    ),
    "ids: encoder": (lambda: READER(zeros(1, 2) + 31), TOO_LARGE),
    "ids: below zero": (lambda: READER(zeros(1, 2) - 1), "input_ids run from -1 to -1, but this vocabulary's"),
    "ids: step": (lambda: WRITER.step(zeros(1, 2) + 31, WRITER.start(1, 4)), TOO_LARGE),
    "ids: source": (lambda: RELATIVE.start(zeros(1, 2) + 31, 4), TOO_LARGE),
    "ids: target": (lambda: TRANSLATOR(zeros(1, 2), zeros(1, 2) + 31), TOO_LARGE),
    "ids: one text": (lambda: READER(zeros(2)), r"input_ids has shape \(2,\), but a batch of texts has two axes"),
    "ids: not whole": (lambda: WRITER(torch.zeros(1, 2)), "input_ids are torch.float32, but ids are whole numbers"),
    "ids: segments": (
        lambda: READER(zeros(1, 2), segment_ids=zeros(1, 2) + 2), "segment_ids run from 2 to 2, but this table's ids"
    ),
    "ids: no segments": (lambda: WITHOUT_SEGMENTS(zeros(1, 2), segment_ids=zeros(1, 2)), "no segments"),
    "cache: mask of other texts": (
        lambda: WRITER.start(2, 4, attention_mask=ones(3, 2)), "The cache is to hold 2 texts, but attention_mask has 3"
    ),
    "length: encoder": (lambda: READER(zeros(1, 9)), TOO_LONG),
    "length: decoder": (lambda: WRITER(zeros(1, 9)), TOO_LONG),
    "length: prompt": (lambda: WRITER.step(zeros(1, 9), WRITER.start(1, 20)), TOO_LONG),
    "length: generation": (lambda: generate(WRITER.step, WRITER.start(1, 20), zeros(1, 7), max_new_tokens=4), TOO_LONG),
    "length: source": (lambda: TRANSLATOR(zeros(1, 9), zeros(1, 2)), TOO_LONG),
    "capacity: prompt": (
        lambda: generate(ROTARY.step, ROTARY.start(1, 6), zeros(1, 7), max_new_tokens=1),
        "room for 6 positions; 0 are filled and 7 more were given. Start with a larger capacity",
    ),
    "capacity: written": (
        lambda: generate(ROTARY.step, ROTARY.start(1, 8), zeros(1, 7), max_new_tokens=4),
        "room for 8 positions; 8 are filled and 1 more",
    ),
    "cache: decoder": (
        lambda: WRITER.step(zeros(3, 1), WRITER.start(2, 4)), "made for 2 texts, but input_ids has 3; start a cache"
    ),
    "cache: translator": (
        lambda: RELATIVE.step(zeros(3, 1), RELATIVE.start(zeros(2, 5), 4)), "made for 2 texts, but input_ids has 3"
    ),
    "cache: beams": (
        lambda: beam_search(WRITER.step, WRITER.start(1, 9), zeros(2, 3), num_beams=2, max_new_tokens=2),
        "made for 1 texts, but input_ids has 2",
    ),
    "mask: encoder": (
        lambda: READER(zeros(2, 5), ones(2, 4)), shapes((2, 4), (2, 5))
    ),
    "mask: broadcast": (lambda: READER(zeros(2, 5), ones(1, 5)), shapes((1, 5), (2, 5))),
    "mask: decoder": (lambda: WRITER(zeros(2, 5), ones(2, 4)), shapes((2, 4), (2, 5))),
    "mask: source": (lambda: RELATIVE(zeros(2, 5), zeros(2, 3), ones(2, 4)), shapes((2, 4), (2, 5))),
    "mask: target": (
        lambda: TRANSLATOR(zeros(2, 5), zeros(2, 3), ones(2, 5), ones(2, 5)), shapes((2, 5), (2, 3))
    ),
    "mask: numbers": (lambda: READER(zeros(1, 3), 2 * ones(1, 3)), "only 1 .* and 0 .*; it holds 2 to 2"),
    "mask: padded at the end": (
        lambda: WRITER.start(1, 4, attention_mask=torch.tensor([[1, 1, 0]])), "must be padded at the head"
    ),
    "texts: source and target": (
        lambda: TRANSLATOR(zeros(2, 5), zeros(3, 4)), "2 source texts and 3 target texts; give one target for each"
    ),
    "mask: no window": (lambda: masks.local_causal(5, 0), "window of 1 or more, not 5 and 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_gets_its_sentence(name):
    make, sentence = MISTAKES[name]
    with shapes_unchecked(), pytest.raises(ValueError, match=sentence):
        make()
