"""The logits explorer: its probabilities are those of the filters, for a small vocabulary and for a large one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from on_page import OnPage, Show
from small import STREET, outputs

from anatomy_course import views
from anatomy_course.lab.street import street_vocabulary
from anatomy_course.views import LogitsExplorer
from anatomy_course.views.logits_explorer.view import KEPT, distribution
from anatomy_utils.decoding import Filters


def filtered(logits: torch.Tensor, temperature: float, top_k: int, top_p: float) -> np.ndarray[Any, Any]:
    """What `decoding.Filters` makes of one position's logits, likeliest first."""
    filters = Filters(temperature=temperature, top_k=top_k or None, top_p=top_p if top_p < 1 else None)
    kept = filters(logits[None].double(), torch.zeros(1, 1, dtype=torch.long))
    return kept.softmax(-1)[0].sort(descending=True).values.numpy()


SETTINGS = [(1, 0, 1), (0.5, 4, 1), (1.7, 0, 0.6), (0.8, 9, 0.75), (3, 1, 0.05), (2, 400, 0.9), (2.5, 0, 0.97)]


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("vocab_size", [23, 4801])
def test_probabilities_are_those_of_the_filters(vocab_size: int, setting: tuple[float, int, float]) -> None:
    temperature, top_k, top_p = setting
    given = outputs(vocab_size)
    widget = LogitsExplorer(given, temperature=temperature, top_k=min(top_k, vocab_size), top_p=top_p)
    for position, logits in enumerate(given.logits):
        found = widget.distribution(position)
        single = len(widget.words(position))
        assert single == (vocab_size if vocab_size == 23 else KEPT)
        before = (logits.double() / temperature).softmax(dim=-1).sort(descending=True).values.numpy()
        np.testing.assert_allclose(found.before[:single], before[:single], rtol=1e-3)
        assert found.before.sum() == pytest.approx(1)
        wanted = filtered(logits, *setting)
        np.testing.assert_allclose(found.after[:single], wanted[:single], rtol=1e-3, atol=1e-9)
        assert found.after[single:].sum() == pytest.approx(wanted[single:].sum(), abs=1e-3)
        assert found.kept.sum() == pytest.approx((wanted > 0).sum(), rel=5e-3)


def test_by_hand_and_ties_stay() -> None:
    logits = np.log([0.5, 0.2, 0.2, 0.1])
    found = distribution(logits, np.ones(4, dtype=np.int64), 1, 2, 1)
    np.testing.assert_allclose(found.after, [5 / 9, 2 / 9, 2 / 9, 0])
    assert found.kept.tolist() == [1, 1, 1, 0]
    np.testing.assert_allclose(distribution(logits, np.ones(4, dtype=np.int64), 1, 0, 0.4).after, [1, 0, 0, 0])


def test_what_really_came_next_is_found_wherever_it_stands() -> None:
    given = outputs(4801)
    widget = LogitsExplorer(given)
    assert widget.truth[2] == {} and len(widget.truth) == 3
    for truth, token_id, logits in zip(widget.truth, given.next_ids, given.logits, strict=False):
        assert widget.names[truth["name"]] == f"w{token_id}"
        assert truth["rank"] == int((logits > logits[token_id]).sum())
        assert truth["logit"] == pytest.approx(float(logits[token_id]))


def test_the_views_of_the_street(gpt: Any) -> None:
    vocabulary = street_vocabulary()
    filters = Filters(temperature=0.7, top_p=0.9)
    widget = views.explore_logits(gpt, vocabulary, STREET, after="too", filters=filters)
    assert (widget.tokens[0], widget.tokens[widget.position]) == ("<bos>", "too")
    assert widget.names[widget.truth[widget.position]["name"]] == "tired"
    with torch.no_grad():
        logits = gpt(torch.tensor([vocabulary.ids(widget.tokens)]))[0, widget.position]
    np.testing.assert_allclose(widget.distribution().after, filtered(logits, 0.7, 0, 0.9), atol=1e-6)
    assert (widget.vocab_size, widget.d_model, widget.tied) == (len(vocabulary), 64, True)
    with pytest.raises(ValueError, match="no token 'plum'"):
        views.explore_logits(gpt, vocabulary, STREET, after="plum")
    with pytest.raises(ValueError, match="filter without a slider"):
        views.explore_logits(gpt, vocabulary, STREET, filters=Filters(min_p=0.1))


def test_the_picture_tells_the_likeliest() -> None:
    widget = LogitsExplorer(outputs(), position=1, temperature=2, top_k=2)
    assert f"{widget.words()[0]} {widget.distribution().after[0]:.0%}, " in widget.still_picture().alt


def percents(shown: OnPage) -> list[tuple[float, float | None]]:
    """Before and after of every row on the page; None for what is ruled out."""
    rows = []
    for row in shown.page.get_by_role("option").filter(has=shown.page.locator(".le-bars")).all():
        before, after = (row.locator(".number").nth(i).inner_text().replace(" %", "") for i in (1, 2))
        rows.append((float(before) / 100, None if after in ("out", "") else float(after) / 100))
    return rows


def test_sliders_by_keyboard_do_what_the_filters_do(show: Show) -> None:
    given = outputs(vocab_size=1201)
    shown = show(LogitsExplorer(given, top_k=30))
    widget = shown.widget
    for name, times in {"Temperature": 4, "Top-k": 1, "Top-p": 12}.items():
        for _ in range(times):
            shown.page.get_by_role("slider", name=name).press("ArrowLeft")
    shown.settle()
    assert (widget.temperature, widget.top_k, widget.top_p) == (0.8, 25, 0.88)
    before = (given.logits[2] / 0.8).softmax(dim=-1).sort(descending=True).values
    wanted = filtered(given.logits[2], 0.8, 25, 0.88)
    for (one, other), right, after in zip(percents(shown), before.tolist(), wanted, strict=False):
        assert one == pytest.approx(right, abs=6e-4)
        assert (other is None) == (after == 0) and (other or 0) == pytest.approx(after, abs=6e-4)
    assert f"{(wanted > 0).sum()} of 1" in shown.text(".le-verdict")
    shown.click("button", "No filters")
    assert (widget.temperature, widget.top_k, widget.top_p) == (1, 0, 1)
    assert all(after is None for _, after in percents(shown))


def test_positions_and_rows_by_mouse_and_keys(show: Show) -> None:
    given = outputs(4801)
    shown = show(LogitsExplorer(given, position=0), views=2)
    page, widget = shown.page, shown.widget
    truth = page.get_by_role("option", name="came next").first
    told = f"w5: logit {float(given.logits[0, 5]):.2f}".replace("-", "−")
    assert truth.locator(".visually-hidden").last.text_content().startswith(told)
    truth.click()
    shown.settle()
    assert widget.token == widget.truth[0]["rank"]
    label = page.locator("canvas").nth(1).get_attribute("aria-label")
    assert "Row of w5 in the token table, 7 numbers" in label
    page.get_by_role("listbox", name="Position").first.press("ArrowRight")
    shown.settle()
    assert (widget.position, widget.token) == (1, 0)
    page.get_by_role("listbox", name="Next token").last.press("ArrowDown")
    shown.settle()
    assert widget.token == 1
    assert page.get_by_role("option", selected=True, name=f"{widget.words(1)[1]}: logit").count() == 2
