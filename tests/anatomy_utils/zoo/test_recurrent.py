"""The recurrent translator: what its look back is, and that it learns."""

import pytest
import torch

from anatomy_course.lab.small_models import train, translator
from anatomy_course.lab.street import say, street_vocabulary
from anatomy_course.lab.street.batches import translation
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_utils.tap import watch
from anatomy_utils.training import cross_entropy
from anatomy_utils.zoo.recurrent import AdditiveAttention, RecurrentConfig, RecurrentTranslator

CLOSE = {"atol": 1e-6, "rtol": 1e-5}


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
