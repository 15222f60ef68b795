"""Predictions of notebook 07: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

ROUNDING = Question(
    id="capstone.predict_rounding",
    kind="prediction",
    text="Every one of your functions is right. All of them run at once through the six layers of MiniLM. How far is "
    "the model's output from the original's, at most?",
    choices=(
        Choice(
            "Exactly 0: equal formulas give equal numbers",
            "On paper they do. On a computer a + (b + c) and (a + b) + c differ in the last digit.",
        ),
        Choice(
            "By less than 0.0001, but not 0",
            "Numbers with seven digits are rounded at every step, and a sum in another order is rounded differently. "
            "The organs and the model's own code do not do every sum in the same order.",
            right=True,
        ),
        Choice(
            "By about 0.01: each of the layers makes the rounding errors of the one below ten times larger",
            "Each layer adds a little rounding, and its norms keep the size of the vectors. Nothing multiplies the "
            "errors by ten.",
        ),
    ),
)

SPREAD = Question(
    id="capstone.predict_spread",
    kind="prediction",
    text="MiniLM has 6 layers, 0 to 5. In layer 2, and only there, both layer norms are slightly wrong: their variance "
    "is divided by 383 instead of 384. Between this run and a healthy one, which layers' outputs differ?",
    choices=(
        Choice(
            "Layer 2 alone: all other layers are healthy",
            "Healthy layers are given other numbers now, and so they give other numbers.",
        ),
        Choice("All six", "Layers 0 and 1 have done their work before layer 2 begins."),
        Choice(
            "Layers 2 to 5",
            "What comes before the fault is exactly as it was, and everything after it inherits the fault. Only one "
            "layer is wrong here, so the first that differs holds the cause, and the others show only consequences.",
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
    text="Eight Transformers, eight faults, and a healthy twin to compare them with. You see nothing but the loss in "
    "training. For how many of the eight does it end more than 0.15 away from the twin's?",
    choices=(
        Choice(
            "All eight: a fault in a model shows in its loss",
            "A loss shows what happens in training, as training measures it. Half of the faults come in later.",
        ),
        Choice(
            "Three: most of these faults hardly move the training loss",
            "For two it is too high; for one it is far too low, which looks like success. The other five end within "
            "0.15: four about where the twin does, and Ada a little above the twin.",
            right=True,
        ),
        Choice("Six", "Half of the faults come in only when the model is put to use."),
        Choice(
            "None: gradient descent adapts to whatever it is given, faults included",
            "It makes the loss small that it is given. Where that loss asks for the wrong thing, or a part cannot "
            "learn, it shows.",
        ),
    ),
)

PREDICTIONS = (ROUNDING, SPREAD, CURVES)
