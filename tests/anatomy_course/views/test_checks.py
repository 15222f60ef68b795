"""What views declare is held, in Python and from the page, and refused with one sentence of the same form."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
import traitlets

from anatomy_course.figures.arrays import to_array
from anatomy_course.views import SetupList
from anatomy_course.views._kit.base import float_bytes, weight_bytes
from anatomy_course.views._kit.checks import Name, OneOf, Real, Whole, arrays_of, numbers, word_list


class Declaring(SetupList):
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    shape = traitlets.List(traitlets.Int()).tag(sync=True)
    token = Whole("tokens").tag(sync=True)
    step = Whole("tokens", low=1).tag(sync=True)
    shown = Whole("tokens", past=1).tag(sync=True)
    head = Whole("shape.1", low=-1).tag(sync=True)
    own = Whole("", default=0).tag(sync=True)
    width = Whole(8, low=2, default=4).tag(sync=True)
    seed = Whole(None).tag(sync=True)
    share = Real(0.05, 1.0, 0.5).tag(sync=True)
    norm = OneOf("post pre").tag(sync=True)
    word = Name("tokens").tag(sync=True)
    part = Name("parts", also="all").tag(sync=True)
    parts = traitlets.List().tag(sync=True)

    def __len__(self) -> int:
        return 2 * len(self.tokens)


def declaring(**traits: Any) -> Declaring:
    parts = [{"name": "first"}, {"id": "second", "name": "the second"}]
    return Declaring(**{"tokens": ["a", "b", "c"], "shape": [2, 4], "parts": parts, "word": "a"} | traits)


REFUSED = [
    ("token", 3, "a whole number from 0 to 2"),
    ("token", -1, "a whole number from 0 to 2"),
    ("token", 1.0, "a whole number from 0 to 2"),
    ("token", True, "a whole number from 0 to 2"),
    ("token", None, "a whole number from 0 to 2"),
    ("step", 0, "a whole number from 1 to 3"),
    ("step", 4, "a whole number from 1 to 3"),
    ("shown", 4, "a whole number from 0 to 3"),
    ("head", 4, "a whole number from -1 to 3"),
    ("head", -2, "a whole number from -1 to 3"),
    ("own", 6, "a whole number from 0 to 5"),
    ("width", 1, "a whole number from 2 to 8"),
    ("width", "4", "a whole number from 2 to 8"),
    ("seed", -1, "a whole number from 0 on"),
    ("share", 0.01, "a number from 0.05 to 1"),
    ("share", float("nan"), "a number from 0.05 to 1"),
    ("share", "1", "a number from 0.05 to 1"),
    ("norm", "sandwich", "'post' or 'pre'"),
    ("norm", ["post"], "'post' or 'pre'"),
    ("word", "d", "one of 'a', 'b', 'c'"),
    ("part", "third", "one of 'all', 'first', 'second'"),
]


@pytest.mark.parametrize(("name", "given", "expected"), REFUSED)
def test_what_is_not_declared_is_refused_with_one_sentence_wherever_it_comes_from(
    name: str, given: Any, expected: str
) -> None:
    said = f"{name}={given!r} was asked for; expected {expected}: choose one of these."
    widget = declaring()
    before = getattr(widget, name)
    for attempt in (
        lambda: declaring(**{name: given}),
        lambda: setattr(widget, name, given),
        lambda: widget.set_state({"label": "new", name: given}),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
            attempt()
    assert (getattr(widget, name), widget.label) == (before, ""), "nothing of a refused message is kept"


def test_what_is_declared_is_taken_up_to_its_ends() -> None:
    widget = declaring(token=2, step=3, shown=3, head=3, width=8, seed=10**9, share=1, norm="pre", part="all")
    lowest = {"token": 0, "step": 1, "shown": 0, "head": -1, "width": 2, "share": 0.05}
    widget.set_state(lowest | {"own": 5, "word": "c", "part": "second"})
    assert {name: getattr(widget, name) for name in lowest} == lowest and widget.own == 5
    widget.token = np.int64(1)
    assert type(widget.token) is int
    assert Declaring().token == 0 and Declaring(token=7).token == 7, "without tokens there is nothing to hold it to"


def test_a_new_list_and_a_place_in_it_may_come_together() -> None:
    widget = declaring(token=2)
    widget.set_state({"token": 4, "tokens": list("abcde")})
    assert widget.token == 4


def test_axes_of_one_name_have_one_size() -> None:
    record = SimpleNamespace(query=np.ones((3, 5)), key=np.ones((7, 5)), value=[[1, 2]] * 7)
    axes = {"query": "query d_head", "key": "key d_head", "value": "key 2"}
    shapes = {name: array.shape for name, array in arrays_of(record, axes, "my.", query=3).items()}
    assert shapes == {"my.query": (3, 5), "my.key": (7, 5), "my.value": (7, 2)}
    for name, wrong, axes_said, here in (
        ("query", (4, 5), "(query, d_head)", (3, 5)),
        ("key", (7, 4), "(key, d_head)", (7, 5)),
        ("value", (7, 3), "(key, 2)", (7, 2)),
        ("value", (8, 2), "(key, 2)", (7, 2)),
    ):
        expected = f"expected numbers of shape {axes_said}, here {here}: give what belongs together."
        with pytest.raises(ValueError, match=f"^{re.escape(f'my.{name} has shape {wrong}; {expected}')}$"):
            arrays_of(SimpleNamespace(**{**vars(record), name: np.ones(wrong)}), axes, "my.", query=3)
    with pytest.raises(
        ValueError, match=r"^weights has shape \(2,\); expected numbers of shape \(word,\), here \(3,\)"
    ):
        numbers([1, 2], "weights", "word", word=3)


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
