"""Something to be displayed: HTML for notebooks, text for terminals, and a live widget where one can live."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable, Sequence
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
    return f"<pre><code>{escape(text)}</code></pre>"


def table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> CellOutput:
    """A small table, as HTML and as aligned text. The first column names the rows."""
    columns = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    lines = [
        f'<tr><th scope="row">{escape(row[0])}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:]) + "</tr>"
        for row in rows
    ]
    page = f"<table><caption>{in_code(caption)}</caption><tr>{columns}</tr>{''.join(lines)}</table>"
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    aligned = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in (head, *rows)]
    return CellOutput(page, "\n".join([caption, *aligned]))
