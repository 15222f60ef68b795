"""Distilling: the student's size and beginning, what it learns from, and that the teacher stays as it is."""

import copy

import pytest
import torch

from anatomy_utils.nn.heads import MaskedLanguageHead, WithHead
from anatomy_utils.nn.norm import LayerNorm
from anatomy_utils.recipes import distilling, masked_language_model
from anatomy_utils.recipes.encoder_tasks import D_MODEL, small_encoder
from anatomy_utils.toy_language.sampling import sample_scenes
from anatomy_utils.training import seeded

UNSEEN = sample_scenes(23, torch.Generator().manual_seed(3), "test")


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def teacher():
    """Four layers that have learnt nothing: what they say is an opinion all the same."""
    with seeded(generator(1)):
        encoder = small_encoder(num_layers=4)
        return WithHead(encoder, MaskedLanguageHead(encoder.embeddings.tokens, LayerNorm(D_MODEL))).eval()


def weights(model):
    return {name: weight.clone() for name, weight in model.state_dict().items()}


def alike(one, other):
    return all(torch.equal(one[name], other[name]) for name in one)


def test_a_student_has_every_other_layer(teacher):
    student = distilling.new_student(teacher, generator(), begins_as_teacher=True)
    assert len(student.body.layers) == 2
    for mine, theirs in ((0, 0), (1, 2)):
        assert alike(weights(student.body.layers[mine]), weights(teacher.body.layers[theirs]))
    assert alike(weights(student.body.embeddings), weights(teacher.body.embeddings))
    assert alike(weights(student.head), weights(teacher.head))
    assert student.head.vocabulary.weight is student.body.embeddings.tokens.weight, "still one table"
    other = distilling.new_student(teacher, generator())
    assert not torch.equal(other.head.dense.weight, teacher.head.dense.weight)


def test_the_teacher_stays_as_it_is(teacher):
    before = weights(teacher)
    student, history = distilling.train_student(teacher, steps=2, begins_as_teacher=True, progress=False)
    assert alike(weights(teacher), before) and not teacher.training and not student.training
    assert len(history) == 2 and not torch.equal(student.head.dense.weight, teacher.head.dense.weight)


def test_without_a_share_the_teacher_is_not_heard(teacher):
    deaf = copy.deepcopy(teacher)
    for parameter in deaf.parameters():
        parameter.data.mul_(3)
    losses = {
        share: [distilling.train_student(one, 7, soft_share=share, steps=2, progress=False)[1].loss
                for one in (teacher, deaf)]
        for share in (0, 0.5, 1)
    }  # fmt: skip
    assert losses[0][0] == losses[0][1]
    assert losses[0.5][0] != losses[0.5][1] and losses[1][0] != losses[1][1]
    first = {share: both[0][0] for share, both in losses.items()}
    assert first[0.5] == pytest.approx((first[0] + first[1]) / 2), "the first step meets the same gaps"


def test_a_student_comes_closer_to_its_teacher(teacher):
    def opinions(model):
        texts = masked_language_model.one_gap_each(masked_language_model.language_modelling(UNSEEN), generator(5))
        with torch.no_grad():
            return model(texts.input_ids, texts.attention_mask)

    before = distilling.new_student(teacher, generator(2))
    after, history = distilling.train_student(teacher, 2, steps=12, progress=False)
    assert history.loss[-1] < history.loss[0]
    assert (opinions(after) - opinions(teacher)).square().mean() < (
        opinions(before) - opinions(teacher)
    ).square().mean()


def test_students_are_judged_on_one_gap_each(teacher):
    loss = distilling.unseen_loss(teacher, UNSEEN, generator(5))
    assert loss == distilling.unseen_loss(teacher, UNSEEN, generator(5)) > 0
    assert loss != distilling.unseen_loss(teacher, UNSEEN, generator(6))
