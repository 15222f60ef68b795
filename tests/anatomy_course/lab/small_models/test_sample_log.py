"""The writer's diary: when it is written, and what stands in it."""

from __future__ import annotations

import pytest
import torch

from anatomy_course.lab.small_models import sample_log, small_gpt
from anatomy_course.lab.street import share_grammatical


def test_a_page_at_each_moment_and_the_training_does_not_notice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_log, "TEXTS", 7)
    told = []
    book = sample_log.SampleLog((0, 2, 3))
    model, history = small_gpt.train_small_gpt(
        steps=3, on_model=book, on_step=lambda each: told.append(len(each)), progress=False
    )
    assert [page.steps for page in book.pages] == [0, 2, 3] and told == [1, 2, 3]
    assert all(len(page.texts) == 7 and page.grammatical == share_grammatical(page.texts) for page in book.pages)
    assert book.pages[0].texts != book.pages[2].texts
    _, alone = small_gpt.train_small_gpt(steps=3, progress=False)
    assert history.loss == alone.loss
    assert tuple(small_gpt.sample_texts(model, 7, torch.Generator().manual_seed(0))) == book.pages[2].texts


def test_before_the_first_step_nothing_is_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_log, "TEXTS", 5)
    book = sample_log.SampleLog((0,))
    book(small_gpt.new_small_gpt(torch.Generator().manual_seed(0)), 0)
    assert book.pages[0].grammatical == 0
    book(small_gpt.new_small_gpt(torch.Generator().manual_seed(0)), 1)
    assert len(book.pages) == 1


def test_a_true_answer_still_ends_the_training() -> None:
    _, history = small_gpt.train_small_gpt(steps=4, on_step=lambda each: len(each) == 2, progress=False)
    assert len(history) == 2
