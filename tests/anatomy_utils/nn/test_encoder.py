"""Encoders that are given vectors and a mask instead of ids."""

import pytest
import torch

from anatomy_utils.functional import masks
from anatomy_utils.zoo.bert import BertConfig, bert
from anatomy_utils.zoo.t5 import T5Config, t5


@torch.no_grad()
@pytest.mark.parametrize(
    "build", [lambda: bert(BertConfig(31, 12, 2, 3, 17, 40)), lambda: t5(T5Config(31, 12, 4, 17, 2, 2, 3)).encoder]
)
def test_an_encoder_takes_vectors_and_a_mask(build):
    torch.manual_seed(0)
    ids, real = torch.tensor([[3, 1, 4, 1, 5, 9], [2, 6, 5, 3, 5, 8]]), torch.tensor([[1] * 6, [1] * 4 + [0] * 2])
    encoder = build().eval()
    got = encoder.run_layers(encoder.embeddings(ids), masks.padding(real))
    torch.testing.assert_close(got, encoder(ids, real))
