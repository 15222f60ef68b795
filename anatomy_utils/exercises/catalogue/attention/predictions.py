"""Predictions of notebook 01: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

VARIANCE = Question(
    id="attention.predict_variance",
    kind="prediction",
    text="Random queries and keys, scores not divided by anything. d_head grows from 4 to 256. What happens "
    "to the largest weight of a row?",
    choices=(
        Choice(
            "It stays about the same.",
            "That would be so if the scores kept their spread. But each one is a sum of d_head products.",
        ),
        Choice(
            "It falls towards an even share.", "The other way round: the scores drift apart, they do not draw together."
        ),
        Choice(
            "It rises towards 1.",
            "The scores' variance grows with d_head, and softmax of numbers far apart gives nearly all to one.",
            right=True,
        ),
    ),
)

SHUFFLE = Question(
    id="attention.predict_shuffle",
    kind="prediction",
    text="You shuffle the words of a sentence and run attention again, with no positions added. What happens "
    "to the outputs?",
    choices=(
        Choice(
            "Each word gets the very same vector as before; only their order is shuffled.",
            "A weighted average does not ask in which order its terms stand. Attention alone sees a bag of "
            "words, not a sentence.",
            right=True,
        ),
        Choice(
            "Every word gets a new vector, because its neighbours are others now.",
            "Attention knows no neighbours. All words are equally near, and the same words are still there.",
        ),
        Choice(
            "Nothing at all changes, not even the order.",
            "Row i of the output belongs to word i of the input. When the words move, their rows move with them.",
        ),
    ),
)

APPLE = Question(
    id="attention.predict_apple",
    kind="prediction",
    text='"I ate an apple and a pear for breakfast." The encoder has six layers. '
    "From which layer on is this apple nearer to *banana* than to *microsoft*?",
    choices=(
        Choice(
            "From the table on, before any layer.",
            "The table has one row for both apples, and that row is nearer to *microsoft*.",
        ),
        Choice("From the first layer on.", "One layer is enough, and it stays on that side to the last.", right=True),
        Choice("From about the middle on.", "By then the gap is wide, but it changed sides earlier."),
        Choice("Only from the last on.", "It is still on that side there, but it had been for five layers."),
    ),
)

PREDICTIONS = (VARIANCE, SHUFFLE, APPLE)
