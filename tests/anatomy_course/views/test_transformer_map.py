"""The clickable map: the drawing of the layout, what each part tells, and where its link leads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from measure import look_at, views
from playwright.sync_api import Browser
from widget_page import show

from anatomy_course.figures import diagrams, transformer_layout
from anatomy_course.views import TransformerMap


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
    with pytest.raises(ValueError, match="was asked for; expected one of"):
        widget.selected = "soul"


def test_the_twin_is_in_the_bundle(folder: Path) -> None:
    data, _ = TransformerMap(folder=folder)._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html", "image/png", "text/plain"} <= set(data)


def test_a_notebooks_map_is_a_strip_and_so_is_its_twin(folder: Path) -> None:
    strip, whole = TransformerMap("attention", folder=folder), TransformerMap(folder=folder)
    assert strip.strip and strip.folded and not whole.strip and not whole.folded
    assert not TransformerMap("memory", folder=folder).strip
    assert [each["built"] for each in strip.notebooks] == [True, True, *[False] * 7]
    assert strip.still_picture().alt == diagrams.where_are_we("01_attention").alt
    strip.folded = False
    assert strip.still_picture().alt == whole.still_picture().alt or "01" in strip.still_picture().alt


def test_a_tokens_way_meets_every_part_but_the_frames_once(folder: Path) -> None:
    way = [step["part"] for step in TransformerMap(folder=folder).way]
    inside = {part.id for part in transformer_layout.parts() if not part.frame and part.id != "heads"}
    assert len(way) == len(set(way)) and set(way) == inside


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
    commands = "[data-commandlinker-command]"  # JupyterLab asks about these in a notebook that is not trusted yet
    assert shown.page.locator(commands).count() == 0
    shown.page.get_by_role("button", name="masked self-attention").click()
    assert link.count() == 0
    assert "04 Decoder" in shown.page.locator(".tm-told").inner_text()
    shown.check()


@pytest.mark.browser
def test_the_place_where_we_are_is_marked_in_words_too(browser: Browser, folder: Path) -> None:
    shown = show(browser, TransformerMap("attention", folder=folder, strip=False), size=(390, 900))
    assert shown.page.get_by_role("button", name="self-attention, taught in this notebook").count() == 1
    assert "you are here" in shown.page.locator(".heading").inner_text()
    assert shown.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shown.check()


SMALL_AND_LARGE = """() => [...document.querySelectorAll(".tm-body svg text")]
    .map((node) => parseFloat(getComputedStyle(node).fontSize) * node.getScreenCTM().a)"""
OUTSIDE = """() => [...document.querySelectorAll(".tm-part:not(.tm-frame)")].filter((node) => {
    const [box, text] = [".tm-box", "text"].map((name) => node.querySelector(name).getBoundingClientRect());
    return text.left < box.left - 1 || text.right > box.right + 1 || text.top < box.top - 1
        || text.bottom > box.bottom + 1;
}).map((node) => node.textContent)"""


@pytest.mark.browser
@pytest.mark.parametrize("wide", [960, 592, 330])
def test_labels_can_be_read_in_their_boxes_at_every_width(browser: Browser, folder: Path, wide: int) -> None:
    shown = show(browser, TransformerMap(folder=folder), size=(wide + 32, 900))
    sizes = shown.page.evaluate(SMALL_AND_LARGE)
    assert len(sizes) > 20 and min(sizes) >= 11 and max(sizes) <= 16
    assert shown.page.evaluate(OUTSIDE) == []
    assert shown.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    height = shown.page.locator(".anatomy").bounding_box()
    assert height and (wide == 330 or height["height"] <= 700)
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("still", [False, True])
def test_a_token_goes_its_way_step_by_step(browser: Browser, folder: Path, still: bool) -> None:
    shown = show(browser, TransformerMap(folder=folder, selected="source_tokens"), reduced_motion=still)
    page, way = shown.page, shown.widget.get_state(["way"])["way"]
    place = "document.querySelector('.tm-dot').getAttribute('transform')"
    before, height = page.evaluate(place), page.locator(".anatomy").bounding_box()
    for step in range(1, len(way)):
        page.get_by_role("button", name="Next", exact=True).click()
        shown.settle()
        assert shown.widget.get_state(["selected"])["selected"] == way[step]["part"]
        assert way[step]["carries"] in page.locator(".tm-carried").inner_text()
        now = page.locator(".anatomy").bounding_box()
        assert now and height and abs(now["height"] - height["height"]) <= 8
    assert page.get_by_role("button", name="Next", exact=True).is_disabled()
    page.wait_for_function(f"before => {place} !== before", arg=before)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("document.querySelector('.tm-carried').textContent.includes('Step 2 of')")
    page.get_by_role("button", name="softmax").click()
    assert page.get_by_role("button", name="Play").get_attribute("aria-pressed") == "false", "a click ends the playing"
    page.get_by_role("button", name="encoder block").click()
    assert page.locator(".tm-dot").get_attribute("visibility") == "hidden", "a frame is no stop of the way"
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("wide", [960, 592, 330])
def test_the_strip_is_low_and_unfolds_to_the_map(browser: Browser, folder: Path, wide: int) -> None:
    shown = show(browser, TransformerMap("attention", folder=folder), size=(wide + 32, 900))
    page = shown.page
    box = page.locator(".anatomy").bounding_box()
    assert box and box["height"] <= 140
    assert page.locator(".tm-stop[aria-current=page]").inner_text().endswith("Attention")
    assert [link.get_attribute("href") for link in page.get_by_role("link").all()] == ["00_start_here.ipynb"]
    assert page.locator(".tm-body").is_hidden()
    page.get_by_role("button", name="Whole map").click()
    shown.settle()
    assert page.locator(".tm-part").count() == len(transformer_layout.parts())
    assert page.get_by_role("button", name="self-attention, taught in this notebook").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Whole map").click()
    shown.settle()
    assert page.locator(".anatomy").bounding_box() == box
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize(("wide", "window"), [(960, 1440), (592, 1024), (330, 390), (274, 390)])
@pytest.mark.parametrize("here", ["attention", "encoder_decoder"])
def test_the_strip_and_its_map_fit_their_card(browser: Browser, here: str, wide: int, window: int) -> None:
    shown = show(browser, TransformerMap(here, folder=Path("notebooks")), size=(wide + 32, 900), reduced_motion=True)
    look = look_at(views(shown.page)[0], window=window, press=True, thorough=True)
    assert look.findings == [] and look.presses > 10
    shown.check()


UNFOLDED = """() => {
    document.querySelector("[data-unfolds]").click();
    return document.querySelector(".anatomy").getBoundingClientRect().height;
}"""


@pytest.mark.browser
@pytest.mark.parametrize("wide", [960, 592, 330, 274])
def test_the_unfolded_map_has_its_height_at_once_and_for_every_part(browser: Browser, folder: Path, wide: int) -> None:
    shown = show(browser, TransformerMap("attention", folder=folder), size=(wide + 32, 900), reduced_motion=True)
    height = shown.page.evaluate(UNFOLDED)  # before anything is drawn
    for part in shown.widget.parts:
        shown.update(selected=part["id"])
        now = shown.page.locator(".anatomy").bounding_box()
        assert now and abs(now["height"] - height) <= 1, part["id"]
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("wide", [960, 274])
def test_a_stop_keeps_its_name_where_only_its_number_is_drawn(browser: Browser, folder: Path, wide: int) -> None:
    shown = show(browser, TransformerMap("attention", folder=folder), size=(wide + 32, 900))
    link = shown.page.get_by_role("link", name="0 Start here", exact=True)
    assert link.inner_text().split() == (["0", "Start", "here"] if wide == 960 else ["0"])
    assert link.get_attribute("title") == "Start here: 15 min"
    shown.check()
