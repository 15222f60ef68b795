"""The closing questions of notebook 02: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

CLOSING = (
    Question(
        id="multi_head.closing_1",
        text="vectors is (2, 10, 512), and there are 8 heads. What is the shape after the split, and what does "
        "heads[0, 3, 5] hold?",
        choices=(
            Choice(
                "(2, 8, 10, 64); features 192 to 255 of word 5 of the first sentence",
                "Sentence 0, head 3, position 5, all counted from 0. Head 3 begins at feature 3 · 64.",
                right=True,
            ),
            Choice(
                "(2, 10, 8, 64); features 320 to 383 of word 3 of the first sentence",
                "That is the shape before the axes change places; attention would then compare heads, not words.",
            ),
            Choice(
                "(2, 8, 64, 10); feature 5 of head 3 for all words",
                "Rows must be positions, or attention would compare features.",
            ),
            Choice(
                "(2, 8, 10, 64); features 3, 11, 19 … of word 5 of the first sentence",
                "The shape is right, but the features of a head are neighbours.",
            ),
        ),
    ),
    Question(
        id="multi_head.closing_2",
        text="d_model is 512. Instead of 8 heads of 64 you take 16 of 32, for a text of 100 tokens. What grows?",
        choices=(
            Choice("The number of parameters", "Four matrices of 512 × 512, however they are cut."),
            Choice("The shape of the output", "It stays (batch, 100, 512)."),
            Choice(
                "The number of weights: 16 tables of 100 × 100 in place of 8",
                "Every head has a table of its own, however narrow it is.",
                right=True,
            ),
            Choice("What the scores are divided by", "It falls, from √64 = 8 to √32."),
        ),
    ),
    Question(
        id="multi_head.closing_3",
        text="Why is the output of multi-head attention a sum over its heads?",
        choices=(
            Choice(
                "Because the heads' contexts are added before W_O",
                "They stand side by side before W_O, each in its own place.",
            ),
            Choice(
                "Because each head's softmax is added up",
                "Each head has weights of its own; they never meet those of another.",
            ),
            Choice(
                "Because each head's features meet their own rows of W_O, and all these terms are added",
                "That is also why switching a head off takes exactly its own term away.",
                right=True,
            ),
        ),
    ),
    Question(
        id="multi_head.closing_4",
        text="In cross-attention there are 5 hidden states and a memory of 7 vectors. How many vectors come out?",
        choices=(
            Choice("7", "The memory is asked; it gets no answers itself."),
            Choice("12", "Those who ask and those who are asked are not joined."),
            Choice("35", "So many weights there are in each head: one for each pair."),
            Choice("5", "One for each vector that asks, made of the memory's values.", right=True),
        ),
    ),
    Question(
        id="multi_head.closing_5",
        text="A picture shows that a head looks from *it* to *animal*. What follows?",
        choices=(
            Choice(
                "That the model needs this head to understand *it*",
                "Two heads look there: without head 1 of layer 3 the last vector of "
                "*it* hardly moved, without head 11 of layer 5 "
                "it moved most of all. The picture did not tell which.",
            ),
            Choice(
                "That *animal*'s value has a large weight in what this head gives to *it*, and no more",
                "Whether anything later depends on it must be tried, by switching the head off.",
                right=True,
            ),
            Choice(
                "That the other heads look elsewhere",
                "Several heads may look at the same word: head 1 of layer 3 and head 11 of layer 5 do.",
            ),
        ),
    ),
    Question(
        id="multi_head.closing_6",
        text="What is the point of fewer heads of keys and values than of queries?",
        choices=(
            Choice(
                "A decoder that writes has fewer keys and values to keep and to read for each word",
                "Each group of query heads shares one; the queries stay as many as before.",
                right=True,
            ),
            Choice(
                "There are fewer weights to compute in the softmax",
                "Every query head still has weights of its own: as many tables as before.",
            ),
            Choice(
                "The heads can then differ more",
                "The other way round: query heads of one group share keys and values; only their queries and "
                "their rows of W_O are their own.",
            ),
        ),
    ),
)
