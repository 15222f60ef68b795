"""Where a notebook can be run: on Colab, on Binder, or at home. The one place that knows these addresses.

Whose they are, owner and repository, is in one place too: `Repository` in pyproject.toml, which `make owner` sets.
"""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = re.compile(r"[\w.-]+/[\w.-]+")
"""An owner and a repository; the placeholder in angle brackets is none."""
ON_GITHUB = re.compile(r"github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?$")
DECLARED = re.compile(r'^Repository = "https://github\.com/(.+)"$', re.MULTILINE)
AT_HOME = "<code>make lab</code>"


@cache
def repository() -> str:
    """Owner and name of the course's repository: what SITE_REPOSITORY or GITHUB_REPOSITORY says, else what
    pyproject.toml says, else where it was cloned from; empty where none names a repository on GitHub."""
    named = os.environ.get("SITE_REPOSITORY") or os.environ.get("GITHUB_REPOSITORY")
    return named or declared((ROOT / "pyproject.toml").read_text(encoding="utf-8")) or cloned_from()


def declared(project: str) -> str:
    """Owner and name as the text of pyproject.toml has them; empty while that is the placeholder."""
    found = DECLARED.search(project)
    return found[1] if found and NAME.fullmatch(found[1]) else ""


def cloned_from() -> str:
    """Owner and name of the repository on GitHub that this one was cloned from; empty where there is none."""
    git = subprocess.run(["git", "remote", "get-url", "origin"], cwd=ROOT, capture_output=True, text=True)
    found = ON_GITHUB.search(git.stdout.strip())
    return found[1] if found else ""


def colab(notebook: str, name: str | None = None) -> str:
    """The address that opens a notebook of `name`, or of this repository, in Colab; empty where that is not known."""
    name = repository() if name is None else name
    return name and f"https://colab.research.google.com/github/{name}/blob/main/notebooks/{notebook}.ipynb"


def binder(notebook: str, name: str | None = None) -> str:
    """The address that opens a notebook of `name`, or of this repository, on Binder; empty where that is not known."""
    name = repository() if name is None else name
    return name and f"https://mybinder.org/v2/gh/{name}/main?labpath=notebooks/{notebook}.ipynb"


def run_it(notebook: str) -> str:
    """The ways to run a notebook, as part of a sentence in HTML."""
    if not repository():
        return AT_HOME
    return f'<a href="{colab(notebook)}">Colab</a>, <a href="{binder(notebook)}">Binder</a>, or {AT_HOME}'


def colab_button(notebook: str, words: str) -> str:
    """A link that looks like a button; where the repository is not known, how to run the notebook at home."""
    if not repository():
        return f'<span class="run-it">To solve it, run {AT_HOME}.</span>'
    return f'<a class="run-it" href="{colab(notebook)}">{words}</a>'
