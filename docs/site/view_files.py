"""What the browser needs for the live views: a script for each widget class, one for each view's data, one stylesheet.

All are plain scripts, not modules and not JSON, because a page that was opened as a file may load nothing else. A page
loads a view's two scripts when the reader comes near it.
"""

from __future__ import annotations

import base64
import html
import importlib
import json
import re
from pathlib import Path

from elsewhere import run_it
from view_states import View, packed

from anatomy_course.figures import palette
from anatomy_course.views._kit.base import PAGE_STYLE, AnatomyWidget
from anatomy_course.views._kit.modules import STATIC

NOT_HERE = {"HeadBoard": {"can_switch": False}, "FirstWords": {"recorded": False}, "FamilyTree": {"can_run": False}}
"""Traits that switch off what a page cannot do, and the promise that models will be loaded."""
NOT_SHOWN = ("Card", "SetupList")
"""Views with a better form on a page without a kernel: see `exercise_help`."""
HEIGHTS = Path(__file__).with_name("heights.json")
"""How high each view of each notebook is in a wide and in a narrow window: as much room is kept for it until it is
there. `look_at_site.py --keep-heights` measures them."""
WITH_KERNEL = {
    "AttentionStepper": ("A sentence of your own", ".sentence-form"),
    "BeamTree": ("Another prompt", ".sentence-form"),
    "BlockStepper": ("Another sentence or layer", ".sentence-form, .bs-where"),
    "CacheLab": ("Measuring on your machine", ".cl-clock .row"),
    "DebuggingLab": ("Writing new samples", ".wd-write"),
    "DecodingStepper": ("Writing on, with rules of your own,", ".sentence-form, .ds-buttons, .ds-rows"),
    "DepthLab": ("Training another one", ".dl-choices .primary"),
    "FamilyTree": ("Running a model", ""),
    "FirstWords": ("A sentence of your own, and going on with this one,", ".fw-form, .fw-rivals"),
    "HeadBoard": ("Switching heads off", ""),
    "LogitLens": ("A sentence of your own", ".sentence-form"),
    "NearestWords": ("A sentence of your own", ".lj-form"),
    "ObjectiveExplorer": ("A sentence or rate of your own", ".sentence-form, .oe-controls > .control, .oe-rate"),
    "PartSwapper": ("Measuring another swap", ""),
    "PronounHeads": ("Switching other heads off", ".heading .button, .ch-grid, section.panel > .control"),
    "Translator": ("A sentence of your own", ".sentence-form"),
}
"""What of a view needs a kernel, in words and as a selector of controls that can do nothing without one; the rest of
it, and every other view, answers on the page."""


def widget_class(view: View) -> type[AnatomyWidget]:
    """The class of a view, which holds its script and its stylesheet."""
    module, _, name = view["widget"].rpartition(".")
    found: type[AnatomyWidget] = getattr(importlib.import_module(module), name)
    return found


def kind(view: View) -> str:
    """The name of a view's class."""
    return str(view["widget"].rpartition(".")[2])


def view_id(view: View) -> str:
    """The name of a view on its page, and of its file."""
    return f"{view['cell']}-{view['number']}"


def view_html(view: View, notebook: str, still: str) -> str:
    """The place where a view is mounted. Until then, and where no script runs, it holds the view's still form.

    Args:
        view: one of the notebook's.
        notebook: its file without the ending.
        still: HTML of the picture, or of the page, that stands for the view.
    """
    name = kind(view)
    label = html.escape(str(view["state"].get("label") or name))
    what, controls = WITH_KERNEL.get(name, ("", ""))
    needs = f'<p class="live-note">{what} needs a kernel: {run_it(notebook)}.</p>' if what else ""
    is_picture = "<img" in still and "<details" not in still
    tall = json.loads(HEIGHTS.read_text(encoding="utf-8")).get(notebook, {}).get(view_id(view))
    room = f' style="--high: {tall[0]}px; --high-narrow: {tall[1]}px"' if tall else ""
    waiting = f'<p class="live-wait">Live view: {label}</p><noscript>{still}</noscript>' if is_picture else still
    return (
        f'{needs}<div class="live{" tall" if is_picture else ""}"{room} data-view="{view_id(view)}"'
        f' data-widget="{name}" data-locked="{html.escape(controls)}">{waiting}</div>'
    )


def write_view(view: View, folder: Path) -> None:
    """The view's data as a script."""
    data = {"state": view["state"] | NOT_HERE.get(kind(view), {}), "answers": view.get("answers", [])}
    text = base64.b64encode(packed(data)).decode("ascii")
    _write(folder / f"{view_id(view)}.js", f'anatomyViews.data["{view_id(view)}"] = "{text}";\n')


def write_widget(cls: type[AnatomyWidget], folder: Path) -> None:
    """The class's module as a script that keeps everything to itself."""
    module, exports = re.subn(r"^export default \{", "return {", str(cls._esm), flags=re.MULTILINE)
    if exports != 1 or re.search(r"^(import|export)\b", module, re.MULTILINE):
        expected = "one `export default { … }` and no other import or export"
        raise ValueError(f"The module of {cls.__name__} cannot become a plain script; expected {expected}.")
    name = json.dumps(cls.__name__)
    _write(folder / f"{cls.__name__}.js", f'anatomyViews.widgets[{name}] = () => {{\n"use strict";\n{module}\n}};\n')


def write_styles(classes: list[type[AnatomyWidget]], file: Path) -> None:
    """All classes' stylesheets in one; the palette, and what several classes share, stands there once."""
    page = (STATIC / PAGE_STYLE).read_text(encoding="utf-8")
    sheets: dict[str, None] = {palette.css_variables(): None}
    names = {path.read_text(encoding="utf-8"): path for path in sorted(STATIC.rglob("*.css"))}
    for cls in classes:
        sheets |= {text: None for text in names if text != page and text in str(cls._css)}
    _write(file, "\n".join(sheets))


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
