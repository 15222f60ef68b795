"""Says where the course is published: `make owner NAME=owner/repository`; without NAME, where this clone came from.

The one place that says so is `Repository` in pyproject.toml. The README's badges and CITATION.cff follow from it, the
site reads it, and a notebook on Colab installs the course from wherever it was opened.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "site"))

from elsewhere import DECLARED, NAME, ON_GITHUB, binder, cloned_from, colab, declared  # noqa: E402

FIRST = "00_start_here"
MARKERS = "<!-- badges -->", "<!-- /badges -->"
BADGES = {
    "Open in Colab": ("https://colab.research.google.com/assets/colab-badge.svg", colab),
    "Launch on Binder": ("https://mybinder.org/badge_logo.svg", binder),
}
"""What a badge says → its picture, and where it leads."""
UNKNOWN = "#elsewhere"
"""Where badges lead while nobody has said whose the course is: the README's section on Colab and Binder."""


def with_repository(project: str, name: str) -> str:
    """The text of pyproject.toml with this owner and repository."""
    if not DECLARED.search(project):
        raise ValueError('pyproject.toml has no line Repository = "https://github.com/…" under [project.urls]; add it.')
    return DECLARED.sub(f'Repository = "https://github.com/{name}"', project)


def badges(name: str) -> str:
    """The line of badges; an empty name gives badges that lead to the section on Colab and Binder."""
    return " ".join(
        f'<a href="{address(FIRST, name) or UNKNOWN}"><img src="{image}" alt="{words}"></a>'
        for words, (image, address) in BADGES.items()
    )


def with_badges(readme: str, name: str) -> str:
    """The README with its badges between their markers."""
    start, end = (readme.index(marker) for marker in MARKERS)
    return readme[:start] + MARKERS[0] + badges(name) + readme[end:]


def with_code_at(citation: str, name: str) -> str:
    """CITATION.cff with the repository's address as its last line, and without one where it is not known."""
    without = re.sub(r"^repository-code:.*\n", "", citation, flags=re.MULTILINE)
    return without + (f'repository-code: "https://github.com/{name}"\n' if name else "")


def asked_for(words: str) -> str:
    """Owner and repository from what was asked for: `owner/repository` or an address on GitHub.

    Raises:
        ValueError: it is neither.
    """
    found = ON_GITHUB.search(words)
    name = found[1] if found else words
    if not NAME.fullmatch(name):
        raise ValueError(f"{words!r} is no repository on GitHub; write make owner NAME=owner/repository.")
    return name


def write_all(root: Path, name: str = "") -> str:
    """Set the one place if there is a name, write what follows from it, and return the name that holds now."""
    project, readme, citation = (root / file for file in ("pyproject.toml", "README.md", "CITATION.cff"))
    if name:
        _write(project, with_repository(_read(project), name))
    name = declared(_read(project))
    _write(readme, with_badges(_read(readme), name))
    _write(citation, with_code_at(_read(citation), name))
    return name


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def main() -> int:
    """Set the repository asked for, else the one this clone came from; 1 where there is neither."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("name", nargs="?", default="", help="owner/repository, or its address on GitHub")
    words = options.parse_args().name or cloned_from()
    if not words:
        print("This clone came from nowhere on GitHub: write make owner NAME=owner/repository.", file=sys.stderr)
        return 1
    try:
        name = write_all(HERE.parent, asked_for(words))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"pyproject.toml, README.md and CITATION.cff lead to https://github.com/{name}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
