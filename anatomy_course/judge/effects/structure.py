"""A module's parameters beside those that are wanted: names, shapes, which are shared, which are trained."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import combinations
from typing import Any

import torch
from torch import Tensor, nn

from anatomy_course.judge.definition import Objection

Parameters = dict[str, nn.Parameter]


def objection_to(made: Any, wanted: nn.Module) -> Objection | None:
    """What is off about a module before it computes anything, or None when it has just the wanted parameters."""
    if not isinstance(made, nn.Module):
        return Objection("no_module", "Your class is not a module: its first line should end in `(torch.nn.Module):`.")
    if "_parameters" not in vars(made):
        return Objection(
            "super", "Your `__init__` must begin with `super().__init__()`: without it, the object is not a module yet."
        )
    if type(made).forward is nn.Module.forward:
        return Objection("no_forward", "Your class has no `forward`: that is the method that runs when it is called.")
    have, want = named_parameters(made), named_parameters(wanted)
    wanted_ones = {id(have[name]) for name in want if name in have}
    have = {name: each for name, each in have.items() if name in want or id(each) not in wanted_ones}  # a second name
    missing, extra = [name for name in want if name not in have], [name for name in have if name not in want]
    if missing:
        return _missing(made, have, want, missing, extra)
    if extra:
        return Objection("extra", f"Your module has more parameters than wanted: {_listed(extra, have)}.")
    for name, parameter in want.items():
        one, other = tuple(have[name].shape), tuple(parameter.shape)
        if one != other:
            turned = " It is transposed: `torch.nn.Linear(a, b)` holds a weight of shape (b, a)."
            said = f"Your `{name}` has shape {one}; wanted is {other}.{turned if one == other[::-1] else ''}"
            return Objection("shape", said)
    for name, parameter in have.items():
        if parameter.requires_grad != want[name].requires_grad:
            return Objection("frozen", f"Your `{name}` has `requires_grad` {parameter.requires_grad}; it should not.")
    return _sharing(have, want)


def objection_to_buffers(made: nn.Module) -> Objection | None:
    """A buffer that is saved with the weights: no published file has it, and strict loading would miss it there."""
    parameters = named_parameters(made)
    for name in made.state_dict():
        if name not in parameters:
            return Objection(
                "buffer",
                f"Your buffer `{name}` is part of the state dict, but no published file has it, so strict loading "
                "would fail. `register_buffer(…, persistent=False)` keeps it out.",
            )
    return None


@lru_cache(64)
def skeleton(reference: Callable[..., nn.Module], construct: tuple[Any, ...]) -> nn.Module:
    """A module of the reference, for the names and shapes of its parameters; one for all who look at them."""
    with torch.random.fork_rng(devices=[]):
        return reference(*construct)


def named_parameters(module: nn.Module) -> Parameters:
    return dict(module.named_parameters(remove_duplicate=False))


def _missing(made: nn.Module, have: Parameters, want: Parameters, missing: list[str], extra: list[str]) -> Objection:
    start = f"Your module lacks {_listed(missing, want)}"
    shapes = [sorted(tuple(names[name].shape) for name in some) for names, some in ((have, extra), (want, missing))]
    if extra and shapes[0] == shapes[1]:
        return Objection(
            "names", f"{start}. It has as many others of the same shapes, {_listed(extra, have)}: are the names right?"
        )
    for name in vars(made).keys() - vars(nn.Module()).keys():
        value = vars(made)[name]
        held = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
        if any(isinstance(each, nn.Module | nn.Parameter) for each in held):
            kind = type(value).__name__
            cure = "`torch.nn.ModuleDict`" if kind == "dict" else "`torch.nn.ModuleList`"
            return Objection(
                "unregistered",
                f"{start}. `self.{name}` is a plain {kind}, and torch does not see the parameters in it; {cure} "
                "registers them.",
            )
        if isinstance(value, Tensor):
            return Objection(
                "plain_tensor",
                f"{start}. `self.{name}` is a plain tensor; `torch.nn.Parameter` makes a parameter of it.",
            )
    others = f"; it has {_listed(extra, have)} instead" if extra else ""
    return Objection("missing", f"{start}{others}.")


def _sharing(have: Parameters, want: Parameters) -> Objection | None:
    for one, other in combinations(want, 2):
        shared = have[one] is have[other]
        if shared != (want[one] is want[other]):
            should = "share one parameter, but should not" if shared else "should share one parameter, but do not"
            return Objection("sharing", f"Your `{one}` and `{other}` {should}.")
    return None


def _listed(names: list[str], parameters: Parameters, most: int = 6) -> str:
    words = [f"`{name}` {tuple(parameters[name].shape)}" for name in names[: most if len(names) > most + 1 else None]]
    left = len(names) - len(words)
    return ", ".join(words) + (f" and {left} others" if left else "")
