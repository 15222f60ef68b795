"""Training: losses and schedules by hand and against torch and transformers; the loop, and all the ways it ends."""

import math
import signal
import warnings

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional as F

from anatomy_utils.training import (
    IGNORE,
    History,
    adamw,
    cosine_schedule,
    cross_entropy,
    fit,
    labels_of,
    linear_schedule,
    next_token_pair,
    paper_schedule,
    seeded,
    shift_right,
)
from anatomy_utils.training.losses import soft_loss

SEEDS = st.integers(0, 10_000)


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


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


# ---- losses ----


def test_cross_entropy_by_hand():
    logits = torch.tensor([[0.5, 0.25, 0.25], [0.125, 0.125, 0.75]]).log()
    plain = cross_entropy(logits, torch.tensor([0, 1]))
    torch.testing.assert_close(plain.item(), (math.log(2) + math.log(8)) / 2)
    smooth = cross_entropy(logits[:1], torch.tensor([0]), label_smoothing=0.3)
    torch.testing.assert_close(smooth.item(), 0.7 * math.log(2) + 0.3 * (math.log(2) + 2 * math.log(4)) / 3)


@given(SEEDS, st.floats(0.0, 0.9))
def test_cross_entropy_equals_the_formula_and_torch(seed, smoothing):
    logits = 3 * torch.randn(2, 5, 7, generator=generator(seed))
    labels = torch.randint(0, 7, (2, 5), generator=generator(seed))
    labels[0, 2:] = IGNORE
    logs = logits.log_softmax(-1)
    per_token = (1 - smoothing) * -logs.gather(2, labels.clamp(min=0)[..., None])[..., 0] + smoothing * -logs.mean(-1)
    wanted = per_token[labels != IGNORE].mean()
    ours = cross_entropy(logits, labels, label_smoothing=smoothing)
    torch.testing.assert_close(ours, wanted)
    theirs = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=IGNORE, label_smoothing=smoothing)
    torch.testing.assert_close(ours, theirs)


def test_positions_that_do_not_count_have_no_gradient():
    logits = torch.randn(3, 4, generator=generator()).requires_grad_()
    cross_entropy(logits, torch.tensor([1, 9, 2]), ignore=9, label_smoothing=0.1).backward()
    assert logits.grad[1].abs().max() == 0
    assert logits.grad[0].abs().max() > 0


@pytest.mark.parametrize(
    ("labels", "options", "sentence"),
    [
        ([1, 4], {}, "labels run from 1 to 4, but the logits are for ids from 0 to 3; mark padding with -100"),
        ([-1, 0], {}, "labels run from -1 to 0"),
        ([IGNORE, IGNORE], {}, "All 2 labels are -100"),
        ([0, 1], {"label_smoothing": 1.0}, "label_smoothing is 1.0, but it must be at least 0 and below 1"),
    ],
)
def test_cross_entropy_names_bad_input(labels, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        cross_entropy(torch.zeros(2, 4), torch.tensor(labels), **options)


def test_temperature_leaves_the_gradients_of_the_soft_loss_their_size():
    teacher, sizes = torch.randn(11, 5, generator=generator(3), dtype=torch.float64), []
    for temperature in (20.0, 40.0):
        student = torch.randn(11, 5, generator=generator(4), dtype=torch.float64).requires_grad_()
        soft_loss(student, teacher, temperature).backward()
        sizes.append(student.grad.norm())
    torch.testing.assert_close(sizes[0], sizes[1], rtol=0.05, atol=0)


# ---- teacher forcing ----


def test_shift_right_equals_hugging_face():
    from transformers.models.bart.modeling_bart import shift_tokens_right

    labels = torch.tensor([[5, 6, 7, 1], [8, 1, IGNORE, IGNORE]])
    wanted = shift_tokens_right(labels, pad_token_id=3, decoder_start_token_id=2)
    assert shift_right(labels, 2, pad_id=3).tolist() == wanted.tolist() == [[2, 5, 6, 7], [2, 8, 1, 3]]
    assert labels[1, 2] == IGNORE, "the labels were changed in place"


def test_next_token_pair_ignores_padding():
    ids, mask = torch.tensor([[5, 6, 7], [8, 9, 0]]), torch.tensor([[1, 1, 1], [1, 1, 0]])
    inputs, labels = next_token_pair(ids, mask)
    assert inputs.tolist() == [[5, 6], [8, 9]]
    assert labels.tolist() == [[6, 7], [9, IGNORE]]
    assert labels_of(ids).tolist() == ids.tolist()
    with pytest.raises(ValueError, match="Texts of 1 positions have no next token"):
        next_token_pair(ids[:, :1])


def test_the_pair_of_a_text_gives_the_loss_of_hugging_face():
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=11, n_positions=8, n_embd=6, n_layer=1, n_head=2)).eval()
    ids, mask = torch.randint(0, 11, (3, 5), generator=generator()), torch.ones(3, 5, dtype=torch.long)
    mask[1, 3:] = 0
    inputs, labels = next_token_pair(ids, mask)
    ours = cross_entropy(model(inputs, attention_mask=mask[:, :-1]).logits, labels)
    torch.testing.assert_close(ours, model(ids, attention_mask=mask, labels=labels_of(ids, mask)).loss)


# ---- schedules ----


def test_paper_schedule_by_hand():
    schedule = paper_schedule(512, warmup=4000)
    assert schedule(4000) == pytest.approx(512**-0.5 * 4000**-0.5)
    assert schedule(1) == pytest.approx(schedule(4000) / 4000)
    assert schedule(16_000) == pytest.approx(schedule(4000) / 2)
    assert paper_schedule(512, scale=2.0)(77) == pytest.approx(2 * schedule(77))


@pytest.mark.parametrize(("ours", "theirs"), [(linear_schedule, "linear"), (cosine_schedule, "cosine")])
@pytest.mark.parametrize("warmup", [0, 3])
def test_schedules_equal_hugging_face(ours, theirs, warmup):
    from transformers import get_scheduler

    optimizer = torch.optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.5)
    reference = get_scheduler(theirs, optimizer, num_warmup_steps=warmup, num_training_steps=17)
    schedule = ours(0.5, steps=17, warmup=warmup)
    for step in range(1, 20):  # theirs begins with a step of rate 0, ours with the first rate above it
        optimizer.step()
        reference.step()
        if step <= 17:
            assert schedule(step) == pytest.approx(optimizer.param_groups[0]["lr"]), step
        else:
            assert schedule(step) == pytest.approx(0)


def test_schedules_end_where_they_are_told_and_name_bad_numbers():
    assert [linear_schedule(1.0, steps=4, end=0.5)(step) for step in (4, 99)] == [0.5, 0.5]
    assert cosine_schedule(1.0, steps=4, end=0.5)(2) == pytest.approx(0.75)
    with pytest.raises(ValueError, match="warmup is 9 of 9 steps"):
        linear_schedule(1.0, steps=9, warmup=9)
    with pytest.raises(ValueError, match="warmup is 0 steps"):
        paper_schedule(8, warmup=0)


# ---- optimizer and chance ----


def test_adamw_is_fused_and_spares_biases_and_norms():
    model = nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3))
    model[0].requires_grad_(True)
    decayed, spared = adamw(model, weight_decay=0.2).param_groups
    assert (decayed["weight_decay"], [p.dim() for p in decayed["params"]]) == (0.2, [2])
    assert (spared["weight_decay"], [p.dim() for p in spared["params"]]) == (0.0, [1, 1, 1])
    assert decayed["fused"] is True
    with pytest.raises(ValueError, match="no parameter that wants a gradient"):
        adamw(model.requires_grad_(False))


def test_adamw_without_a_fused_form(monkeypatch):
    kind = torch.optim.AdamW

    def without(*args, fused=False, **options):
        if fused:
            raise RuntimeError("no fused form on this device")
        return kind(*args, **options)

    monkeypatch.setattr(torch.optim, "AdamW", without)
    assert not adamw(line()).param_groups[0]["fused"]


def test_seeded_repeats_and_gives_back():
    torch.manual_seed(1)
    state = torch.random.get_rng_state()
    source = generator(3)
    with seeded(source):
        first = torch.rand(2)
    with seeded(source):
        second = torch.rand(2)
    with seeded(generator(3)):
        again = torch.rand(2)
    assert torch.equal(first, again)
    assert not torch.equal(first, second)
    assert torch.equal(torch.random.get_rng_state(), state)
    with pytest.raises(KeyError), seeded(generator(3)):
        raise KeyError
    assert torch.equal(torch.random.get_rng_state(), state)
    with seeded(None):
        torch.rand(1)
    assert not torch.equal(torch.random.get_rng_state(), state)


# ---- the loop ----


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


def test_fit_learns():
    history = learn(line(), batches(), steps=400, learning_rate=0.02)
    assert history.loss[-1] < 0.01 * history.loss[0]
    assert repr(history).startswith("History(400 steps in ")
    assert repr(History()) == "History(0 steps)"


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


@pytest.fixture
def keyboard():
    """Tests that run in the background inherit a keyboard that is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("keyboard")
def test_the_keyboard_keeps_what_was_learnt():
    model = line()

    def on_step(history):
        if len(history) == 3:
            signal.raise_signal(signal.SIGINT)

    history = learn(model, batches(), on_step=on_step, epochs=5)
    assert history.stopped == "the keyboard ended it after 3 steps; what was learnt is kept"
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


def test_another_optimizer_and_no_clipping():
    model, wanted = line(), line()
    history = learn(
        model, batches(1), optimizer=torch.optim.SGD(model.parameters(), lr=9.0), clip=None, learning_rate=0.1
    )
    squared_error(wanted, batches(1)[0]).backward()
    assert history.gradient_norm[0] > 1
    for ours, theirs in zip(model.parameters(), wanted.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs - 0.1 * theirs.grad)


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
