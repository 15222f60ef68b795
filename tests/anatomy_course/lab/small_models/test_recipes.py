"""What all trainings share: a seed decides them, they read no scene of the test, and whoever listens can end them."""

import sys

import pytest
import torch
from torch import nn

from anatomy_course.lab import small_models
from anatomy_course.lab.small_models import encoder_tasks
from anatomy_course.lab.small_models.train import train_model
from anatomy_course.lab.street import split_of
from anatomy_course.lab.street.batches import classification
from anatomy_course.lab.street.sampling import sample_scenes

RECIPES = """
    train_classifier train_tagger train_question_answerer train_masked_language_model train_elmo
    train_small_gpt train_text_to_text train_translator
""".split()


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_seed_decides_a_training_that_reads_no_scene_of_the_test_and_can_be_ended(recipe, monkeypatch):
    train, read, heard = getattr(small_models, recipe), [], []

    def sample(*arguments):
        scenes = sample_scenes(*arguments)
        read.extend(scenes)
        return scenes

    def listen(history):
        heard.append(len(history))
        return len(history) == 2

    monkeypatch.setattr(sys.modules[train.__module__], "sample_scenes", sample)
    first, again, other = (train(seed, steps=3, on_step=listen, progress=False)[1] for seed in (0, 0, 1))
    assert first.loss == again.loss != other.loss
    assert heard == [1, 2] * 3 and "on_step" in first.stopped
    assert {split_of(scene) for scene in read} == {"train"}


def test_examples_come_once_and_in_order_and_the_rate_rises_and_falls():
    examples = classification(sample_scenes(23, torch.Generator().manual_seed(1)))
    seen = []

    def loss(model, batch):
        seen.append(batch.input_ids)
        return model(torch.ones(1, 2)).sum()

    model = nn.Linear(2, 1)
    history = train_model(model, examples, loss, batch_size=2, learning_rate=0.5, progress=False)
    assert torch.equal(torch.cat(seen), examples.input_ids[:22]) and not model.training
    assert history.learning_rate[0] == max(history.learning_rate) == 0.5 and history.learning_rate[-1] == 0
    with pytest.raises(ValueError, match="23 examples do not fill a batch of 24"):
        train_model(model, examples, encoder_tasks.label_loss, batch_size=24, learning_rate=0.1, progress=False)
