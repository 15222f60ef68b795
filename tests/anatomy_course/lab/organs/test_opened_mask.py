"""The opened mask: the same weights, read both ways; cures leave their bodies as they were."""

from copy import deepcopy

import torch

from anatomy_course.lab import organs
from anatomy_course.lab.organs.filling import as_rows, short_sentences


def test_opening_changes_who_sees_whom_and_no_weight():
    twins = organs.train_twins(0, steps=2)
    body = twins["writer"].body
    texts = as_rows(short_sentences(3, torch.Generator().manual_seed(1)))
    other = texts.clone()
    other[:, 9] = organs.MASK_ID
    opened = organs.Opened(body)
    assert (opened(texts) - opened(other)).abs().amax(dim=(0, 2)).gt(1e-6).all()
    assert (body(texts) - body(other)).abs().amax(dim=(0, 2))[:9].eq(0).all()
    assert {id(p) for p in opened.parameters()} == {id(p) for p in body.parameters()}
    hidden = torch.ones_like(texts)
    hidden[:, 9] = 0
    assert torch.allclose(opened(texts, hidden)[:, :9], opened(other, hidden)[:, :9], atol=1e-5), "padding is not read"


def test_cures_begin_with_copies_and_differ():
    twins = organs.train_twins(0, steps=2)
    before = deepcopy(twins["writer"].state_dict())
    opened = organs.adapted(twins["writer"], 0, steps=2)
    taggers = organs.cures(twins, opened, 0)
    assert all(torch.equal(before[name], now) for name, now in twins["writer"].state_dict().items())
    assert len(taggers) == 5
    for tagger in taggers.values():
        pronoun, others = organs.right_tags(tagger, count=20)
        assert 0 <= pronoun <= 1 and others > 0.5
    closed, in_use = list(taggers.values())[:2]
    assert in_use.head is closed.head and in_use.body.decoder is closed.body
