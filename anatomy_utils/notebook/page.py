"""Something to be displayed: HTML for notebooks, text for terminals, and a live widget where one can live."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class CellOutput:
    """A piece of page. As the last expression of a cell it shows itself.

    Args:
        html: safe HTML: everything from outside is escaped.
        text: the same as plain text.
        widget: makes the live view; tried only where a notebook kernel runs.
    """

    html: str
    text: str
    widget: Callable[[], Any] | None = field(default=None, repr=False, compare=False)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        static = {"text/html": self.html, "text/plain": self.text}
        if self.widget is None or not in_notebook():
            return static
        try:
            live = self.widget()._repr_mimebundle_()
        except Exception:  # no widgets here, or too old: the static page says the same
            return static
        data, metadata = live if isinstance(live, tuple) else (live or {}, {})
        return {**data, **static}, metadata

    def __repr__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text


def shell() -> Any | None:
    """The running IPython, or None in a plain script; never imports IPython by itself."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module is not None and hasattr(module, "get_ipython") else None


def in_notebook() -> bool:
    """Whether a notebook's kernel runs, so that widgets have somebody to talk to."""
    return getattr(shell(), "kernel", None) is not None


def show(thing: Any) -> None:
    """Display `thing` where IPython runs; do nothing elsewhere."""
    if shell() is not None:
        from IPython.display import display

        display(thing)


def escape(text: str) -> str:
    """Text made safe for HTML."""
    return html.escape(text, quote=True)


def in_code(text: str) -> str:
    """A sentence as HTML: escaped, `code` between backticks and *stressed* words between asterisks."""

    def piece(match: re.Match[str]) -> str:
        code, stressed = match.groups()
        return f"<code>{code}</code>" if code is not None else f"<em>{stressed}</em>"

    return re.sub(r"`([^`]+)`|\*([^\s*](?:[^*]*[^\s*])?)\*", piece, escape(text))


def details(summary: str, body: str) -> str:
    """A fold that is closed at first; `body` is HTML."""
    return f"<details><summary>{escape(summary)}</summary>{body}</details>"


def code_block(text: str) -> str:
    """Text as preformatted HTML, escaped."""
    return f"<pre><code>{escape(text)}</code></pre>"


def table(
    caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, words: Collection[int] = ()
) -> CellOutput:
    """A small table, as HTML and as aligned text. The first column names the rows.

    Args:
        caption: above the table; "" for none.
        head: the names of the columns.
        rows: as many cells each.
        words: the columns that hold words, to be aligned on the left in text as the first is.
    """
    page = html_table([escape(name) for name in head], [[escape(cell) for cell in row] for row in rows], caption)
    lines = [head, *rows]
    widths = [max(len(row[i]) for row in lines) for i in range(len(head))]
    sides = ["<" if i in (0, *words) else ">" for i in range(len(head))]
    aligned = ["  ".join(map(format, row, map("{}{}".format, sides, widths))).rstrip() for row in lines]
    return CellOutput(page, "\n".join([caption, *aligned] if caption else aligned))


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """A table of cells that are safe HTML already; the first one names its row, and `head` may be empty."""
    top = "".join(f'<th scope="col">{name}</th>' for name in head)
    body = "".join(
        f'<tr><th scope="row" style="text-align:left">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for name, *cells in rows
    )
    above = f"<caption>{in_code(caption)}</caption>" if caption else ""
    return f"<table>{above}{f'<tr>{top}</tr>' if head else ''}{body}</table>"
