"""The roots of the family tree: ELMo's two directions and its mix; the recurrent translator's look back."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from anatomy_utils.recipes import train, translator
from anatomy_utils.tap import watch
from anatomy_utils.toy_language import say, street_vocabulary
from anatomy_utils.toy_language.batches import translation
from anatomy_utils.toy_language.sampling import sample_scenes
from anatomy_utils.training import cross_entropy
from anatomy_utils.zoo.elmo import ElmoConfig, LearnedMix, elmo
from anatomy_utils.zoo.recurrent import AdditiveAttention, RecurrentConfig, RecurrentTranslator

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


def test_additive_attention_is_the_formula_written_out():
    torch.manual_seed(0)
    attention, generator = AdditiveAttention(5, 7, 3), torch.Generator().manual_seed(1)
    state, annotations = torch.randn(2, 5, generator=generator), torch.randn(2, 4, 7, generator=generator)
    mask = torch.tensor([[True] * 4, [True, True, False, False]])
    context, weights = attention(state, annotations, attention.to_key(annotations), mask)
    w, u, v = (part.weight for part in (attention.to_query, attention.to_key, attention.to_score))
    for row, length in enumerate((4, 2)):
        energies = torch.stack([v[0] @ torch.tanh(w @ state[row] + u @ annotations[row, j]) for j in range(length)])
        wanted = energies.exp() / energies.exp().sum()
        torch.testing.assert_close(weights[row, :length], wanted, **CLOSE)
        torch.testing.assert_close(context[row], wanted @ annotations[row, :length], **CLOSE)
    assert weights[1, 2:].tolist() == [0, 0]


@pytest.fixture(scope="module")
def taught():
    """A translator that has read four sentences again and again."""
    torch.manual_seed(0)
    scenes = sample_scenes(4, torch.Generator().manual_seed(1), "train")
    model = RecurrentTranslator(RecurrentConfig(len(street_vocabulary()), 16, 24, 12, 16))
    batch = translation(scenes, "french")
    examples = batch[torch.arange(4).repeat(40)]
    train.train_model(model, examples, translator.translation_loss, batch_size=4, learning_rate=3e-2, progress=False)
    return model, scenes, batch


def test_the_translator_learns_and_looks_at_the_source(taught):
    model, scenes, batch = taught
    with watch(model, "attention.weights") as seen:
        written = translator.translate(model, batch)
    assert written == [str(say(scene, "french")) for scene in scenes]
    weights = torch.stack(seen.all("attention.weights"), 1)  # batch target source
    torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:2]))
    assert (weights >= 0).all() and (weights.masked_select(batch.attention_mask[:, None] == 0) == 0).all()


@torch.no_grad()
def test_writing_step_by_step_equals_teacher_forcing_and_padding_does_not_leak(taught):
    model, _, batch = taught
    wanted = model(batch.input_ids, batch.decoder_input_ids, batch.attention_mask)
    order = torch.arange(4).flip(0)
    reading = model.start(batch.input_ids, attention_mask=batch.attention_mask).rows(order)
    for i in range(6):
        logits, reading = model.step(batch.decoder_input_ids[order, i : i + 1], reading)
        torch.testing.assert_close(logits.flip(0), wanted[:, i], atol=1e-5, rtol=1e-5)
    shortest = int(batch.attention_mask.sum(1).argmin())
    length = int(batch.attention_mask[shortest].sum())
    assert length < batch.input_ids.shape[1]
    alone = model(batch.input_ids[shortest, None, :length], batch.decoder_input_ids[shortest, None])
    torch.testing.assert_close(alone[0], wanted[shortest], atol=1e-5, rtol=1e-5)


def test_gradients_reach_every_parameter(taught):
    _, _, batch = taught
    model = RecurrentTranslator(RecurrentConfig(len(street_vocabulary()), 5, 7, 3, 4))
    cross_entropy(model(batch.input_ids, batch.decoder_input_ids, batch.attention_mask), batch.labels).backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in model.parameters())
    small = elmo(ElmoConfig(31, 6, 6, 2))
    following, preceding = small.language_model(ids(2, 7))
    (following.square().sum() + preceding.square().sum()).backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in small.language_model.parameters())
    assert isinstance(small.mix.weight, nn.Parameter)
