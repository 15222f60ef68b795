"""Other weights for a moment: in the block they count, after it the model is as it was."""

import pytest
import torch

from anatomy_course.lab import organs
from anatomy_utils.training import seeded
from anatomy_utils.zoo.llama import LlamaConfig, with_head

IDS = torch.tensor([[3, 1, 4, 15, 9, 2, 6]])


@pytest.fixture
def model():
    config = LlamaConfig(
        vocab_size=17, d_model=12, num_layers=2, num_heads=3, num_kv_heads=1, d_ff=10, max_positions=16, d_head=4
    )
    with seeded(torch.Generator().manual_seed(0)):
        return with_head(config, "CausalLM").eval()


def test_the_numbers_are_others_in_the_block_and_the_same_after_it(model):
    name = "decoder.layers.1.feed_forward.gate.weight"
    before = {key: weight.clone() for key, weight in model.state_dict().items()}
    own = organs.perplexity(model, IDS)
    with organs.other_weights(model, {name: torch.zeros(10, 12)}):
        assert organs.perplexity(model, IDS) != pytest.approx(own, rel=1e-6)
    assert organs.perplexity(model, IDS) == own
    assert all(torch.equal(weight, before[key]) for key, weight in model.state_dict().items())
    with pytest.raises(ValueError, match=r"numbers \(2, 3\) for .* has the shape \(10, 12\)"):
        organs.other_weights(model, {name: torch.zeros(2, 3)}).__enter__()
    with pytest.raises(ValueError, match="'nothing', which does not exist"):
        organs.other_weights(model, {"nothing": torch.zeros(2)}).__enter__()


def test_perplexity_is_e_to_the_mean_loss(model):
    with torch.no_grad():
        given = model(IDS)[0, :-1].softmax(-1)[torch.arange(6), IDS[0, 1:]]
    assert organs.perplexity(model, IDS) == pytest.approx(float(given.log().neg().mean().exp()), rel=1e-5)


def test_all_directions_keep_all_and_the_best_of_a_text_keep_most_of_it(model):
    with torch.no_grad():
        made = organs.keys_and_values(model, IDS)
    assert made.shape == (2, 7, 8)
    directions = organs.best_directions(made)
    assert ((made @ directions).square().sum(1).diff(dim=-1) <= 1e-4).all(), "the longest first"
    own = organs.perplexity(model, IDS)
    with organs.other_weights(model, organs.squeezed(model, directions)):
        assert organs.perplexity(model, IDS) == pytest.approx(own, rel=1e-5)
    with organs.other_weights(model, organs.squeezed(model, directions[:1, :, :3].expand(2, -1, -1))), torch.no_grad():
        kept = organs.keys_and_values(model, IDS)
    basis = directions[0, :, :3]
    torch.testing.assert_close(kept[0], made[0] @ basis @ basis.T, atol=1e-5, rtol=0)


def test_unpacking_codes():
    codes, scales = torch.tensor([[1.0, -2, 3, 0]]), torch.tensor([[0.5, 10.0]])
    assert organs.unpack(codes, scales).tolist() == [[0.5, -1.0, 30.0, 0.0]]
    assert organs.unpack(codes, scales, torch.tensor([[1.0, -1.0]])).tolist() == [[1.5, 0.0, 29.0, -1.0]]
