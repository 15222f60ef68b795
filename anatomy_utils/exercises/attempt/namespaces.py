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
from operator import is_not
from pathlib import Path
from typing import Any

import numpy
import torch

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
COURSE = __name__.partition(".")[0] + "."


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
        """The changes that bring in a function of the notebook or another function of the same library."""
        if self.is_untouched():
            return {}
        own = {id(value) for value in self._values}
        found = {
            name: (old, new)
            for name, (old, new) in self.changes().items()
            if old is not MISSING and (getattr(new, "__module__", None) == "__main__" or id(new) in own)
        }
        if not found:
            self.settle()
        return found

    def _by_hand(self, name: str, old: Any, new: Any) -> bool:
        """Whether this is no change that a library makes itself, when it loads a part of itself late."""
        if old is MISSING:
            late = isinstance(new, type) or (not isinstance(self.owner, type) and self._own(name, new))
            return callable(new) and not late
        if callable(old):
            return not self._own(name, new)
        return isinstance(old, int | float) and not name.startswith("_")

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
        return undone + [name for space in self._spaces if not space.is_untouched() for name in space.restore()]

    def give_back(self) -> None:
        """Let the notebook have what was set aside for the check."""
        for space, name, value in self.set_aside:
            space.put(name, value)


AT_IMPORT = [Namespace(title, owner) for title, owner in LIBRARIES]
