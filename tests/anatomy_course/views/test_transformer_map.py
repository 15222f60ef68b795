"""The clickable map: the drawing of the layout, what each part tells, and where its link leads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from measure import look_at, views
from on_page import OnPage, Show

from anatomy_course.figures import diagrams, transformer_layout
from anatomy_course.views import TransformerMap

PARTS = {part.id: part for part in transformer_layout.parts()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which only notebooks 00 and 01 exist."""
    for name in ("00_start_here", "01_attention"):
        (tmp_path / f"{name}.ipynb").write_text("{}")
    return tmp_path


def test_every_part_of_the_layout_is_on_the_map_and_on_a_tokens_way(folder: Path) -> None:
    widget = TransformerMap(folder=folder)
    assert [part["id"] for part in widget.parts] == list(PARTS)
    assert len(widget.arrows) == len(transformer_layout.arrows())
    assert all(part["shape_in"] and part["shape_out"] and part["text"] for part in widget.parts)
    assert {part["notebook"] for part in widget.parts if part["built"]} == {"01_attention"}
    way = [step["part"] for step in widget.way]
    inside = {part.id for part in PARTS.values() if not part.frame and part.id != "heads"}
    assert len(way) == len(set(way)) and set(way) == inside


@pytest.mark.parametrize(
    ("here", "notebook", "selected"),
    [
        ("attention", "01_attention", "encoder_self_attention"),
        ("01_attention", "01_attention", "encoder_self_attention"),
        ("memory", None, "memory"),
        ("00_start_here", "00_start_here", None),
        ("capstone", "09_capstone", None),
    ],
)
def test_you_are_here(here: str, notebook: str | None, selected: str | None, folder: Path) -> None:
    widget = TransformerMap(here, folder=folder)
    assert notebook in (None, widget.here) and selected in (None, widget.selected)


def test_a_notebooks_map_is_a_strip_and_so_is_its_picture(folder: Path) -> None:
    strip, whole = TransformerMap("attention", folder=folder), TransformerMap(folder=folder)
    assert strip.strip and strip.folded and not whole.strip and not whole.folded
    assert not TransformerMap("memory", folder=folder).strip
    assert [each["built"] for each in strip.notebooks] == [True, True, *[False] * 9]
    assert strip.still_picture().alt == diagrams.where_are_we("01_attention").alt
    strip.folded = False
    assert strip.still_picture().alt == whole.still_picture().alt or "01" in strip.still_picture().alt


def box(shown: OnPage) -> Any:
    return shown.page.locator(".anatomy").bounding_box()


def test_every_part_can_be_clicked_and_tells_its_shapes(show: Show, folder: Path) -> None:
    shown = show(TransformerMap(folder=folder))
    nodes, link = shown.page.locator(".tm-part").all(), shown.page.get_by_role("link")
    names = [node.get_attribute("aria-label").split(",")[0] for node in nodes]
    assert sorted(names) == sorted(part["label"] for part in shown.widget.parts)
    for node in nodes:
        node.press("Enter")
        told = shown.text(".tm-told")
        part = next(part for part in shown.widget.parts if part["id"] == shown.widget.selected)
        assert part["text"] in told and part["shape_in"] in told and part["shape_out"] in told
        assert ("not yet written" in told) == (not part["built"])
        hrefs = [each.get_attribute("href") for each in link.all()]
        assert hrefs == (["01_attention.ipynb"] if part["built"] else []), "only notebooks that exist are linked"
    commands = "[data-commandlinker-command]"  # JupyterLab asks about these in a notebook that is not trusted yet
    assert shown.count(commands) == 0
    shown.click("button", "masked self-attention")
    assert "05 Decoder" in shown.text(".tm-told")


def test_arrow_keys_reach_every_part(show: Show, folder: Path) -> None:
    shown = show(TransformerMap(folder=folder))
    seen = {shown.widget.selected}
    frontier = [shown.widget.selected]
    while frontier and seen != set(PARTS):
        start = frontier.pop()
        for key in ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"):
            shown.update(selected=start)
            shown.page.locator(".tm-part[aria-pressed='true']").press(key)
            if shown.widget.selected not in seen:
                seen.add(shown.widget.selected)
                frontier.append(shown.widget.selected)
    assert seen == set(PARTS)


SIZES = """() => [...document.querySelectorAll(".tm-body svg text")]
    .map((node) => parseFloat(getComputedStyle(node).fontSize) * node.getScreenCTM().a)"""
OUTSIDE = """() => [...document.querySelectorAll(".tm-part:not(.tm-frame)")].filter((node) => {
    const [box, text] = [".tm-box", "text"].map((name) => node.querySelector(name).getBoundingClientRect());
    return text.left < box.left - 1 || text.right > box.right + 1 || text.top < box.top - 1
        || text.bottom > box.bottom + 1;
}).map((node) => node.textContent)"""
SIDEWAYS = "document.documentElement.scrollWidth > innerWidth"


@pytest.mark.parametrize("width", [960, 592, 330])
def test_labels_can_be_read_in_their_boxes_at_every_width(show: Show, folder: Path, width: int) -> None:
    shown = show(TransformerMap("attention", folder=folder, strip=False), width=width)
    sizes = shown.page.evaluate(SIZES)
    assert len(sizes) > 20 and min(sizes) >= 12 and max(sizes) <= 16
    assert shown.page.evaluate(OUTSIDE) == [] and not shown.page.evaluate(SIDEWAYS)
    assert width == 330 or box(shown)["height"] <= 700
    assert shown.page.get_by_role("button", name="self-attention, taught in this notebook").count() == 1
    assert "you are here" in shown.text(".heading") and shown.count(".tm-legend .tm-pin") == 1
    assert shown.count(".tm-here circle") == 0 and shown.count(".tm-way .tm-token") == 1  # a pin, and a dot that moves


@pytest.mark.parametrize("still", [False, True])
def test_a_token_goes_its_way_step_by_step(show: Show, folder: Path, still: bool) -> None:
    shown = show(TransformerMap(folder=folder, selected="source_tokens"), reduced_motion=still)
    page, way = shown.page, shown.widget.way
    place = "document.querySelector('.tm-dot').getAttribute('transform')"
    before, height = page.evaluate(place), box(shown)["height"]
    for step in range(1, len(way)):
        shown.click("button", "Next", exact=True)
        assert shown.widget.selected == way[step]["part"]
        assert way[step]["carries"] in shown.text(".tm-carried")
        assert abs(box(shown)["height"] - height) <= 8
    assert page.get_by_role("button", name="Next", exact=True).is_disabled()
    page.wait_for_function(f"before => {place} !== before", arg=before)
    play = page.get_by_role("button", name="Play")
    play.click()
    page.wait_for_function("document.querySelector('.tm-carried').textContent.includes('Step 2 of')")
    shown.click("button", "softmax")
    assert play.get_attribute("aria-pressed") == "false", "a click ends the playing"
    shown.click("button", "encoder block")
    assert page.locator(".tm-dot").get_attribute("visibility") == "hidden", "a frame is no stop of the way"


UNFOLDED = """() => {
    document.querySelector("[data-unfolds]").click();
    return document.querySelector(".anatomy").getBoundingClientRect().height;
}"""


@pytest.mark.parametrize("width", [960, 592, 330, 274])
def test_the_strip_is_low_and_unfolds_to_the_map(show: Show, folder: Path, width: int) -> None:
    shown = show(TransformerMap("attention", folder=folder), width=width, reduced_motion=True)
    page, before = shown.page, box(shown)
    link = page.get_by_role("link", name="0 Start here", exact=True)
    if width != 274:
        assert before["height"] <= 140
        assert shown.text(".tm-stop[aria-current=page]").endswith("Attention")
    if width in (960, 274):  # a stop keeps its name where only its number is drawn
        assert link.inner_text().split() == (["0", "Start", "here"] if width == 960 else ["0"])
    assert (link.get_attribute("title"), link.get_attribute("href")) == ("Start here: 15 min", "00_start_here.ipynb")
    assert page.get_by_role("link").count() == 1
    assert page.locator(".tm-body").is_hidden()
    height = page.evaluate(UNFOLDED)  # before anything is drawn
    shown.settle()
    assert shown.count(".tm-part") == len(PARTS) and not page.evaluate(SIDEWAYS)
    assert page.get_by_role("button", name="self-attention, taught in this notebook").is_visible()
    for part in shown.widget.parts:
        shown.update(selected=part["id"])
        assert abs(box(shown)["height"] - height) <= 1, part["id"]
    shown.click("button", "Whole map")
    assert box(shown) == before


@pytest.mark.parametrize(("width", "window"), [(960, 1440), (592, 1024), (330, 390), (274, 390)])
@pytest.mark.parametrize("here", ["attention", "encoder_decoder"])
def test_the_strip_and_its_map_fit_their_card(show: Show, here: str, width: int, window: int) -> None:
    shown = show(TransformerMap(here, folder=Path("notebooks")), width=width, reduced_motion=True)
    look = look_at(views(shown.page)[0], window=window, press=True, thorough=True)
    assert look.findings == [] and look.presses > 10
