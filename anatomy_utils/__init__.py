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

__version__ = "1.0.0"


def open_room(room: str, folder: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Let a room give its modules and every public name they define, each loaded when it is first used.

        __getattr__, __dir__ = open_room(__name__, __path__[0])

    `views.head_board` is then the function of that name, in whichever module of the room it is, and `views.attention`
    the module. Where a module and a function share a name it is the module's, and a name with two homes has none.

    Args:
        room: the package's `__name__`.
        folder: where its files are.

    Returns:
        The room's `__getattr__` and its `__dir__`.
    """
    homes: dict[str, str] = {}

    def home_of() -> dict[str, str]:
        if not homes:
            import re
            from pathlib import Path

            public = re.compile(r"^(?:(?:def|class) (?=[^_])|(?=[A-Z]\w*(?:: .*)? = ))(\w+)", re.MULTILINE)
            found: dict[str, str] = {}
            for file in Path(folder).glob("[!_]*.py"):
                for name in set(public.findall(file.read_text(encoding="utf-8"))):
                    found[name] = "" if name in found else file.stem  # defined twice: only the modules' own names tell
            found.update({file.stem: file.stem for file in Path(folder).glob("[!_]*") if file.suffix in (".py", "")})
            homes.update(found)  # in one go: another thread may be asking
        return homes

    def find(name: str) -> Any:
        from importlib import import_module

        if name.startswith("_") or not home_of().get(name):
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        module = import_module(f"{room}.{homes[name]}")
        return module if name == homes[name] else getattr(module, name)

    return find, lambda: sorted(name for name, home in home_of().items() if home and not name.isupper())


class _EarlierNames:
    """The last to be asked for a module: an import by an earlier name gets a sentence instead of a riddle."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        room, _, module = name.partition(".")
        if room == __name__ and module != "notebook":
            from importlib import import_module

            earlier = import_module("anatomy_course.page.earlier_names")
            if (told := earlier.sentence(module)) is not None:
                raise ImportError(told, name=name)


sys.meta_path.append(_EarlierNames)
