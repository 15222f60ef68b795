"""The look-up task: streets without repetition, answers that are right, and a task that only attention solves."""

import math

import pytest
import torch
from torch.nn import functional as F

from anatomy_course.lab.experiments.lookup_task import COLORS, ON_A_STREET, THINGS, LookupTask
from anatomy_utils.functional.attention import scaled_dot_product_attention


def parts(task, street):
    """Which thing and which color each vector of a street is made of."""
    pairs = (task.things[:, None] + task.colors).flatten(0, 1)
    found = torch.cdist(street, pairs).argmin(-1)
    return found // len(COLORS), found % len(COLORS)


def test_a_street_repeats_nothing_and_the_answer_is_the_color_of_what_is_asked():
    task = LookupTask(d_model=23, seed=3)
    street, question, color = task.batch(50)
    things, colors = parts(task, street)
    assert street.shape == (50, ON_A_STREET, 23) and question.shape == (50, 1, 23) and color.shape == (50,)
    for each in (things, colors):
        assert all(len(set(row)) == ON_A_STREET for row in each.tolist())
    asked = torch.cdist(question[:, 0], task.things).argmin(-1)
    assert torch.equal(colors[things == asked[:, None]], color)
    assert len(set(asked.tolist())) == len(THINGS) and len(set(color.tolist())) == len(COLORS)


def test_a_seed_gives_the_same_streets_again_and_each_batch_is_new():
    first, second = (LookupTask(seed=5) for _ in range(2))
    batch = first.batch(4)
    assert torch.equal(batch.street, second.batch(4).street)
    assert not torch.equal(batch.street, first.batch(4).street)


def test_a_colored_thing_is_the_sum_of_its_words():
    task = LookupTask()
    red_bus, bus, red = task.vectors(["red bus", "bus", "red"])
    assert torch.allclose(red_bus, bus + red) and torch.equal(bus, task.things[0])
    assert torch.allclose(bus.norm(), torch.tensor(1.0))
    with pytest.raises(ValueError, match="knows no 'pink'"):
        task.vectors(["pink bus"])


def trained(attentive):
    """The loss after training with learned weights, or with even ones."""
    task, generator = LookupTask(), torch.Generator().manual_seed(0)
    matrices = [(torch.randn(32, 8, generator=generator) / 32**0.5).requires_grad_() for _ in range(3)]
    optimizer = torch.optim.Adam(matrices, lr=0.1)
    losses = []
    for _ in range(200):
        street, question, color = task.batch(64)
        factor = 1.0 if attentive else 0.0
        context, _ = scaled_dot_product_attention(
            factor * question @ matrices[0], street @ matrices[1], street @ matrices[2]
        )
        loss = F.cross_entropy(context[:, 0], color)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses[-20:]) / 20


def test_an_average_learns_which_colors_there_are_and_attention_whose():
    assert math.log(ON_A_STREET) < trained(attentive=False) < math.log(len(COLORS)) - 0.4
    assert trained(attentive=True) < 0.05
