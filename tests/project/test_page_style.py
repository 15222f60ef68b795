"""The look of the course's pages: a stylesheet that touches no other notebook, and that `make lab` loads."""

from __future__ import annotations

import re
from itertools import accumulate

import pytest
from lab_server import PAGE_STYLE
from notebook_tools import ROOT, notebook_paths, read
from playwright.sync_api import Browser
from widget_page import show

from anatomy_course.views._kit.modules import STATIC
from anatomy_course.views.setup_check.view import SetupList

SHEET = (PAGE_STYLE / "custom.css").read_text(encoding="utf-8")
RULES = re.sub(r"/\*.*?\*/", "", SHEET, flags=re.DOTALL).strip()


def test_a_notebook_is_ours_by_its_first_heading() -> None:
    headings = [read(path).cells[0].source.splitlines()[0].removeprefix("# ") for path in notebook_paths()]
    known = re.findall(r'\[data-jupyter-id="([^"]+)"\]', RULES)
    assert known == [heading.replace(" ", "-") for heading in headings]


def test_no_rule_stands_outside_of_the_course() -> None:
    assert RULES.startswith(".jp-Notebook:has(h1:is(")
    depths = list(accumulate({"{": 1, "}": -1}.get(letter, 0) for letter in RULES))
    assert depths.index(0, RULES.index("{")) == len(RULES) - 1, "the one brace that opens first closes last"


@pytest.mark.browser
def test_the_first_live_view_brings_it_along_where_nothing_else_did(browser: Browser) -> None:
    shown = show(browser, SetupList(lines=[], label="x"), views=2)
    sheets = "[...document.head.querySelectorAll('style')].map((style) => style.sheet.cssRules[0]?.cssText ?? '')"
    assert shown.page.evaluate(f"() => {sheets}.filter((text) => text.startsWith('.jp-Notebook')).length") == 1
    shown.check()


def test_make_lab_loads_it() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"PAGE_STYLE := {PAGE_STYLE.relative_to(ROOT).as_posix()}\n" in makefile
    assert "--LabApp.custom_css=True --ServerApp.tornado_settings=static_custom_path=$(PAGE_STYLE)" in makefile
    assert PAGE_STYLE == STATIC / "_kit" / "page"


@pytest.mark.parametrize("name", ["custom.js", "custom.css"])
def test_the_folder_holds_only_the_sheet(name: str) -> None:
    assert (PAGE_STYLE / name).exists() == (name == "custom.css"), "Notebook 7 would run a script of this name"
