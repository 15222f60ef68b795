"""What all widgets share: module and stylesheet, the MIME bundle with its still picture, arrays and words."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import ipywidgets
import numpy as np
import pytest
import torch
from widget_page import Browser, show

from anatomy_course.figures import palette
from anatomy_course.figures.arrays import to_array
from anatomy_course.figures.picture import Picture
from anatomy_course.views import Mixer, SetupList
from anatomy_course.views._kit import base
from anatomy_course.views._kit.base import float_bytes, weight_bytes
from anatomy_course.views._kit.checks import numbers, word_list
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


def test_the_bundle_holds_the_view_and_the_twin() -> None:
    widget = Plain(label="Plain")
    data, _ = widget._repr_mimebundle_()
    assert data[VIEW]["model_id"] == widget.model_id
    assert data["text/plain"] == "What it shows." and data["image/png"] and 'alt="What it shows."' in data["text/html"]


def test_a_twin_that_fails_leaves_the_view_and_a_sentence() -> None:
    data, _ = Broken(label="Weights")._repr_mimebundle_()
    assert set(data) == {VIEW, "text/plain"}
    assert data["text/plain"] == "Weights (a live widget: run this cell to use it)"


def test_display_stores_view_and_twin(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_arrays_come_from_lists_numpy_and_torch() -> None:
    learned = torch.ones(2, 3, dtype=torch.bfloat16, requires_grad=True)
    for given in (np.ones((2, 3)), [[1] * 3] * 2, learned, [torch.ones(3), torch.ones(3)], torch.ones(3, 2).T):
        assert numbers(given, "vectors", "word 3").tolist() == [[1.0] * 3] * 2
    assert to_array(learned).shape == (2, 3)
    assert np.frombuffer(float_bytes(torch.arange(6.0).reshape(2, 3).T), "<f4").tolist() == [0, 3, 1, 4, 2, 5]
    assert list(weight_bytes([0.0, 0.5, 1.0, 2.0])) == [0, 128, 255, 255]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([[1.0], [1.0, 2.0]], "list that is not a rectangular block of numbers"),
        ("abc", "str that is not a rectangular block"),
        (None, "NoneType that is not"),
        ([[1j]], "list that is not"),
        (np.ones(3), r"shape \(3,\)"),
        (np.ones((1, 2, 2)), r"shape \(1, 2, 2\)"),
        ([[float("nan")]], "NaN or infinity"),
        ([[float("inf")]], "NaN or infinity"),
    ],
)
def test_numbers_says_what_is_wrong(given: Any, said: str) -> None:
    with pytest.raises(ValueError, match=f"^scores .*{said}.*expected numbers of shape \\(query, key\\)"):
        numbers(given, "scores", "query key")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("time flies", "one string"),
        (["time", 3], "not text"),
        (7, "not text"),
        ([], "0 words"),
        (["a"] * 65, "That makes 65 tokens; the drawing has room for 64"),
        (["a" * 61], "61 characters"),
    ],
)
def test_word_list_says_what_is_wrong(given: Any, said: str) -> None:
    checked = getattr(word_list, "__wrapped__", word_list)  # without the tests' own type check
    with pytest.raises(ValueError, match=said):
        checked(given, "tokens")


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


@pytest.mark.browser
def test_the_kit_in_a_page(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "view.js").write_text(KIT.replace('"_kit', f'"{os.path.relpath(STATIC, tmp_path)}/_kit'))
    widget = Plain()
    widget._esm, _ = join(tmp_path / "view.js")
    shown = show(browser, widget)
    live = shown.page.locator("[aria-live=polite]").first
    assert live.text_content() == "light #0072b2 rgb(255, 255, 255) #ffffff"
    shown.theme("dark")
    shown.page.wait_for_function("document.querySelector('[aria-live]').textContent.startsWith('dark')")
    assert live.text_content() == f"dark {palette.ROLES['query'].dark} rgb(17, 20, 23) #000000"
    shown.page.get_by_label("Sentence").fill("time flies")
    shown.page.get_by_label("Sentence").press("Enter")
    assert live.text_content() == "got time flies"
    assert shown.page.get_by_text("<b>text</b>").count() == 1
    assert shown.page.locator("input, select, button").evaluate_all(
        "list => list.every((node) => node.dataset.lmSuppressShortcuts === 'true')"
    )
    shown.check()
