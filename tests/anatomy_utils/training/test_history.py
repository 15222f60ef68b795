"""The history: one number of each kind per step, and a line that sums it up."""

from anatomy_utils.training import History


def test_steps_are_noted_and_summed_up():
    history = History()
    history.add(loss=2.5, learning_rate=0.1, gradient_norm=7.0, seconds=0.25)
    history.add(loss=1.25, learning_rate=0.2, gradient_norm=3.0, seconds=1.5)
    history.add(loss=0.5, learning_rate=0.3, gradient_norm=4.0, seconds=2.75)
    assert len(history) == 3
    assert (history.loss, history.learning_rate) == ([2.5, 1.25, 0.5], [0.1, 0.2, 0.3])
    assert (history.gradient_norm, history.seconds) == ([7.0, 3.0, 4.0], [0.25, 1.5, 2.75])
    assert repr(history) == "History(3 steps in 2.8 s, loss 2.500 → 0.500)"
    history.stopped = "on_step ended it after 3 steps"
    assert repr(history) == "History(3 steps in 2.8 s, loss 2.500 → 0.500; on_step ended it after 3 steps)"


def test_histories_share_nothing_and_say_why_nothing_was_learnt():
    History().add(loss=1.0, learning_rate=0.1, gradient_norm=1.0, seconds=1.0)
    assert repr(History(stopped="at step 1 the loss was nan")) == "History(0 steps; at step 1 the loss was nan)"
