"""The judge: its order, and what each kind of bad answer gets. No answer may stop the notebook."""

from __future__ import annotations

import asyncio
import gc
import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.attempt.comparison import COLUMNS, ROWS, as_html, as_text, compare
from anatomy_course.judge.card import card, card_page
from anatomy_course.judge.judging.judge import judge
from anatomy_course.judge.judging.verdict import Verdict

SCORES = find_exercise("attention.scores")
ATTENTION = find_exercise("attention.attention")
MEAN = find_exercise("start.mean")


def right(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])


def judged(function: Any, exercise: Any = MEAN, **settings: Any) -> Verdict:
    verdict = judge(exercise, function, **settings)
    data, page = card(exercise, verdict), card_page(exercise, verdict)
    assert data["sentence"] and page.html and page.text
    assert "Traceback" not in page.text
    return verdict


@pytest.mark.parametrize(
    ("result", "says"),
    [
        (None, "returned nothing"),
        ([1.0, 2.0], "list of 2"),
        ([torch.zeros(2), torch.zeros(2)], "torch.stack"),
        ([], "list of 0"),
        ((torch.zeros(2),), "a comma after the result"),
        ((torch.zeros(2), torch.zeros(2)), "You return 2 tensors; this exercise wants one"),
        (np.zeros(3), "NumPy array"),
        (1.5, "plain float"),
        (True, "plain bool"),
        ("text", "a str"),
        ({"a": 1}, "a dict"),
        (torch.zeros(2).sum, "parentheses missing"),
        (print, "parentheses missing"),
        (torch.float32, "a dtype"),
        (iter([]), "list_iterator"),
    ],
)
def test_wrong_types(result: Any, says: str) -> None:
    verdict = judged(lambda vectors: result)
    assert says in verdict.sentence and verdict.found_by in ("type", "nothing")


def test_generators_and_coroutines() -> None:
    def yields(vectors: Tensor) -> Any:
        yield vectors

    async def waits(vectors: Tensor) -> Any:
        return vectors

    assert "yield" in judged(yields).sentence
    assert "async" in judged(waits).sentence


def test_an_object_that_fights_back() -> None:
    class Hostile:
        def __getattr__(self, name: str) -> Any:
            raise RuntimeError("no")

        def __repr__(self) -> str:
            raise RuntimeError("no")

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no")

        __hash__ = None  # type: ignore[assignment]

    assert "Hostile" in judged(lambda vectors: Hostile()).sentence


@pytest.mark.parametrize(
    "result",
    [
        torch.tensor(1.0),
        torch.zeros(0),
        torch.zeros(0, 5),
        torch.zeros(2, 3, 5, 7, 2),
        torch.zeros(3).to_sparse(),
        torch.zeros(3, dtype=torch.complex64),
        torch.zeros(3, dtype=torch.int64),
        torch.zeros(3, dtype=torch.bool),
        torch.zeros(3, dtype=torch.float16),
        torch.zeros(3, dtype=torch.bfloat16),
        torch.full((3,), math.nan),
        torch.full((3,), math.inf),
        torch.zeros(3, device="meta"),
        torch.nn.Parameter(torch.zeros(3)),
        torch.zeros(3, 3).T,
        torch.zeros(3).to(torch.float8_e4m3fn),
        torch.zeros(3, 3).to_sparse_csr(),
        torch.nested.nested_tensor([torch.zeros(3)]),
        torch.quantize_per_tensor(torch.zeros(3), 0.1, 0, torch.qint8),
        torch.masked.masked_tensor(torch.zeros(3), torch.ones(3) > 0),
        torch.zeros(1).expand(10**12),
        torch.zeros(1, 1).expand(10**7, 10**7),
    ],
)
def test_strange_tensors_get_a_card(result: Tensor) -> None:
    for exercise in (MEAN, SCORES):
        verdict = judged(lambda *arguments: result, exercise)
        assert verdict.state == "wrong"


def test_a_tensor_that_leaked_out_of_vmap_gets_a_card() -> None:
    leaked: list[Tensor] = []
    torch.vmap(lambda x: (leaked.append(x), x)[1])(torch.ones(3, 2))  # type: ignore[func-returns-value]
    assert "out of the inside of `torch.vmap`" in judged(lambda vectors: leaked[0]).sentence


def test_what_only_says_that_it_is_a_tensor_is_none() -> None:
    class Says:
        __class__ = Tensor  # type: ignore[assignment]

        def __getattr__(self, name: str) -> Any:
            return getattr(MEAN.resolve()(torch.zeros(3, 2)), name)

    assert judged(lambda vectors: Says()).sentence == "You return a Says; a tensor is wanted."


def test_what_goes_wrong_after_a_finding_does_not_undo_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*arguments: Any) -> Any:
        raise RuntimeError("no data")

    monkeypatch.setattr("anatomy_course.judge.judging.judge.with_slip", fails)
    assert judge(MEAN, lambda vectors: vectors.mean(0).to("meta"), search=True).found_by == "device"


def test_a_promise_that_nobody_waits_for_is_not_complained_of(recwarn: pytest.WarningsRecorder) -> None:
    async def inside() -> Verdict:
        return judged(lambda vectors: asyncio.run(asyncio.sleep(0)))

    assert asyncio.run(inside()).state == "crashed"
    gc.collect()
    assert not [warning for warning in recwarn if "never awaited" in str(warning.message)]


def test_a_crash_shows_the_learners_line_first() -> None:
    def crashes(query: Tensor, key: Tensor) -> Tensor:
        table = query @ key
        return table.softmax(-1)

    verdict = judged(crashes, SCORES)
    assert verdict.state == "crashed" and verdict.line is not None
    assert verdict.line.text == "table = query @ key" and verdict.line.part == "query @ key"
    assert verdict.line.held == (("query", "shape (11, 3)"), ("key", "shape (2, 3)"))
    text = card_page(SCORES, verdict).text
    assert text.index("table = query @ key") < text.index("do not fit")


def test_a_crash_deep_in_a_helper_shows_the_helpers_line() -> None:
    def helper(key: Tensor) -> Tensor:
        return key.transpose(5, 6)

    verdict = judged(lambda query, key: query @ helper(key), SCORES)
    assert verdict.line is not None and verdict.line.text == "return key.transpose(5, 6)"
    assert "no axis 5" in verdict.sentence


def test_a_crash_in_code_that_has_no_file_shows_the_line_from_its_source() -> None:
    source = "@exercise('start.mean')\ndef f(vectors):\n    # first\n    return vectors.men(0)\n"
    namespace: dict[str, Any] = {"exercise": lambda id: lambda function: function}
    exec(source, namespace)
    verdict = judged(namespace["f"], source=source)
    assert verdict.line is not None and verdict.line.text == "return vectors.men(0)"


ERRORS = (ValueError("x"), KeyError("x"), SystemExit(1), MemoryError(), RecursionError(), GeneratorExit())


@pytest.mark.parametrize("error", [*ERRORS, NotImplementedError()], ids=repr)
def test_whatever_is_raised_becomes_a_card(error: BaseException) -> None:
    def raises(vectors: Tensor) -> Tensor:
        raise error

    assert judged(raises).state == "crashed"


def test_an_error_whose_text_cannot_be_made() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no")

    def raises(vectors: Tensor) -> Tensor:
        raise MuteError

    assert "Mute" in judged(raises).sentence


def test_the_stop_button_still_stops() -> None:
    def interrupted(vectors: Tensor) -> Tensor:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge(MEAN, interrupted)


def test_a_changed_signature() -> None:
    assert "(query, key)" in judged(lambda query: query, SCORES).sentence
    assert judged(lambda q, k, extra=None: right(q, k), SCORES).passed, "more, with a default, is fine"
    assert judged(lambda *both: right(*both), SCORES).passed


def test_an_input_that_is_changed() -> None:
    def changes(query: Tensor, key: Tensor) -> Tensor:
        key.zero_()
        return right(query, key)

    verdict = judged(changes, SCORES)
    assert verdict.found_by == "likeness:constant", "what it returns is judged all the same"
    assert verdict.sentence.startswith("Your function changes its input: `key` held other numbers afterwards. What you")

    def changes_afterwards(query: Tensor, key: Tensor) -> Tensor:
        result = right(query, key)
        key.zero_()
        return result

    verdict = judged(changes_afterwards, SCORES)
    assert verdict.found_by == "mutated" and verdict.sentence.endswith("What it returns is right.")
    assert judged(right, SCORES).passed, "the judge's own cases were not touched"


def test_a_tuple_of_wrong_length_or_content() -> None:
    assert "this exercise wants 2" in judged(lambda q, k, v: (q, k, v), ATTENTION).sentence
    assert "Where weights belongs you return a NoneType" in judged(lambda q, k, v: (v, None), ATTENTION).sentence
    assert "a tuple is wanted" in judged(lambda q, k, v: [v, q], ATTENTION).sentence


def test_shape_comes_before_type_of_numbers_and_that_before_nan() -> None:
    assert judged(lambda vectors: torch.zeros(1, 2, 3).int()).found_by.startswith("shape")
    assert judged(lambda vectors: torch.zeros(vectors.shape[1]).int()).found_by == "dtype"
    assert judged(lambda vectors: torch.full((vectors.shape[1],), math.nan)).found_by == "nan"


def test_nan_is_told_with_the_variable_that_has_it_first() -> None:
    def root_of_everything(vectors: Tensor) -> Tensor:
        total = vectors.sum(dim=0)
        root = total.sqrt()
        return root * root / len(vectors)

    said = judged(root_of_everything).sentence
    line = root_of_everything.__code__.co_firstlineno + 2
    assert said.startswith("In your average there is NaN") and said.endswith(f"has it is `root`, in line {line}.")
    in_the_return = judged(lambda vectors: vectors.sum(dim=0).sqrt()).sentence
    assert in_the_return.endswith("or from the root of a negative number."), "no variable has it"


def test_only_what_the_answer_is_given_is_told_and_only_what_can_be_shown() -> None:
    step = find_exercise("encoder.train_step")
    never_clears = next(mistake for mistake in step.mistakes if mistake.name == "not_clipped").function
    assert judge(step, never_clears).notes[0] == (
        "The tables below are from the call with a new model: max_norm = 0.164."
    ), "the drive's own numbers, and the model, are left out"
    layers = find_exercise("encoder.run_layers")
    added = next(mistake for mistake in layers.mistakes if mistake.name == "added").function
    assert judge(layers, added).notes[0].endswith("hidden_states of shape (1, 7, 11), layers = [layer 0, layer 1].")


def test_what_was_printed_is_kept_from_the_first_case_alone(capsys: pytest.CaptureFixture[str]) -> None:
    def prints(query: Tensor, key: Tensor) -> Tensor:
        print("<b>shapes</b>", query.shape)
        return right(query, key)

    verdict = judged(prints, SCORES)
    assert verdict.printed == "<b>shapes</b> torch.Size([11, 3])\n"
    assert capsys.readouterr().out == ""
    assert "&lt;b&gt;shapes" in card_page(SCORES, verdict).html


def test_an_answer_runs_on_one_core_and_the_others_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = [2]
    monkeypatch.setattr(torch, "get_num_threads", lambda: asked[-1])
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    seen = []
    judge(find_exercise("start.mean"), lambda vectors: seen.append(torch.get_num_threads()) or vectors.mean(0))
    assert set(seen) == {1} and asked == [2, 1, 2]


def test_the_global_random_numbers_are_left_alone() -> None:
    torch.manual_seed(3)
    before = torch.get_rng_state()
    judged(lambda vectors: torch.randn(vectors.shape[1]))
    assert torch.equal(before, torch.get_rng_state())


def test_a_function_that_changes_from_call_to_call() -> None:
    calls: list[int] = []

    def drifts(vectors: Tensor) -> Tensor:
        calls.append(1)
        return vectors.mean(0) + len(calls)

    assert judged(drifts).found_by == "unsteady"


def test_nothing_from_outside_reaches_a_page_as_html() -> None:
    evil = "<script>alert('x')</script>"

    def raises(vectors: Tensor) -> Tensor:
        name = evil
        raise ValueError(name + "<img src=x onerror=alert(1)>")

    namespace: dict[str, Any] = {}
    exec("class Evil: pass\nEvil.__name__ = '<script>'\ndef f(vectors): return Evil()", namespace)
    for function in (raises, namespace["f"], lambda vectors: evil):
        page = card_page(MEAN, judge(MEAN, function)).html
        assert "<script" not in page and "<img" not in page


def test_the_drawing_marks_what_differs_and_stays_small() -> None:
    target = torch.arange(400.0).reshape(20, 20)
    yours = target.clone()
    yours[13, 17] = -1
    drawn = compare("scores", target, yours)
    assert len(drawn.yours.cells) == ROWS and len(drawn.yours.cells[0]) == COLUMNS
    assert sum(map(sum, drawn.yours.marked)) == 1 and not any(map(any, drawn.target.marked))
    assert "13" in drawn.yours.rows and "17" in drawn.yours.columns
    assert as_text(drawn).count("*") == 1 and as_html(drawn).count("≠") == 1


@pytest.mark.parametrize(
    ("target", "yours"),
    [
        (torch.zeros(()), torch.ones(())),
        (torch.zeros(3), torch.zeros(3, 1)),
        (torch.zeros(0, 3), torch.zeros(3)),
        (torch.zeros(2, 3, 4, 5), torch.ones(2, 3, 4, 5)),
        (torch.zeros(3, dtype=torch.bool), torch.ones(3, dtype=torch.bool)),
        (torch.zeros(3), torch.full((3,), math.nan)),
        (torch.tensor([math.inf, 0.0]), torch.tensor([-math.inf, 0.0])),
        (torch.zeros(3), torch.zeros(3, dtype=torch.complex64)),
        (torch.full((2, 2), 1e-9), torch.full((2, 2), 1e9)),
        (torch.zeros(3), torch.zeros(3).to_sparse()),
    ],
)
def test_any_two_tensors_can_be_drawn(target: Tensor, yours: Tensor) -> None:
    drawn = compare("result", target, yours)
    assert "target" in as_text(drawn) and "<table" in as_html(drawn)


def test_cards_are_the_same_every_time() -> None:
    def wrong(query: Tensor, key: Tensor) -> Tensor:
        return query @ key.transpose(-2, -1) / 8

    pages = [card_page(SCORES, judge(SCORES, wrong)) for _ in range(2)]
    assert pages[0].html == pages[1].html and pages[0].text == pages[1].text
