"""The README's short film: a learner types a sentence and is answered, then answers an exercise and gets its card.

Everything happens in notebook 00 as it is, in a browser; only the pointer is painted, as a picture of a page has none.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path

from lab_page import NotebookPage
from PIL import Image
from playwright.sync_api import FloatRect, Locator, expect

NOTEBOOK = "00_start_here"
VIEW, EXERCISE = "type_a_sentence()", '@exercise("start.mean")'
SENTENCE = "The secret of a good soup is"
ANSWER = "return vectors.sum(dim=0)"
WIDTH, HEIGHT = 824, 668
ALT = (
    "A short film of notebook 00. A learner types “The secret of a good soup is”. One small model goes on with the "
    "sentence and shows the likeliest words at each place; another shows where its 72 heads look. The learner chooses "
    "the word “a” instead of “that”, and the sentence ends: “a story of love and sacrifice.” Then the learner answers "
    "the first exercise with return vectors.sum(dim=0), and the card says: You have the sum of the vectors: the "
    "longer the sentence, the larger it grows."
)
KEY_MS, LOOK_MS, READ_MS = 70, 120, 3200
QUALITY = 82
POINTER = """([x, y]) => {
  let arrow = document.getElementById("painted-pointer");
  if (!arrow) {
    arrow = document.body.appendChild(document.createElement("div"));
    arrow.id = "painted-pointer";
    arrow.style.cssText = "position: fixed; width: 22px; height: 26px; z-index: 9999; pointer-events: none;"
      + "background: black; outline: none; clip-path: polygon(0 0, 0 78%, 22% 60%, 38% 96%, 52% 90%, 37% 56%, 66% 56%)";
  }
  arrow.style.left = `${x}px`;
  arrow.style.top = `${y}px`;
}"""


@dataclass
class Film:
    """Pictures of one part of a page, and how long each is shown."""

    notebook: NotebookPage
    clip: FloatRect = field(default_factory=lambda: FloatRect(x=0, y=0, width=WIDTH, height=HEIGHT))
    pictures: list[Image.Image] = field(default_factory=list)
    durations: list[int] = field(default_factory=list)

    def look(self, milliseconds: int) -> None:
        """One more picture; the last one is shown longer if nothing has changed."""
        png = self.notebook.page.screenshot(clip=self.clip, caret="initial")
        picture = Image.open(io.BytesIO(png)).convert("RGB")
        if self.pictures and picture.tobytes() == self.pictures[-1].tobytes():
            self.durations[-1] += milliseconds
        else:
            self.pictures.append(picture)
            self.durations.append(milliseconds)

    def watch(self, turns: int, milliseconds: int = LOOK_MS) -> None:
        """Look again and again while the page moves on by itself."""
        for _ in range(turns):
            self.look(milliseconds)
            self.notebook.page.wait_for_timeout(milliseconds)

    def type(self, words: str) -> None:
        """Two letters a picture, by the keyboard."""
        for at in range(0, len(words), 2):
            self.notebook.page.keyboard.type(words[at : at + 2])
            self.look(2 * KEY_MS)

    def frame(self, place: Locator, left: int, above: int) -> None:
        """From now on look at what is here: so far from this element's left edge, and with some room above it."""
        box = place.bounding_box()
        assert box is not None
        self.clip = FloatRect(x=box["x"] + left, y=box["y"] - above, width=WIDTH, height=HEIGHT)

    def point(self, place: Locator) -> None:
        """Move the pointer to the middle of an element and press."""
        box = place.bounding_box()
        assert box is not None
        at = box["x"] + min(box["width"] / 2, 60), box["y"] + box["height"] / 2
        self.notebook.page.evaluate(POINTER, at)
        self.look(600)
        self.notebook.page.mouse.click(*at)

    def put_pointer_away(self) -> None:
        """Paint none until it is needed again."""
        self.notebook.page.evaluate(POINTER, [-50, -50])
        self.notebook.page.mouse.move(0, 0)

    def save(self, path: Path) -> None:
        """Write it as one file that repeats for ever."""
        first, *others = self.pictures
        options = {"quality": QUALITY, "method": 6, "minimize_size": False, "allow_mixed": False}
        first.save(path, "WEBP", save_all=True, append_images=others, duration=self.durations, loop=0, **options)


def a_sentence(film: Film) -> None:
    """Type into the first live view, let the model go on, and choose another word than its first."""
    notebook = film.notebook
    _load(notebook)
    view = notebook.widget(VIEW)
    film.frame(view, left=-4, above=4)
    film.look(1600)
    view.get_by_label("Your sentence").select_text()
    film.look(500)
    film.type(SENTENCE)
    expect(view.locator(".fw-token", has_text=SENTENCE.split()[-1])).to_be_visible()
    film.watch(6)
    film.look(600)
    notebook.page.keyboard.press("Enter")
    _watch_it_write(film, view)
    film.point(view.locator(".fw-new").first)
    film.watch(2)
    film.look(1200)
    film.point(view.locator(".fw-rival").nth(1))
    _watch_it_write(film, view)
    film.look(READ_MS)


def _load(notebook: NotebookPage) -> None:
    """Both models are in memory, and the view is as it was: loading takes ten seconds that nobody needs to see."""
    view = notebook.widget(VIEW)
    view.get_by_label("Your sentence").fill("Hello")
    expect(view.locator(".fw-state")).to_contain_text("Live.", timeout=120_000)
    notebook.run_cell(notebook.index(VIEW))


def _watch_it_write(film: Film, view: Locator) -> None:
    """Look until the model has stopped writing."""
    writing = view.get_by_role("button", name="Stop writing")
    expect(writing).to_be_visible()
    while writing.count():
        film.look(2 * LOOK_MS)
        film.notebook.page.wait_for_timeout(LOOK_MS)
    film.watch(4)


def an_answer(film: Film) -> None:
    """Type a wrong answer into the first exercise, run it, and get the card that names the mistake."""
    notebook, page = film.notebook, film.notebook.page
    index = notebook.index(EXERCISE)
    source = notebook.source(index)
    notebook.write(index, source[: source.rindex('"""') + 3] + "\n    ")
    cell = notebook.cell(index)
    cell.locator(".cm-line").last.click()
    page.keyboard.press("End")
    film.put_pointer_away()
    film.frame(cell, left=62, above=0)
    film.look(1200)
    film.type(ANSWER)
    film.look(500)
    page.keyboard.press("Control+Enter")
    expect(notebook.output(index)).to_contain_text("You have the sum of the vectors")
    film.watch(3)
    film.look(READ_MS + 1500)
