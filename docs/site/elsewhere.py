"""Where a notebook can be run: on Colab, on Binder, or at home. The one place that knows these addresses."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ON_GITHUB = re.compile(r"github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?/?$")
AT_HOME = "<code>make lab</code>"


@cache
def repository() -> str:
    """Owner and name of the course's repository: what SITE_REPOSITORY or GITHUB_REPOSITORY says, else where it was
    cloned from; empty where neither is a repository on GitHub."""
    named = os.environ.get("SITE_REPOSITORY") or os.environ.get("GITHUB_REPOSITORY")
    if named:
        return named
    git = subprocess.run(["git", "remote", "get-url", "origin"], cwd=ROOT, capture_output=True, text=True)
    found = ON_GITHUB.search(git.stdout.strip())
    return found.group(1) if found else ""


def colab(notebook: str) -> str:
    """The address that opens a notebook in Colab; empty where the repository is not known."""
    return (
        repository() and f"https://colab.research.google.com/github/{repository()}/blob/main/notebooks/{notebook}.ipynb"
    )


def binder(notebook: str) -> str:
    """The address that opens a notebook on Binder; empty where the repository is not known."""
    return repository() and f"https://mybinder.org/v2/gh/{repository()}/main?labpath=notebooks/{notebook}.ipynb"


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
