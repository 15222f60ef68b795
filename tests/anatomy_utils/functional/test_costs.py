"""Costs by formula against the models that have them, and against published counts."""

import pytest
import torch
from solutions import both

from anatomy_utils.functional import costs
from anatomy_utils.zoo.albert import AlbertConfig, albert
from anatomy_utils.zoo.bert import BertConfig, bert
from anatomy_utils.zoo.gpt2 import Gpt2Config, with_head


def size(model):
    return sum(parameter.numel() for parameter in model.parameters())


@pytest.mark.parametrize("depth", [1, 3])
def test_counts_are_those_of_the_models(depth):
    with torch.device("meta"):
        wide = bert(BertConfig(97, 30, depth, 5, 41, 11))
        narrow = albert(AlbertConfig(97, 30, depth, 5, 41, 11, d_embedding=7))
        layer = size(wide.layers[0])
    for count in both("taxonomy.encoder_parameters"):
        own, shared = count(torch.tensor([depth]), 97 + 11 + 2, 7, 30, layer)
        assert (own.item(), shared.item()) == (size(wide), size(narrow))


def test_the_published_counts():
    own, shared = costs.encoder_parameters(torch.tensor([12]), 30522 + 512 + 2, 128, 768, 7_087_872)
    assert own.item() + 768 * 769 == 109_482_240, "BERT-base with the layer on top"
    shared = costs.encoder_parameters(torch.tensor([12]), 30000 + 512 + 2, 128, 768, 7_087_872).shared
    assert shared.item() + 768 * 769 == 11_683_584, "ALBERT-base with the layer on top"


def test_bytes_are_those_of_a_cache():
    model = with_head(Gpt2Config(53, 15, 2, 3, 11, d_ff=7), "LMHeadModel")
    with torch.no_grad():
        _, cache = model.step(torch.ones(1, 5, dtype=torch.long), model.start(1, 11))
    for count in both("taxonomy.cache_bytes"):
        assert count(torch.tensor([5, 90]), 2, 3, 5, 7, 4).tolist() == [cache.bytes, cache.bytes // 5 * 7]
