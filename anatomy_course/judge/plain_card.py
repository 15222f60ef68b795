"""A card of HTML alone, in the looks of the live ones: where there is nothing to press."""

from __future__ import annotations

from typing import Literal

from anatomy_course.figures import palette

State = Literal["passed", "failed", "other", "open"]

EDGES: dict[State, palette.Color] = {
    "passed": palette.PASS,
    "failed": palette.FAIL,
    "other": palette.ROLES["key"],
    "open": palette.ROLES["masked"],
}
"""A guess that came out differently is no failure, so its card is not red."""

LOOK = """
.anatomy-card {border: 1px solid rgba(128,128,128,.4); border-inline-start: 5px solid var(--state)}
.anatomy-card {border-radius: 10px; padding: 14px 18px; max-width: 720px; box-sizing: border-box}
.anatomy-card {font-size: 14px; line-height: 1.45}
.anatomy-card .state {color: var(--state); font-size: 15px}
.anatomy-card p {margin: 0 0 8px}
.anatomy-card .beside {display: flex; flex-wrap: wrap; gap: 12px; margin: 0 0 10px}
.anatomy-card .beside > div {flex: 1 1 200px; background: rgba(128,128,128,.12); border-radius: 8px}
.anatomy-card .beside > div {padding: 8px 12px}
.anatomy-card .beside > .number {flex: 0 1 auto}
.anatomy-card .number strong {display: block; font-size: 24px; line-height: 1.2}
.anatomy-card .name {font-size: 13px; opacity: .8}
"""


def plain_card(state: State, headline: str, body: str) -> str:
    """A card with an edge and a headline in the state's color, which can be read in both themes.

    Args:
        state: of what it tells; "other" is neither right nor wrong.
        headline: its first line, as safe HTML.
        body: the rest, as safe HTML. Boxes in a `<div class="beside">` stand side by side where there is room.
    """
    rules = [LOOK]
    for name, color in EDGES.items():
        card = f".anatomy-card.is-{name}"
        dark = ", ".join(f"{host} {card}" for host in palette.DARK_HOSTS)
        rules.append(f"{card} {{--state: {color.light}}}\n{dark} {{--state: {color.dark}}}\n")
    head = f'<p class="state"><strong>{headline}</strong></p>'
    return f'<style>{"".join(rules)}</style><div class="anatomy-card is-{state}">{head}{body}</div>'
