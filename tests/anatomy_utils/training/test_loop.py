"""The training loop: against the same loop written out, and all the ways it ends."""

import math
import signal
import warnings

import pytest
import torch
from seeds import generator
from torch import nn

from anatomy_utils.training import History, fit, linear_schedule, seeded


def line(seed=0, dropout=0.0):
    with seeded(generator(seed)):
        return nn.Sequential(nn.Linear(3, 5), nn.Dropout(dropout), nn.Linear(5, 1))


def batches(count=4, seed=0):
    inputs = torch.randn(count, 7, 3, generator=generator(seed))
    return [(x, x.sum(dim=1, keepdim=True)) for x in inputs]


def squared_error(model, batch):
    return (model(batch[0]) - batch[1]).square().mean()


def learn(model, data, loss=squared_error, **options):
    return fit(model, data, loss, progress=False, **options)


def test_fit_equals_the_loop_written_out():
    ours, theirs = line(), line()
    data, schedule = batches(), linear_schedule(0.05, steps=8, warmup=2)
    history = learn(ours, data, epochs=2, learning_rate=schedule, clip=0.7)
    optimizer = torch.optim.AdamW(theirs.parameters(), betas=(0.9, 0.98), eps=1e-9, weight_decay=0.0)
    for group in (optimizer.param_groups[0],):
        weights = [p for p in group["params"] if p.dim() == 2]
        group["params"] = [p for p in group["params"] if p.dim() == 1]
    optimizer.add_param_group({"params": weights, "weight_decay": 0.01})
    losses, norms = [], []
    for step, batch in enumerate(data * 2, start=1):
        for group in optimizer.param_groups:
            group["lr"] = schedule(step)
        optimizer.zero_grad()
        loss = squared_error(theirs, batch)
        loss.backward()
        norms.append(nn.utils.clip_grad_norm_(theirs.parameters(), 0.7).item())
        optimizer.step()
        losses.append(loss.item())
    assert history.loss == pytest.approx(losses)
    assert history.gradient_norm == pytest.approx(norms)
    assert history.learning_rate == [schedule(step) for step in range(1, 9)]
    assert max(norms) > 0.7, "nothing was clipped"
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a, b)
    assert history.stopped is None
    assert len(history) == 8
    assert history.seconds == sorted(history.seconds)


@pytest.mark.parametrize(
    ("limits", "count"),
    [({}, 4), ({"epochs": 3}, 12), ({"steps": 3}, 3), ({"steps": 9}, 9), ({"steps": 9, "epochs": 2}, 8)],
)
def test_limits(limits, count):
    assert len(learn(line(), batches(), **limits)) == count


def test_seconds_are_a_limit():
    history = learn(line(), batches(), seconds=0.05)
    assert 0.05 <= history.seconds[-1] < 10
    assert history.stopped == f"its 0.05 seconds were up after {len(history)} steps"


def test_modes_are_restored_one_by_one():
    model = line(dropout=0.5).eval()
    model[0].train()
    seen = []

    def loss(model, batch):
        seen.append([module.training for module in model.modules()])
        return squared_error(model, batch)

    learn(model, batches(1), loss)
    assert seen == [[True] * 4]
    assert [module.training for module in model.modules()] == [False, True, False, False]
    with pytest.raises(ZeroDivisionError):
        learn(model, batches(1), lambda model, batch: 1 / 0)
    assert [module.training for module in model.modules()] == [False, True, False, False]


def test_dropout_repeats_with_its_generator():
    state = torch.random.get_rng_state()
    first, second, other = (learn(line(dropout=0.5), batches(), generator=generator(seed)).loss for seed in (1, 1, 2))
    assert first == second != other
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.mark.usefixtures("keyboard")
def test_the_keyboard_keeps_what_was_learned():
    model = line()

    def on_step(history):
        if len(history) == 3:
            signal.raise_signal(signal.SIGINT)

    history = learn(model, batches(), on_step=on_step, epochs=5)
    assert history.stopped == "the keyboard ended it after 3 steps; what was learned is kept"
    wanted = line()
    learn(wanted, batches(), steps=3)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), wanted.parameters(), strict=True))
    assert all(parameter.grad is None for parameter in model.parameters())


def test_a_callback_watches_live_and_may_end_it():
    seen = []

    def on_step(history):
        seen.append(history.loss[-1])
        return len(history) == 2

    history = learn(line(), batches(), on_step=on_step)
    assert seen == history.loss
    assert history.stopped == "on_step ended it after 2 steps"


@pytest.mark.parametrize("broken", ["loss", "infinite loss", "gradient"])
def test_nan_stops_with_a_sentence_and_spares_the_weights(broken):
    model, before = line(), []

    def loss(model, batch):
        before[:] = [parameter.detach().clone() for parameter in model.parameters()]
        value = squared_error(model, batch)
        if len(seen.loss) < 2:
            return value
        if broken == "infinite loss":
            return value + math.inf  # its gradient is finite
        return value * math.nan if broken == "loss" else (value - value.detach()).sqrt()  # √0: the slope is infinite

    seen = History()

    def on_step(history):
        seen.loss = history.loss

    with pytest.warns(UserWarning, match=r"^at step 3 .* \(learning rate 0.01\).*try a lower learning rate") as caught:
        history = learn(model, batches(), loss, on_step=on_step, learning_rate=0.01)
    assert len(caught) == 1
    assert history.stopped == str(caught[0].message)
    whats = {"loss": "loss was nan", "infinite loss": "loss was inf", "gradient": "gradient's length was"}
    assert whats[broken] in history.stopped
    assert len(history) == 2
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), before, strict=True))


def test_fit_shows_a_bar_and_prints_nothing_else(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(line(), batches(), squared_error)
        shown = capsys.readouterr()
        learn(line(), batches())
    assert shown.out == ""
    assert "4/4" in shown.err
    assert "loss" in shown.err
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("options", "length"), [({}, 0.1), ({"clip": None}, None)])
def test_another_optimizer_and_a_gradient_is_shortened_to_1_when_nothing_else_is_said(options, length):
    model, before = line(), line()
    optimizer = torch.optim.SGD(model.parameters(), lr=9.0)
    history = learn(model, batches(1), optimizer=optimizer, learning_rate=0.1, **options)
    whole = history.gradient_norm[0]
    assert whole > 1
    change = nn.utils.parameters_to_vector(model.parameters()) - nn.utils.parameters_to_vector(before.parameters())
    assert change.norm().item() == pytest.approx(length or 0.1 * whole, rel=1e-4)


@pytest.mark.parametrize(
    ("data", "options", "sentence"),
    [
        ([], {}, "There is no batch in epoch 1"),
        (iter(batches()), {"epochs": 2}, "no batch in epoch 2; give a list"),
        (batches(), {"epochs": 0}, "epochs is 0, but at least 1"),
        (batches(), {"steps": 0}, "steps is 0, but at least 1"),
        (batches(), {"seconds": 0.0}, "seconds is 0.0, but it must be above 0"),
        (batches(), {"clip": -1.0}, "clip is -1.0, but it must be above 0"),
        (batches(), {"loss": lambda model, batch: model(batch[0])}, r"The loss has shape \(7, 1\).*take its mean"),
    ],
)
def test_fit_names_bad_input(data, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        learn(line(), data, **options)
