"""What all widgets share: the browser kit in front of their module, the palette's colors, and a still picture.

A widget is one Python class with typed traits and one ES module, `view.js`, in a folder of their own. Its
`_repr_mimebundle_` carries the live view *and* a picture with alt text, so that pages without a kernel (GitHub,
nbconvert, an untrusted notebook) show the picture.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import ipywidgets
import numpy as np
import traitlets

from anatomy_course.figures import palette
from anatomy_course.figures.arrays import to_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from anatomy_course.figures.picture import Picture

STATIC = Path(__file__).parents[1]
KIT = ("_kit/kit.js", "_kit/theme.js", "_kit/format.js", "_kit/controls.js", "_kit/page.js")
"""What stands in front of every widget's module."""
MAX_WORD_LENGTH = 60
"""Longer words are refused: no column of any widget could show them."""
PAGE_STYLE = "_kit/page/custom.css"
"""The look of the course's pages; `make lab` loads it at once, elsewhere the first live view brings it along."""


class _WidgetType(type(anywidget.AnyWidget)):  # type: ignore[misc]
    """Lets a widget class name its module; the class's own metaclass takes no such word before traitlets 5.9."""

    def __new__(
        cls,
        name: str,
        bases: tuple[type, ...],
        members: dict[str, Any],
        module: str | None = None,
        shares: tuple[str, ...] = (),
    ) -> _WidgetType:
        if module is not None:
            modules = (*KIT, *shares, module)
            members |= {"_esm": _script(modules), "_css": _stylesheet(modules)}
        return super().__new__(cls, name, bases, members)  # type: ignore[no-any-return]

    def __init__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any], **settings: object) -> None:
        super().__init__(name, bases, members)


class AnatomyWidget(anywidget.AnyWidget, metaclass=_WidgetType):
    """Base of the course's widgets: `class Mixer(AnatomyWidget, module="mixer/view.js")`.

    The module is `views/<module>`; the kit and what it `shares` (with other widgets, from `_kit/`, or parts of its
    own) are put in front of it, and in front of those the page's stylesheet as a string. The palette and, where there
    are any, these modules' stylesheets become its CSS.
    """

    label = traitlets.Unicode("").tag(sync=True)
    """Accessible name of the whole widget, and its heading."""

    def still_picture(self) -> Picture:
        """The picture that stands for this widget where nothing can run; each widget draws its own."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The live view, and beside it the still picture as HTML, PNG and text; (data, metadata)."""
        live = super()._repr_mimebundle_(**kwargs)
        data, metadata = live if live is not None else ({}, {})
        return {**data, **self._twin()}, metadata

    def _twin(self) -> dict[str, object]:
        """The twin's MIME bundle; a twin that cannot be drawn must never keep the live widget from showing."""
        try:
            return dict(self.still_picture()._repr_mimebundle_())
        except Exception:
            name = self.label or type(self).__name__
            return {"text/plain": f"{name} (a live widget: run this cell to use it)"}

    if hasattr(ipywidgets.DOMWidget, "_ipython_display_"):
        # ipywidgets 7 displays itself and would store the view alone, without the twin.

        def _ipython_display_(self, **kwargs: Any) -> None:
            from IPython.display import display

            data, metadata = self._repr_mimebundle_()
            display(data, metadata=metadata, raw=True)
            self._handle_displayed(**kwargs)


def attributes(record: object, names: str) -> dict[str, Any]:
    """Some attributes of any record for the page, by their names, which are separated by spaces."""
    return {name: getattr(record, name) for name in names.split()}


def buffer_trait() -> traitlets.Bytes:
    """A synchronised binary trait: travels as a buffer, arrives in the browser as a DataView, comes back as bytes."""
    return traitlets.Bytes(b"").tag(sync=True, from_json=lambda value, widget: bytes(value or b""))


def float_bytes(values: object) -> bytes:
    """Any array as float32, little endian, C order: what `floats(dataView)` of the kit reads."""
    return np.ascontiguousarray(to_array(values), dtype="<f4").tobytes()


def weight_bytes(weights: object) -> bytes:
    """Weights from 0 to 1 as one byte each, 0 … 255: what `bytes(dataView)` of the kit reads."""
    rounded: npt.NDArray[Any] = np.rint(np.clip(to_array(weights), 0, 1) * 255)
    return rounded.astype(np.uint8).tobytes()


def numbers(values: object, name: str, axes: tuple[str, ...]) -> npt.NDArray[np.float64]:
    """`values` as finite numbers with these axes, or one sentence saying what is wrong.

    Raises:
        ValueError: no numbers, rows of unequal lengths, another number of axes, or NaN or infinity among them.
    """
    expected = f"expected numbers of shape ({', '.join(axes)}{',' if len(axes) == 1 else ''})"
    try:
        array = to_array(values)
        if array.dtype.kind not in "biuf":
            raise TypeError
        array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        given = f"{type(values).__name__} that is not a rectangular block of numbers"
        raise ValueError(f"{name} is a {given}; {expected}: pass a list, NumPy array or tensor of floats.") from None
    if array.ndim != len(axes):
        raise ValueError(f"{name} has shape {array.shape}; {expected}: index or squeeze the other axes away first.")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds NaN or infinity; {expected}, all finite: check the cell that computed it.")
    return array


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


def _script(modules: tuple[str, ...]) -> str:
    page = json.dumps(_text(PAGE_STYLE), ensure_ascii=False)
    return "\n".join([f"const PAGE_SHEET = {page};", *map(_text, modules)])


def _stylesheet(modules: tuple[str, ...]) -> str:
    sheets = [module.replace("view.js", "style.css").replace(".js", ".css") for module in modules]
    there = [name for name in sheets if (STATIC / name).is_file()]
    return "\n".join([palette.css_variables(), *map(_text, there)])


def _text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")
