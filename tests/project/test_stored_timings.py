"""What the prose of notebook 07 says about its timings holds for the pictures that are stored beside it.

The pictures' alt texts hold the milliseconds. Only the order of growth is asked for, with room for any machine.
"""

from __future__ import annotations

import re

import pytest
from notebook_tools import NOTEBOOKS, code_cells, read

from anatomy_course.lab.experiments.copy_task import LENGTHS as TEXTS
from anatomy_course.lab.experiments.window_cost import LENGTHS, growth


def stored(beginning: str) -> dict[str, list[float]]:
    """Way → its milliseconds, from the alt text that begins so."""
    told = [
        output.data["text/plain"]
        for cell in code_cells(read(NOTEBOOKS / "07_taxonomy.ipynb"))
        for output in cell.outputs
        if output.get("data", {}).get("text/plain", "").startswith(beginning)
    ]
    assert len(told) == 1, f"one picture that begins with {beginning!r}"
    ways = told[0].partition(": ")[2].rstrip(".").split("; ")
    found = [re.fullmatch(r"(.+?) ([\d., ]+)", way) for way in ways]
    return {match[1]: [float(number) for number in match[2].split(", ")] for match in found if match}


@pytest.fixture(scope="module")
def windows() -> dict[str, list[float]]:
    return stored("Milliseconds at (256")


@pytest.fixture(scope="module")
def readings() -> dict[str, list[float]]:
    return stored("Milliseconds at (64")


def test_a_window_grows_with_the_length_and_all_pairs_with_its_square(windows: dict[str, list[float]]) -> None:
    grown = growth(LENGTHS, windows)  # four times the length
    assert 1.5 < grown["window"] < 8 < grown["all pairs"] and grown["window by a mask"] > 8


def test_at_the_end_the_window_is_by_far_the_fastest_and_the_mask_saves_nothing(
    windows: dict[str, list[float]],
) -> None:
    last = {way: each[-1] for way, each in windows.items()}
    assert 3 * last["window"] < last["all pairs"] < last["window by a mask"]


def test_step_by_step_the_lstm_takes_in_proportion_to_the_length_and_by_far_the_longest(
    readings: dict[str, list[float]],
) -> None:
    lengths = [length for length in TEXTS if length <= 512]
    assert 5 < growth(lengths, readings, over=3)["LSTM, one call a step"] < 12  # eight times the length
    others = [each for way, each in readings.items() if way != "LSTM, one call a step"]
    slow = readings["LSTM, one call a step"]
    assert all(step > 3 * call for each in others for step, call in zip(slow, each, strict=True))


def test_in_one_call_the_lstm_keeps_up_with_the_transformer_and_is_ahead_at_the_end(
    readings: dict[str, list[float]],
) -> None:
    pairs = zip(readings["LSTM, one call"], readings["Transformer"], strict=True)
    assert all(one < 2 * other for one, other in pairs)
    assert readings["LSTM, one call"][-1] < readings["Transformer"][-1]
