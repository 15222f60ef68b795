"""The live views of writing (notebook 04) with a real model, on a plain page: what assistive technology finds there."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from access import RULES, load_axe, nameless_controls, violations
from playwright.sync_api import Browser
from widget_page import Shown, show

from anatomy_course import views
from anatomy_course.lab.small_models.small_gpt import train_small_gpt
from anatomy_course.lab.street import street_vocabulary
from anatomy_course.views._kit.base import AnatomyWidget
from anatomy_utils.decoding import Filters
from anatomy_utils.nn.heads import LanguageModel

SENTENCE = "The animal didn't cross the street because it was too tired."
BEGINNING = "The animal didn't cross the street because"


@cache
def model() -> LanguageModel:
    return train_small_gpt(0, steps=30, progress=False)[0].eval()


def logits() -> AnatomyWidget:
    return views.explore_logits(model(), street_vocabulary(), SENTENCE, after="too")


def stepper() -> AnatomyWidget:
    return views.step_through(
        model(), street_vocabulary(), BEGINNING, filters=Filters(temperature=1.2, top_k=6), seed=0
    )


def tree() -> AnatomyWidget:
    return views.beam_tree(model(), street_vocabulary(), BEGINNING, step=1)


def use(shown: Shown, turn: int, **question: Any) -> None:
    """The page asks, and the kernel's answer reaches it."""
    widget: Any = shown.widget
    widget.set_state({"question": {**widget.question, **question, "turn": turn}})
    names = ("written", "options", "rule", "text", "room", "columns", "ranking", "step", "error", "answered")
    shown.update(**{name: getattr(widget, name) for name in names if widget.has_trait(name)})


def states(shown: Shown) -> list[Callable[[], None]]:
    """Each makes another state of the view; every one of them is looked at."""
    if "position" in shown.widget.trait_names():
        return [lambda: None, lambda: shown.update(temperature=0.7, top_k=12, top_p=0.8, position=3)]
    if "written" in shown.widget.trait_names():
        end = street_vocabulary().eos_id
        return [
            lambda: use(shown, 1, do="next", count=3),
            lambda: use(shown, 2, do="choose", token_id=end),
            lambda: use(shown, 3, do="prompt", prompt="the </script> plum"),
        ]
    return [lambda: None, lambda: shown.update(step=8)]


@pytest.mark.parametrize(("theme", "width"), [("light", 480), ("dark", 1000)])
@pytest.mark.parametrize("make", [logits, stepper, tree])
def test_axe_finds_nothing_and_everything_has_a_name(
    browser: Browser, make: Callable[[], AnatomyWidget], theme: Any, width: int, screenshots: Path
) -> None:
    shown = show(browser, make(), theme=theme, size=(width, 1100), reduced_motion=True)
    load_axe(shown)
    for number, reach in enumerate(states(shown)):
        reach()
        assert violations(shown, RULES) == []
        assert nameless_controls(shown) == []
        wide = shown.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, "nothing sticks out of the page"
        shown.page.screenshot(path=screenshots / f"{make.__name__}_{number}_{theme}_{width}.png", full_page=True)
    shown.check()
