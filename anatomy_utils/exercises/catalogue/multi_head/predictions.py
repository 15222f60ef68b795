"""Predictions of notebook 02: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

PARAMETERS = Question(
    id="multi_head.predict_parameters",
    kind="prediction",
    text="d_model is 512. The same attention with 1 head, with 8, with 64: how does its number of parameters change?",
    choices=(
        Choice("It grows with the heads: every head has its own W_Q, W_K and W_V.", "It has, but of its own width."),
        Choice(
            "It stays the same.",
            "More heads are narrower heads. Side by side their matrices are always 512 wide, and W_O is 512 × 512.",
            right=True,
        ),
        Choice("It falls: narrower heads need fewer numbers.", "Each head does, but there are more of them."),
    ),
)

HEAD_OFF = Question(
    id="multi_head.predict_head_off",
    kind="prediction",
    text="Layer 3, head 1 sends *it* to *animal*. You switch this one head off and run the sentence again. How much "
    "does the encoder's last vector of *it* change? (Cosine similarity with what it was.)",
    choices=(
        Choice(
            "A lot: below 0.7. The encoder no longer knows what *it* is.",
            "Where a head looks is one thing. What the other 71 and the word's own vector carry is another.",
        ),
        Choice("Clearly: 0.7 to 0.95.", "One head of the last layer does that much, but not this one."),
        Choice("A little: 0.95 to 0.99.", "Less than that, even."),
        Choice(
            "Hardly: above 0.99.",
            "A head adds one term among many to a vector that goes past attention anyway. The picture of its "
            "weights did not tell that.",
            right=True,
        ),
    ),
)

SHARING = Question(
    id="multi_head.predict_sharing",
    kind="prediction",
    text="A layer with 9 query heads keeps 3 heads of keys and values in place of 9. What is left of the keys and "
    "values that it must remember per word, and of its parameters?",
    choices=(
        Choice(
            "A third of both.",
            "The remembered numbers, yes. But two of the four matrices have not changed at all.",
        ),
        Choice(
            "A third of what it remembers, two thirds of its parameters.",
            "W_K and W_V shrink to a third, W_Q and W_O stay: (1 + 1 + ⅓ + ⅓) / 4 is two thirds.",
            right=True,
        ),
        Choice(
            "A third of what it remembers, all of its parameters.",
            "Fewer heads of keys and values need smaller matrices to make them.",
        ),
        Choice(
            "All of what it remembers: nine query heads need nine keys.",
            "They do while they compute, but copies need not be kept: three are remembered.",
        ),
    ),
)

SCRAMBLED = Question(
    id="multi_head.predict_scrambled",
    kind="prediction",
    text="A colleague's attention in heads gives other numbers than ours, in the same shapes. A small tagger is "
    "trained with it from the start. What happens?",
    choices=(
        Choice("It crashes: the shapes do not fit.", "They do fit, at every step."),
        Choice("It runs, but the loss does not fall.", "It does: much can be learnt without what is broken here."),
        Choice(
            "It learns as well as the healthy one; it only numbers its features differently.",
            "Training would make up for features in another order. Something else is broken here.",
        ),
        Choice(
            "The loss falls and most labels are right, but something is not learnt.",
            "Nearly all words are labelled rightly, but *it* is not: its label depends on a word further on in the "
            "sentence.",
            right=True,
        ),
    ),
)

PREDICTIONS = (PARAMETERS, HEAD_OFF, SHARING, SCRAMBLED)
