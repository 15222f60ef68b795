"""The environment check as a live view: one line, which unfolds by itself when something is missing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from widget_page import show

from anatomy_course.views.setup_check.view import SetupList

FINE = {"sign": "✓", "state": "ok", "text": "torch 2.11.0"}
LATER = {"sign": "○", "state": "later", "text": "gguf → pip install gguf"}
MISSING = {"sign": "✗", "state": "missing", "text": "numpy → pip install numpy"}


@pytest.mark.browser
def test_it_is_one_line_until_it_is_unfolded(browser: Browser) -> None:
    shown = show(browser, SetupList(lines=[FINE, FINE, LATER], label="Is everything there?"))
    line = shown.page.get_by_text("3 of 4 in place")  # with "widgets are alive"
    expect(shown.page.get_by_text("torch").first).to_be_hidden()
    line.click()
    expect(shown.page.get_by_role("listitem")).to_have_count(4)
    expect(shown.page.get_by_text("torch").first).to_be_visible()
    line.press("Enter")
    expect(shown.page.get_by_text("torch").first).to_be_hidden()
    shown.check()


@pytest.mark.browser
def test_what_is_missing_is_seen_at_once(browser: Browser) -> None:
    shown = show(browser, SetupList(lines=[FINE, MISSING], label="Is everything there?"))
    expect(shown.page.get_by_text("2 of 3 in place")).to_be_visible()
    expect(shown.page.get_by_text("pip install numpy")).to_be_visible()
    shown.check()
