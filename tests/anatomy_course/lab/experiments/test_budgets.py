"""The surprise of a scene, the floor that it makes, and what was recorded of sizes and budgets."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from anatomy_course.lab.experiments import budgets
from anatomy_course.lab.street import inventory

SCENES = budgets.drawn(300, torch.Generator().manual_seed(3))


def test_the_surprise_is_that_of_the_choices_by_which_a_scene_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    surprises: list[float] = []

    class Counting(inventory._Chooser):
        def choose(self, choices):  # type: ignore[no-untyped-def]
            surprises[-1] += math.log(len(choices))
            return super().choose(choices)

    monkeypatch.setattr(inventory, "_Chooser", Counting)
    for number in torch.randint(2**62, (200,), generator=torch.Generator().manual_seed(0)).tolist():
        surprises.append(0.0)
        scene = inventory.scene_from_number(number)
        assert budgets.surprise(scene) == pytest.approx(surprises[-1])


class Knowing(nn.Module):
    """Gives each token its probability among the sentences that it knows, which are all equally likely."""

    def __init__(self, sentences: list[list[int]]) -> None:
        super().__init__()
        self.sentences = [[*ids, ids[0]] for ids in sentences]

    def forward(self, ids: Tensor) -> Tensor:
        counts = torch.zeros(*ids.shape, 316)
        for row, read in enumerate(ids.tolist()):
            for place in range(len(read)):
                begun = read[: place + 1]
                following = [known[place + 1] for known in self.sentences if known[: place + 1] == begun != known]
                counts[row, place] = torch.bincount(torch.tensor(following, dtype=torch.long), minlength=316)
        return counts.log().clamp(min=-1e9)


def test_a_model_that_knows_a_street_of_seven_scenes_is_on_the_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    few = list(dict.fromkeys(SCENES))[:7]
    monkeypatch.setattr(budgets, "surprise", lambda scene: math.log(7))
    model = Knowing(budgets.as_ids(few))
    assert len({len(ids) for ids in model.sentences}) > 1, "sentences of unequal lengths are padded"
    assert budgets.above_the_floor(model, few) == pytest.approx(0, abs=1e-5)


def test_guessing_is_as_far_above_the_floor_as_the_logarithm_of_the_vocabulary() -> None:
    even = nn.Sequential(nn.Embedding(316, 316))
    nn.init.zeros_(even[0].weight)  # type: ignore[arg-type]
    tokens = sum(map(len, budgets.as_ids(SCENES)))
    floor = sum(map(budgets.surprise, SCENES)) / tokens
    assert budgets.above_the_floor(even, SCENES) == pytest.approx(math.log(316) - floor, abs=1e-5)


def test_scenes_come_as_they_are_drawn_the_same_one_more_than_once() -> None:
    assert len(set(budgets.drawn(20_000, torch.Generator().manual_seed(0)))) < 20_000


def test_what_was_recorded_falls_with_every_doubling_and_its_last_two_are_near_the_line() -> None:
    for runs in budgets.recorded_budgets()["street"].values():
        steps = [*map(int, runs)]
        means = [sum(run["above"]) / 3 for run in runs.values()]
        assert steps == [40 * 2**i for i in range(7)]
        assert sorted(means, reverse=True) == means and means[-1] > 0
        for to in (5, 6):
            assert 0.5 < budgets.extended(steps[:5], means[:5], steps[to]) / means[to] < 2


def test_the_larger_model_is_best_after_500_steps_and_copies_after_3000() -> None:
    small, short, long = budgets.recorded_budgets()["python"]
    assert short["bits"] < small["bits"] < long["bits"]
    assert long["copied"] > 0.3 and min(long["unseen"]) == long["unseen"][4] and long["curve"][-1] < 0.1
