"""Diagnoses of an answer whose shape is not the target's."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import torch
from torch import Tensor

from anatomy_course.judge.attempt.tensors import close
from anatomy_course.judge.diagnosis.wrong_answer import WrongOutput


def axes_swapped(wrong: WrongOutput) -> tuple[str, str] | None:
    """The target, transposed or permuted."""
    ranks = {target.dim() for target in wrong.targets}
    if min(ranks) >= 2 and wrong.holds(lambda t: t.transpose(-2, -1)):
        return "transposed", (
            "Your numbers are right, but the last two axes are swapped: there is one row per "
            f"{wrong.axis(-1)} and one column per {wrong.axis(-2)}."
        )
    if len(ranks) != 1:
        return None
    rank = ranks.pop()
    for order in permutations(range(rank)):
        if order != tuple(range(rank)) and wrong.holds(lambda t, order=order: t.permute(order)):  # type: ignore[misc]
            names = " × ".join(wrong.axis(axis) for axis in order)
            return "transposed", f"Your numbers are right, but the axes are in another order: {names}."
    return None


def extra_or_missing_ones(wrong: WrongOutput) -> tuple[str, str] | None:
    """The target with an axis of length 1 too many, too few, or elsewhere."""
    for y, t in wrong.pairs():
        if [s for s in y.shape if s != 1] != [s for s in t.shape if s != 1] or not close(y.reshape(t.shape), t):
            return None
    yours, target = wrong.yours[0], wrong.targets[0]
    count = abs(yours.dim() - target.dim())
    axes = "an axis" if count == 1 else f"{count} axes"
    if yours.dim() > target.dim():
        what = f"there {'is' if count == 1 else 'are'} {axes} of length 1 too many"
    elif yours.dim() < target.dim():
        what = f"{axes} of length 1 {'is' if count == 1 else 'are'} missing"
    else:
        what = "the axis of length 1 is in another place"
    return "ones", f"Your numbers are right, but {what}: {_shapes(wrong)}."


def laid_out_differently(wrong: WrongOutput) -> tuple[str, str] | None:
    """The target's numbers in their order, in another shape."""
    if all(y.numel() == t.numel() and close(y.reshape(t.shape), t) for y, t in wrong.pairs()):
        said = f"Your numbers are right and in the right order, but laid out in another shape: {_shapes(wrong)}."
        return "layout", said
    return None


def one_axis_gone(wrong: WrongOutput) -> tuple[str, str] | None:
    """The target summed, averaged or cut along one axis."""
    ways: tuple[tuple[str, Callable[[Tensor, int], Tensor]], ...] = (
        ("the sum", lambda t, a: t.sum(a)),
        ("the average", lambda t, a: t.mean(a)),
        ("the largest number", lambda t, a: t.amax(a)),
        ("only the first entry", lambda t, a: t.select(a, 0)),
        ("only the last entry", lambda t, a: t.select(a, -1)),
    )
    alike = all(bool((y.flatten() == y.flatten()[:1]).all()) for y in wrong.yours)
    if alike or any(t.dtype == torch.bool for t in wrong.targets):
        return None  # too many things would be equal by chance
    for axis in (-1, -2, -3, 0):
        for keep in (False, True):
            for words, way in ways:
                if wrong.holds(lambda t: way(t, axis).unsqueeze(axis) if keep else way(t, axis)):  # noqa: B023
                    name = wrong.axis(axis)
                    return "axis_gone", f"Your result is {words} of the target over the {name} axis: {_shapes(wrong)}."
    return None


def one_axis_left(wrong: WrongOutput) -> tuple[str, str] | None:
    """The target before a last sum or average."""
    ways: tuple[tuple[str, Callable[[Tensor, int], Tensor]], ...] = (
        ("added up", lambda y, a: y.sum(a)),
        ("averaged", lambda y, a: y.mean(a)),
    )
    for words, way in ways:
        for axis in (0, 1, 2, 3):
            if all(y.dim() > max(axis, t.dim()) and close(way(y, axis), t) for y, t in wrong.pairs()):
                return "axis_left", (
                    f"You are one step away: your result has an axis more than the target, and {words} over its axis "
                    f"{axis} it is the target: {_shapes(wrong)}."
                )
    return None


def some_entries(wrong: WrongOutput) -> tuple[str, str] | None:
    """The target without its first or last entries along an axis, or with more of them."""
    ways: tuple[tuple[str, Callable[[Tensor, int], Tensor]], ...] = (
        ("the last one is missing", lambda t, a: t.narrow(a, 0, t.shape[a] - 1)),
        ("the first one is missing", lambda t, a: t.narrow(a, 1, t.shape[a] - 1)),
    )
    for axis in (-1, -2, -3):
        for words, way in ways:
            if wrong.holds(lambda t: way(t, axis)):  # noqa: B023
                name = wrong.axis(axis)
                return "entries", f"Your numbers are right, but along the {name} axis {words}: {_shapes(wrong)}."
        longer = all(y.dim() == t.dim() >= -axis and y.shape[axis] > t.shape[axis] for y, t in wrong.pairs())
        if longer and all(close(y.narrow(axis, 0, t.shape[axis]), t) for y, t in wrong.pairs()):
            name = wrong.axis(axis)
            said = f"Your result begins with the target, but goes on along the {name} axis: {_shapes(wrong)}."
            return "entries", said
    return None


def repeated(wrong: WrongOutput) -> tuple[str, str] | None:
    """The target, expanded along a new axis."""
    for yours, target in wrong.pairs():
        fits = all(a in (1, b) for a, b in zip(target.shape[::-1], yours.shape[::-1], strict=False))
        if yours.dim() <= target.dim() or not fits or not close(yours, target.expand(yours.shape)):
            return None
    said = f"Your result is the target over and over again along an axis that does not belong there: {_shapes(wrong)}."
    return "repeated", said


def always_the_same_shape(wrong: WrongOutput) -> tuple[str, str] | None:
    """A size is written into the code as a number."""
    all_cases = [pair for pair in wrong.trial.pairs if pair.output == wrong.index]
    shapes, wanted = {tuple(p.yours.shape) for p in all_cases}, {tuple(p.target.shape) for p in all_cases}
    if len(shapes) == 1 and len(wanted) > 1 and wrong.yours[0].dim() > 0:
        return "fixed", (
            f"The shape of your {wrong.name} is {shapes.pop()} in every case, however long the input is (here "
            f"{tuple(wrong.targets[0].shape)} is wanted). Did you write a number where a size belongs?"
        )
    return None


def sizes_in_words(wrong: WrongOutput) -> tuple[str, str] | None:
    """The last resort: say both shapes, and whose length stands where."""
    yours, target = wrong.yours[0], wrong.targets[0]
    wanted = f"wanted is {tuple(target.shape)}"
    if wrong.output.axes:
        wanted += f" ({' × '.join(wrong.axis(i) for i in range(target.dim()))})"
    sentence = f"The shape of your {wrong.name} is {tuple(yours.shape)}; {wanted}."
    if more := yours.dim() - target.dim():
        axes = f"{abs(more)} {'axis' if abs(more) == 1 else 'axes'}"
        return "shape", f"{sentence} That is {axes} too {'many' if more > 0 else 'few'}."
    off = [i for i in range(target.dim()) if yours.shape[i] != target.shape[i]]
    names = {yours.shape[i]: name for i in off if (name := _length_everywhere(wrong, i))}
    if names:
        sentence += f" Here {' and '.join(f'{length} is {name}' for length, name in names.items())}."
    return "shape", sentence


def _length_everywhere(wrong: WrongOutput, axis: int) -> str | None:
    """The one size that is the length of this axis of yours in all cases, of which there are several."""
    if len({tuple(case.sizes.items()) for case in wrong.cases}) < 2:
        return None
    pairs = [(y.shape[axis], case.sizes) for y, case in zip(wrong.yours, wrong.cases, strict=True) if y.dim() > axis]
    names = [name for name in wrong.cases[0].sizes if all(length == sizes.get(name) for length, sizes in pairs)]
    return names[0] if len(names) == 1 and len(pairs) == len(wrong.cases) else None


def _shapes(wrong: WrongOutput) -> str:
    return f"yours is {tuple(wrong.yours[0].shape)}, the target {tuple(wrong.targets[0].shape)}"
