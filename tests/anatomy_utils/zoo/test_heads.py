"""The one table of heads: which head a task gets, and what published files call its parts."""

from functools import partial

import pytest
import torch
from torch import nn

from anatomy_utils.nn.heads import MultipleChoice, SequenceHead, TokenHead, WithHead
from anatomy_utils.zoo.checkpoint import KeyMap
from anatomy_utils.zoo.heads import headed, masked

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


@pytest.mark.parametrize("name", ["cls.bias", "cls.decoder.bias"])
def test_the_bias_for_masked_words_may_be_stored_twice(name):
    one = torch.ones(1)
    assert KeyMap(masked("transform", "cls")).ours(name, one) == {"head.vocabulary.bias": one}
