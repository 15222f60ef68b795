"""Each view in states that no notebook opens with, on a plain page: axe-core, names, and nothing that sticks out.

How a view is used, by mouse and by keys, is tested beside its Python class; how it looks in a notebook, by
`test_looks.py` and `test_view_sizes.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import made_up_debugging_lab
import made_up_pronoun_heads
import pytest
import torch
from access import RULES, load_axe, nameless_controls, violations
from made_up_decoder_widgets import OUTCOMES, cache_lab, lens, swapper
from notebook_tools import NOTEBOOKS
from playwright.sync_api import Browser
from widget_page import Shown, show

from anatomy_course import views
from anatomy_course.lab.small_models.small_gpt import train_small_gpt
from anatomy_course.lab.street import street_vocabulary
from anatomy_course.views._kit.base import AnatomyWidget
from anatomy_course.views.first_words.view import type_a_sentence
from anatomy_utils import pretrained
from anatomy_utils.decoding import Filters
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.transformer import TransformerConfig, transformer

STREET = "The animal didn't cross the street because it was too tired."
BEGINNING = STREET.partition(" it ")[0]
Step = dict[str, Any] | Callable[[Shown], None]
"""Traits that the page is given, or what is done to it."""


@cache
def translator_model() -> EncoderDecoder:
    """Untrained: its translations are as long as they can get, the most that has to fit."""
    config = TransformerConfig(
        len(street_vocabulary()), d_model=32, num_layers=2, num_decoder_layers=2, num_heads=4, d_ff=40, pre_norm=True,
        dropout=0.0,
    )  # fmt: skip
    return transformer(config, generator=torch.Generator().manual_seed(1))


@cache
def writer() -> LanguageModel:
    return train_small_gpt(0, steps=1, progress=False)[0].eval()


def splitting() -> AnatomyWidget:
    small = MultiHeadAttention(12, 3)
    hidden_states = 2 * torch.randn(1, 5, 12, generator=torch.Generator().manual_seed(0))
    return views.head_splitting(small, hidden_states, "The animal crossed a street".split(), position=1, feature=9)


def stepper() -> AnatomyWidget:
    filters = Filters(temperature=1.2, top_k=6)
    return views.step_through(writer(), street_vocabulary(), BEGINNING, filters=filters, seed=0)


def answered(names: str, **question: Any) -> Callable[[Shown], None]:
    """The page asks, and the kernel's answer, which is these traits, reaches it."""

    def ask(shown: Shown) -> None:
        widget: Any = shown.widget
        if question:
            widget.set_state({"question": {**widget.question, **question, "id": widget.answered + 1}})
        shown.settle()
        shown.update(**{name: getattr(widget, name) for name in names.split()})

    return ask


def probed(**question: Any) -> Callable[[Shown], None]:
    def ask(shown: Shown) -> None:
        shown.update(bed=question["bed"], question=question)
        made_up_debugging_lab.answer(shown)

    return ask


def searched(**question: Any) -> Callable[[Shown], None]:
    def ask(shown: Shown) -> None:
        shown.update(question=question)
        made_up_pronoun_heads.answer(shown)

    return ask


def an_unknown_word(shown: Shown) -> None:
    shown.page.locator(".tr-known summary").click()
    field = shown.page.get_by_label("Sentence, English or French")
    field.fill("The animal didn't cross the stret")
    field.press("Enter")
    answered(TRANSLATED)(shown)


def a_part_is_measured(shown: Shown) -> None:
    shown.page.get_by_role("radio").nth(1).click()
    shown.settle()


TRANSLATED = (
    "sentence direction source written text candidates weights shape verdict remark correction swaps reason pronouns "
    "refused refusal readable revealed current error answered"
)
WRITTEN = "written options rule text room error answered"
SWITCHED = "after moved error answered"
VIEWS: dict[str, tuple[Callable[[], AnatomyWidget], Sequence[Step]]] = {
    "first words": (type_a_sentence, [{}]),
    "map": (lambda: views.TransformerMap(folder=NOTEBOOKS), [{}]),
    "strip": (lambda: views.TransformerMap("encoder", folder=NOTEBOOKS), [{}]),
    "head board": (
        lambda: views.head_board(*pretrained.load("minilm"), STREET, word="it", towards="animal"),
        [lambda shown: (shown.update(off=[[3, 1], [5, 11]]), answered(SWITCHED)(shown))[1]],
    ),
    "head splitting": (splitting, [{"step": 5}, {"step": 8}]),
    "logits": (
        lambda: views.explore_logits(writer(), street_vocabulary(), STREET, after="too"),
        [{"temperature": 0.7, "top_k": 12, "top_p": 0.8, "position": 3}],
    ),
    "decoding stepper": (
        stepper,
        [
            answered(WRITTEN, do="next", count=3),
            answered(WRITTEN, do="choose", token_id=street_vocabulary().eos_id),
            answered(WRITTEN, do="prompt", prompt="the </script> plum"),
        ],
    ),
    "beam tree": (lambda: views.beam_tree(writer(), street_vocabulary(), BEGINNING, step=1), [{}, {"step": 8}]),
    "cache lab": (
        cache_lab,
        [{"cached": False, "step": 1, "costs": [{"length": 8, "with_cache": 0.01, "without": 0.2, "kept": 640}]}],
    ),
    "part swapper": (swapper, [{"chosen": "ReLU"}]),
    "a part is measured": (lambda: swapper(results={}, measure=OUTCOMES.__getitem__), [a_part_is_measured]),
    "logit lens": (lens, [{"layer": 0, "position": 1}]),
    "translator": (
        lambda: views.translator(translator_model()),
        [{"revealed": 0, "current": 0}, {"revealed": 32, "current": 7}, {"view": "matrix"}, an_unknown_word],
    ),
    "translation flow": (
        lambda: views.translation_flow(translator_model()),
        [{"place": 3}, {"place": 12 + 5}, {"place": 12 + 15}, {"place": 12 + 18 + 29}],
    ),
    "pronoun heads": (
        made_up_pronoun_heads.view,
        [searched(off=[["encoder", 0, 1]], pair=0), searched(search=True, pair=1)],
    ),
    "family tree": (views.family_tree, [{"chosen": "T5", "length": 131_072}, {"chosen": "XLNet"}, {"chosen": "ELMo"}]),
    "comparison": (views.compare_models, [{}, {"first": "T5", "second": "Mistral"}]),
    "objectives": (
        views.objective_explorer,
        [{"chosen": name} for name in ("masked tokens", "whole words", "permuted order", "sentence permutation")],
    ),
    "debugging lab": (
        lambda: made_up_debugging_lab.view(chosen=[-1, 2, -1]),
        [probed(bed=0, do="write"), probed(bed=1, do="probe", probe="stops"), probed(bed=1, do="cure")],
    ),
}


@pytest.mark.parametrize(("theme", "width"), [("light", 480), ("dark", 1000)])
@pytest.mark.parametrize("name", VIEWS)
def test_axe_finds_nothing_and_nothing_sticks_out(browser: Browser, name: str, theme: Any, width: int) -> None:
    make, steps = VIEWS[name]
    rules = RULES if theme == "light" else ["color-contrast"]  # the only one that depends on it
    shown = show(browser, make(), theme=theme, size=(width, 1200), reduced_motion=True)
    load_axe(shown)
    for step in steps:
        if callable(step):
            step(shown)
        else:
            shown.update(**step)
        assert violations(shown, rules) == []
        assert nameless_controls(shown) == []
        assert shown.page.evaluate("document.documentElement.scrollWidth") <= width
    shown.check()
