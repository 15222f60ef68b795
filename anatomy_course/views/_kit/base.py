"""What all widgets share: script and stylesheet, checks of what they are given, and a still picture.

A widget is one Python class with typed traits and one ES module, `view.js`, in a folder of their own. Its
`_repr_mimebundle_` carries the live view *and* a picture with alt text, so that pages without a kernel (GitHub,
nbconvert, an untrusted notebook) show the picture.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import ipywidgets
import numpy as np
import traitlets

from anatomy_course.figures import palette
from anatomy_course.figures.arrays import to_array
from anatomy_course.views._kit.modules import STATIC, join

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from anatomy_course.figures.picture import Picture

KIT_STYLE = "_kit/kit.css"
MAX_WORD_LENGTH = 60
"""Longer words are refused: no column of any widget could show them."""
PAGE_STYLE = "_kit/page/custom.css"
"""The look of the course's pages; `make lab` loads it at once, elsewhere the first live view brings it along."""


class AnatomyWidget(anywidget.AnyWidget):
    """Base of the course's widgets.

    A class's script is the `view.js` beside its file, joined with what that imports. Its stylesheet is the palette, the
    kit's, those of the same names as the imported scripts, and the `style.css` beside it.
    """

    def __init_subclass__(cls, **settings: Any) -> None:
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        copied = isinstance(getattr(cls, "_esm", None), traitlets.TraitType)  # one widget's own copy of its class
        if file and not copied and (script := Path(file).with_name("view.js")).is_file():
            cls._esm, cls._css = _assets(script)
        super().__init_subclass__(**settings)

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


@cache
def _assets(script: Path) -> tuple[str, str]:
    """A view's script and its stylesheet."""
    text, files = join(script)
    sheets = [file.with_name("style.css") if file.name == "view.js" else file.with_suffix(".css") for file in files]
    texts = [sheet.read_text(encoding="utf-8") for sheet in (STATIC / KIT_STYLE, *sheets) if sheet.is_file()]
    return text, "\n".join([palette.css_variables(), *texts])
