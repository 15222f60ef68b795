"""Arrays from anywhere, checked: lists, NumPy arrays or tensors, and the labels beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anatomy_course.figures.canvas import printable

STEPS = ("query", "key", "value", "scores", "weights", "context")


def to_array(values: Any) -> np.ndarray:
    """A list, NumPy array or torch tensor (also one that needs gradients) as a NumPy array, without importing torch."""
    if isinstance(values, list | tuple) and any(hasattr(part, "detach") for part in values):
        values = [to_array(part) for part in values]
    for method in ("detach", "cpu"):
        values = getattr(values, method)() if hasattr(values, method) else values
    if "bfloat16" in str(getattr(values, "dtype", "")):  # NumPy has no such type
        values = values.float()
    return np.asarray(values)


def array(values: Any, dimensions: int, name: str = "matrix") -> np.ndarray:
    """Numbers from whatever `to_array` takes, as float64 of the expected rank.

    Raises:
        ValueError: the values are no rectangular block of numbers, are empty, or have another number of axes.
    """
    try:
        numbers = to_array(values).astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"The {name} is no rectangular block of numbers; give a list, an array or a tensor.") from None
    axes = {1: "one axis", 2: "two axes (rows, columns)"}.get(dimensions, f"{dimensions} axes")
    if numbers.ndim != dimensions:
        raise ValueError(f"The {name} has shape {numbers.shape}; it must have {axes}, so pick or add one first.")
    if numbers.size == 0:
        raise ValueError(f"The {name} has shape {numbers.shape}, which holds no number; give at least one.")
    return numbers


def steps_of(steps: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Attention's tensors by name, or one sentence saying which are missing."""
    if missing := [name for name in STEPS if name not in steps]:
        raise ValueError(f"The steps lack {', '.join(missing)}; give {', '.join(STEPS)}.")
    return {name: array(steps[name], 2, name) for name in STEPS}


def labels_for(count: int, labels: Sequence[object] | None, name: str, longest: int = 18) -> list[str]:
    """One printable label per row, column or point, cut off where it is too long; numbers where none are given."""
    if labels is None:
        return [str(i) for i in range(count)]
    given = list(labels)
    if len(given) != count:
        raise ValueError(f"There are {len(given)} {name} labels for {count} {name}s; give one label for each.")
    return [printable(label, longest) for label in given]
