"""What the eye meets in a view, measured in the page: sizes of text, what is cut off or lies on something, jumps.

A view fits the window at 1440 × 900 if it is at most 700 pixels high, or if it marks its control and what that changes
with `data-glance="cause"` and `data-glance="effect"` and these lie within 700 pixels. What is unfolded makes a view
higher on purpose: `<details>`, and buttons with `aria-expanded` or `data-unfolds`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import ElementHandle, Frame, Page

SCRIPTS = [Path(__file__).with_name(name) for name in ("measure.js", "press.js")]
LIMITS = {"least": 12, "leastScript": 11, "most": 16}
"""Text as drawn, in pixels: all text, sub- and superscripts, and the largest in a drawing."""
PAGE_LIMITS = {"least": 12, "leastScript": 8, "most": 16}
"""The same for what is no view; scripts are also all parts of formulas."""
FITS = 700
JUMP = 8
HIGH_FROM = 1440
EXAMPLES = 4
ANSWERS = ("choice-question", "exercise-card")
"""Cards that grow on purpose, by an answer or a hint, and that note what is pressed."""


@dataclass
class Look:
    """One view at one size."""

    name: str
    kind: str
    width: float
    height: float
    at_once: float
    """How high it is from its control to what that changes: the whole view where it does not mark these."""
    text: list[float] | None
    """The smallest and the largest text of all, in pixels as drawn."""
    drawn: list[float] | None
    """The same of the text in drawings."""
    scrolls: bool
    """Something in it is scrolled sideways."""
    findings: list[str] = field(default_factory=list)
    jump: float = 0.0
    presses: int = 0


def views(page: Page) -> list[ElementHandle]:
    """All views of the page, none inside another."""
    return [root for root in page.query_selector_all(".anatomy") if root.evaluate(OUTERMOST)]


OUTERMOST = "root => !root.parentElement.closest('.anatomy') && root.getClientRects().length > 0"
NAMES = "root => [root.getAttribute('aria-label') ?? '', [...root.classList].slice(1).join(' ')]"


def look_at(root: ElementHandle, *, window: int, press: bool = False, thorough: bool = False, pause: int = 0) -> Look:
    """Measure one view as it is, and after each press if wanted.

    Args:
        root: the view's outermost element.
        window: the window's width; at 1440 the view's height counts.
        press: go through its sliders, steps and choices, and look whether its height changes.
        thorough: press more of each, and measure everything after each press.
        pause: milliseconds to wait after each press, for what the kernel answers.
    """
    page = root.owner_frame()
    assert page is not None
    _prepare(page)
    name, kind = root.evaluate(NAMES)
    seen = root.evaluate("(root, limits) => window.look.measure(root, limits)", LIMITS)
    faults, glance = seen.pop("faults") + _in_frames(root), seen.pop("glance")
    at_once = seen["height"] if glance is None else glance
    look = Look(name, kind or name, at_once=at_once, **seen, findings=_in_words(faults))
    if press and not any(answer in kind for answer in ANSWERS):
        options = {"most": 5 if thorough else 3, "pause": pause, "limits": LIMITS, "thorough": thorough}
        _pressed(look, root.evaluate("(root, options) => window.look.press(root, options)", options))
    if window >= HIGH_FROM and look.at_once > FITS:
        look.findings.append(f"high: {look.at_once:.0f} px, more than {FITS}")
    return look


def look_around(root: ElementHandle) -> list[str]:
    """What cannot be read in a page's own text, code and tables: too small, cut off, or wider than its frame."""
    page = root.owner_frame()
    assert page is not None
    _prepare(page)
    return _in_words(root.evaluate("(root, limits) => window.look.measurePage(root, limits)", PAGE_LIMITS))


def _prepare(page: Frame) -> None:
    if not page.evaluate("() => Boolean(window.look)"):
        for script in SCRIPTS:
            page.evaluate(script.read_text(encoding="utf-8"))


def _in_frames(root: ElementHandle) -> list[dict[str, str]]:
    faults: list[dict[str, str]] = []
    for node in root.query_selector_all("iframe"):
        if frame := node.content_frame():
            _prepare(frame)
            scale = node.evaluate("node => node.getBoundingClientRect().width / node.offsetWidth")
            script = "([limits, scale]) => window.look.measureText(document.body, limits, scale)"
            faults += frame.evaluate(script, [LIMITS, scale])
    return faults


def _pressed(look: Look, result: dict[str, Any]) -> None:
    look.presses = sum(len(heights) - 1 for heights in result["rounds"])
    look.at_once = max(height if glance is None else glance for _, height, glance in result["rounds"][0])
    for seen in result["rounds"]:
        low, high = min(seen, key=lambda each: each[1]), max(seen, key=lambda each: each[1])
        look.jump = max(look.jump, high[1] - low[1])
        if high[1] - low[1] > JUMP:
            look.findings.append(f"jump: {low[1]:.0f} px ({low[0]}) to {high[1]:.0f} px ({high[0]})")
    look.findings += _in_words(result["faults"])


def _in_words(faults: list[dict[str, str]]) -> list[str]:
    """A line for each of the first few faults of a kind, and one for how many more there are."""
    lines = []
    for what in dict.fromkeys(fault["what"] for fault in faults):
        told = [
            fault["text"] + (f", after {fault['after']}" if "after" in fault else "")
            for fault in faults
            if fault["what"] == what
        ]
        lines += [f"{what}: {text}" for text in told[:EXAMPLES]]
        if len(told) > EXAMPLES:
            lines.append(f"{what}: {len(told) - EXAMPLES} more")
    return lines
