"""The closing questions of notebook 01: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

CLOSING = (
    Question(
        id="attention.closing_1",
        text="query is (5, 64) and key is (7, 64). What is the shape of the weights, and which axis sums to 1?",
        choices=(
            Choice("(7, 5), each column sums to 1", "There is one row per query, and there are 5 queries."),
            Choice(
                "(5, 7), each row sums to 1",
                "One row per query, one weight per key, and each query shares out exactly 1.",
                right=True,
            ),
            Choice(
                "(5, 7), each column sums to 1",
                "The shape is right. But it is each query that shares out its weight; a key may be popular or ignored.",
            ),
            Choice(
                "(64, 64), everything sums to 1",
                "The 64 features are summed over in the dot product; they are gone from the scores.",
            ),
        ),
    ),
    Question(
        id="attention.closing_2",
        text="Which of query, key and value never reaches the output with its own numbers, but only through "
        "the weights?",
        choices=(
            Choice("Only the value", "The other way round: the output is an average of the values' own numbers."),
            Choice(
                "Query and key",
                "They meet in the scores and decide the weights. What is averaged are the values.",
                right=True,
            ),
            Choice("All three", "The values do reach it: the output is their weighted average."),
        ),
    ),
    Question(
        id="attention.closing_3",
        text="d_head is 64. By what are the scores divided?",
        choices=(
            Choice(
                "64", "That is d_head itself. The spread of a dot product grows with its root, so its root is enough."
            ),
            Choice("8", "√64.", right=True),
            Choice("512", "That is d_model of the 2017 paper. What counts is how many products one dot product sums."),
            Choice(
                "The number of words",
                "That was the patient's fault: its weights changed with the length of the sentence.",
            ),
        ),
    ),
    Question(
        id="attention.closing_4",
        text="A row of a mask allows nothing at all. What should its row of weights be?",
        choices=(
            Choice("All 0", "There is nothing to average, so nothing is taken from anywhere.", right=True),
            Choice(
                "All equal",
                "That is what a very large negative number in place of −∞ gives: it attends to what was forbidden.",
            ),
            Choice(
                "NaN", "That is what −∞ alone gives, as 0/0. One NaN spreads to everything that is computed from it."
            ),
        ),
    ),
    Question(
        id="attention.closing_5",
        text="A sentence gets twice as long. How many weights does one attention compute now?",
        choices=(
            Choice("Twice as many", "The rows double, and so do the columns."),
            Choice(
                "Four times as many",
                "One weight for each pair of words, n² in all. That is the price of attention.",
                right=True,
            ),
            Choice("As many as before", "Every query weighs every key, so the table grows with the sentence."),
        ),
    ),
)
