"""The case of notebook 08: what its tests say of the right step, of the colleague's, and of the solution."""

from __future__ import annotations

import math

import pytest
from solutions import solution

from anatomy_course.lab.debugging.colleague.training_program import (
    colleagues_step,
    healthy_step,
    overfit_one_batch,
    street_text,
    symptoms_of_training_program,
    training_trial,
)
from anatomy_course.lab.street.vocabulary import street_vocabulary

pytestmark = pytest.mark.usefixtures("unchecked")


def test_the_first_loss_and_the_gradients_are_right_in_both() -> None:
    for step in (healthy_step, colleagues_step):
        found = overfit_one_batch(step, steps=1)
        assert found.losses[0] == pytest.approx(math.log(len(street_vocabulary())), abs=0.1)
        assert found.with_gradient == found.parameters == 28


def test_one_window_tells_nothing_and_four_tell() -> None:
    assert overfit_one_batch(colleagues_step, windows=1).losses == overfit_one_batch(healthy_step, windows=1).losses
    healthy, patient = (overfit_one_batch(step) for step in (healthy_step, colleagues_step))
    assert healthy.losses[-1] < 0.05 and patient.losses[-1] < 0.05
    assert healthy.recited == 1 and patient.recited < 0.2
    assert healthy.reordered < 0.05 and patient.reordered > 3


def test_the_patient_learns_no_more_than_frequencies() -> None:
    (healthy, solved), (patient, lost) = (training_trial(step, steps=100) for step in (healthy_step, colleagues_step))
    _, counts = street_text("train").unique(return_counts=True)
    shares = counts / counts.sum()
    frequencies = -(shares * shares.log()).sum().item()
    assert healthy[-1] < 2 and solved < 2
    assert abs(patient[-1] - frequencies) < 0.3 and lost > 3


def test_the_solution_is_the_healthy_step() -> None:
    found, wanted = (overfit_one_batch(step, steps=5) for step in (solution("workshop.repair"), healthy_step))
    assert found.losses == pytest.approx(wanted.losses)


def test_the_symptoms() -> None:
    rows = [line.split()[-2:] for line in symptoms_of_training_program().text.splitlines()[2:]]
    assert len(rows) == 6 and rows[4][0] == "100%" and rows[2] == rows[3] == ["0.01", "0.01"]
