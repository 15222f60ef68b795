"""`transplant` runs a model with a learner's functions in place of ours; `reject` names the first that does not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import torch
from torch import nn

from anatomy_course.lab.transplant.modules import HOSTS
from anatomy_course.lab.transplant.rejection import Rejection, RejectionError, Site
from anatomy_course.lab.transplant.replaceable import FAMILY_ORGANS, ORGANS, Calls, Function, find
from anatomy_course.lab.transplant.saved import SavedAnswer, in_use

EVERY_ORGAN = ORGANS | FAMILY_ORGANS
_MISSING = object()
_CALLS = "_transplanted"


@contextmanager
def transplant(model: nn.Module, **organs: Any) -> Iterator[None]:
    """Run a model with your functions in place of ours, everywhere, inside the `with` block.

    The weights stay; gradients flow; `watch` and `edit` go on working. A function gets what its exercise promised: keys
    and values repeated for heads that share them, a boolean mask, queries stretched where a model has another scale
    than 1/√d_head, zeros where it has no bias. Dropout inside an organ that is replaced as a whole does not happen.

    Args:
        model: any model of the zoo, or one of its parts.
        organs: name → function, such as `attention=my_attention`; `ORGANS` lists names and arguments. A function that
            takes fewer arguments is not given the last ones where these are optional (mask, epsilon, activation).

    Raises:
        ValueError: there is no such organ, the model has none, or a function cannot be called as it will be; while
            the model runs: a function stops with an error or gives back something of another kind or shape.
    """

    def made(site: Site) -> Function:
        function = organs[site.organ.name]
        return partial(function.at, site) if isinstance(function, SavedAnswer) else site.given_by

    with _replaced(model, organs, made):
        yield


def reject(
    model: nn.Module,
    *inputs: Any,
    tolerance: float = 1e-4,
    run: Callable[..., object] | None = None,
    **organs: Any,
) -> Rejection | None:
    """Run a model on some inputs and say where it first does not accept your functions.

    Each function is given what our own is given at that place, so that the first mistake is named and not its
    consequences. The model itself goes on with our numbers.

    Args:
        model: any model of the zoo, or one of its parts.
        inputs: what the model is called with: `input_ids, attention_mask`. Mistakes with padding need a padded batch.
        tolerance: how far a number may be off, as a share of 1 + the largest number of its row.
        run: what to run instead of the model, such as a generation with it; it is given the inputs.
        organs: as in `transplant`.

    Returns:
        The first rejection; printed, it is one sentence. None when every module accepts every function.

    Raises:
        ValueError: as `transplant` before the model runs.
    """
    try:
        with _replaced(model, organs, lambda site: partial(_compared, tolerance, site)), torch.no_grad():
            (run or model)(*inputs)
    except RejectionError as found:
        return found.rejection
    return None


def organs_in(model: nn.Module) -> set[str]:
    """The names of the organs that a model has, of those in `ORGANS`."""
    pairs = ((host, module) for module in model.modules() for host in HOSTS if isinstance(module, host.kind))
    return {name for host, module in pairs for name in host.held_by(module)}


def _compared(tolerance: float, site: Site, *arguments: Any) -> Any:
    """Ours, after a look at theirs."""
    ours = site.ours(*arguments)
    site.compare(ours if isinstance(ours, tuple) else (ours,), site.theirs(*arguments), tolerance)
    return ours


@contextmanager
def _replaced(model: nn.Module, functions: Mapping[str, Any], made: Callable[[Site], Function]) -> Iterator[None]:
    """Set the methods of every module that holds one of the organs aside, and put them back whatever happens."""
    planned = _plan(model, functions, made)
    with ExitStack() as afterwards:
        for module, calls, methods in planned:
            calls = module.__dict__.get(_CALLS, {}) | dict(calls)  # those of a transplant around this one go on
            for name, method in {_CALLS: calls, **methods(module, calls)}.items():
                afterwards.callback(_put_back, module, name, module.__dict__.get(name, _MISSING))
                module.__dict__[name] = method
        yield


def _put_back(module: nn.Module, name: str, value: object) -> None:
    if value is _MISSING:
        del module.__dict__[name]
    else:
        module.__dict__[name] = value


def _plan(
    model: nn.Module, functions: Mapping[str, Any], made: Callable[[Site], Function]
) -> list[tuple[nn.Module, Calls, Callable[[Any, Calls], Calls]]]:
    """Which modules are replaced by what; every problem that can be known beforehand is found here."""
    if not functions:
        raise ValueError("Give at least one function: transplant(model, attention=my_attention).")
    organs = {name: find(name, EVERY_ORGAN) for name in functions}
    takes = {name: organs[name].taken_by(function) for name, function in functions.items()}
    unused = [name for name in ("scores", "softmax", "weighted_average") if name in functions]
    if "attention" in functions and unused:
        raise ValueError(f"attention is a whole that would never use your {unused[0]}; transplant one of the two.")
    plan: dict[tuple[int, object], tuple[nn.Module, Calls, Any]] = {}
    wanted = [host for host in HOSTS if functions.keys() & set(host.organs)]
    for path, module in model.named_modules():
        for host in (host for host in wanted if isinstance(module, host.kind)):
            held = [name for name in host.held_by(module) if name in functions]
            for place, part in host.places(path, module) if held else ():
                calls = plan.setdefault((id(part), host.methods), (part, {}, host.methods))[1]
                for name in held:
                    ours = organs[name].reference or getattr(part, name)
                    site = Site(place or type(part).__name__, organs[name], in_use(functions[name]), takes[name], ours)
                    calls.setdefault(name, made(site))
    for name in functions:
        if not any(name in calls for _, calls, _ in plan.values()):
            held_here = ", ".join(sorted(organs_in(model))) or "no organs at all"
            raise ValueError(f"There is no {name} in this {type(model).__name__}; it has {held_here}.")
    return list(plan.values())
