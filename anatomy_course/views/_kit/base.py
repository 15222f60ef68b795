"""What all widgets share: script and stylesheet, checks of what they are given, and a still picture.

A widget is one Python class with typed traits and one ES module, `view.js`, in a folder of their own. Its
`_repr_mimebundle_` carries the live view *and* a picture with alt text, so that pages without a kernel (GitHub,
nbconvert, an untrusted notebook) show the picture.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import anywidget
import ipywidgets
import numpy as np
import traitlets

from anatomy_course.figures import palette
from anatomy_course.figures.arrays import to_array
from anatomy_course.views._kit.modules import STATIC, join

if TYPE_CHECKING:
    import numpy.typing as npt

    from anatomy_course.figures.picture import Picture

KIT_STYLE = "_kit/kit.css"
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

    drawn_height: ClassVar[int] = 0
    """How high the view is drawn on a page: its still picture is enlarged to that, so that nothing moves when the view
    takes its place. 0 where the picture's shape does not allow it."""

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
            still = self.still_picture()
            return dict((still.filling(self.drawn_height) if self.drawn_height else still)._repr_mimebundle_())
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


@cache
def _assets(script: Path) -> tuple[str, str]:
    """A view's script and its stylesheet."""
    text, files = join(script)
    sheets = [file.with_name("style.css") if file.name == "view.js" else file.with_suffix(".css") for file in files]
    texts = [sheet.read_text(encoding="utf-8") for sheet in (STATIC / KIT_STYLE, *sheets) if sheet.is_file()]
    return text, "\n".join([palette.css_variables(), *texts])
