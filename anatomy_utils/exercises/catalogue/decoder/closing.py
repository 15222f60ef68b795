"""The closing questions of notebook 04: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

CLOSING = (
    Question(
        id="decoder.closing_1",
        text="A text of 15 tokens, <bos> and <eos> counted, serves once for training. How many next tokens does the "
        "model answer for?",
        choices=(
            Choice("One, the last", "Each position that is followed by another one has an answer and a label."),
            Choice("14", "All but the last token are followed by one; no position sees what it answers.", right=True),
            Choice("15", "Nothing comes after <eos>, so nothing is asked there."),
            Choice("105, one for each pair", "Pairs are what attention scores; answers are given by position."),
        ),
    ),
    Question(
        id="decoder.closing_2",
        text="A model gives each of 8 tokens the same probability, at every step. What are its loss and perplexity?",
        choices=(
            Choice("1/8 and 8", "1/8 is the probability. The loss is −log of it."),
            Choice("log 8 = 2.08, and 8", "Perplexity is e to the power of the loss.", right=True),
            Choice("8 and log 8", "These have changed places."),
            Choice("0 and 1", "So it is with a model that is always sure, and always right."),
        ),
    ),
    Question(
        id="decoder.closing_3",
        text="What is shared when weights are tied?",
        choices=(
            Choice(
                "All layers use the same matrices",
                "ALBERT does that; it has another name, sharing across layers.",
            ),
            Choice(
                "Several query heads use one head of keys and values",
                "Those are grouped queries; they make the cache smaller.",
            ),
            Choice(
                "The table that turns ids into vectors is also the last linear layer",
                "A token's logit is the dot product of the state with that token's own vector.",
                right=True,
            ),
        ),
    ),
    Question(
        id="decoder.closing_4",
        text="Probabilities are 0.5, 0.3, 0.15 and 0.05. Which tokens does top-p with p = 0.7 keep?",
        choices=(
            Choice("The first", "0.5 falls short of 0.7."),
            Choice("The first two", "0.5 falls short, 0.5 + 0.3 reaches it: the token that crosses stays.", right=True),
            Choice("The first three", "Two reach 0.7 already."),
            Choice("None: no token has 0.7", "p is what the kept ones have together, not each."),
        ),
    ),
    Question(
        id="decoder.closing_5",
        text="What is the price of the key/value cache?",
        choices=(
            Choice(
                "Memory that grows with each token of each text",
                "For every layer and every head of keys, two vectors per token.",
                right=True,
            ),
            Choice("A little accuracy", "It holds exactly what would be computed again."),
            Choice("A longer training", "In training all positions are computed at once, and none is kept."),
            Choice("More weights", "It holds what weights make of a text, not weights."),
        ),
    ),
    Question(
        id="decoder.closing_6",
        text="A language model's loss is lower than any you have ever seen, and its texts are nonsense. What do you "
        "look at first?",
        choices=(
            Choice(
                "Whether it was trained long enough",
                "Too little training leaves the loss high.",
            ),
            Choice("The temperature", "It can spoil texts, but the loss knows nothing of it."),
            Choice(
                "Whether the test sentences were in training too",
                "Then the loss would be too good, but what it has learned by heart it could write.",
            ),
            Choice(
                "Whether a position can see its own answer: mask and shift",
                "What cannot be seen in writing must not be seen in training.",
                right=True,
            ),
        ),
    ),
)
