"""Copy arguments so that an attempt cannot touch ours, and compare results."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, TypeGuard

import torch
from torch import Tensor

from anatomy_course.judge.definition import Objection

RELATIVE, ABSOLUTE = 1e-4, 5e-5
"""How far a right result may be from the target: float32 rounding, in whatever order the sums are taken."""


def fresh(value: Any) -> Any:
    """A copy that shares nothing with `value`; a generator's copy stands where the generator stands."""
    if isinstance(value, Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, torch.Generator):
        twin = torch.Generator(value.device)
        twin.set_state(value.get_state())
        return twin
    return value if value is None or isinstance(value, int | float | str) else copy.deepcopy(value)


def fresh_arguments(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: fresh(value) for name, value in arguments.items()}


def changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the tensors that are no longer what they were."""
    return tuple(
        name
        for name, value in before.items()
        if isinstance(value, Tensor) and not _identical(after[name].detach(), value.detach())
    )


def _identical(one: Tensor, other: Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    return torch.equal(one, other) or torch.allclose(one, other, 0, 0, equal_nan=True)


def plain(tensor: Tensor) -> Tensor:
    """The bare numbers: no gradient, no subclass, dense, on the CPU."""
    bare = tensor.detach()
    if bare.layout != torch.strided:
        bare = bare.to_dense()
    return bare.as_subclass(Tensor).cpu().resolve_conj().resolve_neg()


def numbers(tensor: Tensor) -> Tensor:
    """The same values in a type that every comparison understands."""
    return tensor.to(torch.complex128 if tensor.is_complex() else torch.float64)


def differing(yours: Tensor, target: Tensor) -> Tensor:
    """True in every cell in which two tensors of one shape differ by more than rounding."""
    if not target.is_floating_point() and not yours.is_floating_point():
        return yours != target
    return ~torch.isclose(*_alike(yours, target), RELATIVE, ABSOLUTE, equal_nan=True)


def close(yours: Tensor, target: Tensor) -> bool:
    """Whether two tensors have the same shape and, up to rounding, the same numbers."""
    if yours.shape != target.shape:
        return False
    if yours.dtype == target.dtype and torch.equal(yours, target):
        return True
    if not target.is_floating_point() and not yours.is_floating_point():
        return bool((yours == target).all())
    return torch.allclose(*_alike(yours, target), RELATIVE, ABSOLUTE, equal_nan=True)


def _alike(yours: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    kind = torch.complex128 if yours.is_complex() or target.is_complex() else torch.float64
    return yours.to(kind), target.to(kind)


def parts(result: Any) -> tuple[Tensor, ...] | None:
    """A result as a tuple of tensors, or None when it is neither a tensor nor a tuple of tensors."""
    if is_tensor(result):
        return (result,)
    if isinstance(result, tuple) and result and all(map(is_tensor, result)):
        return result
    return None


def is_tensor(value: Any) -> TypeGuard[Tensor]:
    """Whether it is a tensor, and does not only say so by its `__class__`."""
    return issubclass(type(value), Tensor)


def same_result(one: Any, other: Any) -> bool:
    """Whether two results are alike in structure, shapes, types and numbers, or one and the same objection."""
    if isinstance(one, Objection):
        return bool(one == other)
    mine, theirs = parts(one), parts(other)
    if mine is None or theirs is None or len(mine) != len(theirs):
        return False
    if isinstance(one, Tensor) != isinstance(other, Tensor):
        return False
    return all(a.dtype == b.dtype and a.device == b.device and close(a, b) for a, b in zip(mine, theirs, strict=True))
