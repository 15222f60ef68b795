"""What notebook 00 shows, in JupyterLab: the environment check, the map, and the links that lead on."""

from __future__ import annotations

from driving import press, wait_until
from lab_page import NOTEBOOK, NotebookPage
from playwright.sync_api import Locator, expect


def selected(drawn: Locator) -> str:
    """The part of the map that is chosen."""
    return drawn.locator("[aria-pressed=true]").get_attribute("aria-label") or ""


def test_check_says_ok_line_by_line(start: NotebookPage) -> None:
    report = start.output(start.index("check()"))
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


def test_map_leads_to_the_notebook_that_teaches_a_part(start: NotebookPage) -> None:
    drawn = start.widget("TransformerMap()")
    drawn.get_by_role("button", name="attention", exact=False).first.click()
    start.settle()
    link = drawn.get_by_role("link")
    expect(link).to_have_attribute("href", "01_attention.ipynb")
    current = "() => window.jupyterapp.shell.currentWidget?.context?.path"
    press(link, "Enter")
    try:
        wait_until(lambda: start.page.evaluate(current) == "01_attention.ipynb", drawn, "notebook 01 opens in a tab")
    finally:
        start.page.wait_for_function(f"() => {{ {NOTEBOOK} return panel.context?.isReady; }}")
        start.page.evaluate(f"async () => {{ {NOTEBOOK} await panel.context.sessionContext.ready; panel.dispose(); }}")
        start.page.wait_for_function(f"name => {{ {NOTEBOOK} return panel?.context?.path === name; }}", arg=start.name)
