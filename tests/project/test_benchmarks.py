"""The benchmarks: clocks and verdicts to be trusted, every subject runs, and the README says what was measured."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("x_transformers", reason="the benchmarks' peers are not installed: pip install -e '.[bench]'")

import torch
from torch import nn

from tools.benchmarks import attention_by_length, encoder_forward, fresh, report, run_all, timing, training_steps
from tools.benchmarks.models import Model, Sizes
from tools.benchmarks.timing import OURS, Row

ROOT = Path(__file__).resolve().parents[2]
ROW = Row("s", "work", "seconds", 2.0, {"slow": 9.0, "quick": 3.0}, at_least=1.5)


# Rows -----------------------------------------------------------------------------------------------------------


def test_a_row_compares_with_the_best_peer() -> None:
    assert (ROW.best, ROW.ratio, ROW.met) == ("quick", 1.5, True)
    assert replace(ROW, at_least=1.6).met is False
    assert replace(ROW, at_least=None).met is None
    assert replace(ROW, at_least=None, at_most=1.9).met is False
    assert replace(ROW, at_most=2.1).met is True
    assert replace(ROW, ours=None).met is None and replace(ROW, ours=None).ratio is None
    assert replace(ROW, peers={}).met is False


def test_calls_take_turns_and_warm_up_does_not_count() -> None:
    heard: list[str] = []
    calls = {name: lambda name=name: heard.append(name) for name in "abc"}
    seconds = timing.interleaved(calls, 3, warm_up=1)
    rounds = ["".join(heard[start : start + 3]) for start in range(0, len(heard), 3)]
    assert rounds == ["cab", "abc", "bca", "cab"]
    assert {name: len(times) for name, times in seconds.items()} == {"a": 3, "b": 3, "c": 3}


def test_models_of_other_sizes_are_refused() -> None:
    with pytest.raises(RuntimeError, match="peer has 110 parameters and ours 120"):
        timing.same_size({OURS: nn.Linear(11, 10), "peer": nn.Linear(10, 10)})
    assert timing.same_size({OURS: nn.Linear(10, 10), "peer": nn.Linear(10, 10)}) == "110 parameters each"


# Subjects -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", run_all.SUBJECTS)
def test_every_subject_runs_at_a_tiny_size(name: str) -> None:
    rows = import_module(f"tools.benchmarks.{run_all.SUBJECTS[name]}").run(quick=True)
    assert rows
    for row in rows:
        assert row.subject == name and row.unit in ("seconds", "bytes")
        assert all(value > 0 for value in row.peers.values())
        assert (row.ours or 0) > 0
    assert report.table(rows).count("\n| ") == len(rows)


def test_a_model_that_does_not_learn_is_noticed() -> None:
    models, batch, labels = training_steps.gpts.make(Sizes(31, 16, 1, 2, length=7, batch=3))
    module = models["torch.nn"].module
    models["torch.nn"] = Model(module, lambda ids: torch.zeros(3, 7, 31) + sum_of(module))
    with pytest.raises(RuntimeError, match=r"torch\.nn does not learn"):
        training_steps.measure("w", models, batch, labels, 2, at_least=(None, None), note="")


def sum_of(module: nn.Module) -> torch.Tensor:
    """Zero, with a path to the parameters."""
    return sum(parameter.sum() for parameter in module.parameters()) * 0


def test_different_answers_are_noticed() -> None:
    mask = torch.tensor([[1, 1, 0]])
    same = torch.zeros(1, 3, 4)
    padded = same.clone()
    padded[0, 2] = 1
    encoder_forward._check({OURS: same, "peer": padded, "packed": same[:, :2]}, mask)
    padded[0, 1] = 1
    with pytest.raises(RuntimeError, match="peer answers differently: by 1"):
        encoder_forward._check({OURS: same, "peer": padded}, mask)


def test_peak_memory_counts_what_lives_at_once() -> None:
    block = torch.ones(1000, 256)  # 1.024 MB

    def two_at_once() -> torch.Tensor:
        return (block + 1) * 2

    def one_by_one() -> torch.Tensor:
        block.add(1)
        return block.add(1)

    assert attention_by_length.peak_memory(two_at_once) // 1000 == 2048  # and a few bytes for scalars
    assert attention_by_length.peak_memory(one_by_one) // 1000 == 1024


def test_a_fresh_process_is_measured_by_itself() -> None:
    here = b"x" * 300_000_000  # must not count
    untouched = "import mmap; room = mmap.mmap(-1, 400_000_000)"
    found = fresh.spent(f"import colorsys; {untouched}; block = bytearray(80_000_000)")
    assert len(here) > found.peak > 80_000_000
    assert "colorsys" in found.modules and "torch" not in found.modules
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        fresh.spent("1 / 0")


# Files ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def results() -> dict:
    return report.load()


def test_results_page_and_picture_are_made_of_the_stored_numbers(results: dict) -> None:
    assert report.TABLE.read_text(encoding="utf-8") == report.results_page(results), "python -m tools.benchmarks.report"
    from tools.benchmarks import picture

    told = json.loads((ROOT / "images" / "alt.json").read_text(encoding="utf-8"))
    assert told["benchmarks"] == picture.draw(results).alt


def test_readme_says_what_was_measured(results: dict) -> None:
    text = report.README.read_text(encoding="utf-8")
    if report.MARKERS[0] not in text:
        pytest.skip("the README holds no summary yet")
    assert text == report.with_summary(text, results), "out of date; run `python -m tools.benchmarks.report`"


def test_results_name_no_place_of_this_machine(results: dict) -> None:
    text = report.NUMBERS.read_text(encoding="utf-8") + report.TABLE.read_text(encoding="utf-8")
    assert str(ROOT) not in text and str(Path.home()) + "/" not in text
    assert "torch" in results["machine"] and "core" in results["machine"]
