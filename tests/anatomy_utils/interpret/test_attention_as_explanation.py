"""Explanations: ranks by hand, effects as single runs give them, and other weights that really give the same answer."""

import pytest
import torch
from torch.nn import functional as F

from anatomy_course.lab.small_models.encoder_tasks import D_MODEL, small_encoder
from anatomy_utils.interpret import attention_as_explanation
from anatomy_utils.interpret.attention_as_explanation import (
    WeightsAndEffects,
    find_alternative_weights,
    same_top_word,
    spearman,
    weights_and_effects_correlation,
)
from anatomy_utils.interpret.head_ablation import nothing_from
from anatomy_utils.nn.heads import SequenceHead, WithHead
from anatomy_utils.tap import edit, watch
from anatomy_utils.training import seeded

IDS = torch.tensor([[1, 20, 34, 51, 17, 90, 33]])


@pytest.fixture(scope="module")
def model() -> WithHead:
    with seeded(torch.Generator().manual_seed(4)):
        return WithHead(small_encoder(), SequenceHead(D_MODEL, 1, activation=None)).eval()


def test_rank_correlation_by_hand() -> None:
    numbers = torch.tensor([[3.0, 1.0, 2.0, 9.0], [1.0, 2.0, 3.0, 4.0]])
    others = torch.tensor([[30.0, -1.0, 2.0, 90.0], [4.0, 3.0, 2.0, 1.0]])
    assert spearman(numbers, others).tolist() == pytest.approx([1, -1])
    # ranks 0 1 2 3 against 1 0 2 3: 1 − 6 · (1 + 1) / (4 · 15) = 0.8
    assert spearman(torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([2.0, 1.0, 3.0, 4.0])).item() == pytest.approx(0.8)


def test_effects_are_what_each_single_run_gives(model: WithHead) -> None:
    encoder = model.body
    found = attention_as_explanation.weights_and_effects(encoder, IDS)
    assert found.weights.shape == (2, 7, 7) and found.effects.shape == (7, 7)
    assert torch.allclose(found.weights.sum(dim=-1), torch.ones(2, 7), atol=1e-5)
    mask = torch.ones_like(IDS)
    mask[0, 5] = 0
    with torch.no_grad(), watch(encoder, "layers.1.self_attention.weights") as seen:
        whole = encoder(IDS)[0]
        without = encoder(IDS, mask)[0]
    assert torch.allclose(found.effects[:, 5], 1 - F.cosine_similarity(without, whole, dim=-1), atol=1e-5)
    first_run = seen.all("layers.1.self_attention.weights")[0]
    assert torch.allclose(found.weights[1], first_run[0].mean(dim=0), atol=1e-5)
    emptied = attention_as_explanation.weights_and_effects(encoder, IDS, values_only=True)
    with torch.no_grad(), nothing_from(encoder, 5):
        without = encoder(IDS)[0]
    assert torch.allclose(emptied.effects[:, 5], 1 - F.cosine_similarity(without, whole, dim=-1), atol=1e-5)
    assert not torch.allclose(emptied.effects, found.effects, atol=1e-5)


def test_agreement_leaves_a_words_effect_on_itself_out() -> None:
    weights = torch.tensor([[[0.1, 0.5, 0.3, 0.1], [0.0, 0.2, 0.3, 0.5], [0.4, 0.3, 0.2, 0.1], [0.3, 0.2, 0.1, 0.4]]])
    effects = weights[0].clone()
    effects[0] = torch.tensor([9.0, 0.1, 0.3, 0.5])  # the opposite order of the other three
    effects.fill_diagonal_(9.0)
    found = WeightsAndEffects(weights, effects)
    assert weights_and_effects_correlation(found)[0].tolist() == pytest.approx([-1, 1, 1, 1])
    assert same_top_word(found).tolist() == [[False, True, True, True]]


def test_other_weights_give_the_same_answer(model: WithHead) -> None:
    found = find_alternative_weights(model, IDS, torch.Generator().manual_seed(0))
    assert found is not None
    assert torch.allclose(found.others.sum(dim=-1), torch.ones(4), atol=1e-6) and (found.others >= 0).all()
    assert (
        found.moved == pytest.approx(0.5 * (found.weights - found.others).abs().sum().item() / 4) and found.moved > 0.5
    )

    def replace(weights: torch.Tensor) -> torch.Tensor:
        weights = weights.clone()
        weights[0, :, 0] = found.others
        return weights

    with torch.no_grad(), edit(model, {"body.layers.1.self_attention.weights": replace}):
        changed = model(IDS).item()
    assert changed == pytest.approx(found.other_answer, abs=1e-5)
    with torch.no_grad():
        assert model(IDS).item() == pytest.approx(found.answer, abs=1e-5)
    assert 0 < abs(changed - found.answer) <= attention_as_explanation.SAME


def test_an_answer_outside_of_what_single_words_give_has_no_other_weights(model: WithHead) -> None:
    assert find_alternative_weights(model, IDS, torch.Generator().manual_seed(0), tries=1) is None
    two = WithHead(model.body, SequenceHead(D_MODEL, 2))
    with pytest.raises(ValueError, match="a head of one label"):
        find_alternative_weights(two, IDS, torch.Generator())
