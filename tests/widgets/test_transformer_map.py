"""The clickable map: the drawing of the layout, what each part tells, and where its link leads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from widget_page import show

from anatomy_utils.figures import transformer_layout
from anatomy_utils.widgets import TransformerMap


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which only notebooks 00 and 01 exist."""
    for name in ("00_start_here", "01_attention"):
        (tmp_path / f"{name}.ipynb").write_text("{}")
    return tmp_path


def test_every_part_of_the_layout_is_on_the_map(folder: Path) -> None:
    widget = TransformerMap(folder=folder)
    assert [part["id"] for part in widget.parts] == [part.id for part in transformer_layout.parts()]
    assert len(widget.arrows) == len(transformer_layout.arrows())
    assert all(part["shape_in"] and part["shape_out"] and part["text"] for part in widget.parts)
    assert {part["notebook"] for part in widget.parts if part["built"]} == {"01_attention"}


@pytest.mark.parametrize("here", ["attention", "01_attention"])
def test_you_are_here(here: str, folder: Path) -> None:
    widget = TransformerMap(here, folder=folder)
    assert widget.here == "01_attention"
    assert widget.selected == "encoder_self_attention"


def test_here_may_be_a_part_or_the_first_notebook(folder: Path) -> None:
    assert TransformerMap("memory", folder=folder).selected == "memory"
    assert TransformerMap("00_start_here", folder=folder).here == "00_start_here"
    assert TransformerMap("capstone", folder=folder).here == "07_capstone"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [({"here": "atention"}, "here='atention' names nothing on the map"), ({"selected": "soul"}, "selected='soul'")],
)
def test_unknown_places_get_one_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)) as error:
        TransformerMap(**options)
    assert "\n" not in str(error.value)


def test_choosing_an_unknown_part_later_is_refused(folder: Path) -> None:
    widget = TransformerMap(folder=folder)
    with pytest.raises(ValueError, match="names no part"):
        widget.selected = "soul"


def test_the_twin_is_in_the_bundle(folder: Path) -> None:
    data, _ = TransformerMap(folder=folder)._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html", "image/png", "text/plain"} <= set(data)


# In the browser ----------------------------------------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_part_can_be_clicked_and_tells_its_shapes(browser: Browser, folder: Path, theme: Any) -> None:
    shown = show(browser, TransformerMap(folder=folder), theme=theme)
    nodes = shown.page.locator(".tm-part")
    assert nodes.count() == len(transformer_layout.parts())
    names = [name or "" for name in nodes.evaluate_all("nodes => nodes.map((node) => node.getAttribute('aria-label'))")]
    assert sorted(name.split(",")[0] for name in names) == sorted(part["label"] for part in shown.widget.parts)
    for number in range(nodes.count()):
        nodes.nth(number).focus()
        nodes.nth(number).press("Enter")
        told = shown.page.locator(".tm-told").inner_text()
        part = next(part for part in shown.widget.parts if part["id"] == shown.widget.selected)
        assert part["text"] in told and part["shape_in"] in told and part["shape_out"] in told
        assert ("not yet written" in told) == (not part["built"])
    shown.check()


@pytest.mark.browser
def test_arrow_keys_reach_every_part(browser: Browser, folder: Path) -> None:
    shown = show(browser, TransformerMap(folder=folder))
    seen = {shown.widget.selected}
    frontier = [shown.widget.selected]
    while frontier:
        start = frontier.pop()
        for key in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"):
            shown.update(selected=start)
            shown.page.locator(".tm-part[aria-pressed='true']").press(key)
            if shown.widget.selected not in seen:
                seen.add(shown.widget.selected)
                frontier.append(shown.widget.selected)
    assert seen == {part.id for part in transformer_layout.parts()}
    shown.check()


@pytest.mark.browser
def test_only_notebooks_that_exist_are_linked(browser: Browser, folder: Path) -> None:
    shown = show(browser, TransformerMap(folder=folder))
    shown.page.get_by_role("button", name="source tokens").click()
    link = shown.page.get_by_role("link")
    assert link.get_attribute("href") == "01_attention.ipynb"
    shown.page.get_by_role("button", name="masked self-attention").click()
    assert link.count() == 0
    assert "04 Decoder" in shown.page.locator(".tm-told").inner_text()
    shown.check()


@pytest.mark.browser
def test_the_place_where_we_are_is_marked_in_words_too(browser: Browser, folder: Path) -> None:
    shown = show(browser, TransformerMap("attention", folder=folder), size=(390, 900))
    assert shown.page.get_by_role("button", name="self-attention, taught in this notebook").count() == 1
    assert "you are here" in shown.page.locator(".heading").inner_text()
    assert shown.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shown.check()
