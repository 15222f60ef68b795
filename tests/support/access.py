"""What assistive technology finds: axe-core's rules, and a name on everything that can be focused."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from lab_page import NotebookPage
from playwright.sync_api import ElementHandle

AXE = Path(__file__).resolve().parent.parent.parent / ".cache" / "npm" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
"""All of axe-core's rules for WCAG 2 A and AA. Only `color-contrast` depends on the theme."""
WEIGHTY = ("moderate", "serious", "critical")

# One run for all widgets of the page: axe looks at the whole page first, and that is the expensive part.
RUN_AXE = """async (rules) => {
  const roots = [...document.querySelectorAll('.anatomy')];
  roots.forEach((root, i) => root.setAttribute('data-axe-root', i));
  const { violations } = await axe.run({ include: roots.map((_, i) => [`[data-axe-root="${i}"]`]) },
    { runOnly: rules, resultTypes: ['violations'] });
  const widget = (target) => document.querySelector(target)?.closest('.anatomy')?.getAttribute('aria-label');
  return violations.flatMap(({ id, impact, nodes }) => nodes.map((node) => ({ id, impact,
    widget: widget(node.target[0]), html: node.html.slice(0, 160),
    why: (node.failureSummary ?? '').replace(/\\s+/g, ' ').slice(0, 260) })));
}"""

# Numbers everything that Tab can reach or that has an interactive role, less what is inert, and describes it.
MARK = """() => [...document.querySelectorAll('.anatomy')].flatMap((root) =>
  [...root.querySelectorAll('button, input, select, textarea, a, summary, [tabindex], [role=option], [role=gridcell]')]
    .filter((node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest('[inert]'))
    .map((node) => [node, `“${root.getAttribute('aria-label')}”: ${node.outerHTML.slice(0, 160)}`]))
  .map(([node, description], i) => { node.setAttribute('data-control', i); return description; })"""
UNMARK = "() => document.querySelectorAll('[data-control]').forEach((node) => node.removeAttribute('data-control'))"
# What a view itself hides stays hidden.
ALL_CELLS = ".jp-Notebook :not(.anatomy *) { content-visibility: visible !important; }"
ONE_CELL = ".jp-Notebook .jp-Cell:not([data-alone]) { content-visibility: hidden !important; }"


def load_axe(notebook: NotebookPage) -> None:
    """Put axe-core into the page; without it the test is skipped, with the reason, or fails under CI."""
    if not AXE.exists():
        reason = "axe-core is not installed: `make node-packages` fetches it (it needs npm)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    if not notebook.page.evaluate("() => Boolean(window.axe)"):
        notebook.page.evaluate(AXE.read_text(encoding="utf-8"))


@contextmanager
def all_cells_laid_out(notebook: NotebookPage) -> Iterator[None]:
    """JupyterLab leaves out what is not in view; for a while, have it all."""
    style = notebook.page.add_style_tag(content=ALL_CELLS)
    notebook.settle()
    try:
        yield
    finally:
        style.evaluate("node => node.remove()")


def one_by_one(notebook: NotebookPage, roots: Sequence[ElementHandle]) -> Iterator[ElementHandle]:
    """Where all cells are laid out: each view while only its own cell is, so that pressing it costs half the time."""
    style = notebook.page.add_style_tag(content=ONE_CELL)
    for root in roots:
        root.evaluate("root => root.closest('.jp-Cell').setAttribute('data-alone', '')")
        notebook.settle()
        yield root
        root.evaluate("root => root.closest('.jp-Cell').removeAttribute('data-alone')")
    style.evaluate("node => node.remove()")


def violations(notebook: NotebookPage, rules: list[str]) -> list[str]:
    """Every violation of these rules (or groups of rules) inside our widgets, moderate or worse, one line each."""
    found = notebook.page.evaluate(RUN_AXE, rules)
    return [
        f"{each['impact']} {each['id']} in “{each['widget']}”: {each['html']} ({each['why']})"
        for each in found
        if each["impact"] in WEIGHTY
    ]


def nameless_controls(notebook: NotebookPage) -> list[str]:
    """Everything focusable inside our widgets that has no accessible name.

    All names are taken from the page at once: for each element that is asked alone, the browser names the whole page.
    """
    controls: list[str] = notebook.page.evaluate(MARK)
    browser = notebook.page.context.new_cdp_session(notebook.page)
    elements = [browser.send("DOM.getDocument", {"depth": -1})["root"]]
    marked = {}
    while elements:
        element = elements.pop()
        elements += element.get("children", [])
        names_and_values = iter(element.get("attributes", []))
        attributes = dict(zip(names_and_values, names_and_values, strict=True))
        if "data-control" in attributes:
            marked[element["backendNodeId"]] = int(attributes["data-control"])
    named = {
        marked[node["backendDOMNodeId"]]
        for node in browser.send("Accessibility.getFullAXTree")["nodes"]
        if node.get("backendDOMNodeId") in marked and node.get("name", {}).get("value", "").strip()
    }
    browser.detach()
    notebook.page.evaluate(UNMARK)
    assert len(marked) == len(controls), "each control was found again"
    return [f"no accessible name in {each}" for number, each in enumerate(controls) if number not in named]
