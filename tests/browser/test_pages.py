"""The course's pages: one column to read, one edge for all boxes, folded cells by titles; other notebooks as ever."""

from __future__ import annotations

from typing import Any

from driving import press
from lab_page import NOTEBOOK, NotebookPage, open_notebook
from lab_server import Lab
from playwright.sync_api import Browser, expect

LOOK = """() => [...document.querySelectorAll(".jp-Notebook :is(.jp-MarkdownOutput > p, .jp-OutputArea-output)")]
  .filter((node) => !node.querySelector(":scope > pre, .anatomy-card, .anatomy-picture"))
  .map((node) => ({ right: Math.round(node.getBoundingClientRect().right), letters: getComputedStyle(node).fontSize,
    prose: node.matches("p"), width: Math.round(node.getBoundingClientRect().width) }))"""
EDGES = """() => Object.fromEntries([".anatomy", ".exercise-card", ".jp-InputArea-editor", ".jp-InputPlaceholder"]
  .map((kind) => [kind, [...new Set([...document.querySelectorAll(`.jp-Notebook ${kind}`)]
    .filter((node) => node.getClientRects().length)
    .map((node) => Math.round(node.getBoundingClientRect().right)))]]))"""
OUTER_RULES = """() => {
  const ours = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.selectorText ?? '')
    .filter((selector) => /^\\.jp-Notebook(:has|\\.anatomy-page)/.test(selector));
  return [ours.length, ours.filter((selector) => selector.includes(':has')).length];
}"""
FOREIGN = ["from anatomy_course.views.setup_check.view import SetupList\nSetupList(lines=[], label='x')"]


def test_an_untrusted_page_has_one_column_and_folded_cells(browser: Browser, lab: Lab, desk: Any) -> None:
    desk.clear()
    with open_notebook(browser, lab, "01_attention.ipynb", size=(1440, 900)) as page:
        looks = page.page.evaluate(LOOK)
        assert {(look["right"], look["width"]) for look in looks} == {(looks[0]["right"], 720)}
        assert {look["letters"] for look in looks if look["prose"]} == {"18px"}
        texts = "'.jp-RenderedText pre, .jp-OutputArea-output.jp-RenderedMarkdown pre'"
        breaks = f"() => [...document.querySelectorAll({texts})].map(p => getComputedStyle(p).wordBreak)"
        assert set(page.page.evaluate(breaks)) == {"normal"}, "no line ends inside a word or a number"
        titles = page.page.locator(".jp-InputPlaceholder .jp-PlaceholderText")
        expect(titles.nth(1)).to_have_text("#@title Imports")


def test_opening_and_saving_a_notebook_changes_no_file(browser: Browser, lab: Lab, desk: Any) -> None:
    desk.clear()
    stored = (lab.folder / "00_start_here.ipynb").read_bytes()
    with open_notebook(browser, lab, "00_start_here.ipynb") as page:
        page.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    assert (lab.folder / "00_start_here.ipynb").read_bytes() == stored


def test_escape_leaves_a_view_and_the_arrow_keys_are_the_notebooks_again(attention: NotebookPage) -> None:
    mixer = attention.widget("views.mixer(")
    press(mixer.get_by_role("slider").nth(1), "ArrowRight", "Escape")
    focused = "() => document.activeElement.matches('.jp-Cell')"
    assert attention.page.evaluate(focused), "the cell has the focus"
    active = f"() => {{ {NOTEBOOK} return notebook.activeCellIndex; }}"
    before = attention.page.evaluate(active)
    attention.page.keyboard.press("ArrowDown")
    assert attention.page.evaluate(active) == before + 1


def test_views_cards_code_and_folded_cells_have_one_right_edge(start: NotebookPage) -> None:
    edges = start.page.evaluate(EDGES)
    assert all(edges.values()) and len(set(map(tuple, edges.values()))) == 1 and len(edges[".anatomy"]) == 1, edges
    (right,) = edges[".anatomy"]
    first = "notebook.widgets.findIndex((cell) => cell.model.type === 'code' && !cell.inputHidden)"
    start.page.evaluate(f"() => {{ {NOTEBOOK} notebook.activeCellIndex = {first}; }}")
    start.page.locator(".jp-cell-toolbar").first.wait_for()
    bin = "Math.max(...[...document.querySelectorAll('.jp-cell-toolbar')].map((n) => n.getBoundingClientRect().right))"
    assert right - 8 < start.page.evaluate(bin) <= right


def test_a_live_view_marks_the_page_and_nothing_looks_for_its_heading_any_more(start: NotebookPage) -> None:
    """While a rule looks, each change of a page costs the browser 50 to 90 ms."""
    assert start.page.locator(".jp-Notebook.anatomy-page").count() == 1
    sheets, looking = start.page.evaluate(OUTER_RULES)
    assert sheets == 1 and looking == 0, "the page's own sheet is there already, so no view brings another"


def test_another_notebook_keeps_its_own_look(browser: Browser, lab: Lab, desk: Any) -> None:
    desk.clear()
    with open_notebook(browser, lab, lab.write_notebook("foreign.ipynb", FOREIGN), size=(1440, 900)) as page:
        before = page.page.evaluate("() => getComputedStyle(document.querySelector('.jp-Cell')).width")
        page.run_all()
        expect(page.page.locator(".anatomy")).to_be_visible()
        assert page.page.evaluate("() => getComputedStyle(document.querySelector('.jp-Cell')).width") == before
        assert page.page.evaluate(LOOK)[0]["width"] > 960, "outputs are as wide as the page"
