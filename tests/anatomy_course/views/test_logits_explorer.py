"""The logits explorer: its probabilities are those of the filters, for a small vocabulary and for a large one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from view_sizes import LAB, assert_fits, assert_stands_still, height_of
from widget_page import Browser, Shown, show

from anatomy_course import views
from anatomy_course.lab.small_models.small_gpt import train_small_gpt
from anatomy_course.lab.street import street_vocabulary
from anatomy_course.views import LogitsExplorer
from anatomy_course.views.logits_explorer.view import KEPT, Outputs, distribution
from anatomy_utils.decoding import Filters
from anatomy_utils.functional import heads

SENTENCE = "The animal didn't cross the street because it was too tired."


def outputs(vocab_size: int = 23, positions: int = 3, d_model: int = 7, seed: int = 0) -> Outputs:
    generator = torch.Generator().manual_seed(seed)
    states = torch.randn(positions, d_model, generator=generator)
    table = torch.randn(vocab_size, d_model, generator=generator)
    logits = heads.vocabulary_logits(states, table)
    names = [f"w{i}" for i in range(vocab_size)]
    return Outputs(names[:positions], states, logits, table, names, [5, 6][: positions - 1], tied=True)


def filtered(logits: torch.Tensor, temperature: float, top_k: int, top_p: float) -> np.ndarray[Any, Any]:
    """What `decoding.Filters` makes of one position's logits, likeliest first."""
    filters = Filters(temperature=temperature, top_k=top_k or None, top_p=top_p if top_p < 1 else None)
    kept = filters(logits[None].double(), torch.zeros(1, 1, dtype=torch.long))
    return kept.softmax(-1)[0].sort(descending=True).values.numpy()


SETTINGS = [
    (1.0, 0, 1.0),
    (0.5, 4, 1.0),
    (1.7, 0, 0.6),
    (0.8, 9, 0.75),
    (3.0, 1, 0.05),
    (2.0, 400, 0.9),
    (2.5, 0, 0.97),
]


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
    for position, token_id in enumerate(given.next_ids):
        truth = widget.truth[position]
        assert widget.names[truth["name"]] == f"w{token_id}"
        logits = given.logits[position]
        assert truth["rank"] == int((logits > logits[token_id]).sum())
        assert truth["logit"] == pytest.approx(float(logits[token_id]))


def test_the_views_of_the_street() -> None:
    model, _ = train_small_gpt(0, steps=1, progress=False)
    widget = views.explore_logits(
        model, street_vocabulary(), SENTENCE, after="too", filters=Filters(temperature=0.7, top_p=0.9)
    )
    assert (widget.tokens[0], widget.tokens[widget.position]) == ("<bos>", "too")
    assert widget.names[widget.truth[widget.position]["name"]] == "tired"
    ids = torch.tensor([street_vocabulary().ids(widget.tokens)])
    with torch.no_grad():
        logits = model(ids)[0, widget.position]
    np.testing.assert_allclose(widget.distribution().after, filtered(logits, 0.7, 0, 0.9), atol=1e-6)
    assert (widget.vocab_size, widget.d_model, widget.tied) == (len(street_vocabulary()), 64, True)
    with pytest.raises(ValueError, match="no token 'plum'"):
        views.explore_logits(model, street_vocabulary(), SENTENCE, after="plum")
    with pytest.raises(ValueError, match="filter without a slider"):
        views.explore_logits(model, street_vocabulary(), SENTENCE, filters=Filters(min_p=0.1))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"position": 3}, "position is 3; this text has positions 0 to 2"),
        ({"temperature": 0}, "temperature=0 was asked for; expected a number from 0.1 to 3"),
        ({"top_k": -1}, "top_k=-1 was asked for; expected a whole number from 0 on"),
        ({"top_p": 0}, "top_p=0 was asked for; expected a number from 0.05 to 1"),
    ],
)
def test_wrong_settings_get_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        LogitsExplorer(outputs(), **wrong)


def test_outputs_that_do_not_fit_get_one_sentence() -> None:
    given = outputs()
    for name, value, said in (
        ("states", given.states[:2], r"states has shape \(2, 7\)"),
        ("logits", given.logits[:, :9], r"logits has shape \(3, 9\); expected .*here \(3, 23\)"),
        ("table", given.table[:9], r"table has shape \(9, 7\)"),
        ("next_ids", [99, 1], "next_ids holds 2 ids"),
    ):
        with pytest.raises(ValueError, match=said):
            LogitsExplorer(Outputs(**{**vars(given), name: value}))


def test_the_twin_tells_the_likeliest() -> None:
    widget = LogitsExplorer(outputs(), position=1, temperature=2, top_k=2)
    alt = widget.still_picture().alt
    assert alt.startswith("What may follow “w0 w1”, of 23 tokens, at temperature 2, top-k 2: ")
    assert f"{widget.words()[0]} {widget.distribution().after[0]:.0%}, " in alt
    assert alt.endswith("All other 13 tokens together: 0%.")


def percents(shown: Shown) -> list[tuple[float, float | None]]:
    """Before and after of every row on the page; None for what is ruled out."""
    rows = []
    for row in shown.page.get_by_role("option").filter(has=shown.page.locator(".le-bars")).all():
        before, after = (row.locator(".number").nth(i).inner_text().replace(" %", "") for i in (1, 2))
        rows.append((float(before) / 100, None if after in ("out", "") else float(after) / 100))
    return rows


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_sliders_by_keyboard_do_what_the_filters_do(browser: Browser, theme: Any) -> None:
    given = outputs(vocab_size=1201)
    shown = show(browser, LogitsExplorer(given, top_k=30), theme=theme)
    page = shown.page
    for _ in range(4):
        page.get_by_role("slider", name="Temperature").press("ArrowLeft")
    page.get_by_role("slider", name="Top-k").press("ArrowLeft")
    for _ in range(12):
        page.get_by_role("slider", name="Top-p").press("ArrowLeft")
    shown.settle()
    widget: Any = shown.widget
    assert (widget.temperature, widget.top_k, widget.top_p) == (0.8, 25, 0.88)
    found = percents(shown)
    before = (given.logits[2] / 0.8).softmax(dim=-1).sort(descending=True).values
    wanted = filtered(given.logits[2], 0.8, 25, 0.88)
    for (one, other), right, after in zip(found, before.tolist(), wanted, strict=False):
        assert one == pytest.approx(right, abs=6e-4)
        assert (other is None) == (after == 0) and (other or 0) == pytest.approx(after, abs=6e-4)
    assert f"{(wanted > 0).sum()} of 1" in page.locator(".le-verdict").inner_text()
    page.get_by_role("button", name="No filters").click()
    shown.settle()
    assert (widget.temperature, widget.top_k, widget.top_p) == (1, 0, 1)
    assert all(after is None for _, after in percents(shown))
    shown.check()


@pytest.mark.browser
def test_positions_and_rows_by_mouse_and_keys(browser: Browser) -> None:
    given = outputs(4801)
    shown = show(browser, LogitsExplorer(given, position=0), views=2)
    page, widget = shown.page, shown.widget
    truth = page.get_by_role("option", name="came next").first
    assert (truth.locator(".visually-hidden").last.text_content() or "").startswith(
        f"w5: logit {float(given.logits[0, 5]):.2f}".replace("-", "−")
    )
    truth.click()
    shown.settle()
    assert widget.token == widget.truth[0]["rank"]
    assert "Row of w5 in the token table, 7 numbers" in (
        page.locator("canvas").nth(1).get_attribute("aria-label") or ""
    )
    page.get_by_role("listbox", name="Position").first.press("ArrowRight")
    shown.settle()
    assert (widget.position, widget.token) == (1, 0)
    page.get_by_role("listbox", name="Next token").last.press("ArrowDown")
    shown.settle()
    assert widget.token == 1
    assert page.get_by_role("option", selected=True, name=f"{widget.words(1)[1]}: logit").count() == 2
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
def test_it_fits_and_keeps_its_height(browser: Browser, width: int) -> None:
    shown = show(browser, LogitsExplorer(outputs(vocab_size=1201, d_model=576)), size=(LAB[width], 900))
    heights = {height_of(shown.page)}
    for step in (
        {"position": 0},
        {"position": 1, "token": 3},
        {"temperature": 0.5, "top_k": 4},
        {"top_p": 0.3, "position": 2},
    ):
        shown.update(**step)
        assert_fits(shown.page)
        heights.add(height_of(shown.page))
    assert_stands_still(heights)
    shown.check()
