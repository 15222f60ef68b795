"""The beam tree: its columns are the search's own steps, its winner the search's best, on the page as in Python."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from view_sizes import LAB, assert_fits, assert_stands_still, height_of
from widget_page import Browser, Shown, show

from anatomy_course import views
from anatomy_course.lab.small_models.small_gpt import train_small_gpt
from anatomy_course.lab.street import street_vocabulary
from anatomy_course.views import BeamTree
from anatomy_course.views.beam_tree.view import Found, Greedy, Node
from anatomy_utils.decoding import beam_search, generate
from anatomy_utils.nn.heads import LanguageModel

VOCABULARY = street_vocabulary()
PROMPT = "The animal didn't cross the street because"
NAMES = ("prompt", "prompt_text", "num_beams", "length_penalty", "columns", "ranking", "greedy", "step")
NAMES += ("error", "answered")


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return train_small_gpt(2, steps=60, progress=False)[0].eval()


def made_up(prompt: str, num_beams: int, length_penalty: float) -> Found:
    """Greedy choice begins with “a”, but the best text is “b <end>”; the numbers are as `num_beams` = 2 makes them."""
    if prompt == "raise":
        raise ValueError("That prompt is not known; use another.")

    def node(parent: int, text: str, log: float, fate: Any, stops: bool = False) -> Node:
        words = text.split()
        return Node(parent, words[-1], text, log, log / len(words) ** length_penalty, fate, stops)

    first = [node(-1, "a", -0.5, "alive"), node(-1, "b", -0.9, "alive"), node(-1, "c", -3.0, "dropped")]
    second = [
        node(1, "b <end>", -1.0, "ended", True),
        node(0, "a d", -1.7, "alive"),
        node(0, "a <end>", -2.0, "dropped", True),
    ]
    last = [node(1, "a d <end>", -2.1, "ended", True), node(1, "a d a", -4.0, "dropped")]
    return Found(["x"], [first, second, last], Greedy("a d", -2.1, -2.1 / 3**length_penalty, [0, 1, 0]), 4)


def made(**settings: Any) -> BeamTree:
    return BeamTree(made_up, "x", **{"num_beams": 2, "length_penalty": 0} | settings)


def ask(widget: Any, **question: Any) -> Any:
    widget.set_state({"question": {**widget.question, **question, "id": widget.answered + 1}})
    return widget


@pytest.mark.parametrize(("num_beams", "length_penalty"), [(1, 1), (3, 0), (4, 1), (2, 2)])
@pytest.mark.usefixtures("shapes_unchecked")
def test_the_tree_is_the_search(model: LanguageModel, num_beams: int, length_penalty: int) -> None:
    widget = views.beam_tree(
        model, VOCABULARY, PROMPT, num_beams=num_beams, length_penalty=length_penalty, max_new_tokens=6
    )
    ids = torch.tensor([VOCABULARY.ids(widget.prompt)])
    stop = [VOCABULARY.eos_id]
    found = beam_search(
        model.step, model.start(1, ids.shape[1] + 6), ids, num_beams=num_beams, max_new_tokens=6, stop_ids=stop,
        length_penalty=float(length_penalty),
    )  # fmt: skip
    assert len(widget.ranking) == num_beams
    for rank, (step, row) in enumerate(widget.ranking):
        node = widget.columns[step][row]
        assert node["score"] == pytest.approx(float(found.scores[0, rank]))
        words = [widget.columns[s][r]["word"] for s, r in enumerate(widget.way(step, row))]
        assert words == VOCABULARY.tokens(found.new_ids[0, rank, : int(found.lengths[0, rank])])
    for step, column in enumerate(widget.columns[:-1]):
        alive = {row for row, node in enumerate(column) if node["fate"] == "alive"}
        assert {node["parent"] for node in widget.columns[step + 1]} <= alive
    greedy = generate(model.step, model.start(1, ids.shape[1] + 6), ids, max_new_tokens=6, stop_ids=stop).rows()[0]
    kept = [row for row in widget.greedy["rows"] if row >= 0]
    assert [widget.columns[s][r]["word"] for s, r in enumerate(kept)] == VOCABULARY.tokens(greedy)[: len(kept)]
    if num_beams == 1:
        assert len(kept) == len(greedy) and widget.greedy["text"] == widget.best
        assert widget.greedy["log_probability"] == pytest.approx(
            widget.columns[len(kept) - 1][kept[-1]]["log_probability"]
        )


def test_asking_for_another_search() -> None:
    widget = made()
    assert widget.best == "b <end>" and (widget.step, widget.ranking) == (3, [[1, 0], [2, 0]])
    ask(widget, length_penalty=2.0, num_beams=1)
    assert widget.best == "a d <end>" and (widget.step, widget.ranking) == (1, [[2, 0]])  # −2.1 / 9 beats −1 / 4
    before = widget.get_state()
    for question, said in (
        ({"prompt": "raise"}, "That prompt is not known"),
        ({"prompt": "x", "num_beams": 9}, "num_beams is 9; the tree has room for 1 to 5"),
        ({"num_beams": 2, "length_penalty": 7.0}, "length_penalty is 7.0"),
    ):
        ask(widget, **question)
        assert said in widget.error
        assert all(getattr(widget, name) == before[name] for name in NAMES[:-2])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"num_beams": 0}, "num_beams is 0"),
        ({"length_penalty": 0.3}, "length_penalty is 0.3; choose one of 0.0, 0.5"),
        ({"step": 4}, "step=4 was asked for; expected a whole number from 1 to 3"),
    ],
)
def test_wrong_settings_get_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        made(**wrong)


def test_the_twin_tells_best_and_greedy() -> None:
    assert made().still_picture().alt == (
        "Beam search with 2 beams after “x”, 3 steps. The best text: “b <end>”, log-probability -1.00. "
        "Greedy choice writes “a d”, log-probability -2.10."
    )


def answer(shown: Shown) -> Any:
    """What the kernel has computed reaches the page."""
    shown.settle()
    shown.update(**{name: getattr(shown.widget, name) for name in NAMES})
    return shown.widget


def texts(shown: Shown) -> list[str]:
    names = shown.page.locator("button.bt-node .visually-hidden").all_text_contents()
    return [name.partition(": ")[0].removeprefix("Step ") for name in names]


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_tree_grows_step_by_step(browser: Browser, theme: Any) -> None:
    shown = show(browser, made(step=1), theme=theme)
    page = shown.page
    assert texts(shown) == ["1, a", "1, b", "1, c"]
    assert page.locator(".bt-results").is_hidden() and page.locator(".bt-won").count() == 0
    page.get_by_role("button", name="Next step").click()
    shown.settle()
    assert texts(shown)[3:] == ["2, b <end>", "2, a d", "2, a <end>"]
    assert "2 open texts × 4 tokens = 8 continuations" in page.locator(".anatomy").inner_text()
    page.get_by_role("slider", name="Step").press("End")
    shown.settle()
    assert shown.widget.step == 3
    assert page.get_by_role("row").nth(1).inner_text().split() == ["1.", "best", "b", "<end>", "−1.00", "−1.00"]
    assert page.get_by_role("row").last.inner_text().split() == ["greedy", "a", "d", "−2.10", "−2.10"]
    won = page.locator("button.bt-won")
    assert won.locator(".bt-word").all_text_contents() == ["b", "■<end>"]
    assert won.locator(".number").all_text_contents() == ["−0.90", "−1.00"]  # a penalty of 0 leaves the score as it is
    greedy = page.locator("button:has(.bt-g) .visually-hidden").all_text_contents()
    assert [label.split(":")[0] for label in greedy] == ["Step 1, a", "Step 2, a d", "Step 3, a d <end>"]
    page.get_by_role("button", name="Back").click()
    shown.settle()
    assert shown.widget.step == 2 and page.locator(".bt-results").is_hidden()
    shown.check()


@pytest.mark.browser
def test_going_from_text_to_text_by_keys(browser: Browser) -> None:
    shown = show(browser, made(), views=2)
    page = shown.page
    focused = "(document.activeElement.ariaLabel ?? document.activeElement.lastChild.textContent)"
    page.locator("button.bt-node[tabindex='0']").first.focus()
    assert page.evaluate(focused).startswith(
        "Step 3, a d <end>: log-probability −2.10, its end token was chosen; among the best"
    )
    for key, text in (
        ("ArrowLeft", "2, a d:"),
        ("ArrowUp", "2, b <end>:"),
        ("ArrowLeft", "1, b:"),
        ("ArrowRight", "2, b"),
    ):
        page.keyboard.press(key)
        assert page.evaluate(focused).startswith(f"Step {text}")
    told = " ".join(page.locator(".bt-detail").first.inner_text().split())
    assert told.endswith("−0.90 − 0.10 = −1.00 score: the log-probability itself, as the length penalty is 0")
    page.get_by_role("button", name="Back").first.press("Enter")
    page.get_by_role("button", name="Back").first.press("Enter")
    page.wait_for_function(f"{focused} === 'Next step'")  # the keyboard does not fall out of the widget
    shown.settle()
    assert shown.widget.step == 1
    shown.check()


NEWEST = """() => {
  const box = document.querySelector('.bt-scroll').getBoundingClientRect();
  const nodes = [...document.querySelectorAll('button.bt-node')].map((node) => node.getBoundingClientRect());
  return nodes.filter((node) => node.left >= box.left && node.right <= box.right).length;
}"""


@pytest.mark.browser
def test_the_newest_step_is_in_sight_after_home_and_after_a_search(browser: Browser, model: LanguageModel) -> None:
    shown = show(browser, views.beam_tree(model, VOCABULARY, PROMPT, num_beams=3, max_new_tokens=9))
    assert shown.page.locator(".bt-scroll").evaluate("node => node.scrollLeft") > 0
    shown.page.get_by_role("slider", name="Step").press("Home")
    shown.settle()
    assert shown.page.evaluate(NEWEST) == shown.page.locator("button.bt-node").count()
    shown.page.get_by_role("slider", name="Step").press("End")
    shown.settle()
    shown.page.get_by_label("Text to continue").fill("The cat")
    shown.page.get_by_role("button", name="Search", exact=True).click()
    widget = answer(shown)
    assert widget.step == 1 and shown.page.evaluate(NEWEST) == len(widget.columns[0])
    shown.check()


@pytest.mark.browser
@pytest.mark.parametrize("width", LAB)
def test_it_keeps_its_height_and_its_numbers_stay_in_their_boxes(browser: Browser, width: int) -> None:
    shown = show(browser, made(length_penalty=2), size=(LAB[width], 900))
    heights = set()
    for step in (1, 2, 3):
        shown.update(step=step)
        assert_fits(shown.page)
        heights.add(height_of(shown.page))
    assert_stands_still(heights)
    inside = "nodes => nodes.every((node) => node.scrollWidth <= node.parentElement.clientWidth)"
    assert shown.page.locator("button.bt-node .number").evaluate_all(inside)
    shown.check()


@pytest.mark.browser
def test_another_prompt_and_width(browser: Browser, model: LanguageModel) -> None:
    shown = show(browser, views.beam_tree(model, VOCABULARY, PROMPT, num_beams=2, max_new_tokens=4))
    page = shown.page
    page.get_by_label("Beams kept").select_option("4")
    widget = answer(shown)
    assert (widget.num_beams, widget.step) == (4, 1)
    assert page.locator("button.bt-node").count() == len(widget.columns[0]) >= 8
    field = page.get_by_label("Text to continue")
    field.fill("the <b>cat</b>")
    field.press("Enter")
    answer(shown)
    assert "<b>" in page.locator(".error").first.inner_text()
    field.fill("")
    page.get_by_role("button", name="Search", exact=True).click()
    assert answer(shown).prompt == ["<bos>"]
    assert page.locator(".error").first.inner_text() == ""
    shown.check()
