"""Predictions of notebook 07: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

SPREAD = Question(
    id="capstone.predict_spread",
    kind="prediction",
    text="MiniLM has 6 layers, 0 to 5. In layer 2, and only there, both layer norms are slightly wrong: their variance "
    "is divided by 383 instead of 384. Between this run and a healthy one, which layers' outputs differ?",
    choices=(
        Choice(
            "Layer 2 alone: all other layers are healthy",
            "Healthy layers get other numbers now, and give other numbers.",
        ),
        Choice("All six", "Layers 0 and 1 have done their work before layer 2 begins."),
        Choice(
            "Layers 2 to 5",
            "What is below the fault is exactly as it was, what is above inherits it. So the first layer that differs "
            "holds the cause, and all the others only consequences.",
            right=True,
        ),
        Choice(
            "Layers 2 and 3: the next norm brings all vectors back to the same mean and variance",
            "A norm sets mean and variance, and the difference is in neither of them alone.",
        ),
    ),
)

CURVES = Question(
    id="capstone.predict_curves",
    kind="prediction",
    text="Eight transformers, eight faults, and a healthy twin to compare them with. You see nothing but the loss in "
    "training. In how many of the eight does it end more than 0.15 away from the twin's?",
    choices=(
        Choice(
            "In all eight: a fault in a model shows in its loss",
            "A loss shows what happens in training, as training measures it.",
        ),
        Choice(
            "In three: some faults are not there in training, and others the loss cannot see",
            "In two it is too high; in one it is far too low, which looks like success. The curves of the other five "
            "look healthy.",
            right=True,
        ),
        Choice("In six", "Half of the faults only come in when the model is put to use."),
        Choice(
            "In none: gradient descent heals whatever it is given",
            "It makes the loss small that it is given. Where that loss asks for the wrong thing, or a part cannot "
            "learn, it shows.",
        ),
    ),
)

PREDICTIONS = (SPREAD, CURVES)
