"""Every benchmark, one after the other, and what is made of them. `make bench` runs it; about ten minutes.

Writes `results.json` and `RESULTS.md` beside this, `images/benchmarks`, and the README's summary between its markers.
With `--quick`, or with subjects named, it only prints.

    python -m tools.benchmarks.run_all [--quick] [training generation …]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from importlib import import_module

from tools.benchmarks import report
from tools.benchmarks.timing import Row

SUBJECTS = {
    "attention": "attention_by_length",
    "training": "training_steps",
    "encoder": "encoder_forward",
    "generation": "generation",
    "weights": "real_weights",
    "imports": "imports",
    "browser": "attention_payload",
}
"""What a subject is called on the command line → its module."""

IN_A_BROWSER = {
    "Hovering over attention": "tools.benchmarks.attention_hover",
    "Input to repaint": "tools.benchmarks.widget_latency",
}
"""Heading in RESULTS.md → the module whose printed table stands under it."""


def main() -> int:
    """Run what was asked for; 1 if a promise was missed."""
    options = argparse.ArgumentParser(description="Measure what the course promises about speed.")
    options.add_argument("subjects", nargs="*", help=f"only some of: {' '.join(SUBJECTS)}")
    options.add_argument("--quick", action="store_true", help="tiny sizes and few rounds: does it run?")
    asked = options.parse_args()
    if unknown := set(asked.subjects) - set(SUBJECTS):
        options.error(f"there is no subject {' or '.join(sorted(unknown))}; choose from {' '.join(SUBJECTS)}")
    whole = not asked.subjects and not asked.quick
    rows: list[Row] = []
    for name in asked.subjects or SUBJECTS:
        rows += measure(name, asked.quick)
    pages = {title: printed_by(module) for title, module in IN_A_BROWSER.items()} if whole else {}
    print(f"\n{report.machine()}\n\n{report.table(rows)}")
    if whole:
        report.save(rows, pages)
    if asked.quick:
        print("\nIt runs. Sizes this small say nothing about speed.")
        return 0
    missed = [row.work for row in rows if row.met is False]
    print("\nAll promises are kept." if not missed else f"\nMISSED: {'; '.join(missed)}.")
    return int(bool(missed))


def measure(name: str, quick: bool) -> list[Row]:
    """The rows of one subject."""
    print(f"== {name}", flush=True)
    start = time.perf_counter()
    rows = import_module(f"tools.benchmarks.{SUBJECTS[name]}").run(quick)
    for row in rows:
        print(f"  {row.work}: {report.times(row.ratio) or 'n/a'} {report.verdict(row)}")
    print(f"  {time.perf_counter() - start:.0f} s", flush=True)
    return rows


def printed_by(module: str) -> str:
    """What a benchmark that drives a browser prints, or the last line of why it could not run."""
    print(f"== {module.rpartition('.')[2]}", flush=True)
    done = subprocess.run([sys.executable, "-m", module], cwd=report.ROOT, capture_output=True, text=True)
    if "|" in done.stdout:  # a table; a missed promise of its own ends it with 1
        print(done.stdout.strip(), flush=True)
        return done.stdout.strip()
    last = (done.stderr or done.stdout).strip().splitlines() or ["it printed nothing"]
    print(f"  did not run: {last[-1]}", flush=True)
    return f"Did not run: {last[-1]}"


if __name__ == "__main__":
    raise SystemExit(main())
