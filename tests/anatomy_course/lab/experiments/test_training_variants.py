"""Another way to teach the translator: schedules are followed, smoothing gives the loss a floor, runs compare."""

import pytest
import torch

from anatomy_course.lab.experiments.training_variants import train_translator_variant, unseen_translation_loss
from anatomy_course.lab.small_models.translator import train_translator
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_utils.training import linear_schedule, paper_schedule

UNSEEN = sample_scenes(30, torch.Generator().manual_seed(7), "test")


def test_the_usual_way_is_one_of_them():
    _, usual = train_translator(4, steps=3, progress=False)
    _, same = train_translator_variant(
        linear_schedule(4e-3, steps=3, warmup=0), 4, pre_norm=True, steps=3, progress=False
    )
    assert same.loss == usual.loss
    _, post_norm = train_translator_variant(4e-3, 4, steps=3, progress=False)
    assert post_norm.loss[0] != usual.loss[0]


def test_the_schedule_is_followed():
    paper = paper_schedule(64, warmup=2)
    _, history = train_translator_variant(paper, steps=3, progress=False)
    assert history.learning_rate == [paper(1), paper(2), paper(3)]
    assert train_translator_variant(0.001, steps=2, progress=False)[1].learning_rate == [0.001] * 2


def test_smoothing_lifts_the_loss_that_is_learnt_from_and_not_the_one_that_is_compared():
    runs = [train_translator_variant(1e-9, 2, label_smoothing=e, steps=1, progress=False) for e in (0, 0.4)]
    assert runs[0][1].loss != runs[1][1].loss
    plain, smooth = (unseen_translation_loss(model, UNSEEN) for model, _ in runs)
    assert plain == pytest.approx(smooth, abs=1e-4)
