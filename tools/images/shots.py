"""The README's pictures of live views: which view of which notebook, how it is posed, and what a picture is made of.

`make_screenshots.py` takes them; a test of the browser poses one again and compares its size and its text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from lab_page import NotebookPage
from playwright.sync_api import Locator, expect

WINDOW = (1240, 1150)
"""Of JupyterLab when the pictures are taken: its views are then as wide as GitHub shows a picture."""
UNTIL_STILL = """async (view) => {
  const looks = () => `${view.offsetHeight} ${view.innerText}`;
  for (let before = "", turn = 0; turn < 40 && before !== (before = looks()); turn += 1)
    await new Promise((done) => setTimeout(done, 300));
}"""


@dataclass(frozen=True)
class Shot:
    """A picture to be taken.

    `cell` is text that only the view's code cell holds, `needs` the same of the cells to be run before it; `pose` does
    to the view what a learner would do.
    """

    name: str
    notebook: str
    needs: tuple[str, ...]
    cell: str
    pose: Callable[[Locator], None]
    caption: str
    alt: str


class Posed(NamedTuple):
    """A view as it is to be seen."""

    view: Locator
    size: tuple[int, int]
    """Width and height on the page."""
    text: str
    """All that can be read in it."""


def all_words_at_once(view: Locator) -> None:
    """The stepper at its last step, as matrices."""
    view.get_by_role("radio", name="All words at once").click()
    view.get_by_role("button", name="Sum").first.click()
    expect(view).to_contain_text("one context row per word")


def tired_to_wide(view: Locator) -> None:
    """The translator after one swapped word: the animal was tired, the street is wide."""
    view.get_by_role("button", name="Swap tired for wide").click()
    expect(view.locator(".tr-compared")).to_contain_text("wide")
    view.get_by_role("option", name="elle").first.click()


def llama(view: Locator) -> None:
    """The family tree with Llama chosen."""
    view.get_by_role("treeitem", name="Llama").first.click()


SHOTS = (
    Shot(
        "stepper",
        "01_attention",
        ("#@title Imports", 'pretrained.load("minilm")', "sentence = "),
        "views.attention_stepper(",
        all_words_at_once,
        "Notebook 01: every number of an attention, from a real model, in six steps.",
        (
            "The live view “Attention, step by step” at its last step: the weights of all 16 tokens of “The "
            "animal didn't cross the street because it was too tired.”, a table of 16 by 16, times their values, "
            "gives the new vectors. The row of “it” is outlined, and its largest weight is on “animal”. Above, "
            "the sum is written out with its numbers."
        ),
    ),
    Shot(
        "translator",
        "06_encoder_decoder",
        ("#@title Imports", "street.street_vocabulary()", "partial(small_models.train_translator,"),
        "views.translator(model)",
        tired_to_wide,
        "Notebook 06: a translator that you trained yourself. Swap one word, and <em>il</em> becomes <em>elle</em>.",
        (
            "The live view “A translator at work”. The word “tired” was swapped for “wide”: before, the French "
            "translation had “il était trop fatigué”, now it has “elle était trop large”. Below, lines show where "
            "each French word looks in the English sentence, and a table shows the likeliest words: “elle” 0.997, "
            "“il” 0.003."
        ),
    ),
    Shot(
        "family_tree",
        "07_taxonomy",
        ("#@title Imports",),
        "views.family_tree()",
        llama,
        "Notebook 07: each model is its parent plus what changed.",
        (
            "The live view “Family tree”: models from 2014 to 2025, from an RNN with attention over the "
            "Transformer to BERT, GPT, Llama, Qwen, and T5. Llama is chosen. Beside the tree are its blocks, and "
            "those that differ from GPT-3 are marked: norms, biases, positions, feed-forward, output."
        ),
    ),
)


def ready(notebook: NotebookPage, shot: Shot) -> None:
    """Run what the view's cell needs."""
    for text in shot.needs:
        notebook.run_cell(notebook.index(text))


def posed(notebook: NotebookPage, shot: Shot) -> Posed:
    """Make the view again by running its cell, pose it, and wait until nothing in it changes."""
    notebook.run_cell(notebook.index(shot.cell))
    view = notebook.widget(shot.cell)
    shot.pose(view)
    notebook.page.mouse.move(0, 0)
    view.scroll_into_view_if_needed()
    view.evaluate(UNTIL_STILL)
    box = view.bounding_box()
    assert box is not None
    return Posed(view, (round(box["width"]), round(box["height"])), " ".join(view.inner_text().split()))
