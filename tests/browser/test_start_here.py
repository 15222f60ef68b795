"""What notebook 00 shows, in JupyterLab: a sentence of one's own, the check, the map, and the links that lead on."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from driving import press
from lab_page import NotebookPage, open_notebook
from lab_server import Lab
from playwright.sync_api import Browser, Locator, expect


def selected(drawn: Locator) -> str:
    """The part of the map that is chosen."""
    return drawn.locator("[aria-pressed=true]").get_attribute("aria-label") or ""


def test_check_says_ok_line_by_line(start: NotebookPage) -> None:
    report = start.output(start.index("check()"))
    report.get_by_text("15 of 15 in place").click()
    expect(report).to_contain_text("widgets")
    expect(report).to_contain_text("MiniLM")
    assert "✗" not in report.inner_text(), report.inner_text()


def test_map_is_walked_by_mouse_and_arrow_keys(start: NotebookPage) -> None:
    drawn = start.widget("TransformerMap()")
    told = drawn.locator(".tm-told")
    drawn.get_by_role("button", name="feed-forward", exact=False).first.click()
    start.settle()
    clicked = told.inner_text()
    assert "feed-forward" in selected(drawn)
    assert clicked.startswith("feed-forward")

    seen = {selected(drawn)}
    part = drawn.locator("[aria-pressed=true]")
    press(part, "ArrowUp")
    for key in ("ArrowUp", "ArrowRight", "ArrowDown"):
        start.page.keyboard.press(key)
        start.settle()
        seen.add(selected(drawn))
        focused = start.page.evaluate("() => document.activeElement.getAttribute('aria-label')")
        assert focused == selected(drawn), "focus goes where the choice goes"
    assert len(seen) >= 3, "arrow keys lead to other parts"
    assert told.inner_text() != clicked
    start.page.keyboard.press("Enter")
    assert told.inner_text().strip()


def test_ones_own_sentence_is_read_and_gone_on_with(start: NotebookPage) -> None:
    view = start.widget("type_a_sentence()")
    field = view.get_by_label("Your sentence")
    field.click()
    start.page.keyboard.type("Bees like sweet")
    expect(view.locator(".fw-token", has_text="bees")).to_be_visible()
    expect(view.locator(".fw-state")).to_contain_text("Live.")
    start.page.keyboard.press("Enter")
    expect(view.get_by_role("button", name="Stop writing")).to_have_count(0)
    expect(view.locator(".fw-new").first).to_be_visible()
    view.locator(".fw-new").first.click()
    rival = view.locator(".fw-rival").nth(1)
    chosen = rival.locator(".word").inner_text()
    rival.click()
    expect(view.locator(".fw-new").first.locator(".word")).to_have_text(chosen)
    expect(view.get_by_role("button", name="Go on with the sentence")).to_be_visible()


def test_an_untrusted_map_leads_to_a_notebook_without_a_warning(browser: Browser, lab: Lab, desk: Any) -> None:
    desk.clear()
    with open_notebook(browser, lab, "00_start_here.ipynb", size=(1440, 900)) as page:
        for source in ("#@title Imports", "TransformerMap()"):
            page.run_cell(page.index(source))
        drawn = page.widget("TransformerMap()")
        drawn.get_by_role("button", name="self-attention", exact=True).click()
        link = drawn.get_by_role("link")
        with page.page.expect_popup() as opened:
            link.click()
        assert urlsplit(opened.value.url).path == "/lab/tree/01_attention.ipynb"
        opened.value.close()
        assert page.page.locator(".jp-Dialog").count() == 0, "JupyterLab asks before it runs a command"
        height = drawn.bounding_box()
        assert height and height["height"] <= 700
        assert page.problems() == []
