"""Transformer-XL against what transformers 4 answered (fixtures/make_transfo_xl.py), and tables of several widths."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from transfo_xl_fixture import read, weights

from anatomy_utils.decoding import generate
from anatomy_utils.nn.adaptive_softmax import AdaptiveSoftmax, AdaptiveTokens
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


def test_tables_by_hand():
    """Two words with rows of two numbers, three with rows of one; each projection is written out."""
    tokens = AdaptiveTokens(5, 3, cutoffs=[2], d_table=2, divisor=2)
    with torch.no_grad():
        tokens.tables[0].weight.copy_(torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
        tokens.tables[1].weight.copy_(torch.tensor([[1.0], [2.0], [3.0]]))
        tokens.projections[0].weight.copy_(torch.tensor([[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]))
        tokens.projections[1].weight.copy_(torch.tensor([[7.0], [8.0], [9.0]]))
    assert tokens(torch.tensor([[1, 4]])).tolist() == [[[4, 5, 6], [21, 24, 27]]]
    with pytest.raises(ValueError, match="from 0 to 5, but this vocabulary's ids run from 0 to 4"):
        tokens(torch.tensor([[0, 5]]))


def test_adaptive_softmax_equals_torchs():
    torch.manual_seed(0)
    head = AdaptiveSoftmax(AdaptiveTokens(29, 12, cutoffs=[7, 16], d_table=12, divisor=2), [True, False, True])
    theirs = nn.AdaptiveLogSoftmaxWithLoss(12, 29, [7, 16], div_value=2.0)  # it has no biases
    with torch.no_grad():
        for words in head.words:
            words.bias.zero_()
        head.clusters.bias.zero_()
        head.projections[0].weight.copy_(torch.eye(12))
        theirs.head.weight.copy_(torch.cat([head.words[0].weight, head.clusters.weight]))
        for i, (narrow, words) in enumerate(theirs.tail, 1):
            narrow.weight.copy_(head.projections[i].weight.T)
            words.weight.copy_(head.words[i].weight)
        states = torch.randn(2, 5, 12)
        got = head(states)
        torch.testing.assert_close(got.flatten(0, 1), theirs.log_prob(states.flatten(0, 1)), **CLOSE)
        torch.testing.assert_close(got.exp().sum(-1), torch.ones(2, 5))
