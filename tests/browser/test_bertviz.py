"""bertviz's three views in JupyterLab: drawn with no network, legible on a dark page, hostile tokens harmless."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from driving import wait_until
from lab_page import NotebookPage, Theme, open_notebook
from lab_server import Lab
from playwright.sync_api import Browser, Locator

SET_UP = """
import torch
from anatomy_course.views import head_view, model_view, neuron_view
weights = torch.randn(2, 3, 5, 5, generator=torch.Generator().manual_seed(0)).softmax(-1)
seen = {f"layers.{i}.self_attention.weights": weights[i][None] for i in range(2)}
vectors = torch.randn(1, 3, 5, 8, generator=torch.Generator().manual_seed(1))
seen |= {f"layers.{i}.self_attention.{role}": vectors for i in range(2) for role in ("query", "key")}
tokens = ["[CLS]", "fruit", "</script><script>parent.hacked = true</script>", "flies", "[SEP]"]
"""


@pytest.fixture(scope="module")
def views(browser: Browser, lab: Lab) -> Iterator[NotebookPage]:
    """A notebook with the three views."""
    shown = ["head_view(seen, tokens)", "model_view(seen, tokens)", "neuron_view(seen, tokens, head=2)"]
    name = lab.write_notebook("bertviz.ipynb", [SET_UP, *shown])
    with open_notebook(browser, lab, name) as notebook:
        notebook.run_all()
        yield notebook


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("cell", "name"), [(1, "head view"), (2, "model view"), (3, "neuron view")])
def test_view_is_drawn_offline(views: NotebookPage, cell: int, name: str, theme: Theme, screenshots: Path) -> None:
    views.theme(theme)
    frame = views.output(cell).locator("iframe")
    frame.wait_for()
    inside = frame.content_frame
    drawn = inside.locator("svg line, svg path, svg rect, canvas")
    wait_until(lambda: drawn.count() > 10, frame, f"the {name} is drawn")
    words = inside.locator("text", has_text="fruit")

    def has_words() -> bool:
        if words.count() == 0:  # in the model view only the drawing that is shown large has words
            drawn.first.click(force=True)  # a clear sheet lies over it
        return words.count() > 0

    wait_until(has_words, frame, f"the {name} shows its words")
    assert contrast(words.first) >= 4.5, f"words in the {name} are legible on a {theme} page"
    assert "hacked" not in views.page.evaluate("() => Object.keys(window)")
    frame.screenshot(path=screenshots / f"bertviz-{name.replace(' ', '-')}-{theme}.png")
    assert views.problems() == []


def contrast(text: Locator) -> float:
    """Contrast of an SVG text with what stands behind it: WCAG 2.2's ratio, from 1 to 21."""
    ratio: float = text.evaluate(
        """(node) => {
          const channels = (color) => (color.match(/[\\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
          const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
            .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
            .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
          const background = (element) => channels(getComputedStyle(element).backgroundColor);
          let behind = node;
          while (behind && (background(behind)[3] ?? 1) === 0) behind = behind.parentElement;
          const back = luminance(behind ? background(behind) : [255, 255, 255]);
          const front = luminance(channels(getComputedStyle(node).fill));
          return (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
        }"""
    )
    return ratio
