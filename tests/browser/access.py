"""What assistive technology finds: axe-core's rules, and a name on everything that can be focused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lab_page import NotebookPage
from playwright.sync_api import Locator

AXE = Path(__file__).resolve().parent.parent.parent / ".cache" / "npm" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
WEIGHTY = ("moderate", "serious", "critical")

RUN_AXE = """async (root, rules) => {
  const { violations } = await axe.run(root, { runOnly: { type: 'tag', values: rules }, resultTypes: ['violations'] });
  return violations.flatMap(({ id, impact, nodes }) => nodes.map((node) => ({ id, impact,
    html: node.html.slice(0, 160), why: (node.failureSummary ?? '').replace(/\\s+/g, ' ').slice(0, 260) })));
}"""

# Everything that Tab can reach, or that has an interactive role, and has no accessible name.
NAMELESS = """(root) =>
  [...root.querySelectorAll('button, input, select, textarea, a, summary, [tabindex], [role=option], [role=gridcell], [role=radio]')]
    .filter((node) => node.getClientRects().length && !(node.computedName ?? '').trim())
    .map((node) => node.outerHTML.slice(0, 160))"""


def load_axe(notebook: NotebookPage) -> None:
    """Put axe-core into the page; without it the test is skipped, with the reason, or fails under CI."""
    if not AXE.exists():
        reason = "axe-core is not installed: `make axe` fetches it from npm into .cache/npm (it needs npm)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    if not notebook.page.evaluate("() => Boolean(window.axe)"):
        notebook.page.evaluate(AXE.read_text(encoding="utf-8"))


def violations(root: Locator) -> list[str]:
    """Every violation of WCAG 2 A or AA inside one widget, moderate or worse, one line each."""
    found = root.evaluate(RUN_AXE, RULES)
    return [f"{each['impact']} {each['id']}: {each['html']} ({each['why']})" for each in found if each["impact"] in WEIGHTY]


def nameless_controls(root: Locator) -> list[str]:
    """Everything focusable inside one widget, brought into view, that has no accessible name."""
    assert root.evaluate("() => 'computedName' in Element.prototype"), "the browser computes accessible names"
    found: list[str] = root.evaluate(NAMELESS)
    return [f"no accessible name: {html}" for html in found]
