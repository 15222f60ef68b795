"""The exercise cell: what running it does, in a notebook and in a plain script, with stubs touched and untouched."""

from __future__ import annotations

import ast
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest
import torch
from answer_cells import run_cell
from torch import Tensor

from anatomy_course.judge import (
    Answer,
    exercise,
    find_exercise,
    ids,
    inject_solutions,
    solution_source,
    stub,
    your_function,
)
from anatomy_course.judge.decorator import _way_on
from anatomy_course.judge.progress.answer_source import load, standing_alone
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.registry import exercises_of
from anatomy_course.judge.stub import is_untouched
from anatomy_course.lab.debugging.colleague.attention_scale import almost_right_attention, symptoms_of_attention_scale
from anatomy_course.page.page import in_code
from anatomy_utils.functional import attention

QUERY, KEY = torch.tensor([[2.0, 0.0, 0.0, 0.0]]), torch.tensor([[3.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0]])


def run(text: str, record: Progress, **names: Any) -> dict[str, Any]:
    return run_cell(text, **{"exercise": lambda id: exercise(id, record=record), **names})


@pytest.mark.parametrize("id", ids())
def test_an_untouched_stub_leaves_the_reference(id: str, record: Progress) -> None:
    found = find_exercise(id)
    made: Answer = run(stub(id), record)[found.function_name]
    assert made.verdict.state == "not attempted" and not made.passed
    assert made.used is found.resolve() and made.yours is not made.used
    assert "Not attempted yet" in made.card.text and "Not attempted yet" in made.card.html
    assert not record.path.exists(), "looking at a stub is no attempt"


@pytest.mark.parametrize("id", ids())
def test_a_solution_passes_and_is_used_and_kept(id: str, record: Progress) -> None:
    found = find_exercise(id)
    made: Answer = run(solution_source(id), record)[found.function_name]
    assert made.passed and made.used is made.yours and f"Later cells use your {found.kind}" in made.card.text
    saved = your_function(id, record=record)
    assert saved is not None and saved.__name__ == found.function_name


def test_a_card_says_how_many_have_passed_and_what_comes_next(record: Progress) -> None:
    first, second, *middle, last = exercises_of("capstone").values()
    assert _way_on(first, record) == f"Passed in this notebook: 1 of {3 + len(middle)}; next: {second.title}."
    assert first.title in _way_on(last, record), "after the last one the first that is open"
    for each in (first, second, *middle):
        record.change("exercises", each.id, {"passed": True})
    assert _way_on(last, record) == "Every exercise in this notebook has passed."


def test_a_wrong_answer_leaves_the_reference_and_keeps_yours(record: Progress) -> None:
    made = run("@exercise('attention.scores')\ndef f(query, key):\n    return query @ key.transpose(-2, -1)", record)[
        "f"
    ]
    assert made(QUERY, KEY).tolist() == [[3.0, 0.0]], "the reference"
    assert made.yours(QUERY, KEY).tolist() == [[6.0, 0.0]], "the learner's"
    assert "later cells use the course's own version" in made.card.text
    assert record.entry("exercises", "attention.scores") == {"tries": 1, "met": {"mistake:no_scale": 1}}


SELF_CALL = "@exercise('attention.causal_mask')\ndef causal_mask(length):\n    return causal_mask(length)\n"
CALLS_HELPER = SELF_CALL.replace("return causal_mask", "return helper")
RECURSIVE_MASK = """@exercise('attention.causal_mask')
def causal_mask(length):
    if length == 1:
        return torch.ones(1, 1, dtype=torch.bool)
    mask = torch.ones(length, length, dtype=torch.bool)
    mask[:-1, :-1], mask[:-1, -1] = causal_mask(length - 1), False
    return mask
"""
EARLIER = {
    "nothing": "",
    "a stub": stub("attention.causal_mask"),
    "a failed run": SELF_CALL.replace("return causal_mask(length)", "return None"),
    "a pass": solution_source("attention.causal_mask"),
}


@pytest.mark.parametrize(
    ("earlier", "text", "called", "line"),
    [
        *((earlier, SELF_CALL, "causal_mask", 3) for earlier in EARLIER),
        ("a stub", SELF_CALL.replace("return", "if length:\n        return"), "causal_mask", 4),
        ("a pass", f"def helper(length):\n    return causal_mask(length)\n{CALLS_HELPER}", "causal_mask", 2),
        ("a failed run", SELF_CALL.replace("def", "@torch.no_grad()\ndef"), "causal_mask", 4),
        ("nothing", SELF_CALL.replace("causal_mask(", "mine("), "mine", 3),
    ],
)
def test_an_answer_that_calls_itself_never_reaches_the_courses_version(
    earlier: str, text: str, called: str, line: int, record: Progress
) -> None:
    names = run(EARLIER[earlier], record)
    before = record.source("attention.causal_mask")
    for _ in range(2):
        names = run(text, record, **{name: names[name] for name in names if name != "exercise"})
        made = names["mine" if called == "mine" else "causal_mask"]
        assert made.verdict.state == "crashed" and record.source("attention.causal_mask") == before
        assert made.verdict.sentence == (
            f"Your function calls itself and never ends: `{called}` in line {line} is your own function, "
            "not the course's."
        )
        assert made(2).tolist() == [[True, False], [True, True]], "later cells use the course's"


def test_an_answer_under_another_name_does_not_reach_it_either(record: Progress) -> None:
    names = run(EARLIER["a stub"], record)
    text = SELF_CALL.replace("def causal_mask", "def mine")
    course = names["causal_mask"]
    names = run(text, record, causal_mask=course)
    assert "`causal_mask` in line 3 is your own function" in names["mine"].verdict.sentence
    assert names["causal_mask"] is course, "afterwards the name is what it was"


@pytest.mark.parametrize("earlier", EARLIER)
def test_a_right_recursion_passes_on_the_first_try(earlier: str, record: Progress) -> None:
    names = run(EARLIER[earlier], record)
    made = run(RECURSIVE_MASK, record, **{name: names[name] for name in names if name != "exercise"})["causal_mask"]
    assert made.passed, made.verdict.sentence
    saved = your_function("attention.causal_mask", record=record)
    assert saved is not None and torch.equal(saved(3), made(3))


@pytest.mark.parametrize(
    ("body", "untouched"),
    [
        ("...", True),
        ("pass", True),
        ("# think\n    ...\n    # more", True),
        ('"""Only a docstring."""', True),
        ('"""Docstring."""\n    ...\n    pass', True),
        ("raise NotImplementedError", True),
        ("raise NotImplementedError('later')", True),
        ("return ...", True),
        ("return None", False),
        ("return", False),
        ("x = 1\n    ...", False),
        ("raise ValueError", False),
        ("return vectors", False),
        ("def inner(): ...\n    return inner", False),
    ],
)
def test_what_counts_as_untouched(body: str, untouched: bool, record: Progress) -> None:
    text = f"@exercise('start.mean')\ndef f(\n    vectors: Tensor,  # one per word\n) -> Tensor:\n    {body}\n"
    assert (run(text, record)["f"].verdict.state == "not attempted") is untouched


def test_without_any_source_a_stub_is_still_known() -> None:
    namespace: dict[str, Any] = {}
    exec(
        "def f(a, b): ...\ndef g(a, b):\n  '''Doc.'''\n  ...\ndef h(a, b): return a\ndef k(a): return len(a)", namespace
    )
    assert [is_untouched(namespace[name], None) for name in "fghk"] == [True, True, False, False]


def test_it_needs_an_id_and_a_function(record: Progress) -> None:
    with pytest.raises(ValueError, match="did you mean 'attention.scores'"):
        exercise("attention.score")
    with pytest.raises(ValueError, match="needs an id"):
        exercise(lambda query, key: query)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="directly above a `def`"):
        exercise("attention.scores", record=record)(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="directly above a `def`"):
        exercise("attention.scores", record=record)(int)


def test_a_fault_of_the_course_does_not_stop_the_notebook(record: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: Any, **more: Any) -> None:
        raise RuntimeError("<script>")

    monkeypatch.setattr("anatomy_course.judge.decorator.judge", broken)
    made = exercise("start.mean", record=record)(lambda vectors: vectors)
    assert (
        made.verdict.state == "unchecked"
        and "says nothing about your function" in made.card.text
        and "<script>" not in made.card.html
    )
    assert torch.equal(made(torch.ones(2, 3)), torch.ones(3))


def test_a_place_without_progress_does_not_stop_it_either(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("in the way")
    record = Progress(tmp_path / "folder" / "progress.json")
    made = run(solution_source("start.mean"), record)["mean_vector"]
    assert made.passed and "remembered until the kernel stops" in made.card.text


def test_the_answer_looks_like_the_function(record: Progress) -> None:
    made = run(solution_source("attention.scores"), record)["attention_scores"]
    assert made.__name__ == "attention_scores" and "How well each query" in made.__doc__
    assert repr(made) == "<attention_scores: yours>"
    again = exercise("attention.scores", record=record)(made)
    assert again.passed and not isinstance(again.yours, Answer)


def passes_and_is_saved(text: str, record: Progress) -> str:
    """The saved text of `mine`, an answer to the exercise on scores; run again, it gives the same."""
    made = run(text, record)["mine"]
    assert made.passed, made.verdict.sentence
    loaded = your_function("attention.scores", record=record)
    assert loaded is not None and torch.equal(loaded(QUERY, KEY), made.yours(QUERY, KEY))
    saved = record.source("attention.scores") or ""
    assert "@exercise" not in saved
    return saved


def test_a_saved_function_takes_along_what_it_uses(record: Progress) -> None:
    text = (
        "import math\nimport torch.nn.functional as F\nfrom math import sqrt\nPOWER = 0.5\nBIG = float('inf')\n"
        "def helper(key):\n    return swap(key)\n"
        "def swap(key):\n    return key.transpose(-2, -1)\n\n"
        "@exercise('attention.scores')\n"
        "def mine(query: Tensor, key: Tensor) -> Tensor:\n"
        "    # a comment that stays\n"
        "    width = [query.shape[-1] for _ in range(1)][0]\n"
        "    nothing = 0 * sqrt(4) - 1 / BIG + F.relu(query).sum() * 0\n"
        "    return torch.matmul(query, helper(key)) / math.pow(width, POWER) + nothing\n"
    )
    saved = passes_and_is_saved(text, record)
    assert "# a comment that stays" in saved and "def swap" in saved


@pytest.mark.parametrize("elsewhere", ["mask = lambda length: length", "mask = dict(all=lambda length: length)['all']"])
def test_a_lambda_is_a_helper_too_and_a_local_name_may_be_that_of_one(record: Progress, elsewhere: str) -> None:
    text = (
        f"swap = lambda key: key.transpose(-2, -1)\n{elsewhere}\n\n"
        "@exercise('attention.scores')\n"
        "def mine(query, key):\n"
        "    mask = query.shape[-1] ** 0.5\n"
        "    return query @ swap(key) / mask\n"
    )
    assert "swap = lambda key:" in passes_and_is_saved(text, record)


def test_an_answer_may_use_an_earlier_answer(record: Progress) -> None:
    names = run(solution_source("attention.scores"), record)
    text = (
        "@exercise('attention.attention')\ndef together(query, key, value):\n"
        "    weights = attention_scores(query, key).softmax(-1)\n    return weights @ value, weights\n"
    )
    made = run(text, record, attention_scores=names["attention_scores"])["together"]
    assert made.passed
    loaded = your_function("attention.attention", record=record)
    assert loaded is not None and torch.equal(loaded(QUERY, KEY, KEY)[1], made.yours(QUERY, KEY, KEY)[1])


def test_an_answer_on_top_of_the_reference_takes_it_from_the_package() -> None:
    def together(query: Tensor, key: Tensor) -> Tensor:
        return borrowed(query, key)

    together.__globals__["borrowed"] = Answer.__new__(Answer)
    together.__globals__["borrowed"].used = attention.scores
    try:
        text = standing_alone(together)
    finally:
        del together.__globals__["borrowed"]
    assert text is not None and "from anatomy_utils.functional.attention import scores as borrowed" in text
    assert torch.equal(load(text, "together")(QUERY, KEY), attention.scores(QUERY, KEY))


def test_stubs_and_solutions_as_text() -> None:
    assert stub("attention.scores").startswith('@exercise("attention.scores")\ndef attention_scores(')
    assert stub("attention.scores").rstrip().endswith("...")
    for id in ids():
        ast.parse(stub(id)), ast.parse(solution_source(id))
        cell = f"# before\nx = 1\n{stub(id)}\ny = 2\n"
        injected = inject_solutions(cell)
        assert find_exercise(id).solution.splitlines()[-1] in injected
        assert injected.startswith("# before\nx = 1\n") and injected.rstrip().endswith("y = 2")
        assert inject_solutions("x = 1") == "x = 1"


def test_stubs_are_found_however_they_are_quoted() -> None:
    cell = "@exercises.exercise( 'start.mean' )\ndef other_name(vectors):\n    '''Mine.'''\n    # nothing yet\n    ..."
    assert "return vectors.mean(dim=0)" in inject_solutions(cell)


def test_the_case_is_almost_right() -> None:
    generator = torch.Generator().manual_seed(0)
    query, key, value = torch.randn(3, 16, 16, generator=generator)
    healthy = attention.scaled_dot_product_attention(query, key, value)
    context, weights = almost_right_attention(query, key, value)
    assert torch.allclose(weights, healthy.weights) and torch.allclose(context, healthy.context), (
        "at d_head words it is right"
    )
    query, key, value = torch.randn(3, 64, 16, generator=generator)
    healthy = attention.scaled_dot_product_attention(query, key, value)
    _, weights = almost_right_attention(query, key, value)
    assert torch.allclose(weights.sum(-1), torch.ones(64))
    assert torch.equal(weights.argmax(-1), healthy.weights.argmax(-1))
    assert weights.amax(-1).mean() < 0.6 * healthy.weights.amax(-1).mean()
    shown = symptoms_of_attention_scale("longer sentences", "larger scores")
    assert "largest weight, theirs" in shown.text and shown.html.count("<tr>") == 9
    ours = symptoms_of_attention_scale("wider heads", "larger scores", function=attention.scaled_dot_product_attention)
    assert [line.split()[-1] == line.split()[-2] for line in ours.text.splitlines()[2:]] == [True] * 8
    with pytest.raises(ValueError, match="choose two of longer sentences, wider heads"):
        symptoms_of_attention_scale("everything")


def test_prose_becomes_safe_html() -> None:
    assert in_code("`a<b` and *stressed*, 2 * 3 * 4") == "<code>a&lt;b</code> and <em>stressed</em>, 2 * 3 * 4"


def test_a_plain_script_works_and_prints_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from torch import Tensor\nfrom anatomy_course.judge import exercise\n\n"
        + solution_source("start.mean")
        + "\nassert mean_vector.passed\nassert 'IPython' not in __import__('sys').modules\n"
    )
    environment = {**__import__("os").environ, "ANATOMY_PROGRESS": str(tmp_path / "progress.json")}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert Progress(tmp_path / "progress.json").passed("start.mean")


def test_a_variable_of_ones_own_is_not_taken_for_a_name_of_the_notebook() -> None:
    module = types.ModuleType("__main__")
    text = "def half(share):\n    progress = share / 2\n    return progress * scale"
    module.__dict__.update(progress=print, scale=3)
    exec(compile(text, "<half>", "exec"), module.__dict__)
    assert standing_alone(module.half, text) == f"from __future__ import annotations\nscale = 3\n{text}\n"
