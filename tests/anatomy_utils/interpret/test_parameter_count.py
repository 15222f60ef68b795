"""Parameters by organ: all of them, each once."""

import pytest
from torch import nn

from anatomy_utils import pretrained
from anatomy_utils.interpret.parameter_count import active_parameters, parameters_by_part
from anatomy_utils.nn.heads import MaskedLanguageHead, WithHead
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.taxonomy import find
from anatomy_utils.taxonomy.build import build


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


ACTIVE = [
    ("Mixtral", "8x7B", 12.9e9, 1e8),
    ("Mixtral", "8x22B", 39e9, 1e9),
    ("Qwen 3 with experts", "30B-A3B", 3.3e9, 1e8),
    ("Qwen 3 with experts", "235B-A22B", 22e9, 1e9),
    ("DeepSeek-V3", "671B", 37e9, 1e9),
    ("Qwen3-Next", "80B-A3B", 3.9e9, 1e8),  # our own count, which its row tells: "A3B" is all that is stated
    ("gpt-oss", "20b", 3.61e9, 1e7),
    ("gpt-oss", "120b", 5.13e9, 1e7),
]


@pytest.mark.parametrize(("name", "size", "stated", "rounding"), ACTIVE)
def test_what_a_token_meets_is_what_is_published(name, size, stated, rounding):
    model = build(find(name), find(name).size(size))
    table = model.decoder.embeddings.tokens.weight.numel() if name == "gpt-oss" else 0  # which its authors leave out
    assert abs(active_parameters(model) - table - stated) < rounding


def test_without_experts_a_token_meets_everything(encoder):
    assert active_parameters(encoder) == sum(parameter.numel() for parameter in encoder.parameters())
