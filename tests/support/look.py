"""Looks at every view of every notebook in JupyterLab, at three sizes of window and in both themes: `make look`.

It prints what `measure.py` measures and finds, and writes a picture of each view to `.cache/screenshots/look`. Steps,
sliders and choices are pressed in the light theme; the dark one has the same sizes, and its pictures are looked at.

    make look                                             # everything: about half an hour
    make look LOOK_OPTIONS="01 --width 1440 --theme light"
    make look LOOK_OPTIONS="--in notebook"                # in Notebook 7 instead
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from access import all_cells_laid_out, one_by_one
from lab_page import NotebookPage, Theme, chromium_browser, open_notebook
from lab_server import APPS, Frontend, jupyter_lab
from measure import Look, look_at, views
from notebook_tools import notebook_paths, trained_once
from playwright.sync_api import Browser, Error

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / ".cache" / "screenshots" / "look"
SIZES = {1440: 900, 1024: 768, 390: 844}
"""Width and height of the windows looked at."""
ALLOWED = {
    ("lens", 390): "its first column stays in place, and the others are scrolled away under it",
    ("block", 390): "it grows by 13 pixels at its fourth step",
    ("Attention viewer", 390): "it grows by 19 pixels at head 11",
    ("hb", 390): "it grows by 19 pixels when another head is chosen",
    ("cache-lab", 390): "it grows by 25 pixels while it measures",
    ("translator", 390): "it shrinks by 122 pixels for a shorter sentence",
}
"""Views (by kind) and widths that may have findings, with the reason: only for the window of a telephone."""
NARROW = 600
"""In a window narrower than this, nobody has the file browser open."""
TALL = 2600
PAUSE_MS = 120
SETTLE_MS = 200
MOVES = 24
"""By how many pixels a view may move what is below it when it takes the place of its still picture."""
OUTPUTS = """(what) => Object.fromEntries([...document.querySelectorAll(".jp-Cell")].flatMap((cell, i) => {
  const output = cell.querySelector(what)?.closest(".jp-OutputArea-child");
  return output ? [[`${i}`, output.offsetHeight]] : [];
}))"""
"""The number of each cell with such an output, and how high that is."""
UNTIL_STILL = """async (pause) => {
  const heights = () => [...document.querySelectorAll(".anatomy")].map((node) => node.offsetHeight).join();
  for (let before = "", turn = 0; turn < 20 && before !== (before = heights()); turn += 1)
    await new Promise((done) => setTimeout(done, pause));
}"""
"""Waits until no view changes its height any more: a busy machine lays them out late."""


@dataclass
class Seen:
    """All views of a notebook at one size and in one theme."""

    notebook: str
    width: int
    theme: Theme
    looks: list[Look] = field(default_factory=list)

    def to_mend(self) -> list[Look]:
        """Those with findings that are not allowed."""
        return [look for look in self.looks if look.findings and (look.kind, self.width) not in ALLOWED]


@contextmanager
def window(notebook: NotebookPage, width: int) -> Iterator[None]:
    """The window at one of the three sizes for a while, every cell laid out, nothing in motion."""
    page, before = notebook.page, notebook.page.viewport_size
    page.emulate_media(reduced_motion="reduce")
    _resize(notebook, width, SIZES[width])
    try:
        with all_cells_laid_out(notebook):
            page.evaluate(UNTIL_STILL, SETTLE_MS)
            yield
    finally:
        if before:
            _resize(notebook, before["width"], before["height"])
        page.emulate_media(reduced_motion="no-preference")


def _resize(notebook: NotebookPage, width: int, height: int) -> None:
    notebook.page.set_viewport_size({"width": width, "height": height})
    sidebar = "collapseLeft" if width < NARROW else "expandLeft"
    notebook.page.evaluate(f"() => window.jupyterapp.shell.{sidebar}()")
    notebook.settle()


def see(
    notebook: NotebookPage,
    width: int,
    theme: Theme,
    *,
    press: bool = True,
    thorough: bool = True,
    pictures: Path | None = None,
) -> Seen:
    """Measure each view of a notebook that has run, after a picture of each where there is a folder for it."""
    seen = Seen(Path(notebook.name).stem, width, theme)
    notebook.theme(theme)
    with window(notebook, width):
        if pictures:
            _pictures(notebook, pictures, f"{width}-{theme}")
        pause = PAUSE_MS if thorough else 0
        for root in one_by_one(notebook, views(notebook.page)) if press else views(notebook.page):
            seen.looks.append(look_at(root, window=width, press=press, thorough=thorough, pause=pause))
    return seen


def _pictures(notebook: NotebookPage, folder: Path, ending: str) -> None:
    """Each view whole, in a window high enough for it."""
    folder.mkdir(parents=True, exist_ok=True)
    page = notebook.page
    size = page.viewport_size
    assert size is not None
    page.set_viewport_size({"width": size["width"], "height": TALL})
    page.wait_for_timeout(SETTLE_MS)
    for number, root in enumerate(views(page)):
        name = re.sub(r"\W+", "-", root.get_attribute("aria-label") or "view").strip("-")[:40]
        try:
            root.screenshot(path=folder / f"{number:02}-{name}-{ending}.png", timeout=10_000)
        except Error as error:
            print(f"no picture of {name}: {str(error).splitlines()[0]}", file=sys.stderr)
    page.set_viewport_size(size)
    page.wait_for_timeout(SETTLE_MS)


def outputs(notebook: NotebookPage, what: str) -> dict[str, int]:
    """The heights of the outputs that hold `what`, a selector, in the large window, by the number of their cell."""
    with window(notebook, max(SIZES)):
        all_there = "count => document.querySelectorAll('.jp-Cell').length >= count"  # they come a few a second
        notebook.page.wait_for_function(all_there, arg=len(notebook.ids()), timeout=120_000)
        notebook.page.wait_for_timeout(SETTLE_MS)
        found: dict[str, int] = notebook.page.evaluate(OUTPUTS, what)
    return found


def moves(pictures: dict[str, int], drawn: dict[str, int]) -> list[str]:
    """Where a picture became a view that is much higher or lower."""
    both = [(cell, pictures[cell], drawn[cell]) for cell in pictures if cell in drawn]
    return [f"cell {cell}: a picture of {old} px, a view of {new}" for cell, old, new in both if abs(new - old) > MOVES]


def table(seen: Seen) -> str:
    """The measures of all views, and below them what was found, as Markdown."""
    lines = [
        f"\n## {seen.notebook}, {seen.width} px, {seen.theme}\n",
        "| # | view | width | height | at once | jump | text | in drawings | findings |",
        "|---:|---|---:|---:|---:|---:|---|---|---:|",
    ]
    for number, look in enumerate(seen.looks):
        jump = f"{look.jump:.0f}" if look.presses else ""
        wide = f"{look.width:.0f}{' ↔' if look.scrolls else ''}"
        lines.append(
            f"| {number} | {look.name} `{look.kind}` | {wide} | {look.height:.0f} | {look.at_once:.0f} | {jump} "
            f"| {_range(look.text)} | {_range(look.drawn)} | {len(look.findings)} |"
        )
    for number, look in enumerate(seen.looks):
        lines += [f"\n{number} **{look.name}** `{look.kind}`"] if look.findings else []
        lines += [f"- {finding}" for finding in look.findings]
    return "\n".join(lines)


def _range(sizes: list[float] | None) -> str:
    return "" if sizes is None else f"{sizes[0]:.1f}–{sizes[1]:.1f}"


def look_through(
    browser: Browser, paths: list[Path], widths: list[int], themes: list[Theme], frontend: Frontend
) -> Iterator[Seen]:
    """Open each notebook, run it, and look at it at each size in each theme."""
    with tempfile.TemporaryDirectory() as home, jupyter_lab(Path(home) / "lab", paths, frontend) as lab:
        for path in paths:
            with open_notebook(browser, lab, path.name, reduced_motion=True) as notebook:
                pictures = outputs(notebook, ".anatomy-picture")
                print(f"\n{path.stem} ran in {notebook.run_all():.0f} s", file=sys.stderr, flush=True)
                for line in moves(pictures, outputs(notebook, ".anatomy")):
                    print(f"- the page moves at {line}")
                for theme in reversed(themes):  # dark first: it presses nothing
                    for width in widths:
                        start = time.perf_counter()
                        yield see(notebook, width, theme, press=theme == "light", pictures=PICTURES / path.stem)
                        took = time.perf_counter() - start
                        print(f"{path.stem} {width} {theme}: {took:.0f} s", file=sys.stderr, flush=True)


def main() -> int:
    """Print the tables of the notebooks, sizes and themes asked for; 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="*", help="how their names begin, as 01; all without any")
    parser.add_argument("--width", type=int, choices=SIZES, action="append", help="of the window; all three without")
    parser.add_argument("--theme", choices=["light", "dark"], action="append", help="both without")
    parser.add_argument("--in", choices=APPS, default="jupyterlab", dest="frontend", help="JupyterLab without")
    options = parser.parse_args()
    paths = [path for path in notebook_paths() if path.name.startswith(tuple(options.notebooks) or "")]
    os.environ |= trained_once()
    with chromium_browser() as browser:
        found = 0
        widths, themes = options.width or list(SIZES), options.theme or ["light", "dark"]
        for seen in look_through(browser, paths, widths, themes, options.frontend):
            print(table(seen), flush=True)
            found += sum(len(look.findings) for look in seen.to_mend())
    print(f"\n{found} findings to mend. Pictures: {PICTURES.relative_to(ROOT)}")
    return int(found > 0)


if __name__ == "__main__":
    raise SystemExit(main())
