"""The family tree that the authors of the `transformers` library keep themselves: who borrows whose parts.

Since 2024 a model that resembles others is written there as a *modular* file. It imports the parts that are as in an
older model, and spells out only what is new. So the imports between models are a family tree, except that a child has
as many parents as it borrows from. The files are read as text; the library is not imported. Notebook 07.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

Borrowed = dict[str, dict[str, list[str]]]
"""Model → model it borrows from → names of the classes and functions."""

_IMPORT = re.compile(r"^from \.\.(\w+)\.\w+ import (?:\(([^)]*)\)|(.+))$", re.MULTILINE)


def borrowed_parts(models: Path | None = None) -> Borrowed:
    """What each model that is written as a modular file takes from others.

    Args:
        models: the folder with a folder for each model; that of the installed `transformers` when left out.

    Raises:
        ModuleNotFoundError: `transformers` is not installed.
    """
    found: Borrowed = {}
    for file in sorted((models or _installed()).glob("*/modular_*.py")):
        parents = found.setdefault(file.parent.name, {})
        for parent, several, one in _IMPORT.findall(re.sub(r" *#.*", "", file.read_text("utf-8"))):
            names = [name.strip() for name in (several or one).split(",")]
            parents.setdefault(parent, []).extend(name for name in names if name)
    return found


def borrowers(borrowed: Borrowed) -> dict[str, set[str]]:
    """Model → the models that borrow from it, directly or through others.

    >>> sorted(borrowers({"b": {"a": ["Norm"]}, "c": {"b": ["Layer"]}})["a"])
    ['b', 'c']
    """
    direct: dict[str, set[str]] = {}
    for child, parents in borrowed.items():
        for parent in parents:
            direct.setdefault(parent, set()).add(child)
    all_of: dict[str, set[str]] = {}
    for model in direct:
        reached, waiting = set[str](), [model]
        while waiting:
            new = direct.get(waiting.pop(), set()) - reached
            reached |= new
            waiting += new
        all_of[model] = reached - {model}
    return all_of


def _installed() -> Path:
    spec = find_spec("transformers")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("The package transformers is not installed; pip install transformers brings it.")
    return Path(spec.origin).parent / "models"
