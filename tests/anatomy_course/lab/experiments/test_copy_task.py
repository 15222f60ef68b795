"""Copying: what is asked for, two models of one size, and one LSTM however its steps are called."""

import pytest
import torch

from anatomy_course.lab.experiments import copy_task


def test_rows_ask_for_what_they_begin_with():
    read, said = copy_task.copying_rows(3, 5, torch.Generator().manual_seed(1))
    assert read.shape == (3, 4 + 5 + 4) and torch.equal(read[:, :4], said)
    assert (read[:, 4:9] == copy_task.NOTHING).all() and (read[:, 9:] == copy_task.ASKED).all()


def test_the_two_kinds_are_of_one_size_and_neither_looks_further_than_where_it_is():
    ids = copy_task.copying_rows(2, 3, torch.Generator().manual_seed(0))[0]
    other = ids.clone()
    other[:, 6] = 1
    models = [copy_task.new_copier(kind) for kind in copy_task.KINDS]
    for model in models:
        with torch.no_grad():
            before, after = model(ids), model(other)
        assert torch.allclose(before[:, :6], after[:, :6], atol=1e-6)
        assert not torch.allclose(before[:, 6:], after[:, 6:])
    sizes = [sum(p.numel() for p in model.parameters()) for model in models]
    assert abs(sizes[0] / sizes[1] - 1) < 0.05


def test_step_by_step_the_lstm_says_the_same():
    model = copy_task.LSTMCopier()
    ids = copy_task.copying_rows(3, 7, torch.Generator().manual_seed(0))[0]
    assert torch.allclose(model(ids), model.step_by_step(ids), atol=1e-6)


def test_the_transformer_copies_over_a_distance_at_which_an_lstm_needs_open_gates():
    shares = copy_task.copying_experiment([12], steps=60)
    assert list(shares) == list(copy_task.RUNS)
    (attentive,), (short,), (patient,), (opened,) = shares.values()
    assert attentive > 0.9 and short < 0.3 and patient < 0.3 and opened > patient + 0.3
    with pytest.raises(ValueError, match="-2 tokens"):
        copy_task.copying_experiment([1, -2])


def test_times_are_measured_for_every_length():
    times = copy_task.reading_times([9, 13], rounds=1)
    assert set(times) == {"Transformer", "LSTM, one call a step", "LSTM, one call"}
    assert all(len(each) == 2 and min(each) > 0 for each in times.values())
