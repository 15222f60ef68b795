"""Questions to Python: the one answer that counts, one sentence for whatever fails, and sentences that can be read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import traitlets
from on_page import Show

from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.modules import STATIC, join
from anatomy_course.views._kit.request import Asking, usable_sentence
from anatomy_course.views.setup_check.view import SetupList

VIEW = """
import { button } from "_kit/controls.js";
import { element } from "_kit/elements.js";
import { widgetRoot } from "_kit/life.js";
import { request } from "_kit/request.js";

function render({ model, el }) {
  const { root, signal, cleanup } = widgetRoot(el, "asking");
  const heard = element("ol");
  const { ask, line } = request({
    model,
    signal,
    onBusy: (on) => (root.dataset.busy = on),
    onAnswer: () => heard.append(element("li", { text: model.get("square") })),
  });
  let number = 2;
  root.append(button({ label: "Ask", signal, onClick: () => ask({ number: number++ }) }), line, heard);
  return cleanup;
}

export default { render };
"""


class Squares(Asking):
    """Answers with a square; 3 is refused, 4 breaks it."""

    _css = SetupList._css
    square = traitlets.Int(1).tag(sync=True)

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        if question["number"] == 3:
            raise ValueError("3 is not asked; choose another number.")
        return {"square": {2: 4, 5: 25}[question["number"]]}

    def still_picture(self) -> Picture:
        return Picture(b"png", "A square.", 10)


def test_an_answer_says_which_question_it_is_to() -> None:
    widget = Squares(question={"number": 1})
    assert (widget.answered, widget.square) == (0, 1), "what it was made with is no question"
    widget.set_state({"question": {"number": 5, "id": 7}})
    assert (widget.answered, widget.square, widget.error) == (7, 25, "")
    widget.question = {"number": 2}  # from Python, where nobody counts
    assert (widget.answered, widget.square) == (8, 4)


def test_what_fails_is_one_sentence_and_leaves_the_rest_as_it_was() -> None:
    widget = Squares(question={"number": 1})
    widget.set_state({"question": {"number": 3, "id": 1}})
    assert (widget.answered, widget.square, widget.error) == (1, 1, "3 is not asked; choose another number.")
    widget.set_state({"question": {"number": 4, "id": 2}})
    assert (widget.answered, widget.square, widget.error) == (2, 1, "Computing this failed: KeyError: 4")
    widget.set_state({"question": {"number": 5, "id": 3}})
    assert (widget.answered, widget.error) == (3, "")


def test_a_late_answer_is_not_taken_for_the_one_that_is_waited_for(show: Show, tmp_path: Path) -> None:
    (tmp_path / "view.js").write_text(VIEW.replace('"_kit', f'"{os.path.relpath(STATIC, tmp_path)}/_kit'))
    widget = Squares(question={"number": 1})
    widget._esm, _ = join(tmp_path / "view.js")
    shown = show(widget)
    ask, line = shown.page.get_by_role("button", name="Ask"), shown.page.locator(".error")
    root, heard = shown.page.locator(".anatomy"), shown.page.get_by_role("listitem")
    ask.click()
    ask.click()
    shown.settle()
    assert widget.question == {"number": 3, "id": 2} and widget.answered == 2
    shown.page.evaluate("window.receive(JSON.stringify({ square: 4, answered: 1 }))")
    shown.page.wait_for_timeout(100)
    assert root.get_attribute("data-busy") == "true" and heard.count() == 0
    shown.update(error=widget.error, answered=2)
    assert line.inner_text() == "3 is not asked; choose another number."
    assert root.get_attribute("data-busy") == "false" and heard.count() == 0
    ask.click()
    shown.settle()
    shown.update(error=widget.error, answered=widget.answered)
    assert line.inner_text() == "Computing this failed: KeyError: 4"
    ask.click()
    assert line.inner_text() == ""
    shown.settle()
    shown.update(square=widget.square, error=widget.error, answered=widget.answered)
    shown.page.wait_for_function("document.querySelector('li')?.textContent === '25'")
    assert root.get_attribute("data-busy") == "false"


@pytest.mark.parametrize("text", ["", "     ", "\t\n", "\u200d\u200b", "\x00", "\u00a0\u3000"])
def test_what_cannot_be_seen_is_empty(text: str) -> None:
    with pytest.raises(ValueError, match="The sentence is empty; type at least one word"):
        usable_sentence(text)


def test_a_long_paste_is_refused_and_counted_whole() -> None:
    with pytest.raises(ValueError, match="The sentence has 2500 characters; at most 300 fit: shorten it."):
        usable_sentence("word " * 500)


def test_control_characters_become_spaces_and_letters_stay() -> None:
    assert usable_sentence("two\x00 \x07words\u200d") == "two   words\u200d"
    assert usable_sentence("  שלום 👩‍👧 ") == "  שלום 👩‍👧 "
