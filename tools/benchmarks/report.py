"""What is done with rows: the table on the screen, RESULTS.md, results.json, and the README's summary."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from tools.benchmarks.timing import Row

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NUMBERS, TABLE, README = HERE / "results.json", HERE / "RESULTS.md", ROOT / "README.md"
MARKERS = "<!-- benchmarks -->", "<!-- /benchmarks -->"
LIBRARIES = ("torch", "transformers", "x-transformers", "bertviz")


def alone(run: Callable[[bool], list[Row]]) -> None:
    """The command line of one subject."""
    options = argparse.ArgumentParser()
    options.add_argument("--quick", action="store_true", help="tiny sizes and few rounds: does it run?")
    rows = run(options.parse_args().quick)
    print(f"\n{machine()}\n\n{table(rows)}")


# Words ----------------------------------------------------------------------------------------------------------


def figure(value: float | None, unit: str) -> str:
    """A median with a unit that suits its size.

    >>> figure(0.0123, "seconds"), figure(2.5, "seconds"), figure(611_000, "bytes"), figure(None, "bytes")
    ('12.3 ms', '2.50 s', '0.611 MB', 'n/a')
    """
    if value is None:
        return "n/a"
    if unit == "bytes":
        return f"{value / 1e6:.3g} MB" if value < 0.9995e9 else f"{value / 1e9:.2f} GB"
    return f"{value * 1000:.3g} ms" if value < 1 else f"{value:.2f} s"


def promise(row: Row) -> str:
    """What was promised of a row."""
    said = [] if row.at_least is None else [f"≥ {row.at_least:g} ×"]
    return ", ".join(said if row.at_most is None else [*said, f"≤ {figure(row.at_most, row.unit)}"])


def verdict(row: Row) -> str:
    """`met`, `MISSED`, or nothing where nothing was promised or measured."""
    return {None: "", True: "met", False: "MISSED"}[row.met]


def times(ratio: float | None) -> str:
    """A ratio, or nothing."""
    return "" if ratio is None else f"{ratio:.2f} ×" if ratio < 10 else f"{ratio:.0f} ×"


# Tables ---------------------------------------------------------------------------------------------------------


def table(rows: Sequence[Row]) -> str:
    """Every row with all its peers, as Markdown."""
    lines = ["| work | ours | peers | best peer ÷ ours | promised | |", "|---|---:|---|---:|---:|---|"]
    for row in rows:
        ranked = sorted(row.peers.items(), key=lambda peer: peer[1])
        peers = ", ".join(f"{name} {figure(value, row.unit)}" for name, value in ranked)
        cells = (row.work, figure(row.ours, row.unit), peers, times(row.ratio), promise(row), verdict(row))
        lines.append(f"| {' | '.join(cells)} |")
    notes: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            notes.setdefault(row.note, []).append(row.work)
    return "\n".join([*lines, "", *(f"- {'; '.join(works)}: {note}" for note, works in notes.items())]).rstrip()


def summary(results: dict[str, Any]) -> str:
    """The promised rows in few lines, for the README."""
    rows = rows_of(results)
    lines = ["| work | ours | best peer | ratio |", "|---|---:|---:|---:|"]
    for row in rows:
        if row.at_least is None and row.at_most is None:
            continue
        peer = "" if row.best is None else f"{row.best} {figure(row.peers[row.best], row.unit)}"
        lines.append(f"| {row.work} | {figure(row.ours, row.unit)} | {peer} | {times(row.ratio)} |")
    return "\n".join([*lines, "", f"Medians of interleaved rounds in one process. {results['machine']}"])


def machine() -> str:
    """The machine and the versions, in a sentence."""
    versions = ", ".join(f"{name} {version(name).partition('+')[0]}" for name in LIBRARIES)
    cores = os.cpu_count() or 1
    threads = torch.get_num_threads()
    told = (
        f"{_processor()}, {cores} core{'s' * (cores > 1)}, {threads} thread{'s' * (threads > 1)}, {platform.system()}"
    )
    told += f", Python {platform.python_version()}"
    return f"Measured on: {told}, {versions}."


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        known = re.search(r"^model name\s*: (.+)$", cpuinfo.read_text(), re.MULTILINE)
        if known:
            return re.sub(r"\((?:R|TM)\)", "", known[1]).strip()
    return platform.processor() or platform.machine()


# Files ----------------------------------------------------------------------------------------------------------


def save(rows: Sequence[Row], pages: Mapping[str, str]) -> None:
    """Write the numbers, and everything that is made from them.

    Args:
        rows: of all subjects.
        pages: heading → what a benchmark in a browser printed.
    """
    results = {"machine": machine(), "rows": [asdict(row) for row in rows], "pages": dict(pages)}
    _write(NUMBERS, json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    make_again()


def make_again() -> None:
    """RESULTS.md, the picture, and the README's summary, from the stored numbers."""
    results = load()
    _write(TABLE, results_page(results))
    if MARKERS[0] in (text := README.read_text(encoding="utf-8")):
        _write(README, with_summary(text, results))
    subprocess.run([sys.executable, str(ROOT / "tools" / "images" / "make_images.py")], check=True)


def load() -> dict[str, Any]:
    """The numbers of the last full run."""
    return json.loads(NUMBERS.read_text(encoding="utf-8"))


def rows_of(results: dict[str, Any]) -> list[Row]:
    """The rows of stored numbers."""
    return [Row(**row) for row in results["rows"]]


def results_page(results: dict[str, Any]) -> str:
    """RESULTS.md as a whole."""
    pages = "".join(f"\n## {title}\n\n{text}\n" for title, text in results["pages"].items())
    return (
        "# Results\n\nMade by `make bench`; `tools/benchmarks/` says how. Ratios hold, milliseconds drift: every "
        "figure is a median of rounds in which all take turns, in one process, and the ratio is the best peer's figure "
        f"divided by ours. {results['machine']}\n\n{table(rows_of(results))}\n{pages}"
    )


def with_summary(text: str, results: dict[str, Any]) -> str:
    """A text with the summary between its markers.

    >>> with_summary("a <!-- benchmarks -->old<!-- /benchmarks --> b", {"machine": "M.", "rows": []}).splitlines()[-1]
    '<!-- /benchmarks --> b'
    """
    start, end = (text.index(marker) for marker in MARKERS)
    return f"{text[: start + len(MARKERS[0])]}\n{summary(results)}\n{text[end:]}"


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    make_again()
