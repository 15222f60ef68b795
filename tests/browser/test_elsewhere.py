"""The course elsewhere: in Notebook 7, and on a page where nothing runs, as nbviewer and GitHub show it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

import bleach
import pytest
import test_run_all
from conftest import Ran
from lab_page import open_notebook
from lab_server import jupyter_lab
from nbconvert import HTMLExporter
from notebook_tools import NOTEBOOKS, notebook_paths
from playwright.sync_api import Browser, expect

START = NOTEBOOKS / "00_start_here.ipynb"
KEPT = """a b blockquote br code details div em h1 h2 h3 h4 hr i img input label li ol p pre s small span strong sub
summary sup table tbody td th thead tr u ul""".split()
"""What a careful host leaves of a page: nothing that runs, no style, nothing that is sent."""
ATTRIBUTES = {"*": ["alt", "colspan", "height", "href", "open", "scope", "src", "start", "type", "width"]}
PROTOCOLS = ["data", "http", "https"]
LOADED = "() => [...document.images].map((image) => [image.alt, image.complete && image.naturalWidth > 0])"
UNSEEN = re.compile(r"<(style|script)\b.*?</\1>", re.DOTALL)
ALT = re.compile(r'<img [^>]*?\balt="([^"]*)"')
TAG = re.compile(r"<[^>]+>")
SHOWN = "() => document.body.textContent"


@pytest.fixture(scope="module")
def in_notebook_7(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    """Notebook 00 after Run All in Notebook 7."""
    home = tmp_path_factory.mktemp("notebook") / "home"
    with jupyter_lab(home, [START], "notebook") as running, open_notebook(browser, running, START.name) as notebook:
        yield Ran(notebook, notebook.run_all(), notebook.cells())


def test_notebook_7_runs_every_cell_and_draws_every_view(in_notebook_7: Ran) -> None:
    test_run_all.test_every_cell_ran_in_order_without_an_error(in_notebook_7)
    test_run_all.test_every_widget_is_drawn(in_notebook_7)
    notebook = in_notebook_7.notebook
    assert notebook.page.evaluate("() => document.querySelector('.anatomy-page') !== null"), "the page has its style"
    assert notebook.problems() == []


def test_notebook_7_shows_a_card_for_an_answer(in_notebook_7: Ran) -> None:
    notebook = in_notebook_7.notebook
    index = notebook.index('@exercise("start.mean")')
    before = notebook.source(index)
    definition, _, _ = before.partition("    ...")
    card = notebook.write_and_run(index, f"{definition}    return vectors.sum(dim=0)").locator(".anatomy").first
    expect(card).to_contain_text("You have the sum of the vectors")
    card = notebook.write_and_run(index, f"{definition}    return vectors.mean(dim=0)").locator(".anatomy").first
    expect(card).to_contain_text("Passed")
    assert notebook.problems() == []


@pytest.mark.parametrize("path", notebook_paths(), ids=lambda path: path.stem)
def test_where_nothing_runs_all_pictures_and_all_text_are_there(path: Path, browser: Browser, tmp_path: Path) -> None:
    """nbviewer makes its pages with nbconvert. GitHub takes more out: scripts, styles, classes."""
    made, _ = HTMLExporter(template_name="basic").from_filename(str(path))
    bare = bleach.clean(UNSEEN.sub("", made), KEPT, ATTRIBUTES, PROTOCOLS, strip=True)
    file = tmp_path / "page.html"
    file.write_text(f"<!DOCTYPE html><meta charset=utf-8>{bare}", encoding="utf-8")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    stored = [output["data"] for cell in cells for output in cell.get("outputs", []) if "data" in output]
    pages = ["".join(data["text/html"]) for data in stored if "text/html" in data]
    pictures = [html.unescape(alt) for each in pages for alt in ALT.findall(each)]
    words = [text_of(each) for each in pages]
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(file.as_uri())
    try:
        assert len(pictures) >= sum("image/png" in data for data in stored) > 0
        assert page.evaluate(LOADED) == [[alt, True] for alt in pictures]
        shown = "".join(page.evaluate(SHOWN).split())
        assert len(words) > 5 and [each for each in words if each not in shown] == []
        for unfolded in page.locator("summary").all()[:3]:
            unfolded.click()
            expect(unfolded.locator("xpath=..")).to_have_attribute("open", "")
    finally:
        page.context.close()


def text_of(page: str) -> str:
    """The letters of a piece of HTML, without white space."""
    return "".join(html.unescape(TAG.sub("", UNSEEN.sub("", page))).split())
