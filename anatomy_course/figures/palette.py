"""The colors of the course, one per role, stated once for figures, widgets, equations and images.

Colors follow Okabe and Ito's color-blind-safe set, darkened or lightened until text in them has a contrast of at
least 4.5 to 1 on a white page (`light`) and on a dark one (`dark`), and shifted until every two roles stay apart under
simulated protanopia, deuteranopia and tritanopia too. Color never carries a meaning alone: a label, a position or a
pattern always goes with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Theme = Literal["light", "dark"]


@dataclass(frozen=True)
class Color:
    """One role's color on a light and on a dark page, as `#rrggbb`."""

    light: str
    dark: str


ROLES: dict[str, Color] = {
    "query": Color("#0072b2", "#6fb7f5"),
    "key": Color("#b95d13", "#f08a5d"),
    "value": Color("#07714d", "#3fdba6"),
    "weights": Color("#a23b80", "#d873bd"),
    "residual": Color("#4d5257", "#c9ced4"),
    "feed_forward": Color("#745107", "#d9a514"),
    "memory": Color("#314200", "#f0e442"),
    "masked": Color("#767676", "#8f8f8f"),
}
"""Role → color. `weights` also serves the scores they are made from; `memory` is the encoder's output."""

PAGE = Color("#ffffff", "#111417")
INK = Color("#1b1f23", "#e6e8ea")
FAINT = Color("#d0d4d8", "#3a4047")
PRESS = Color("#5b3cc4", "#b9a8ff")
"""What to press next; no role has it."""
PASS = Color("#007a59", "#2fc79a")
FAIL = Color("#b3261e", "#ff8a80")

SEQUENTIAL: dict[Theme, tuple[str, ...]] = {
    "light": ("#ffffff", "#f0d3e4", "#d58db6", "#a23b78", "#5c1740"),
    "dark": ("#111417", "#4a1a37", "#8f3a6c", "#cf74a8", "#ffe3f2"),
}
"""Weights from 0 to 1, evenly spaced stops: the page's own color is 0."""

DIVERGING: dict[Theme, tuple[str, ...]] = {
    "light": ("#543005", "#bf812d", "#f5f5f5", "#35978f", "#003c30"),
    "dark": ("#f6c67a", "#9a6420", "#22272c", "#2a8079", "#8fe3d6"),
}
"""Signed values, centered at zero: negative brown, positive teal."""

DARK_HOSTS = ("[data-jp-theme-light='false']", ".vscode-dark", "html[theme='dark']")
"""How JupyterLab and Notebook, VS Code and Colab mark a dark page."""


def css_variables() -> str:
    """The palette as CSS custom properties for `.anatomy`, with the dark values wherever a host page is dark.

    JupyterLab, VS Code and Colab each mark a dark page in their own way; a page that marks nothing follows the
    reader's system setting.
    """
    named = ROLES | {"page": PAGE, "ink": INK, "faint": FAINT, "press": PRESS, "pass": PASS, "fail": FAIL}

    def block(theme: Theme) -> str:
        colors = [f"--{name.replace('_', '-')}: {getattr(color, theme)};" for name, color in named.items()]
        colors += [f"--sequential-{i}: {stop};" for i, stop in enumerate(SEQUENTIAL[theme])]
        colors += [f"--diverging-{i}: {stop};" for i, stop in enumerate(DIVERGING[theme])]
        return " ".join([*colors, f"--theme: {theme}; color-scheme: {theme};"])

    hosts = ", ".join(f"{host} .anatomy" for host in DARK_HOSTS)
    unmarked = "body:not([data-jp-theme-light]):not(.vscode-light):not(.vscode-dark)"
    return (
        f".anatomy {{ {block('light')} }}\n"
        f"{hosts} {{ {block('dark')} }}\n"
        f"@media (prefers-color-scheme: dark) {{ html:not([theme]) {unmarked} .anatomy {{ {block('dark')} }} }}\n"
    )
