"""Lengths: the task needs positions, all schemes start alike, and a table of positions ends where it ends."""

import pytest
import torch

from anatomy_course.lab.experiments.length_extrapolation import (
    POSITION_SCHEMES,
    length_experiment,
    neighbor_rows,
    rotary_speeds,
    share_of_right_counts,
    tiny_encoder,
    train_to_count,
)


def test_each_position_counts_its_marked_neighbors():
    tokens, counts = neighbor_rows(7, 11, torch.Generator().manual_seed(3))
    assert tokens.shape == counts.shape == (7, 11)
    for row, told in zip(tokens.tolist(), counts.tolist(), strict=True):
        by_hand = [sum(row[j] for j in (i - 1, i + 1) if 0 <= j < 11) for i in range(11)]
        assert told == by_hand


def test_schemes_start_from_the_same_numbers_and_without_positions_all_orders_of_a_row_are_one():
    models = {scheme: tiny_encoder(scheme, torch.Generator().manual_seed(5)).eval() for scheme in POSITION_SCHEMES}
    first = dict(models["none"].named_parameters())
    tokens, _ = neighbor_rows(3, 10, torch.Generator().manual_seed(0))
    order = torch.randperm(10, generator=torch.Generator().manual_seed(1))
    for scheme, model in models.items():
        other = dict(model.named_parameters())
        assert first.keys() <= other.keys() and (len(other) > len(first)) == (scheme in ("learned", "T5")), scheme
        assert all(torch.equal(first[name], other[name]) for name in first), scheme
        same = torch.allclose(model(tokens)[:, order], model(tokens[:, order]), atol=1e-5)
        assert same == (scheme == "none"), scheme


def test_a_table_refuses_longer_rows_and_the_others_answer():
    runs = {run.scheme: run for run in length_experiment(lengths=(5, 16, 17, 40), steps=10)}
    assert list(runs) == list(POSITION_SCHEMES)
    learned = runs.pop("learned")
    assert [length for length, share in learned.accuracy.items() if share is None] == [17, 40]
    assert learned.refused.startswith("The text has 40 positions, but the position table ends at 16")
    for run in runs.values():
        assert run.refused == "" and len(run.loss) == 10
        assert all(share is not None and 0 <= share <= 1 for share in run.accuracy.values())


@pytest.mark.usefixtures("unchecked")
def test_positions_are_needed_and_turned_queries_carry_on_beyond_the_trained_length():
    none, rotary = length_experiment(["none", "rotary"], lengths=(16, 24), steps=120)
    assert (none.accuracy[16] or 0) < 0.6
    assert (rotary.accuracy[16] or 0) > 0.9 and (rotary.accuracy[24] or 0) > 0.8


@pytest.mark.usefixtures("unchecked")
def test_turning_by_other_offsets_or_speeds_is_what_it_says_and_leaves_the_model_as_it_was():
    model, own = tiny_encoder("rotary", torch.Generator().manual_seed(0)), rotary_speeds()
    assert len(train_to_count(model, steps=60)) == 60
    plain = share_of_right_counts(model, 40, rows=20)
    assert plain == pytest.approx(share_of_right_counts(model, 40, rows=20, offsets=lambda offsets: offsets), abs=2e-3)
    assert plain == pytest.approx(share_of_right_counts(model, 40, rows=20, speeds=own), abs=2e-3)
    slower = share_of_right_counts(model, 40, rows=20, speeds=own / 3)
    assert slower == pytest.approx(share_of_right_counts(model, 40, rows=20, offsets=lambda each: each / 3), abs=2e-3)
    assert abs(slower - plain) > 0.01
    assert share_of_right_counts(model, 40, rows=20, sharpen=0.0) != plain
    assert share_of_right_counts(model, 40, rows=20) == plain


def test_wrong_input_gets_one_sentence():
    with pytest.raises(ValueError, match="There is no scheme 'waves'; choose from none, sinusoidal"):
        length_experiment(["waves"])
    with pytest.raises(ValueError, match="A row of 0 positions was asked for"):
        length_experiment(["none"], lengths=(4, 0))
