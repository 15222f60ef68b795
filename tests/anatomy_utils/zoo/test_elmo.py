"""ELMo: its two directions and its mix."""

import pytest
import torch
from torch import nn

from anatomy_utils.tap import watch
from anatomy_utils.zoo.elmo import ElmoConfig, LearnedMix, elmo

CLOSE = {"atol": 1e-6, "rtol": 1e-5}


@pytest.fixture(scope="module")
def small_elmo():
    torch.manual_seed(0)
    return elmo(ElmoConfig(31, 6, 6, 3)).eval()


def ids(batch, length, seed=0):
    return torch.randint(3, 31, (batch, length), generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
def test_each_direction_of_elmo_sees_its_own_side_only(small_elmo):
    input_ids = ids(1, 9)
    edited = input_ids.clone()
    edited[0, 4] += 1
    states = [small_elmo.language_model.states(each)[:, 0] for each in (input_ids, edited)]
    moved = (states[0] - states[1]).abs() > 0
    left, right = (half.any(-1) for half in moved.chunk(2, -1))  # state position
    assert left[0].tolist() == right[0].tolist() == [i == 4 for i in range(9)]
    for layer in (1, 2, 3):
        assert left[layer].tolist() == [i >= 4 for i in range(9)]
        assert right[layer].tolist() == [i <= 4 for i in range(9)]


@torch.no_grad()
def test_elmo_is_two_stacks_with_sums_from_the_second_layer_on(small_elmo):
    model = small_elmo.language_model
    vectors = model.tokens(ids(2, 7))
    first = model.from_right[0](vectors.flip(1))[0]
    second = first + model.from_right[1](first)[0]
    torch.testing.assert_close(model.states(ids(2, 7))[2, ..., 6:], second.flip(1), **CLOSE)
    following, preceding = model(ids(2, 7))
    assert following.shape == preceding.shape == (2, 7, 31)
    left, right = model.states(ids(2, 7))[-1].chunk(2, -1)
    torch.testing.assert_close(following, model.vocabulary(left), **CLOSE)
    torch.testing.assert_close(preceding, model.vocabulary(right), **CLOSE)


@torch.no_grad()
def test_padding_does_not_leak_into_elmo(small_elmo):
    input_ids, attention_mask = ids(2, 9), torch.ones(2, 9, dtype=torch.long)
    attention_mask[1, 5:] = 0
    torch.testing.assert_close(small_elmo(input_ids, attention_mask)[1:, :5], small_elmo(input_ids[1:, :5]), **CLOSE)


def test_elmos_mix_is_the_formula(small_elmo):
    mix = LearnedMix(4)
    with torch.no_grad():
        mix.weight.copy_(torch.tensor([0.0, 1.0, -2.0, 0.5]))
        mix.scale.fill_(3.0)
    states = torch.randn(4, 2, 5, 6, generator=torch.Generator().manual_seed(1))
    exponents = torch.tensor([0.0, 1.0, -2.0, 0.5]).exp()
    wanted = 3 * sum(exponent / exponents.sum() * state for exponent, state in zip(exponents, states, strict=True))
    torch.testing.assert_close(mix(states), wanted, **CLOSE)
    with watch(small_elmo) as seen:
        small_elmo(ids(2, 7))
    torch.testing.assert_close(seen["output"], small_elmo.mix(seen["states"]), **CLOSE)


def test_a_hidden_width_that_is_too_small_is_named():
    with pytest.raises(ValueError, match="d_hidden is 5; choose at least d_model, 6"):
        elmo(ElmoConfig(31, 6, 5, 1))


@pytest.mark.filterwarnings("ignore:LSTM with projections:UserWarning")  # torch says that it is slower
def test_elmo_may_be_wider_inside():
    model = elmo(ElmoConfig(31, 6, 11, 2))
    assert model.language_model.from_left[1].weight_hr_l0.shape == (6, 11)
    assert model(ids(2, 7)).shape == (2, 7, 12)


def test_gradients_reach_every_parameter():
    small = elmo(ElmoConfig(31, 6, 6, 2))
    following, preceding = small.language_model(ids(2, 7))
    (following.square().sum() + preceding.square().sum()).backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in small.language_model.parameters())
    assert isinstance(small.mix.weight, nn.Parameter)
