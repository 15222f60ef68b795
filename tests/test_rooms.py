"""The rooms that load their modules when they are first used: what they export is there, and hides no module."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import anatomy_utils

ROOMS = [
    room.name
    for room in iter_modules(anatomy_utils.__path__)
    if room.ispkg
    and "lazy_exports(" in (Path(anatomy_utils.__path__[0]) / room.name / "__init__.py").read_text("utf-8")
]


@pytest.mark.parametrize("name", ROOMS)
def test_every_name_and_every_module_is_found(name: str) -> None:
    room = import_module(f"anatomy_utils.{name}")
    modules = {module.name for module in iter_modules(room.__path__)}
    assert not modules & set(room.__all__), "a name that is also a module's means one or the other, by what came first"
    for each in {*modules, *room.__all__}:
        assert getattr(room, each) is not None
    assert set(room.__all__) <= set(dir(room))
    with pytest.raises(AttributeError, match=f"anatomy_utils.{name}' has no attribute 'elsewhere'"):
        room.elsewhere  # noqa: B018


@pytest.mark.parametrize("name", ROOMS)
def test_a_room_loads_nothing_before_it_is_used(name: str) -> None:
    code = f"import sys, anatomy_utils.{name}; print(*sorted(each for each in sys.modules if 'anatomy_utils' in each))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == ["anatomy_utils", f"anatomy_utils.{name}"]
