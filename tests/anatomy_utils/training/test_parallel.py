"""Trainings side by side: the same results as one after the other, errors told, an interrupt ends all that run."""

import _thread
import threading
from collections.abc import Iterator

import pytest
import torch
from torch import nn

from anatomy_utils.training.history import History
from anatomy_utils.training.loop import fit
from anatomy_utils.training.parallel import side_by_side
from anatomy_utils.training.seeding import seeded


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def train(seed: int, steps: int = 5, on_step: object = None) -> tuple[nn.Module, History]:
    generator = torch.Generator().manual_seed(seed)
    with seeded(generator):
        model = nn.Sequential(nn.Linear(7, 11), nn.ReLU(), nn.Linear(11, 1))
    batches = [torch.randn(13, 7, generator=generator) for _ in range(3)]
    history = fit(
        model, batches, lambda m, x: (m(x) - x.sum(1, keepdim=True)).square().mean(), steps=steps, progress=False,
        on_step=on_step,  # type: ignore[arg-type]
    )  # fmt: skip
    return model, history


def test_each_training_is_what_it_is_alone() -> None:
    alone = [train(seed) for seed in range(5)]
    together = side_by_side(*(lambda seed=seed: train(seed) for seed in range(5)))  # type: ignore[misc]
    for (model, history), (other, its) in zip(alone, together, strict=True):
        assert history.loss == its.loss
        assert all(torch.equal(a, b) for a, b in zip(model.parameters(), other.parameters(), strict=True))


def test_two_run_at_once_on_one_core_each_and_the_first_in_this_thread() -> None:
    meeting = threading.Barrier(2, timeout=20)

    def job() -> tuple[int, int]:
        meeting.wait()  # only passes when both are here
        return threading.get_ident(), torch.get_num_threads()

    found = side_by_side(job, job)
    assert len({thread for thread, _ in found}) == 2
    assert threading.get_ident() in {thread for thread, _ in found}
    assert {count for _, count in found} == {1}
    assert torch.get_num_threads() == 2, "given back"


def test_three_take_turns_on_two_cores() -> None:
    meeting = threading.Barrier(3, timeout=20)
    assert len(set(side_by_side(meeting.wait, meeting.wait, meeting.wait))) == 3


def test_with_one_thread_they_run_one_after_the_other_in_order() -> None:
    torch.set_num_threads(1)
    order: list[int] = []
    side_by_side(*(lambda n=n: order.append(n) for n in range(4)))  # type: ignore[misc]
    assert order == [0, 1, 2, 3]


def test_an_error_of_a_job_is_raised_once_the_others_have_ended() -> None:
    ended: list[int] = []

    def fails() -> None:
        raise ValueError("this one fails")

    with pytest.raises(ValueError, match="this one fails"):
        side_by_side(fails, *(lambda n=n: ended.append(n) for n in range(4)))  # type: ignore[misc]
    assert sorted(ended) == [0, 1, 2, 3]


@pytest.mark.usefixtures("keyboard")
def test_an_interrupt_ends_all_trainings_that_run_and_keeps_what_they_learned() -> None:
    begun = threading.Barrier(2, timeout=20)

    def job(seed: int) -> History:
        def on_step(history: History) -> None:
            if len(history) == 3:
                begun.wait()
            if len(history) == 3 and threading.current_thread() is threading.main_thread():
                _thread.interrupt_main()

        return train(seed, steps=50_000, on_step=on_step)[1]

    histories = side_by_side(lambda: job(0), lambda: job(1))
    assert all(history.stopped and history.stopped.startswith("the keyboard ended it") for history in histories)
    assert all(3 <= len(history) < 50_000 for history in histories)


def test_an_interrupt_outside_of_a_training_ends_the_others_too() -> None:
    begun, ended = threading.Event(), threading.Event()

    def job() -> None:
        if threading.current_thread() is threading.main_thread():
            begun.wait(20)
            raise KeyboardInterrupt
        train(0, steps=50_000, on_step=lambda history: begun.set())
        ended.set()

    with pytest.raises(KeyboardInterrupt):
        side_by_side(job, job)
    assert ended.wait(5), "it did not go on to its last step"
