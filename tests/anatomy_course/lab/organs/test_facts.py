from __future__ import annotations

from functools import partial

import pytest
import torch

from anatomy_course.lab.organs.facts import D_MODEL, balancing_loss, mixture, store_facts
from anatomy_utils.nn.feed_forward import GatedFeedForward


def test_the_balancing_loss_is_1_where_tokens_are_spread_evenly_and_more_elsewhere():
    likes = 9 * torch.eye(5)
    for rows, expected in ((range(5), 1.0), ([3] * 5, 5.0), ([0, 0, 1, 2, 3], 1.4)):
        logits = likes[list(rows)][None]
        assert balancing_loss(logits, logits.argmax(-1, keepdim=True)).item() == pytest.approx(expected, abs=0.02)


def test_balancing_takes_load_from_a_favored_expert():
    torch.manual_seed(0)
    start = store_facts(partial(mixture, 6.0), seed=1, steps=1).loads
    alone, balanced = (store_facts(partial(mixture, 6.0), seed=1, balance=b, steps=60).loads for b in (0.0, 0.5))
    assert start is not None and alone is not None and balanced is not None
    assert start[0] > 0.9 and alone[0] > 0.9 and balanced[0] < 0.5
    assert balanced.sum().item() == pytest.approx(1)


def test_a_wider_network_stores_more_and_a_seed_repeats():
    narrow, again, wide = (
        store_facts(partial(GatedFeedForward, D_MODEL, width), seed=3, steps=60) for width in (8, 8, 256)
    )
    assert narrow == again and narrow.loads is None
    assert wide.right > 1.2 * narrow.right > 0
