"""Notebook 06: parameters of an encoder, and where ALBERT saves them."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from anatomy_course.content.sizes import primes
from anatomy_course.content.taxonomy.shared import ROUNDED
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output

Both = tuple[Tensor, Tensor]


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("three depths", "a single depth", "five depths of large layers"):
        count = {"three depths": 3, "a single depth": 1}.get(kind, 5)
        depths = 2 + torch.randperm(23, generator=generator)[:count]
        smallest = 50_000_000 if kind == "five depths of large layers" else 2000  # float32 cannot count that far
        arguments = {
            "depths": depths.sort().values if kind == "three depths" else depths,
            "rows": 100 + int(torch.randint(900, (), generator=generator)),
            "d_embedding": primes(generator, 1, (3, 5, 7))[0],
            "d_model": primes(generator, 1, (11, 13, 17))[0],
            "layer_parameters": smallest + int(torch.randint(3000, (), generator=generator)),
        }
        yield Case(arguments, kind, {"depth": count})


def _narrow(rows: int, e: int, d: int) -> int:
    """ALBERT's embeddings: tables, norm, and the linear layer that widens them."""
    return rows * e + 2 * e + e * d + d


def _own(depths: Tensor, rows: int, d: int, layer: int) -> Tensor:
    return rows * d + 2 * d + depths * layer


def _given(depths: Tensor, rows: int, e: int, d: int, layer: int, *, shared: int) -> Both:
    return _own(depths, rows, d, layer), torch.full_like(depths, shared)


def _right(depths: Tensor, rows: int, e: int, d: int, layer: int) -> Both:
    return _given(depths, rows, e, d, layer, shared=_narrow(rows, e, d) + layer)


def _one_by_one(depths: Tensor, rows: int, e: int, d: int, layer: int) -> Both:
    own = [(rows + 2) * d + sum(layer for _ in range(depth)) for depth in depths.tolist()]
    return torch.tensor(own), torch.tensor([(rows + 2) * e + (e + 1) * d + layer for _ in own])


def _not_repeated(depths: Tensor, rows: int, e: int, d: int, layer: int) -> Both:
    return _own(depths, rows, d, layer), torch.tensor(_narrow(rows, e, d) + layer)


def _rounded(depths: Tensor, rows: int, e: int, d: int, layer: int) -> Both:
    own, shared = _right(depths.float(), rows, e, d, layer)
    return own.long(), shared.long()


EXERCISE = Exercise(
    id="taxonomy.encoder_parameters",
    title="Shared layers, narrow tables",
    task="Count the parameters of an encoder of each depth, twice: as BERT has them (tables d_model wide, every layer "
    "its own) and as ALBERT has them (tables d_embedding wide, a linear layer from there to d_model, one layer for "
    "all).",
    difficulty="medium",
    minutes=6,
    signature="encoder_parameters(\n"
    "    depths: Tensor, rows: int, d_embedding: int, d_model: int, layer_parameters: int\n"
    ") -> tuple[Tensor, Tensor]",
    docstring="depths (depth), numbers of layers; rows of all embedding tables together; layer_parameters of one\n"
    "layer → own (depth) and shared (depth), whole numbers. A norm follows the tables, as wide as they are:\n"
    "two numbers per feature. The linear layer after it has a bias.",
    reference="anatomy_utils.functional.costs.encoder_parameters",
    returns=(Output("own", "depth"), Output("shared", "depth")),
    cases=_cases,
    mistakes=(
        Mistake(
            "nothing_shared",
            lambda n, rows, e, d, layer: (_own(n, rows, d, layer), _narrow(rows, e, d) + n * layer),
            "Your own is right. Your shared grows with the depth: the tables are narrow, but every layer still has "
            "parameters of its own.",
        ),
        Mistake(
            "wide_tables",
            lambda n, rows, e, d, layer: _given(n, rows, e, d, layer, shared=rows * d + 2 * d + layer),
            "Your own is right. In your shared the layers are shared, but the tables are as wide as BERT's; "
            "d_embedding makes no difference.",
        ),
        Mistake(
            "no_way_up",
            lambda n, rows, e, d, layer: _given(n, rows, e, d, layer, shared=rows * e + 2 * e + layer),
            "Your own is right. In your shared nothing brings the narrow vectors to d_model: the linear layer is "
            "missing.",
        ),
        Mistake(
            "no_bias",
            lambda n, rows, e, d, layer: _given(n, rows, e, d, layer, shared=_narrow(rows, e, d) - d + layer),
            "Your own is right. Your shared lacks d_model numbers: those of the linear layer's bias.",
        ),
        Mistake(
            "wide_norm",
            lambda n, rows, e, d, layer: _given(n, rows, e, d, layer, shared=_narrow(rows, e, d) + 2 * (d - e) + layer),
            "Your own is right. In your shared the norm is d_model wide; it comes after the tables, before the linear "
            "layer.",
        ),
        Mistake(
            "no_norms",
            lambda n, rows, e, d, layer: (
                _own(n, rows, d, layer) - 2 * d,
                torch.full_like(n, _narrow(rows, e, d) - 2 * e + layer),
            ),
            "The norm after the tables is missing in both of yours.",
        ),
        Mistake(
            "own_without_norm",
            lambda n, rows, e, d, layer: (
                _own(n, rows, d, layer) - 2 * d,
                torch.full_like(n, _narrow(rows, e, d) + layer),
            ),
            "Your shared is right. In your own the norm after the tables is missing.",
        ),
        Mistake(
            "shared_without_norm",
            lambda n, rows, e, d, layer: _given(n, rows, e, d, layer, shared=_narrow(rows, e, d) - 2 * e + layer),
            "Your own is right. In your shared the norm after the tables is missing.",
        ),
        Mistake(
            "narrow_bias",
            lambda n, rows, e, d, layer: _given(n, rows, e, d, layer, shared=_narrow(rows, e, d) - d + e + layer),
            "Your own is right. In your shared the bias of the linear layer has d_embedding numbers; it has one for "
            "each feature that comes out.",
        ),
        Mistake(
            "half_norms",
            lambda n, rows, e, d, layer: (
                _own(n, rows, d, layer) - d,
                torch.full_like(n, _narrow(rows, e, d) - e + layer),
            ),
            "In both of yours the norm after the tables has one number per feature; it has two, a factor and a shift.",
        ),
        Mistake(
            "layers_once",
            lambda n, rows, e, d, layer: (
                torch.full_like(n, rows * d + 2 * d + layer),
                torch.full_like(n, _narrow(rows, e, d) + layer),
            ),
            "Your shared is right. Your own is the same for all depths: it counts one layer, however many there are.",
        ),
        Mistake(
            "tables_in_every_layer",
            lambda n, rows, e, d, layer: (
                n * (rows * d + 2 * d + layer),
                torch.full_like(n, _narrow(rows, e, d) + layer),
            ),
            "Your shared is right. In your own every layer has tables; there is one set of them.",
        ),
        Mistake(
            "narrow_own",
            lambda n, rows, e, d, layer: (
                _narrow(rows, e, d) + n * layer,
                torch.full_like(n, _narrow(rows, e, d) + layer),
            ),
            "Your shared is right. In your own the tables are narrow as well; BERT's are d_model wide.",
        ),
        Mistake(
            "no_layers",
            lambda n, rows, e, d, layer: _given(n, rows, e, d, layer, shared=_narrow(rows, e, d)),
            "Your own is right. Your shared counts no layer at all; there is one, though it is used many times.",
        ),
        Mistake(
            "not_repeated",
            _not_repeated,
            "Your numbers are right, but your shared is a single one; there should be one for each depth.",
        ),
        Mistake(
            "rounded",
            _rounded,
            ROUNDED,
        ),
        Mistake(
            "changed_places",
            lambda *given: tuple(reversed(_right(*given))),
            "Both counts are right, but they are swapped: the one with layers of their own comes first.",
        ),
    ),
    also_right={
        "all at once": _right,
        "one by one": _one_by_one,
        "zeros added": lambda n, rows, e, d, layer: (
            (rows + 2) * d + layer * n,
            0 * n + rows * e + 2 * e + (e + 1) * d + layer,
        ),
    },
    hints=(
        "Write down the parts of each from the bottom up: tables, norm, linear layer (only in one), layers. Which of "
        "these numbers changes with the depth?",
        "A table has rows · width numbers, a norm 2 · width, a linear layer from a to b features a · b + b.",
        "`own = rows * d_model + 2 * d_model + depths * layer_parameters`; the other is one number for all depths, and "
        "`torch.full_like(depths, number)` repeats it.",
    ),
    solution="own = rows * d_model + 2 * d_model + depths * layer_parameters\n"
    "embeddings = rows * d_embedding + 2 * d_embedding + d_embedding * d_model + d_model\n"
    "shared = torch.full_like(depths, embeddings + layer_parameters)\n"
    "return own, shared",
    explanation="With its 30,522 words BERT's base model comes to 108.9 million (110.1 with the heads of its "
    "pretraining), ALBERT's to 11.1 million: a tenth. What is saved is memory.",
)
