"""What a view is given is checked by what it declares; a refusal says what was given, what was expected, what to do.

Traits declare a range (`Whole("tokens")` is a place among the tokens, `Name("schemes")` one of the schemes,
`Real(0.1, 3)`, `OneOf("post pre")`), and hold it whether Python or the page sets them. Arrays are declared by the
names of their axes: `numbers(weights, "weights", "layer head query key", query=5, key=5)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import traitlets

from anatomy_course.figures.arrays import to_array

if TYPE_CHECKING:
    import numpy.typing as npt

MAX_WORD_LENGTH = 60
"""Longer words are refused: no column of any widget could show them."""


class Refusal(ValueError, traitlets.TraitError):  # noqa: N818
    """A value that a trait does not take; traits that were set together with it stay as they were."""


class Whole(traitlets.Int):
    """A whole number from `low` on.

    Args:
        high: the largest one, or None for any; or the name of a trait whose number or length says how many there are:
            "tokens", "shape.0" for the first number of a list, "" for the view's own length. Nothing is refused while
            that is 0.
        low: the smallest one; 1 where they are counted from 1.
        past: how many places behind the last one there are.
        default: `low` when left out.
    """

    def __init__(self, high: int | str | None, low: int = 0, past: int = 0, default: int | None = None) -> None:
        self._high, self._low, self._past = high, low, past
        super().__init__(low if default is None else default)

    def validate(self, obj: Any, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | np.integer):
            self._refuse(obj, value)
        return int(value)

    def _cross_validate(self, obj: Any, value: Any) -> int:
        high = self._highest(obj)
        if value < self._low or (high is not None and value > high):
            self._refuse(obj, value)
        return int(super()._cross_validate(obj, value))

    def _highest(self, obj: Any) -> int | None:
        if not isinstance(self._high, str):
            return self._high
        name, _, place = self._high.partition(".")
        found = getattr(obj, name) if name else obj
        if place:
            found = found[int(place)] if found else 0
        count = found if isinstance(found, int) else len(found)
        return count - 1 + max(self._low, 0) + self._past if count else None

    def _refuse(self, obj: Any, value: Any) -> NoReturn:
        high = self._highest(obj)
        expected = f"from {self._low} on" if high is None else f"from {self._low} to {high}"
        raise Refusal(f"{self.name}={value!r} was asked for; expected a whole number {expected}: choose one of these.")


class Real(traitlets.Float):
    """A number from `low` to `high`."""

    def __init__(self, low: float, high: float, default: float) -> None:
        self._range = low, high
        super().__init__(default)

    def validate(self, obj: Any, value: Any) -> float:
        low, high = self._range
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not low <= value <= high:
            expected = f"expected a number from {low:g} to {high:g}"
            raise Refusal(f"{self.name}={value!r} was asked for; {expected}: choose one of these.")
        return float(value)


class OneOf(traitlets.Enum):  # type: ignore[type-arg]
    """One of a few words, which are separated by spaces; the first one is the default."""

    def __init__(self, words: str) -> None:
        super().__init__(words.split(), words.split()[0])

    def validate(self, obj: Any, value: Any) -> Any:
        if value not in self.values:
            expected = " or ".join(map(repr, self.values))
            raise Refusal(f"{self.name}={value!r} was asked for; expected {expected}: choose one of these.")
        return value


class Name(traitlets.Unicode):  # type: ignore[type-arg]
    """The name of something in the list that another trait holds: of a word, or of a dictionary's `id` or `name`.

    Args:
        of: the other trait's name. Nothing is refused while it is empty.
        also: one more name that is taken.
    """

    def __init__(self, of: str, also: str = "") -> None:
        self._of, self._also = of, also
        super().__init__(also)

    def _cross_validate(self, obj: Any, value: Any) -> str:
        listed = getattr(obj, self._of)
        names = [each if isinstance(each, str) else each.get("id", each.get("name")) for each in listed]
        names = [self._also, *names] if self._also else names
        if names and value not in names:
            expected = f"one of {', '.join(map(repr, names))}"
            raise Refusal(f"{self.name}={value!r} was asked for; expected {expected}: choose one of these.")
        return str(super()._cross_validate(obj, value))


def numbers(values: object, name: str, axes: str, **sizes: int) -> npt.NDArray[np.float64]:
    """`values` as finite numbers with these axes, or one sentence saying what is wrong.

    Args:
        values: a list, NumPy array or tensor.
        name: what they are called in the sentence.
        axes: their names, separated by spaces; an axis called "2" has that size.
        sizes: of those axes whose size is known.

    Raises:
        ValueError: no numbers, rows of unequal lengths, other axes or sizes, or NaN or infinity among them.
    """
    listed = axes.split()
    expected = f"expected numbers of shape ({', '.join(listed)}{',' if len(listed) == 1 else ''})"
    try:
        array = to_array(values)
        if array.dtype.kind not in "biuf":
            raise TypeError
        array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        given = f"{type(values).__name__} that is not a rectangular block of numbers"
        raise ValueError(f"{name} is a {given}; {expected}: pass a list, NumPy array or tensor of floats.") from None
    if array.ndim != len(listed):
        raise ValueError(f"{name} has shape {array.shape}; {expected}: index or squeeze the other axes away first.")
    here = tuple(
        int(axis) if axis.isdigit() else sizes.get(axis, size) for axis, size in zip(listed, array.shape, strict=True)
    )
    if array.shape != here:
        raise ValueError(f"{name} has shape {array.shape}; {expected}, here {here}: give what belongs together.")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds NaN or infinity; {expected}, all finite: check the cell that computed it.")
    return array


def arrays_of(record: object, axes: Mapping[str, str], prefix: str = "", /, **sizes: int) -> dict[str, Any]:
    """The attributes of a record that hold numbers, by name; axes that share a name have one size, or it is refused.

    Args:
        record: whatever has the attributes.
        axes: attribute → the names of its axes, as for `numbers`.
        prefix: in front of the attributes' names, in the sentence and in the result.
        sizes: of axes whose size is known; that of another one is what the first array with it has.

    Raises:
        ValueError: as `numbers`.
    """
    found = {}
    for name, named in axes.items():
        found[prefix + name] = array = numbers(getattr(record, name), prefix + name, named, **sizes)
        sizes = dict(zip(named.split(), array.shape, strict=True)) | sizes
    return found


def word_list(words: Sequence[str], name: str, *, at_least: int = 1, at_most: int = 64) -> list[str]:
    """`words` as a list of strings, within limits that a page can show.

    Raises:
        ValueError: a single string, something that is not text, too few or too many words, or one too long.
    """
    if isinstance(words, str):
        raise ValueError(f"{name} is one string; expected a list with one string per word: try {name}.split().")
    try:
        listed: list[Any] = list(words)
    except TypeError:
        listed = [None]
    if not all(isinstance(word, str) for word in listed):
        raise ValueError(f"{name} holds something that is not text; expected a list of strings, one per word.")
    if len(listed) < at_least:
        raise ValueError(f"{name} has {len(listed)} words; expected {at_least} to {at_most}: give more words.")
    if len(listed) > at_most:
        made = f"That makes {len(listed)} tokens" if name == "tokens" else f"{name} has {len(listed)} words"
        raise ValueError(f"{made}; the drawing has room for {at_most}: shorten the sentence.")
    if longest := max((len(word) for word in listed if len(word) > MAX_WORD_LENGTH), default=0):
        given = f"One of the words has {longest} characters"
        raise ValueError(f"{given}; the drawing has room for {MAX_WORD_LENGTH}: split or shorten it.")
    return [str(word) for word in listed]
