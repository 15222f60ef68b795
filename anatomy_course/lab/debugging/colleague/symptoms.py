"""Symptoms side by side: what can be tried with the right function and with the colleague's, as one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from anatomy_course.page.page import CellOutput, table

Examined = TypeVar("Examined")


def compared(
    title: str, tried: str, functions: Mapping[str, Examined], examine: Callable[[Examined], Mapping[str, str]]
) -> CellOutput:
    """A row for each thing that `examine` tries, a column for each function; `tried` heads the first column."""
    found = [examine(function) for function in functions.values()]
    rows = [(what, *(each[what] for each in found)) for what in found[0]]
    return table(title, (tried, *functions), rows)


def yes(holds: object) -> str:
    """A truth as a cell of the table: "yes" or "no"."""
    return "yes" if holds else "no"
