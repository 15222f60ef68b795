"""What the strict run compares: nearly every stored output, and in it every number but times and measured memory."""

from __future__ import annotations

import configparser
import re

from nbformat import NotebookNode
from notebook_tools import ROOT, code_cells, notebook_paths, read

MOST_IGNORED = 89
"""Most of them train: how that ends depends on the processor, whose instructions add in another order."""
MARKERS = ("NBVAL_IGNORE_OUTPUT", "PYTEST_VALIDATE_IGNORE_OUTPUT", "NBVAL_SKIP")
TAGS = {"nbval-ignore-output", "nbval-skip"}
RULES = ROOT / "tests" / "support" / "sanitize.cfg"

EXACT = (
    "as it is: 94 MB",
    "1,327,104 parameters, 9.0 MiB",
    "A. 512 MiB",
    "1,536 bytes",
    "(medium, about 5 minutes)",
    "3 × 64 numbers",
    "8 times as many",
    "1.5 times the memory",
    "4 tokens, 12 words, 768 wide",
    "to french   96% exactly right",
    "100% of the words",
)  # fmt: skip
MEASURED = (
    ("12.3 ms a token", "TIME a token"),
    ("after 1.7 s", "after TIME"),
    ("peak: about 94 MB", "peak: MEMORY"),
    ("peak: ≈ 1.2 GiB", "peak: MEMORY"),
    ("2.1 times as fast", "RATIO as fast"),
    ("3.0 × the time", "RATIO the time"),
    ("to french   99% exactly right", "to french   NEARLY ALL exactly right"),
)


def ignored(cell: NotebookNode) -> bool:
    """Whether the strict run does not compare this cell's output."""
    return any(marker in cell.source for marker in MARKERS) or bool(TAGS & set(cell.metadata.get("tags", [])))


def sanitized(text: str) -> str:
    """A text as nbval compares it."""
    rules = configparser.RawConfigParser()
    rules.read_string(RULES.read_text(encoding="utf-8"))
    for name in rules.sections():
        text = re.sub(rules.get(name, "regex"), rules.get(name, "replace"), text)
    return text


def test_few_cells_ignore_their_output() -> None:
    counts = {path.stem: sum(map(ignored, code_cells(read(path)))) for path in notebook_paths()}
    assert sum(counts.values()) <= MOST_IGNORED, str(counts)


def test_counted_numbers_are_compared_and_measured_ones_may_differ() -> None:
    assert [sanitized(text) for text in EXACT] == list(EXACT)
    assert [sanitized(text) for text, _ in MEASURED] == [compared for _, compared in MEASURED]
