"""What all widgets share: module and stylesheet, the MIME bundle with its still picture, and the kit on a page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import ipywidgets
import numpy as np
import pytest
from on_page import Show
from view_sizes import LAB, assert_fits

from anatomy_course.figures import palette
from anatomy_course.figures.picture import Picture
from anatomy_course.views import LiveCurves, Mixer, SetupList
from anatomy_course.views._kit import base
from anatomy_course.views._kit.base import float_bytes
from anatomy_course.views._kit.modules import STATIC, join

VIEW = "application/vnd.jupyter.widget-view+json"
IPYWIDGETS_7 = hasattr(ipywidgets.DOMWidget, "_ipython_display_")


class Plain(SetupList):
    def still_picture(self) -> Picture:
        return Picture(b"png", "What it shows.", 10)


class Broken(SetupList):
    def still_picture(self) -> Picture:
        raise RuntimeError("cannot be drawn")


def test_a_widget_is_the_kit_its_module_the_palette_and_its_styles() -> None:
    assert Mixer._esm == join(STATIC / "mixer/view.js")[0] and "const _kit_elements = (() => {" in Mixer._esm
    assert Mixer._esm.rstrip().endswith("export default { render };")
    for part in ("--query: #0072b2", ".anatomy .slider", ".anatomy.mixer"):
        assert part in Mixer._css


def test_the_bundle_holds_the_view_and_the_picture() -> None:
    widget = Plain(label="Plain")
    data, _ = widget._repr_mimebundle_()
    assert data[VIEW]["model_id"] == widget.model_id
    assert data["text/plain"] == "What it shows." and data["image/png"] and 'alt="What it shows."' in data["text/html"]


def test_a_picture_that_fails_leaves_the_view_and_a_sentence() -> None:
    data, _ = Broken(label="Weights")._repr_mimebundle_()
    assert set(data) == {VIEW, "text/plain"}
    assert data["text/plain"] == "Weights (a live widget: run this cell to use it)"


def test_display_stores_view_and_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """What IPython stores in the notebook, through whichever way this generation of ipywidgets displays."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    try:
        stored: list[Any] = []
        monkeypatch.setattr(shell.display_pub, "publish", lambda data, metadata=None, **_: stored.append(data))
        formatted, _ = shell.display_formatter.format(Plain())
        [bundle] = [data for data in [formatted, *stored] if data]
        assert {VIEW, "text/html", "image/png", "text/plain"} <= set(bundle)
        assert bool(stored) == IPYWIDGETS_7
    finally:
        InteractiveShell.clear_instance()


def test_binary_traits_survive_the_way_back() -> None:
    class Holder(SetupList):
        data = base.buffer_trait()

    holder = Holder(data=float_bytes([1.0, 2.0]))
    holder.set_state({"data": memoryview(float_bytes([3.0, 4.0]))})
    assert np.frombuffer(holder.data, "<f4").tolist() == [3.0, 4.0]


KIT = """
import { arrowMove, heading, select, textField } from "_kit/controls.js";
import { announce, element, shorten } from "_kit/elements.js";
import { floats, format, softmax } from "_kit/format.js";
import { widgetRoot } from "_kit/life.js";
import { color, diverging, onTheme, readableOn, sequentialColor } from "_kit/theme.js";

const assert = (truth, text) => { if (!truth) throw new Error(text); };
function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, "kit");
  assert(softmax([-Infinity, -Infinity]).every((w) => w === 0), "empty row");
  assert(Math.abs(softmax([1000, 1000])[0] - 0.5) < 1e-12, "large scores");
  assert(format(-0.001) === "0.00" && format(-1.5, 1) === "−1.5" && format(-Infinity) === "−∞", "format");
  assert(floats(new DataView(new Uint8Array([9, 0, 0, 128, 63]).buffer, 1))[0] === 1, "floats need no alignment");
  assert(arrowMove({ key: "ArrowUp" }, 0, 2, 3, 3).join() === "0,2", "arrows stay in the grid");
  assert(arrowMove({ key: "x" }, 0, 0, 3, 3) === null, "other keys");
  assert(shorten("👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 2) === "👩‍👩‍👧‍👦…", "whole emoji");
  const field = textField({ label: "Sentence", signal, onCommit: (text) => announce(root, `got ${text}`) });
  const choice = select({ label: "Head", options: ["0", "1"], signal });
  root.append(heading("Kit"), field.node, element("p", {}, "<b>text</b>"), choice.node);
  onTheme(root, signal, (now) => announce(root,
    `${now} ${color(root, "query")} ${sequentialColor(root, 0)} ${readableOn(diverging(root, 1))}`));
  return cleanup;
}
export default { render };
"""


def test_the_kit_in_a_page(show: Show, tmp_path: Path) -> None:
    (tmp_path / "view.js").write_text(KIT.replace('"_kit', f'"{os.path.relpath(STATIC, tmp_path)}/_kit'))
    widget = Plain()
    widget._esm, _ = join(tmp_path / "view.js")
    shown = show(widget)
    live = shown.page.locator("[aria-live=polite]").first
    assert live.text_content() == "light #0072b2 rgb(255, 255, 255) #ffffff"
    shown.theme("dark")
    shown.page.wait_for_function("document.querySelector('[aria-live]').textContent.startsWith('dark')")
    assert live.text_content() == f"dark {palette.ROLES['query'].dark} rgb(17, 20, 23) #000000"
    shown.type("Sentence", "time flies")
    assert live.text_content() == "got time flies"
    assert shown.page.get_by_text("<b>text</b>").count() == 1
    shortcuts = "list => list.every((node) => node.dataset.lmSuppressShortcuts === 'true')"
    assert shown.page.locator("input, select, button").evaluate_all(shortcuts)


@pytest.mark.parametrize("width", LAB)
def test_a_chart_keeps_the_size_of_its_text(show: Show, width: int) -> None:
    curves = LiveCurves()
    curves.draw("one", range(9), range(9))
    shown = show(curves, width=width)
    assert_fits(shown.page)
    assert shown.page.locator(".line-chart").first.bounding_box()["width"] <= width


FINE = {"sign": "✓", "state": "ok", "text": "torch 2.11.0"}
LATER = {"sign": "○", "state": "later", "text": "gguf → pip install gguf"}
MISSING = {"sign": "✗", "state": "missing", "text": "numpy → pip install numpy"}


def test_the_check_of_the_environment_is_one_line_unless_something_is_missing(show: Show) -> None:
    shown = show(SetupList(lines=[FINE, FINE, LATER], label="Is everything there?"))
    line, torch = shown.page.get_by_text("3 of 4 in place"), shown.page.get_by_text("torch").first  # widgets are alive
    assert torch.is_hidden()
    line.click()
    assert shown.page.get_by_role("listitem").count() == 4 and torch.is_visible()
    line.press("Enter")
    assert torch.is_hidden()
    shown = show(SetupList(lines=[FINE, MISSING], label="Is everything there?"))
    assert shown.page.get_by_text("2 of 3 in place").is_visible()
    assert shown.page.get_by_text("pip install numpy").is_visible()
