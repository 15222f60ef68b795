"""Parameters by organ: all of them, each once."""

import pytest
from torch import nn

from anatomy_utils import pretrained
from anatomy_utils.interpret.parameter_count import parameters_by_part
from anatomy_utils.nn.heads import MaskedLanguageHead, WithHead
from anatomy_utils.nn.norm import LayerNorm


@pytest.fixture(scope="module")
def encoder():
    return pretrained.load("minilm").model


def test_every_parameter_is_counted_once(encoder):
    counts = parameters_by_part(encoder)
    assert sum(counts.values()) == sum(parameter.numel() for parameter in encoder.parameters())
    assert counts["attention"] == 6 * 4 * (384 * 384 + 384)
    assert counts["feed-forward"] == 6 * (2 * 384 * 1536 + 1536 + 384)
    assert counts["embeddings"] == (30522 + 512 + 2) * 384
    assert counts["norms"] == 13 * 2 * 384
    assert counts["heads and the rest"] == 0


def test_a_shared_table_is_not_counted_again(encoder):
    model = WithHead(encoder, MaskedLanguageHead(encoder.embeddings.tokens, LayerNorm(384)))
    counts = parameters_by_part(model)
    assert sum(counts.values()) == sum(parameter.numel() for parameter in model.parameters())
    assert counts["embeddings"] == (30522 + 512 + 2) * 384
    assert counts["heads and the rest"] == 384 * 384 + 384 + 30522
    assert counts["norms"] == 14 * 2 * 384


def test_any_module_will_do():
    assert parameters_by_part(nn.Linear(3, 5))["heads and the rest"] == 20
