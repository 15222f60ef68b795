"""The loop that writes many texts at once: what it reads, when it stops, and what it leaves out."""

import math

import pytest
import torch
from torch import nn

from anatomy_course.lab.small_models.workshop import gpt_size, loss_on, write_texts


class Counts(nn.Module):
    """Says that the next token is one more than the last one; notes what it reads."""

    def __init__(self):
        super().__init__()
        self.read = []

    def forward(self, input_ids):
        self.read.append(input_ids.tolist())
        return nn.functional.one_hot(input_ids + 1, 9).float()


def test_texts_are_written_until_they_end_and_the_mark_is_left_out():
    ends = iter([1, 0, 2, 3, 0])  # the second text ends at once, the first after three tokens
    model = Counts()
    assert write_texts(model, lambda logits: next(ends), 2, length=2, most=9) == [[1, 2, 3], []]
    assert model.read == [[[0], [0]], [[0, 1]], [[1, 2]], [[2, 3]]], "an ended text is read no more, a window is 2 long"
    assert write_texts(Counts(), lambda logits: int(logits.argmax()), 1, length=3, most=4) == [[1, 2, 3, 4]], "cut off"
    with pytest.raises(ValueError, match="most is 0, but it must be at least 1"):
        write_texts(Counts(), int, 1, length=3, most=0)


def test_a_graphics_card_takes_a_larger_model():
    small, large = gpt_size("cpu"), gpt_size("cuda")
    assert large.d_model > small.d_model and large.length > small.length and large.batch_size > small.batch_size
    for size in (small, large):
        assert size.d_model % size.num_heads == 0 and size.warmup < size.steps


def test_the_loss_is_the_mean_over_all_windows():
    one, other = torch.tensor([[0, 1]]), torch.tensor([[3, 4]])
    right = math.log(math.e + 8) - 1  # the right token of nine has the logit 1, the others 0
    assert loss_on(Counts(), [(one, one + 1)]) == pytest.approx(right)
    assert loss_on(Counts(), [(one, one + 1), (other, other)]) == pytest.approx(right + 0.5)
    with pytest.raises(ValueError, match="no windows to measure the loss on"):
        loss_on(Counts(), [])
