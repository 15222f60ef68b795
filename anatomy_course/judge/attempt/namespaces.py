"""Functions that an answer may replace, such as `torch.allclose` or `Tensor.mean`: noted, and put back.

Compared are the names of torch, of its tensors, of Python, NumPy and the course; by identity, so that nothing of what
an answer put there is ever called.
"""

from __future__ import annotations

import builtins
import math
import os
import random
import sys
import types
from collections.abc import Iterable
from operator import attrgetter, is_not
from pathlib import Path
from typing import Any

import numpy
import torch

from anatomy_course import PACKAGES

MISSING: Any = object()
"""Stands where there is no such name."""

LIBRARIES: tuple[tuple[str, Any], ...] = (
    ("", builtins),
    ("math.", math),
    ("random.", random),
    ("numpy.", numpy),
    ("torch.", torch),
    ("Tensor.", torch.Tensor),
    ("F.", torch.nn.functional),
    ("nn.", torch.nn),
    ("nn.Module.", torch.nn.Module),
    ("torch.linalg.", torch.linalg),
)
_BUILTINS = vars(builtins)
COURSE = tuple(f"{package}." for package in PACKAGES)


class Namespace:
    """The names of one module or class, as they are when this is made.

    Args:
        title: what a sentence puts before its names.
        owner: the module or class.
    """

    def __init__(self, title: str, owner: Any) -> None:
        self.title, self.owner = title, owner
        self._now = vars(owner)
        self.settle()

    def settle(self) -> None:
        """From here on the names are to be what they are now."""
        self._kept = dict(self._now)
        self._values = list(self._kept.values())

    def is_untouched(self) -> bool:
        """Whether every name is what it was."""
        return len(self._now) == len(self._values) and not any(map(is_not, self._now.values(), self._values))

    def changes(self) -> dict[str, tuple[Any, Any]]:
        """Name → (what was there, what is there now), for all that an answer replaced, deleted or added."""
        now, kept = self._now, self._kept
        both = {name: (kept.get(name, MISSING), now.get(name, MISSING)) for name in sorted({*now, *kept})}
        return {
            name: (old, new) for name, (old, new) in both.items() if old is not new and self._by_hand(name, old, new)
        }

    def restore(self) -> list[str]:
        """Undo those changes; returns their names."""
        found = self.changes()
        for name, (old, _) in found.items():
            self.put(name, old)
        self.settle()
        return [f"{self.title}{name}" for name in found]

    def put(self, name: str, value: Any) -> None:
        """Let `value` be what is called `name`."""
        if value is MISSING:
            delattr(self.owner, name)
        else:
            setattr(self.owner, name, value)

    def set_by_the_notebook(self) -> dict[str, tuple[Any, Any]]:
        """The changes that bring in a function of the notebook, another one of the same library, or no function."""
        if self.is_untouched():
            return {}
        own = {id(value) for value in self._values}
        found = {
            name: (old, new)
            for name, (old, new) in self.changes().items()
            if (old is not MISSING or self._shadows(name))
            and (not callable(new) or id(new) in own or getattr(new, "__module__", None) == "__main__")
        }
        if not found:
            self.settle()
        return found

    def _by_hand(self, name: str, old: Any, new: Any) -> bool:
        """Whether this is no change that a library makes itself, when it loads a part of itself late."""
        if self._shadows(name):
            return not self._own(name, new)
        if old is not MISSING and self.title.startswith(COURSE):  # its modules give each name one thing, for good
            return True
        if old is MISSING:
            late = isinstance(new, type) or (not isinstance(self.owner, type) and self._own(name, new))
            return callable(new) and not late
        if callable(old):
            return not self._own(name, new)
        return isinstance(old, int | float) and not name.startswith("_")

    def _shadows(self, name: str) -> bool:
        """Whether a class has this name from a class below it, as `torch.Tensor` has most of its methods."""
        bases = self.owner.__mro__[1:] if isinstance(self.owner, type) else ()
        return name not in self._kept and any(name in vars(base) for base in bases)

    def _own(self, name: str, value: Any) -> bool:
        """Whether the library has put this there itself: a class, a function of that name in its own files, or one of
        its private parts' (`torch._dynamo` replaces some). Where it stands counts: a `__module__` may be copied."""
        package = str(getattr(self.owner, "__module__", self.owner.__name__)).partition(".")[0]
        if isinstance(value, type):
            return str(value.__module__).partition(".")[0] == package
        file = getattr(sys.modules.get(package), "__file__", None)
        if not isinstance(value, types.FunctionType) or file is None:
            return False
        root, _, inside = value.__code__.co_filename.partition(f"{Path(file).parent}{os.sep}")
        private = inside.startswith("_") and os.sep in inside
        return root == "" and inside != "" and (value.__name__ == name or private)


INSIDE = ("__code__", "__defaults__", "__kwdefaults__")


class Insides:
    """What is inside of functions, and of lists, sets and tables of a module: the same things as when this first saw
    the module. A function keeps its identity when its code is replaced, and a table when its entries are."""

    def __init__(self) -> None:
        self._functions: dict[types.FunctionType, None] = {}
        self._held: dict[str, list[Any]] = {part: [] for part in INSIDE}
        self._tables: dict[int, tuple[Any, Any]] = {}
        self._seen: set[int] = set()

    def look_at(self, modules: Iterable[Any]) -> None:
        """Note what is inside of modules and classes that were not seen before."""
        for owner in modules:
            if id(owner) in self._seen:
                continue
            self._seen.add(id(owner))
            for name, value in list(vars(owner).items()):
                for function in _functions_of(value):
                    if function not in self._functions:
                        self._functions[function] = None
                        for part, held in self._held.items():
                            held.append(getattr(function, part))
                if isinstance(value, type) and str(value.__module__).startswith(COURSE):
                    self.look_at([value])
                elif type(value) in (dict, list, set) and not name.startswith("_") and _is_course(owner):
                    self._tables.setdefault(id(value), (value, value.copy()))

    def restore(self) -> list[str]:
        """Undo what was changed; returns names."""
        undone = []
        for part, held in self._held.items():
            if any(map(is_not, map(attrgetter(part), self._functions), held)):
                for function, value in zip(self._functions, held, strict=True):
                    if getattr(function, part) is not value:
                        setattr(function, part, value)
                        undone.append(function.__name__)
        for table, copy in self._tables.values():
            if not _same_entries(table, copy):
                table.clear()
                table.extend(copy) if isinstance(table, list) else table.update(copy)
                undone.append(f"a table of the course with {next(iter(copy), '')!r}")
        return undone


def _functions_of(value: Any) -> list[types.FunctionType]:
    """The functions that a value is, or is a method, a property or a wrapper of."""
    value = next((getattr(value, name) for name in ("__func__", "fget", "func") if hasattr(value, name)), value)
    found = (value, getattr(value, "__wrapped__", None)) if isinstance(value, types.FunctionType) else ()
    return [function for function in found if isinstance(function, types.FunctionType)]


def _is_course(owner: Any) -> bool:
    return str(getattr(owner, "__name__", "")).startswith(COURSE)


def _same_entries(table: Any, copy: Any) -> bool:
    """Whether both hold the same things; in the same order, but for sets, of which a copy may have another one."""
    if isinstance(table, set):
        return set(map(id, table)) == set(map(id, copy))
    mine, theirs = (each.values() if isinstance(each, dict) else each for each in (table, copy))
    return len(mine) == len(theirs) and not any(map(is_not, mine, theirs))


class Names:
    """All names that an answer's code is likely to touch, as they are when this is made: torch's own, even where the
    notebook has put a function in their place before the check."""

    def __init__(self) -> None:
        self.set_aside: list[tuple[Namespace, str, Any]] = []
        for space in AT_IMPORT:
            for name, (old, new) in space.set_by_the_notebook().items():
                self.set_aside.append((space, name, new))
                space.put(name, old)
        course = [(f"{name}.", module) for name, module in list(sys.modules.items()) if name.startswith(COURSE)]
        self._spaces = [Namespace(title, owner) for title, owner in (*LIBRARIES, *course)]
        INSIDES.look_at(owner for _, owner in (*LIBRARIES, *course))
        self._builtins = dict(_BUILTINS)
        self._undone: list[str] = []

    def restore_builtins(self) -> None:
        """Undo what was changed in `builtins`, first of all: everything else here needs them."""
        found = _BUILTINS.copy()
        _BUILTINS.update(self._builtins)  # up to here with methods alone
        self._undone += [name for name, value in self._builtins.items() if found.get(name, MISSING) is not value]

    def restore(self) -> list[str]:
        """Undo what was changed since; returns the names."""
        self.restore_builtins()
        undone, self._undone = self._undone, []
        undone += INSIDES.restore()
        return undone + [name for space in self._spaces if not space.is_untouched() for name in space.restore()]

    def give_back(self) -> None:
        """Let the notebook have what was set aside for the check."""
        for space, name, value in self.set_aside:
            space.put(name, value)


INSIDES = Insides()
AT_IMPORT = [Namespace(title, owner) for title, owner in LIBRARIES]
