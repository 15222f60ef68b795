"""Trainings that do not depend on each other, at the same time, one core each.

A small model keeps one core busy and gains little from a second one (see `threads`). Two small models keep two busy:
torch computes outside Python's lock, so threads are enough. Notebooks 03 to 07 compare models that way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Lock, Thread
from typing import TypeVar

import torch

from anatomy_utils.training.threads import threads

ResultT = TypeVar("ResultT")

_interrupted: ContextVar[Event | None] = ContextVar("_interrupted", default=None)
"""In a job of `side_by_side`: set once the keyboard has ended one of them."""


def side_by_side(*jobs: Callable[[], ResultT]) -> list[ResultT]:
    """Run jobs at the same time, as many as torch may use threads, and return their results in the order of the jobs.

    Where they cannot be dealt out evenly, as three to two cores, a few more take turns, and no core is idle at the end.
    What they return does not depend on how many run at once, as long as each draws from a generator of its own.
    Stopping it with the keyboard ends the trainings that run (see `fit`); those not begun yet make one step.

    Args:
        jobs: without arguments, each with a model of its own; none may use dropout, which draws from torch's one
            global source.

    Raises:
        Exception: what a job raised, once all have ended; of several, that of the first in order.

    >>> side_by_side(lambda: 1, lambda: 2)
    [1, 2]
    """
    results: dict[int, ResultT] = {}
    errors: dict[int, BaseException] = {}
    waiting, lock, interrupted = list(enumerate(jobs)), Lock(), Event()

    def work() -> None:
        _interrupted.set(interrupted)
        with threads(1):
            while waiting:
                with lock:
                    number, job = waiting.pop(0) if waiting else (-1, None)
                if job is None:
                    return
                try:
                    results[number] = job()
                except Exception as error:
                    errors[number] = error

    before = _interrupted.get()
    cores = torch.get_num_threads()
    at_once = cores if len(jobs) % cores == 0 else 2 * cores - 1
    helpers = [Thread(target=work, daemon=True) for _ in range(min(len(jobs), at_once) - 1)]
    for helper in helpers:
        helper.start()
    try:
        work()  # in this thread too: what it draws or prints belongs to the cell that waits
        for helper in helpers:
            helper.join()
    except BaseException:
        interrupted.set()
        waiting.clear()
        raise
    finally:
        _interrupted.set(before)
    if errors:
        raise errors[min(errors)]
    return [results[number] for number in range(len(jobs))]


@contextmanager
def interruptible() -> Iterator[Callable[[], None]]:
    """For a loop that may be one of several: yields what raises KeyboardInterrupt once the keyboard has ended another.

    An interrupt that arrives inside the block ends the others.
    """
    event = _interrupted.get()

    def check() -> None:
        if event is not None and event.is_set():
            raise KeyboardInterrupt

    try:
        yield check
    except KeyboardInterrupt:
        if event is not None:
            event.set()
        raise
