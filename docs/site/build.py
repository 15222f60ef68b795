"""Build the course's site: `make site`. Everything comes from this repository, and no notebook is run.

The notebooks, as stored, become pages; `docs/site/views/` has what their live views held. To build only some of the
notebooks: `python docs/site/build.py --only 00 07`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT)]

import nbformat  # noqa: E402
from cells import Pages  # noqa: E402
from elsewhere import run_it  # noqa: E402
from view_files import NOT_SHOWN, kind, widget_class, write_styles, write_view, write_widget  # noqa: E402
from view_states import read  # noqa: E402

from anatomy_course.page.notebooks import NOTEBOOKS, Notebook  # noqa: E402


def prepare(notebooks: Sequence[Notebook], source: Path, made: Path) -> int:
    """Write Sphinx's source for these notebooks, and the scripts of their views; how many views there are.

    Args:
        notebooks: in their order.
        source: the folder for the pages' sources.
        made: the folder for everything that becomes a part of `_static`.
    """
    for folder in (source, made):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    pages, count, classes = Pages(made), 0, set()
    for notebook in notebooks:
        stored = nbformat.read(ROOT / "notebooks" / f"{notebook.file}.ipynb", as_version=4)
        views = read(notebook.file)
        nbformat.write(pages.page(notebook.file, stored, views), source / f"{notebook.file}.ipynb")
        for view in views:
            if kind(view) not in NOT_SHOWN:
                classes.add(widget_class(view))
                write_view(view, made / "views")
                count += 1
    ordered = sorted(classes, key=lambda cls: cls.__name__)
    for cls in ordered:
        write_widget(cls, made / "widgets")
    write_styles(ordered, made / "views.css")
    (made / "outputs.css").write_text("\n".join(pages.styles), encoding="utf-8")
    shutil.copy(ROOT / "images" / "course.svg", made / "course.svg")
    (source / "index.md").write_text(index(notebooks), encoding="utf-8")
    return count


def index(notebooks: Sequence[Notebook]) -> str:
    """The first page."""
    alt = json.loads((ROOT / "images" / "alt.json").read_text(encoding="utf-8"))["course"]
    rows = [
        f"| [{each.number} {each.title}]({each.file}.ipynb) | {each.question} | {each.time} |" for each in notebooks
    ]
    return "\n".join(
        [
            "# Transformer Anatomy",
            "",
            "A hands-on course that takes the transformer apart. These pages show every notebook as it ran, with views",
            "that answer in the page: drag a weight, paint a mask, follow a head. Exercises, and what computes with",
            f"a model, need a running notebook: {run_it('00_start_here')}.",
            "",
            f'<img class="anatomy-picture" src="_static/course.svg" alt="{alt}" width="760">',
            "",
            "| notebook | the question it answers | time |",
            "| --- | --- | --- |",
            *rows,
            "",
            "```{toctree}",
            ":hidden:",
            "",
            *(f"{each.number} {each.title} <{each.file}>" for each in notebooks),
            "```",
            "",
        ]
    )


def sphinx(work: Path, output: Path, *, complete: bool) -> int:
    """Run Sphinx from a clean state; warnings are errors, but for links to pages that an incomplete site has not.

    The site of an earlier build stays where this one fails.
    """
    built = work / "built" / "html"  # MyST-NB puts a folder of its own beside it
    shutil.rmtree(built.parent, ignore_errors=True)
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-E", "-b", "html", "-c", str(HERE)]
    command += ["-d", str(work / "doctrees"), str(work / "source"), str(built)]
    command += [] if complete else ["-D", "suppress_warnings=myst.xref_missing"]
    code = subprocess.run(command, env=os.environ | {"SITE_MADE": str(work / "made")}).returncode
    if code == 0:
        shutil.rmtree(output, ignore_errors=True)
        shutil.move(built, output)
    return code


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the site and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", default=[], help="the numbers of the notebooks to build")
    parser.add_argument("--output", type=Path, default=ROOT / "site")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "site", help="for what is made on the way")
    parser.add_argument("--repository", help="owner/name on GitHub, for the links to Colab and Binder")
    options = parser.parse_args(arguments)
    if options.repository:
        os.environ["SITE_REPOSITORY"] = options.repository
    start = time.perf_counter()
    notebooks = [each for each in NOTEBOOKS if each.number in options.only or not options.only]
    views = prepare(notebooks, options.work / "source", options.work / "made")
    code = sphinx(options.work, options.output, complete=not options.only)
    if code:
        return code
    size = sum(file.stat().st_size for file in options.output.rglob("*") if file.is_file()) / 1e6
    print(f"{len(notebooks)} notebooks, {views} live views, {size:.1f} MB, {time.perf_counter() - start:.0f} s.")
    print(f"Open {options.output / 'index.html'} in a browser.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
