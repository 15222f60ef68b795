"""Losses: by hand, by their formula, and against torch's."""

import math

import pytest
import torch
from hypothesis import given, strategies as st
from seeds import SEEDS, generator
from torch.nn import functional as F

from anatomy_utils.training import IGNORE, cross_entropy
from anatomy_utils.training.losses import perplexity, soft_loss


def test_cross_entropy_by_hand():
    logits = torch.tensor([[0.5, 0.25, 0.25], [0.125, 0.125, 0.75]]).log()
    plain = cross_entropy(logits, torch.tensor([0, 1]))
    torch.testing.assert_close(plain.item(), (math.log(2) + math.log(8)) / 2)
    smooth = cross_entropy(logits[:1], torch.tensor([0]), label_smoothing=0.3)
    torch.testing.assert_close(smooth.item(), 0.7 * math.log(2) + 0.3 * (math.log(2) + 2 * math.log(4)) / 3)


@given(SEEDS, st.floats(0.0, 0.9))
def test_cross_entropy_equals_the_formula_and_torch(seed, smoothing):
    logits = 3 * torch.randn(2, 5, 7, generator=generator(seed))
    labels = torch.randint(0, 7, (2, 5), generator=generator(seed))
    labels[0, 2:] = IGNORE
    logs = logits.log_softmax(-1)
    per_token = (1 - smoothing) * -logs.gather(2, labels.clamp(min=0)[..., None])[..., 0] + smoothing * -logs.mean(-1)
    wanted = per_token[labels != IGNORE].mean()
    ours = cross_entropy(logits, labels, label_smoothing=smoothing)
    torch.testing.assert_close(ours, wanted)
    theirs = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=IGNORE, label_smoothing=smoothing)
    torch.testing.assert_close(ours, theirs)


def test_positions_that_do_not_count_have_no_gradient():
    logits = torch.randn(3, 4, generator=generator()).requires_grad_()
    cross_entropy(logits, torch.tensor([1, 9, 2]), ignore=9, label_smoothing=0.1).backward()
    assert logits.grad[1].abs().max() == 0
    assert logits.grad[0].abs().max() > 0


@pytest.mark.parametrize(
    ("labels", "options", "sentence"),
    [
        ([1, 4], {}, "labels run from 1 to 4, but the logits are for ids from 0 to 3; mark padding with -100"),
        ([-1, 0], {}, "labels run from -1 to 0"),
        ([IGNORE, IGNORE], {}, "All 2 labels are -100"),
        ([0, 1], {"label_smoothing": 1.0}, "label_smoothing is 1.0, but it must be at least 0 and below 1"),
    ],
)
def test_cross_entropy_names_bad_input(labels, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        cross_entropy(torch.zeros(2, 4), torch.tensor(labels), **options)


def test_temperature_leaves_the_gradients_of_the_soft_loss_their_size():
    teacher, sizes = torch.randn(11, 5, generator=generator(3), dtype=torch.float64), []
    for temperature in (20.0, 40.0):
        student = torch.randn(11, 5, generator=generator(4), dtype=torch.float64).requires_grad_()
        soft_loss(student, teacher, temperature).backward()
        sizes.append(student.grad.norm())
    torch.testing.assert_close(sizes[0], sizes[1], rtol=0.05, atol=0)


def test_perplexity_is_the_exponential_of_the_cross_entropy():
    logits, labels = torch.randn(2, 5, 7, generator=generator(1)), torch.randint(0, 7, (2, 5), generator=generator(2))
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0]])
    probabilities = logits.softmax(-1).gather(2, labels[..., None])[..., 0]
    wanted = cross_entropy(logits, labels.masked_fill(mask == 0, IGNORE)).exp()
    torch.testing.assert_close(perplexity(probabilities, mask), wanted)


def test_soft_loss_equals_the_divergence_of_torch():
    student, teacher = (torch.randn(3, 5, 7, generator=generator(seed)) for seed in (1, 2))
    logs = [(logits / 2.5).log_softmax(-1).flatten(0, 1) for logits in (student, teacher)]
    wanted = 2.5**2 * F.kl_div(*logs, reduction="batchmean", log_target=True)
    torch.testing.assert_close(soft_loss(student, teacher, 2.5), wanted)
