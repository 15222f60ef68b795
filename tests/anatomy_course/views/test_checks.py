"""What views declare is held, in Python and from the page, and refused with one sentence of the same form."""

from __future__ import annotations

import inspect
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import traitlets

from anatomy_course import views
from anatomy_course.views import SetupList
from anatomy_course.views._kit.base import AnatomyWidget
from anatomy_course.views._kit.checks import Name, OneOf, Real, Whole, arrays_of, numbers

CLASSES = {name: cls for name in dir(views) if inspect.isclass(cls := getattr(views, name))}
VIEWS = {name: cls for name, cls in CLASSES.items() if issubclass(cls, AnatomyWidget)}
DECLARED = [
    (view, name)
    for view, cls in VIEWS.items()
    for name, trait in cls.class_traits(sync=True).items()
    if isinstance(trait, Whole | Real | OneOf)
]


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
    ("token", 3, "from 0 to 2"),
    ("token", -1, "from 0 to 2"),
    ("token", 1.0, "from 0 to 2"),
    ("token", True, "from 0 to 2"),
    ("token", None, "from 0 to 2"),
    ("step", 0, "from 1 to 3"),
    ("step", 4, "from 1 to 3"),
    ("shown", 4, "from 0 to 3"),
    ("head", 4, "from -1 to 3"),
    ("head", -2, "from -1 to 3"),
    ("own", 6, "from 0 to 5"),
    ("width", 1, "from 2 to 8"),
    ("width", "4", "from 2 to 8"),
    ("seed", -1, "from 0 on"),
    ("share", 0.01, "from 0.05 to 1"),
    ("share", float("nan"), "from 0.05 to 1"),
    ("share", "1", "from 0.05 to 1"),
    ("norm", "sandwich", "'post' or 'pre'"),
    ("norm", ["post"], "'post' or 'pre'"),
    ("word", "d", "one of 'a', 'b', 'c'"),
    ("part", "third", "one of 'all', 'first', 'second'"),
]


@pytest.mark.parametrize(("name", "given", "range"), REFUSED)
def test_what_is_not_declared_is_refused_with_one_sentence_wherever_it_comes_from(
    name: str, given: Any, range: str
) -> None:
    kind = "" if name in ("norm", "word", "part") else "a number " if name == "share" else "a whole number "
    said = f"{name}={given!r} was asked for; expected {kind}{range}: choose one of these."
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
    widget.set_state(
        {
            "token": 0,
            "step": 1,
            "shown": 0,
            "head": -1,
            "own": 5,
            "width": 2,
            "share": 0.05,
            "word": "c",
            "part": "second",
        }
    )
    assert (widget.token, widget.step, widget.shown, widget.head, widget.own, widget.width) == (0, 1, 0, -1, 5, 2)
    widget.token = np.int64(1)
    assert type(widget.token) is int
    assert Declaring().token == 0 and Declaring(token=7).token == 7, "without tokens there is nothing to hold it to"


def test_a_new_list_and_a_place_in_it_may_come_together() -> None:
    widget = declaring(token=2)
    widget.set_state({"token": 4, "tokens": list("abcde")})
    assert widget.token == 4


@pytest.mark.parametrize(("view", "name"), DECLARED)
def test_every_view_refuses_what_it_does_not_declare(view: str, name: str) -> None:
    """Each declared trait of each view, on a view whose other traits are at their defaults."""
    widget = VIEWS[view].__new__(VIEWS[view])
    traitlets.HasTraits.__init__(widget)
    for given in ("none of them", -7):
        with pytest.raises(ValueError, match=f"^{name}={given!r} was asked for; expected .*: choose one of these.$"):
            setattr(widget, name, given)


def test_axes_of_one_name_have_one_size() -> None:
    record = SimpleNamespace(query=np.ones((3, 5)), key=np.ones((7, 5)), value=[[1, 2]] * 7)
    axes = {"query": "query d_head", "key": "key d_head", "value": "key 2"}
    assert {name: array.shape for name, array in arrays_of(record, axes, "my.", query=3).items()} == {
        "my.query": (3, 5), "my.key": (7, 5), "my.value": (7, 2)
    }  # fmt: skip
    for name, wrong, said in (
        (
            "query",
            np.ones((4, 5)),
            r"my.query has shape \(4, 5\); expected numbers of shape \(query, d_head\), here \(3, 5\)",
        ),
        ("key", np.ones((7, 4)), r"my.key has shape \(7, 4\); expected .* \(key, d_head\), here \(7, 5\)"),
        ("value", np.ones((7, 3)), r"my.value has shape \(7, 3\); expected .* \(key, 2\), here \(7, 2\)"),
        ("value", np.ones((8, 2)), r"my.value has shape \(8, 2\); expected .* \(key, 2\), here \(7, 2\)"),
    ):
        with pytest.raises(ValueError, match=f"^{said}: give what belongs together.$"):
            arrays_of(SimpleNamespace(**{**vars(record), name: wrong}), axes, "my.", query=3)
    with pytest.raises(
        ValueError, match=r"^weights has shape \(2,\); expected numbers of shape \(word,\), here \(3,\)"
    ):
        numbers([1, 2], "weights", "word", word=3)
