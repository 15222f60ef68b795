"""Whatever an answer writes, and wherever: the beginning is kept, the rest goes nowhere."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from torch import Tensor

from anatomy_course.judge import find_exercise
from anatomy_course.judge.attempt.output import MOST_PRINTED, CapturedOutput
from anatomy_course.judge.judging.judge import judge

MEAN = find_exercise("start.mean")


def test_a_paper_keeps_the_beginning_and_says_so() -> None:
    paper = CapturedOutput()
    paper.writelines(["a" * MOST_PRINTED, "b"])
    assert paper.write("c" * 10**6) == 10**6
    assert paper.text() == "a" * MOST_PRINTED + " … (and more)"
    paper = CapturedOutput()
    print("short", file=paper)
    assert paper.text() == "short\n"


def test_every_way_out_is_held_back_and_shown_on_the_card(capfd: pytest.CaptureFixture[str]) -> None:
    def writes(vectors: Tensor) -> Tensor:
        print("by print")
        print("by stderr", file=sys.stderr)
        os.write(1, b"by descriptor one\n")
        os.write(2, b"by descriptor two\n")
        subprocess.run(["echo", "by a process"], check=True)
        print("by the first stream", file=sys.__stdout__)
        return vectors.mean(0)

    verdict = judge(MEAN, writes)
    assert verdict.passed and verdict.notes == ()
    assert verdict.printed == (
        "by print\nby stderr\n\nby descriptor one\nby descriptor two\nby a process\nby the first stream\n"
    )
    os.write(1, b"after one\n")
    os.write(2, b"after two\n")
    assert capfd.readouterr() == ("after one\n", "after two\n")


def test_a_flood_is_cut_in_every_way_out(capfd: pytest.CaptureFixture[str]) -> None:
    piece = b"x" * 10**6

    def floods(vectors: Tensor) -> Tensor:
        for _ in range(20):
            print(piece.decode())
            print(piece.decode(), file=sys.stderr)
            os.write(1, piece)
            os.write(2, piece)
        return vectors.sum(0)

    verdict = judge(MEAN, floods, seconds=60.0)
    assert verdict.state == "wrong" and len(verdict.printed) < 3 * MOST_PRINTED
    assert verdict.printed.count("(and more)") == 2
    assert capfd.readouterr() == ("", "")


def test_a_thread_that_is_left_behind_does_not_silence_the_notebook(capfd: pytest.CaptureFixture[str]) -> None:
    def writes_and_never_ends(vectors: Tensor) -> Tensor:
        os.write(1, b"before\n")
        while True:
            pass

    assert judge(MEAN, writes_and_never_ends, seconds=0.2, thread=True).state == "stopped"
    os.write(1, b"after\n")
    assert capfd.readouterr().out == "after\n"
