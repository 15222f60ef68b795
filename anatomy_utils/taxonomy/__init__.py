"""The family tree as data: every model is its parent plus a visible difference. Notebook 07 walks through it.

- `tree`: all models, and how to find one; `row`: what is noted of a model
- `encoders`, `decoders`, `llamas`, `mixtures`, `encoder_decoders`, `senses`: the rows
- `modular`: the tree that the authors of `transformers` keep
- `build`: a model with its published sizes, without memory; a small version that runs
- `describe`: the parts of a built model, and the differences between two
- `attributes`, `structure`, `recurrent`: how each part is read off a model; `block_diagram`: its layers as boxes
- `grid`: which model has which part, and which had it first
- `costs`: parameters, work per token and cache bytes; `scaling`: numbers that grow with the text

`make tables` writes the tree to `docs/models.md`. The functions `build` and `describe` are in the modules of that name.
The tree needs no torch; the modules that read a built model load when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from anatomy_utils.taxonomy import (
    decoders as decoders,
    encoder_decoders as encoder_decoders,
    encoders as encoders,
    llamas as llamas,
    mixtures as mixtures,
    modular as modular,
    row as row,
    scaling as scaling,
    senses as senses,
    tree as tree,
)
from anatomy_utils.taxonomy.row import ModelFacts as ModelFacts, Size as Size
from anatomy_utils.taxonomy.scaling import LengthFormula as LengthFormula
from anatomy_utils.taxonomy.tree import (
    TREE as TREE,
    children as children,
    find as find,
    lineage as lineage,
    trained_on as trained_on,
)

if TYPE_CHECKING:
    from anatomy_utils.taxonomy import (
        attributes as attributes,
        block_diagram as block_diagram,
        build as build,
        costs as costs,
        describe as describe,
        grid as grid,
        recurrent as recurrent,
        structure as structure,
    )
    from anatomy_utils.taxonomy.build import small as small, small_config as small_config
    from anatomy_utils.taxonomy.costs import (
        cache_bytes as cache_bytes,
        organs as organs,
        parameters as parameters,
        work_per_token as work_per_token,
    )
    from anatomy_utils.taxonomy.describe import changes as changes, difference as difference
    from anatomy_utils.taxonomy.grid import part_grid as part_grid

_LATE = {
    "attributes": [],
    "block_diagram": [],
    "build": ["small", "small_config"],
    "costs": ["cache_bytes", "organs", "parameters", "work_per_token"],
    "describe": ["changes", "difference"],
    "grid": ["part_grid"],
    "recurrent": [],
    "structure": [],
}
"""Module → its names."""


def __getattr__(name: str) -> object:
    for module, names in _LATE.items():
        if name == module or name in names:
            found = import_module(f"{__name__}.{module}")
            return found if name == module else getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE, *(name for names in _LATE.values() for name in names)})
