"""Transformer Anatomy: the transformer's parts, each small enough to read and proven equal to its reference.

A map of the rooms, from the ground floor up. A room imports only from the floors below it.

- `tap`: look at or change any tensor of a model by its name
- `decoding`: from logits to text; `training`: losses, schedules, optimizers, the loop; `figures`: plots and diagrams
- `functional`: the mathematics as pure functions; `toy_language`: the street, a grammar in English and French;
  `widgets`: the live views
- `nn`: the same mathematics as modules; `objectives`: what models are pretrained on; `notebook`: pages, tables, sources
- `zoo`: families of published models, checkpoints and tokenizers; `transplant`: a learner's function inside a model
- `pretrained`: `load("minilm")`; `recipes`: small models, trained in seconds; `interpret`: what a trained model does
- `experiments`: one measured claim a file; `taxonomy`: the family tree as data
- `debugging`: broken models and how to find the bug; `views`: a model's tensors in a live view
- `exercises`: tasks, the judge of answers, and progress

Importing this package loads nothing else; torch, matplotlib and ipywidgets come with the room that needs them, and most
rooms load a module only when one of its names is first used.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # importing typing would take longer than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__version__ = "0.1.0"


def lazy_exports(room: str, exports: dict[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """What makes a room load its modules when they are first used, as in `views.head_board` or `views.attention`.

        __getattr__, __dir__, __all__ = lazy_exports(__name__, {"attention": "head_board mask_painter"})

    Args:
        room: the package's `__name__`.
        exports: module → the names that the room takes from it, separated by spaces; none is the name of a module.

    Returns:
        The room's `__getattr__`, which finds these names and every module, its `__dir__` and its `__all__`.
    """
    module_of = {name: module for module, names in exports.items() for name in names.split()}

    def find(name: str) -> Any:
        from importlib import import_module

        path = f"{room}.{module_of.get(name, name)}"
        try:
            module = import_module(path)
        except ModuleNotFoundError as error:
            if error.name != path:
                raise
            raise AttributeError(f"module {room!r} has no attribute {name!r}") from None
        return getattr(module, name) if name in module_of else module

    return find, lambda: sorted({*module_of, *exports}), sorted(module_of)


class _EarlierNames:
    """The last to be asked for a module: an import by an earlier name gets a sentence instead of a riddle."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        room, _, module = name.partition(".")
        if room == __name__ and module != "notebook":
            from importlib import import_module

            earlier = import_module("anatomy_utils.notebook.earlier_names")
            if (told := earlier.sentence(module)) is not None:
                raise ImportError(told, name=name)


sys.meta_path.append(_EarlierNames)
