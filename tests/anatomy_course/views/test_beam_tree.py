"""The beam tree: its columns are the search's own steps, its winner the search's best, on the page as in Python."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from on_page import OnPage, Show
from small import beam_tree

from anatomy_course import views
from anatomy_course.lab.street import street_vocabulary
from anatomy_utils.decoding import beam_search, generate

VOCABULARY = street_vocabulary()
PROMPT = "The animal didn't cross the street because"


@pytest.mark.parametrize(("num_beams", "length_penalty"), [(1, 1), (3, 0), (4, 1), (2, 2)])
@pytest.mark.usefixtures("shapes_unchecked")
def test_the_tree_is_the_search(gpt: Any, num_beams: int, length_penalty: int) -> None:
    options = {"num_beams": num_beams, "length_penalty": float(length_penalty)}
    widget = views.beam_tree(gpt, VOCABULARY, PROMPT, **options, max_new_tokens=6)
    ids = torch.tensor([VOCABULARY.ids(widget.prompt)])
    given = (gpt.step, gpt.start(1, ids.shape[1] + 6), ids)
    limits = {"max_new_tokens": 6, "stop_ids": [VOCABULARY.eos_id]}
    found = beam_search(*given, **options, **limits)
    assert len(widget.ranking) == num_beams
    for rank, (step, row) in enumerate(widget.ranking):
        assert widget.columns[step][row]["score"] == pytest.approx(float(found.scores[0, rank]))
        words = [widget.columns[s][r]["word"] for s, r in enumerate(widget.way(step, row))]
        assert words == VOCABULARY.tokens(found.new_ids[0, rank, : int(found.lengths[0, rank])])
    for column, following in zip(widget.columns, widget.columns[1:], strict=False):
        alive = {row for row, node in enumerate(column) if node["fate"] == "alive"}
        assert {node["parent"] for node in following} <= alive
    greedy = generate(*given, **limits).rows()[0]
    kept = [row for row in widget.greedy["rows"] if row >= 0]
    assert [widget.columns[s][r]["word"] for s, r in enumerate(kept)] == VOCABULARY.tokens(greedy)[: len(kept)]
    if num_beams == 1:
        last = widget.columns[len(kept) - 1][kept[-1]]
        assert len(kept) == len(greedy) and widget.greedy["text"] == widget.best
        assert widget.greedy["log_probability"] == pytest.approx(last["log_probability"])


def test_asking_for_another_search() -> None:
    widget = beam_tree()

    def ask(**question: Any) -> None:
        widget.set_state({"question": {**widget.question, **question, "id": widget.answered + 1}})

    assert widget.best == "b <end>" and (widget.step, widget.ranking) == (3, [[1, 0], [2, 0]])
    ask(length_penalty=2.0, num_beams=1)
    assert widget.best == "a d <end>" and (widget.step, widget.ranking) == (1, [[2, 0]])  # −2.1 / 9 beats −1 / 4
    names = ("prompt", "prompt_text", "num_beams", "length_penalty", "columns", "ranking", "greedy", "step")
    before = widget.get_state(names)
    for question, said in (
        ({"prompt": "raise"}, "That prompt is not known"),
        ({"prompt": "x", "num_beams": 9}, "num_beams is 9; the tree has room for 1 to 5"),
        ({"num_beams": 2, "length_penalty": 7.0}, "length_penalty is 7.0"),
    ):
        ask(**question)
        assert said in widget.error and widget.get_state(names) == before


def labels(shown: OnPage, of: str = "button.bt-node") -> list[str]:
    """Of nodes: their step and text, as a screen reader is told."""
    told = shown.page.locator(f"{of} .visually-hidden").all_text_contents()
    return [each.partition(":")[0].removeprefix("Step ") for each in told]


def test_the_tree_grows_step_by_step(show: Show) -> None:
    shown = show(beam_tree(step=1))
    page = shown.page
    assert labels(shown) == ["1, a", "1, b", "1, c"]
    assert page.locator(".bt-results").is_hidden() and shown.count(".bt-won") == 0
    shown.click("button", "Next step")
    assert labels(shown)[3:] == ["2, b <end>", "2, a d", "2, a <end>"]
    assert "2 open texts × 4 tokens = 8 continuations" in shown.text(".anatomy")
    page.get_by_role("slider", name="Step").press("End")
    shown.settle()
    assert shown.widget.step == 3
    assert page.get_by_role("row").nth(1).inner_text().split() == ["1.", "best", "b", "<end>", "−1.00", "−1.00"]
    assert page.get_by_role("row").last.inner_text().split() == ["greedy", "a", "d", "−2.10", "−2.10"]
    won = page.locator("button.bt-won")
    assert won.locator(".bt-word").all_text_contents() == ["b", "■<end>"]
    assert won.locator(".number").all_text_contents() == ["−0.90", "−1.00"]  # a penalty of 0 leaves the score as it is
    assert labels(shown, "button:has(.bt-g)") == ["1, a", "2, a d", "3, a d <end>"]
    inside = "nodes => nodes.every((node) => node.scrollWidth <= node.parentElement.clientWidth)"
    assert page.locator("button.bt-node .number").evaluate_all(inside)
    shown.click("button", "Back")
    assert shown.widget.step == 2 and page.locator(".bt-results").is_hidden()


def test_going_from_text_to_text_by_keys(show: Show) -> None:
    shown = show(beam_tree(), views=2)
    focused = "(document.activeElement.ariaLabel ?? document.activeElement.lastChild.textContent)"
    shown.page.locator("button.bt-node[tabindex='0']").first.focus()
    told = "Step 3, a d <end>: log-probability −2.10, its end token was chosen; among the best"
    assert shown.page.evaluate(focused).startswith(told)
    for key, text in {"Left": "2, a d:", "Up": "2, b <end>:"}.items():
        shown.keys(f"Arrow{key}")
        assert shown.page.evaluate(focused).startswith(f"Step {text}")
    for key, text in {"Left": "1, b:", "Right": "2, b"}.items():
        shown.keys(f"Arrow{key}")
        assert shown.page.evaluate(focused).startswith(f"Step {text}")
    told = " ".join(shown.text(".bt-detail").split())
    assert told.endswith("−0.90 − 0.10 = −1.00 score: the log-probability itself, as the length penalty is 0")
    for _ in range(2):
        shown.page.get_by_role("button", name="Back").first.press("Enter")
    shown.page.wait_for_function(f"{focused} === 'Next step'")  # the keyboard does not fall out of the widget
    shown.settle()
    assert shown.widget.step == 1


NEWEST = """() => {
  const box = document.querySelector('.bt-scroll').getBoundingClientRect();
  const nodes = [...document.querySelectorAll('button.bt-node')].map((node) => node.getBoundingClientRect());
  return nodes.filter((node) => node.left >= box.left && node.right <= box.right).length;
}"""


def test_another_prompt_and_width_and_the_newest_step_is_in_sight(show: Show, gpt: Any) -> None:
    shown = show(views.beam_tree(gpt, VOCABULARY, PROMPT, num_beams=3, max_new_tokens=9))
    slider = shown.page.get_by_role("slider", name="Step")
    assert shown.page.locator(".bt-scroll").evaluate("node => node.scrollLeft") > 0
    slider.press("Home")
    shown.settle()
    assert shown.page.evaluate(NEWEST) == shown.count("button.bt-node")
    slider.press("End")
    shown.page.get_by_label("Beams kept").select_option("4")
    widget = shown.follow()
    assert (widget.num_beams, widget.step) == (4, 1)
    assert shown.page.evaluate(NEWEST) == shown.count("button.bt-node") == len(widget.columns[0]) >= 8
    shown.type("Text to continue", "the <b>cat</b>")
    shown.follow()
    assert "<b>" in shown.text(".error")
    shown.page.get_by_label("Text to continue").fill("")
    shown.click("button", "Search", exact=True)
    assert shown.follow().prompt == ["<bos>"]
    assert shown.text(".error") == ""
