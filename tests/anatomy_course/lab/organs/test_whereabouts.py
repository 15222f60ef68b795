from __future__ import annotations

import torch

from anatomy_course.lab.organs.whereabouts import ASKED, LENGTH, STEP, THINGS, Answerer, recall, texts


def test_every_thing_is_asked_for_once_and_its_place_was_told():
    batch = texts(7, torch.Generator().manual_seed(0))
    told, first, second = range(THINGS), batch.words[..., 0], batch.words[..., 1]
    torch.testing.assert_close(first.gather(1, batch.asked_at), first[:, told])
    torch.testing.assert_close(second[:, told] - THINGS, batch.place)
    assert ((second == ASKED).sum(1) == THINGS).all()
    assert (batch.distance >= 1).all() and (batch.distance < LENGTH).all()


def test_a_local_stack_does_not_see_beyond_all_its_windows():
    torch.manual_seed(0)
    batch = texts(9, torch.Generator().manual_seed(0))
    other = batch.words.clone()
    other[:, :THINGS, 1] = THINGS  # all things at the first place
    for windows, reach in (((16, 16), 2 * STEP), ((16, None), LENGTH)):
        model = Answerer(windows)
        with torch.no_grad():
            changed = (model(batch) - model(batch._replace(words=other))).abs().amax(-1) > 1e-6
        far = batch.asked_at - (THINGS - 1) > reach  # even the last that was told
        assert not changed[far].any() and (far.any() or reach == LENGTH)
        assert changed[batch.asked_at <= STEP].any()


def test_recall_has_a_share_for_each_distance_and_a_seed_repeats():
    found = recall([16, None], seed=2, steps=3)
    assert found == recall([16, None], seed=2, steps=3)
    assert len(found) == 8 and all(0 <= share <= 1 for share in found)
