"""W_QK and W_OV of a head make its scores and its outputs, and a head that copies is found to copy."""

import torch

from anatomy_utils import nn
from anatomy_utils.interpret.head_circuits import output_value_matrices, query_key_matrices, word_circuits
from anatomy_utils.tap import watch


def test_the_two_products_make_scores_and_outputs():
    attention = nn.MultiHeadAttention(15, 3, bias=False)
    x = torch.randn(1, 7, 15)
    with torch.no_grad(), watch(attention) as seen:
        output = attention(x)
    scores = x @ query_key_matrices(attention) @ x.mT / 5**0.5
    assert torch.allclose(scores, seen["scores"][0], atol=1e-5)
    added = seen["weights"][0] @ (x @ output_value_matrices(attention))
    assert torch.allclose(added.sum(0), output[0], atol=1e-5)


def test_a_copier_its_opposite_and_chance():
    vectors, places, one = torch.randn(200, 30), torch.arange(0, 200, 5), torch.eye(30)
    copier = word_circuits(vectors, one, one, places)
    opposite = word_circuits(vectors, -one, -one, places)
    assert copier.own_match() > 0.99 and copier.own_writing() > 0.99
    assert opposite.own_match() < 0.01 and opposite.own_writing() < 0.01
    random = word_circuits(vectors, torch.randn(30, 30), torch.randn(30, 30), places)
    assert 0.3 < random.own_match() < 0.7 and 0.3 < random.own_writing() < 0.7
