"""Losses: against torch's, and what they refuse."""

import math

import pytest
import torch
from hypothesis import given, settings, strategies as st
from seeds import SEEDS, generator
from torch.nn import functional as F

from anatomy_utils.training import IGNORE, cross_entropy
from anatomy_utils.training.losses import bits_per_byte, perplexity, soft_loss


@settings(max_examples=20)
@given(SEEDS, st.floats(0.0, 0.9))
def test_cross_entropy_equals_torchs(seed, smoothing):
    logits = 3 * torch.randn(2, 5, 7, generator=generator(seed))
    labels = torch.randint(0, 7, (2, 5), generator=generator(seed))
    labels[0, 2:] = IGNORE
    theirs = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=IGNORE, label_smoothing=smoothing)
    torch.testing.assert_close(cross_entropy(logits, labels, label_smoothing=smoothing), theirs)


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


def test_bits_per_byte_are_the_same_however_a_text_is_cut():
    total = 12 * math.log(256)  # nats for a text of 12 bytes by a model that knows nothing
    assert bits_per_byte(total / 12, tokens=12, bytes=12) == pytest.approx(8.0)
    assert bits_per_byte(total / 5, tokens=5, bytes=12) == pytest.approx(8.0)
    for tokens, bytes in ((0, 3), (3, 0)):
        with pytest.raises(ValueError, match=f"A text of {tokens} tokens and {bytes} bytes"):
            bits_per_byte(1.0, tokens, bytes)
