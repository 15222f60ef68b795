"""The zoo: one short file per family of models, each built from the same organs and equal to its reference."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from reprlib import repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anatomy_utils.zoo.family import Family

_FILES = frozenset(module.name for module in iter_modules(__path__))


def find(name: str) -> Family | None:
    """The record of the family that has a file of this name, such as "deberta_v2"; None where there is none."""
    return getattr(import_module(f"{__name__}.{name}"), "FAMILY", None) if name in _FILES else None


def loader(model_type: object) -> Callable[..., Any]:
    """The `load(config, tensors)` of a family.

    Args:
        model_type: as in a published `config.json`: the name of the family's file, where "-" stands for "_".

    Raises:
        ValueError: no family has this `model_type`.
    """
    family = find(model_type.replace("-", "_")) if isinstance(model_type, str) else None
    if family is None or not family.tasks:
        known = [name for name in sorted(_FILES) if (found := find(name)) and found.tasks]
        raise ValueError(f"model_type {repr(model_type)} is not in the zoo; it has {', '.join(known)}.")
    return family.load
