"""Progress: what counts, what is shown, and what becomes of an older course's file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch

from anatomy_course.capstone.body import assemble
from anatomy_course.judge import (
    ask,
    hint,
    ids,
    outcome,
    predict,
    progress,
    question_ids,
    solution,
    your_function,
)
from anatomy_course.judge.card import card, card_page
from anatomy_course.judge.judging.verdict import Verdict
from anatomy_course.judge.progress.location import SOLUTIONS, VARIABLE, own_progress, progress_file
from anatomy_course.judge.progress.record import Progress, checked
from anatomy_course.judge.registry import exercises_of, find_exercise
from anatomy_course.judge.slips.sentences import remember_hint
from anatomy_course.page.notebooks import NOTEBOOKS

SOURCE = "def f(x):\n    return x\n"


def test_it_begins_empty_and_reading_makes_no_file(record: Progress) -> None:
    assert record.read()["exercises"] == {} and not record.path.exists() and record.notice == ""


def test_passing_is_remembered_and_a_later_failure_does_not_undo_it(record: Progress) -> None:
    record.attempted("a", passed=False, source=None)
    assert not record.passed("a")
    record.attempted("a", passed=True, source=SOURCE)
    record.attempted("a", passed=False, source=None)
    again = Progress(record.path)
    assert again.passed("a") and again.source("a") == SOURCE and again.entry("exercises", "a")["tries"] == 3


def test_lines_that_were_pointed_at_are_counted(record: Progress) -> None:
    for right in (True, False, True):
        record.pointed("attention.scores", right=right)
    assert "Lines that were off, found by yourself: 2 of 3." in progress("start", record=record).text
    record.change("exercises", "start.mean", {"pointed": -1})
    assert (
        "2 of 3." in progress(record=record).text
        and "off" not in progress(record=Progress(record.path.parent / "b")).text
    )


def test_hints_questions_and_predictions(record: Progress) -> None:
    record.helped("a", hints=2)
    record.helped("a", hints=1, solution=True)
    record.answered("q", 2, right=False)
    record.answered("q", 1, right=True)
    record.predicted("p", 0)
    record.predicted("p", 2)
    read = Progress(record.path).read()
    assert read["exercises"]["a"] == {"hints": 2, "solution_seen": True}
    assert read["questions"]["q"] == {"first": 2, "last": 1, "right": True}
    assert read["predictions"]["p"] == {"choice": 2}


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"exercises": 3}',
        b'{"exercises": {"a": 1}}',
        b"\xff\xfe\x00",
        b'{"version": 1,',
        b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_set_aside_with_a_sentence(record: Progress, damage: bytes) -> None:
    record.path.parent.mkdir()
    record.path.write_bytes(damage)
    assert record.read()["exercises"] == {} and "could not be read" in record.notice
    record.attempted("a", passed=True, source=SOURCE)
    aside = record.path.with_name("progress.damaged-1.json")
    assert aside.read_bytes() == damage and "progress.damaged-1.json" in record.take_notice()
    assert record.notice == "" and Progress(record.path).passed("a")
    record.path.write_bytes(damage)
    record.attempted("b", passed=True, source=SOURCE)
    assert record.path.with_name("progress.damaged-2.json").read_bytes() == damage and aside.exists()


def test_what_a_newer_course_wrote_is_left_alone(record: Progress) -> None:
    record.path.parent.mkdir()
    newer = {"version": 9, "badges": [1], "exercises": {"z": {"passed": True, "stars": 5}}}
    record.path.write_text(json.dumps(newer))
    record.attempted("a", passed=True, source=None)
    read = json.loads(record.path.read_text())
    assert read["badges"] == [1] and read["version"] == 9 and read["exercises"]["z"] == {"passed": True, "stars": 5}


def test_the_environment_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "here.json"))
    assert progress_file() == tmp_path / "here.json" and own_progress() is own_progress()
    monkeypatch.delenv(VARIABLE)
    assert progress_file().name == "progress.json" and "transformer-anatomy" in str(progress_file())


def test_only_one_place_reads_the_environment() -> None:
    folder = Path(__file__).parents[3] / "anatomy_course"
    files = [path for room in ("judge", "capstone", "content") for path in (folder / room).rglob("*.py")]
    readers = [path.name for path in files if "environ" in path.read_text(encoding="utf-8")]
    others = "one puts back what an answer did to it, one is the exported program, to which torchrun speaks in this way"
    assert sorted(readers) == ["location.py", "main.py", "surroundings.py"], others


def test_progress_is_shown_by_notebook(record: Progress) -> None:
    assert "00 Start here    [.] 0 of 1 exercises" in progress(record=record).text
    record.attempted("start.mean", passed=True, source=None)
    record.attempted("attention.scores", passed=True, source=None)
    record.attempted("gone.from_the_course", passed=True, source=None)
    record.answered("attention.why_scale", 2, right=True)
    shown = progress(record=record)
    count = sum(id.startswith("attention.") for id in ids())
    assert "00 Start here    [#] 1 of 1" in shown.text and f"1 of {count} exercises, 1 of 9 questions" in shown.text
    assert f'<progress value="1" max="{count}"' in shown.html
    one = progress("attention", record=record)
    assert one.text.startswith(f"01 Attention: 1 of {count} exercises\n")
    assert "✓ Scaled scores" in one.text and "○ A causal mask" in one.text
    assert f"<details><summary>1 of {count} exercises</summary><ul><li>" in one.html
    with pytest.raises(ValueError, match="There is no notebook 'nonsense'"):
        progress("nonsense", record=record)


def test_a_damaged_file_is_told_where_progress_is_shown(record: Progress) -> None:
    record.path.parent.mkdir()
    record.path.write_text("<script>")
    shown = progress(record=record)
    assert "could not be read" in shown.text and "could not be read" in shown.html and "<script>" not in shown.html


def test_hints_come_one_by_one(record: Progress) -> None:
    remember_hint("attention.scores", "")
    first, second, third, again = (hint("attention.scores", record=record).text for _ in range(4))
    assert "1." in first and "2." not in first and "2 more" in first
    assert "2." in second and "3." in third and "the last one" in third and again == third
    assert record.entry("exercises", "attention.scores")["hints"] == 3
    assert "return query @ key" in solution("attention.scores", record=record).text
    assert record.entry("exercises", "attention.scores")["solution_seen"] is True


def test_help_that_names_no_exercise_or_another_gets_one_sentence(
    record: Progress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anatomy_course.judge.slips.sentences._HINTS", {})
    for help in (hint, solution):
        assert "did you mean 'attention.scores'" in help("attention.score", record=record).text
        assert "did you mean 'attention.softmax'?" in help("softmax", record=record).text
        assert help(record=record).text.startswith("Run the cell of an exercise first, or name one:")
    remember_hint("attention.scores", "")
    remember_hint("attention.softmax", "")
    remember_hint("attention.scores", "")
    assert "Scaled scores" in hint(record=record).text and "return query @ key" in solution(record=record).text


def test_questions_hide_their_answers_and_predictions_keep_them(record: Progress) -> None:
    page = ask("attention.why_scale", record=record)
    before, answer = page.html.split("<details>")
    assert "is right" not in before and "<strong>C</strong> is right" in answer and "is right" not in page.text
    forecast = predict("attention.predict_apple", record=record)
    assert "<details>" not in forecast.html and "Choose before you run" in forecast.html
    assert "You made no prediction" in outcome("attention.predict_apple", record=record).text
    record.predicted("attention.predict_apple", 0)
    assert "Your prediction was: None: it is nearer" in outcome("attention.predict_apple", record=record).text
    record.predicted("attention.predict_apple", 1)
    assert "Your prediction was right" in outcome("attention.predict_apple", record=record).text
    with pytest.raises(ValueError, match="show it with predict"):
        ask("attention.predict_apple", record=record)
    with pytest.raises(ValueError, match="show it with ask"):
        predict("attention.why_scale", record=record)


def test_a_saved_function_can_be_loaded(record: Progress) -> None:
    assert your_function("attention.scores", record=record) is None
    text = "import math as math\ndef my_scores(query, key):\n    return math.sqrt(4)\n"
    record.attempted("attention.scores", passed=True, source=text)
    function = your_function("attention.scores", record=record)
    assert function is not None and function(1, 2) == 2.0
    record.attempted("attention.scores", passed=True, source="def broken(:")
    with pytest.warns(UserWarning, match="Your saved broken no longer runs"):
        assert your_function("attention.scores", record=record) is None
    with pytest.raises(ValueError, match="did you mean"):
        your_function("attention.score", record=record)


def test_a_saved_function_that_stops_is_set_aside_with_a_sentence(record: Progress) -> None:
    imported = "from anatomy_utils.functional.masks import causal as causal_mask\n"
    bodies = {
        "The function calls itself without end": "def causal_mask(length):\n    return causal_mask(length)\n",
        "calls itself without": imported + "def mine(length):\n    return causal_mask(length)\n",
        "ValueError: not today": "def causal_mask(length):\n    raise ValueError('not today')\n",
    }
    for why, text in bodies.items():
        record.attempted("attention.causal_mask", passed=True, source=text)
        with pytest.warns(UserWarning, match=f"Your saved .* does not run to the end, so the course's own .*{why}"):
            assert your_function("attention.causal_mask", record=record) is None
        assert record.passed("attention.causal_mask") and record.source("attention.causal_mask") == text


@pytest.fixture
def old(tmp_path: Path) -> Progress:
    """A whole course, done when it was one package; `tests/fixtures/make_progress.py` made it."""
    path = tmp_path / "progress.json"
    shutil.copy(Path(__file__).parents[2] / "fixtures" / "progress_1_0_0.json", path)
    return Progress(path, own=True)


def test_what_was_done_when_the_course_was_one_package_still_counts(old: Progress) -> None:
    before = checked(json.loads(old.path.read_text()))  # notebook 04's were notebook 03's
    assert "encoder.rotary" not in before["exercises"] and before["exercises"]["positions.rotary"]["passed"]
    for notebook in NOTEBOOKS:
        shown = progress(notebook.prefix, record=old).text
        open_now = {e.id for e in exercises_of(notebook.prefix).values() if f"○ {e.title}" in shown}
        assert not open_now & set(before["exercises"]), shown
    assert len(set(before["exercises"]) & set(ids())) > 50, "some exercises are no longer in the course"
    assert len(set(before["questions"]) & set(question_ids())) > 50
    read = old.read()
    assert all(read["exercises"][id]["passed"] for id in before["exercises"])
    assert all(read["questions"][id]["right"] for id in before["questions"])
    assert set(before["predictions"]) & set(question_ids())
    old.attempted("start.mean", passed=False, source=None)
    after = Progress(old.path).read()
    before["exercises"]["start.mean"]["tries"] += 1
    assert old.notice == "" and after == before


def test_answers_saved_when_the_course_was_one_package_run(old: Progress) -> None:
    imports = {
        line for id in old.read()["exercises"] for line in old.source(id).splitlines() if "anatomy_utils" in line
    }
    assert "import anatomy_utils.recipes as recipes" in imports
    assert "    from anatomy_utils.toy_language import tokenize" in imports
    assert any(line.startswith("from anatomy_utils.exercises.program.given.gated import") for line in imports)
    for id in set(old.read()["exercises"]) & set(ids()) - {"encoder.encoder_layer"}:  # it takes one argument more now
        assert callable(your_function(id, record=old)), id
    assert {part.whose for part in assemble(record=old).parts.values()} == {"yours"}
    mine = your_function("start.mean", record=old)
    assert mine is not None and mine(torch.tensor([[1.0], [3.0]])).tolist() == [2.0]
    causal = your_function("attention.causal_mask", record=old)
    assert causal is not None and causal(2).tolist() == [[True, False], [True, True]], "`masks` is its own variable"


def test_an_answer_whose_import_is_gone_leaves_the_courses_own_with_a_sentence(old: Progress) -> None:
    source = old.source("attention.masked_softmax").replace(
        "import anatomy_utils.functional as functional", "import anatomy_utils.attention as functional"
    )
    old.attempted("attention.masked_softmax", passed=True, source=source)
    with pytest.warns(UserWarning, match="no longer runs .it uses anatomy_utils.attention, which is no longer there"):
        assert your_function("attention.masked_softmax", record=old) is None
    body = assemble(record=old)
    assert {name for name, part in body.parts.items() if part.whose != "yours"} == {"softmax"}
    assert "Your saved masked_softmax no longer runs (it uses anatomy_utils.attention" in repr(body)
    source = old.source("attention.attention").replace("anatomy_utils.functional.attention", "anatomy_utils.attention")
    source = source.replace("masked_softmax(attention_scores(query, key), mask)", "attention_scores(query, key)")
    assert "from anatomy_utils.attention import scores as attention_scores" in source
    old.attempted("attention.attention", passed=True, source=source)
    mine = your_function("attention.attention", record=old)
    context, _ = mine(*torch.ones(3, 1, 4))
    assert context.tolist() == [[2.0] * 4], "attention_scores, imported from where it was, is the exercise's reference"


def test_a_teacher_hides_the_solutions(record: Progress, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = find_exercise("start.mean")
    wrong, right = Verdict("wrong", "No.", "shape"), Verdict("passed", "Yes.", "passed")
    assert card(exercise, wrong)["solution"] and "Solution" in card_page(exercise, wrong).html
    monkeypatch.setenv(SOLUTIONS, " Hidden ")
    assert card(exercise, wrong)["solution"] == ""
    page = card_page(exercise, wrong)
    assert "Solution" not in page.html and "solution(" not in page.text and "Hint 1" in page.html
    assert "Why it works" in card_page(exercise, right).html
    assert "hidden in this class" in solution("start.mean", record=record).text
    assert record.entry("exercises", "start.mean") == {}, "nothing was seen"
    assert "solution(" not in "".join(hint("start.mean", record=record).text for _ in exercise.hints)
