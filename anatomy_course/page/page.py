"""Something to be displayed: HTML for notebooks, text for terminals, and a live widget where one can live."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
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


def show_for_now(words: str) -> Callable[[], None]:
    """Display a few words where IPython runs; what is returned takes them away again."""
    if shell() is None:
        return lambda: None
    from IPython.display import HTML, display

    shown = display(HTML(f'<p role="status"><small>⏳ {html.escape(words)} …</small></p>'), display_id=True)
    return lambda: shown.update(HTML('<p role="status" hidden></p>'))


@contextmanager
def while_it_runs(words: str) -> Iterator[None]:
    """Say what a slow cell computes, and about how long, until it is done.

    with while_it_runs("Three models learn, about 20 seconds"):
        trials = train()
    """
    take_away = show_for_now(words)
    try:
        yield
    finally:
        take_away()


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


def paragraph(words: str) -> CellOutput:
    """A sentence or two, as `in_code` writes them."""
    return CellOutput(f"<p>{in_code(words)}</p>", words)


def stacked(*pieces: CellOutput) -> CellOutput:
    """Pieces of page one below the other; as text without those that have none."""
    return CellOutput("".join(piece.html for piece in pieces), "\n".join(piece.text for piece in pieces if piece.text))


def details(summary: str, body: str, *, unfolded: bool = False) -> str:
    """A fold, closed at first unless it is `unfolded`; `body` is HTML."""
    return f"<details{' open' if unfolded else ''}><summary>{escape(summary)}</summary>{body}</details>"


def code_block(text: str, part: str = "") -> str:
    """Text as preformatted HTML, escaped; a part of it marked, where it stands in it just once."""
    pieces = [escape(piece) for piece in text.split(part)] if part else []
    marked = f"{pieces[0]}<mark>{escape(part)}</mark>{pieces[1]}" if len(pieces) == 2 else escape(text)
    return f"<pre><code>{marked}</code></pre>"


def table(
    caption: str,
    head: Sequence[str],
    rows: Sequence[Sequence[object]],
    *,
    words: Collection[int] = (),
    digits: int = 2,
) -> CellOutput:
    """A small table, as HTML and as aligned text. The first column names the rows.

    Args:
        caption: above the table; "" for none.
        head: the names of the columns.
        rows: as many cells each: text, or what `cell_text` writes.
        words: the columns that hold words, to be aligned on the left as the first is.
        digits: decimals of the numbers that have any.
    """
    cells = [[cell_text(cell, digits) for cell in row] for row in rows]
    page = html_table([escape(name) for name in head], [list(map(escape, row)) for row in cells], caption, words)
    lines = [head, *cells]
    widths = [max(len(row[i]) for row in lines) for i in range(len(head))]
    sides = ["<" if i in (0, *words) else ">" for i in range(len(head))]
    aligned = ["  ".join(map(format, row, map("{}{}".format, sides, widths))).rstrip() for row in lines]
    return CellOutput(page, "\n".join([caption, *aligned] if caption else aligned))


def cell_text(cell: object, digits: int = 2) -> str:
    """What a cell of a table says: ✓ or ✗, a whole number in groups of three, any other with so many decimals.

    >>> [cell_text(cell) for cell in ("word", True, 12345, -0.5, None)]
    ['word', '✓', '12,345', '−0.50', '–']
    """
    value = cell.item() if hasattr(cell, "item") else cell
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "✓" if value else "✗"
    if isinstance(value, int | float):
        return format(value, f",.{digits}f" if isinstance(value, float) else ",").replace("-", "−")
    return str(value)


def html_table(
    head: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "", words: Collection[int] = ()
) -> str:
    """A table of cells that are safe HTML already; the first one names its row, and `head` may be empty."""
    left = ' style="text-align:left"'
    top = "".join(f'<th scope="col"{left if n in (0, *words) else ""}>{name}</th>' for n, name in enumerate(head))
    body = "".join(
        f'<tr><th scope="row"{left}>{name}</th>'
        + "".join(f"<td{left if n in words else ''}>{cell}</td>" for n, cell in enumerate(cells, start=1))
        + "</tr>"
        for name, *cells in rows
    )
    above = f"<caption>{in_code(caption)}</caption>" if caption else ""
    return f"<table>{above}{f'<tr>{top}</tr>' if head else ''}{body}</table>"
