"""The one table of heads: which head a task gets, and what published files call its parts."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from torch import nn

from anatomy_utils.nn.heads import LanguageModel, MultipleChoice, SequenceHead, SpanHead, TokenHead, WithHead
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.gpt2 import Gpt2Config, gpt2
from anatomy_utils.zoo.heads import LABELS, POOLED, headed, masked, on_decoder, under_decoder_heads, under_heads

BODY = nn.Embedding(7, 5)
TEXT = partial(SequenceHead, 5, dropout=0.25)
KEYS = KeyMap([(r"old\.(\d)", r"new.\1")], ignore=[r"pooler\..*"])


@pytest.mark.parametrize(
    ("task", "kind", "labels"),
    [
        ("SequenceClassification", SequenceHead, 3),
        ("MultipleChoice", SequenceHead, 1),
        ("TokenClassification", TokenHead, 3),
    ],
)
def test_a_classifier_has_so_many_labels(task, kind, labels):
    model = headed(BODY, 5, task, 3, text=TEXT, dropout=0.5)
    assert type(model) is (MultipleChoice if task == "MultipleChoice" else WithHead)
    assert isinstance(model.head, kind) and model.head.labels.weight.shape == (labels, 5)
    assert model.head.dropout.p == (0.5 if kind is TokenHead else 0.25)


def test_a_task_without_a_head_is_the_stack():
    assert headed(BODY, 5, "Model", 3, text=TEXT) is BODY
    assert isinstance(headed(BODY, 5, "QuestionAnswering", 3, text=TEXT).head, SpanHead)


def test_a_family_may_have_another_head_for_a_task():
    model = headed(BODY, 5, "SequenceClassification", 3, text=TEXT, SequenceClassification=lambda: SpanHead(5))
    assert isinstance(model.head, SpanHead)


def test_a_decoder_writes_or_reads_its_last_token():
    stack = gpt2(Gpt2Config(23, 12, 2, 3, 29, 20))
    writer = on_decoder(stack, "CausalLM", 2, tied=False, bias=True)
    assert isinstance(writer, LanguageModel) and writer.vocabulary.bias.shape == (23,)
    assert writer.vocabulary.weight is not stack.embeddings.tokens.weight
    assert on_decoder(stack, "LMHeadModel", 2).vocabulary.weight is stack.embeddings.tokens.weight
    reader = on_decoder(stack, "SequenceClassification", 5)
    assert (reader.head.at, reader.head.activation, reader.head.labels.bias) == ("last", None, None)


def test_each_head_finds_its_own_parts_and_the_stack_s():
    tables = under_heads(KEYS, SequenceClassification=POOLED, TokenClassification=[LABELS])
    one = torch.ones(1)
    assert tables["Model"] is KEYS
    for task, table in tables.items():
        assert table.ours("old.4", one) == {"new.4" if task == "Model" else "body.new.4": one}
    assert tables["SequenceClassification"].ours("pooler.dense.bias", one) == {"head.dense.bias": one}
    assert tables["TokenClassification"].ours("pooler.dense.bias", one) == {}
    assert tables["TokenClassification"].ours("classifier.weight", one) == {"head.labels.weight": one}
    with pytest.raises(KeyError):
        tables["Model"].ours("classifier.weight", one)


def test_decoders_have_their_own_name_for_writing():
    one = torch.ones(1)
    table = under_decoder_heads(KEYS, "LMHeadModel")
    assert table["LMHeadModel"].ours("old.4", one) == {"decoder.new.4": one}
    assert table["LMHeadModel"].ours("lm_head.bias", one) == {"vocabulary.bias": one}
    assert table["SequenceClassification"].ours("score.weight", one) == {"head.labels.weight": one}
    assert "CausalLM" in under_decoder_heads(KEYS) and "CausalLM" not in table


@pytest.mark.parametrize("name", ["cls.bias", "cls.decoder.bias"])
def test_the_bias_for_masked_words_may_be_stored_twice(name):
    one = torch.ones(1)
    assert KeyMap(masked("transform", "cls")).ours(name, one) == {"head.vocabulary.bias": one}
