"""Transformer-XL against what transformers 4 answered (fixtures/make_transfo_xl.py)."""

import pytest
import torch
from transfo_xl_fixture import read, weights

from anatomy_utils.decoding import generate
from anatomy_utils.zoo import loader, transfo_xl

CLOSE = {"atol": 1e-5, "rtol": 1e-5}


@pytest.fixture(scope="module")
def fixture():
    return read()


@pytest.fixture(scope="module")
def windowed(fixture):
    config, tensors = fixture
    return loader("transfo-xl")(config, weights(tensors))


@pytest.mark.parametrize("way", ["published", "empty", "open"])
def test_equals_the_reference_over_three_segments(fixture, way):
    config, tensors = fixture
    model = loader("transfo-xl")(config | {"same_length": way != "open"}, weights(tensors)).train()
    memories = transfo_xl.zeros(model.decoder, 2) if way == "published" else None
    for i in range(3):
        ids, wanted = tensors[f"ids.{i}"], tensors[f"{way}.log_probabilities.{i}"]
        states, _ = model.decoder(ids, memories)
        log_probabilities, memories = model(ids, memories)
        torch.testing.assert_close(states, tensors[f"{way}.states.{i}"], **CLOSE)
        torch.testing.assert_close(log_probabilities, wanted, **CLOSE)
    for i, memory in enumerate(memories.layers):
        torch.testing.assert_close(memory, tensors[f"{way}.memories.{i}"], **CLOSE)
    (log_probabilities * torch.linspace(-1, 1, wanted.numel()).view_as(wanted)).sum().backward()
    squares = sum(parameter.grad.double().square().sum() for parameter in model.parameters())
    assert squares.item() == pytest.approx(tensors[f"{way}.gradient.squares"].item(), rel=1e-4)
    wanted = tensors[f"{way}.gradient.table"]
    got = model.decoder.embeddings.tokens.tables[0].weight.grad
    torch.testing.assert_close(got / wanted.abs().max(), wanted / wanted.abs().max(), atol=1e-5, rtol=0)


def test_the_body_by_itself(fixture):
    config, tensors = fixture
    model = loader("transfo-xl")(config | {"architectures": ["TransfoXLModel"]}, weights(tensors))
    torch.testing.assert_close(model(tensors["ids.0"])[0], tensors["empty.states.0"], **CLOSE)


def test_where_a_text_is_cut_makes_no_difference(fixture, windowed):
    ids = torch.cat([fixture[1][f"ids.{i}"] for i in range(3)], 1)
    with torch.no_grad():
        whole, memories, found = windowed(ids)[0], windowed.start(2), []
        for token in ids.split(1, 1):
            log_probabilities, memories = windowed.step(token, memories)
            found.append(log_probabilities)
        torch.testing.assert_close(torch.stack(found, 1), whole, **CLOSE)
        written = generate(windowed.step, windowed.start(2), ids[:, :4], max_new_tokens=5).ids
        assert written.shape == (2, 9)
        assert windowed(written[:, :8])[0][:, -1].argmax(-1).tolist() == written[:, 8].tolist()


def test_runs_in_bfloat16(fixture):
    config, tensors = fixture
    model = loader("transfo-xl")(config, weights(tensors)).bfloat16()
    log_probabilities, memories = model(tensors["ids.0"])
    log_probabilities, _ = model(tensors["ids.1"], memories)
    assert log_probabilities.dtype == torch.bfloat16 and log_probabilities.isfinite().all()


def test_the_published_one_has_as_many_numbers_as_the_reference():
    """The paper's table 1 says 257 million; transformers 4.57.6 counts these, on the meta device as here."""
    with torch.device("meta"):
        model = transfo_xl.with_head(transfo_xl.TransfoXLConfig(), "LMHeadModel")
    assert sum(parameter.numel() for parameter in model.parameters()) == 285_205_322


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"untie_r": False}, "untie_r is False, but Transformer-XL here has True"),
        ({"pre_lnorm": True}, "pre_lnorm is True"),
        ({"div_val": 1}, "div_val is 1"),
        ({"tie_projs": [False]}, "own_projections has 1 entries for 3 clusters"),
        ({"cutoffs": [29, 11]}, r"cutoffs \[29, 11\] do not rise"),
        ({"div_val": 30}, "24 divided by 30 2 times leaves no width"),
        ({"architectures": ["TransfoXLForSequenceClassification"]}, "is not here"),
    ],
)
def test_what_is_not_here_is_named(fixture, change, complaint):
    config, tensors = fixture
    with pytest.raises(ValueError, match=complaint):
        loader("transfo-xl")(config | change, weights(tensors))
