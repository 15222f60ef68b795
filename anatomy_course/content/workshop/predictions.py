"""Predictions of notebook 08: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

VOCABULARY = Question(
    id="workshop.predict_vocabulary",
    kind="prediction",
    text="With a vocabulary of 1,024 tokens the corpus is about 700,000 tokens long. Now we allow four times as many, "
    "4,096. How long is it then?",
    choices=(
        Choice(
            "About a quarter as long",
            "Each further piece is rarer than those before it. Four times the vocabulary does not make pieces that "
            "are four times as long.",
        ),
        Choice("About half as long", "The frequent pieces are all among the first thousand, and they do most of it."),
        Choice(
            "About a fifth shorter",
            "The first pieces are the most frequent ones, so each further one saves less. And each costs a row of the "
            "token table.",
            right=True,
        ),
        Choice(
            "As long as before: code has few different words",
            "There are tens of thousands of names in it, and even rare ones become fewer tokens.",
        ),
    ),
)

PARAMETERS = Question(
    id="workshop.predict_parameters",
    kind="prediction",
    text="The GPT: 1,024 tokens, texts of 96 tokens, 128 features, 4 blocks with 4 heads, the inner layers 512 wide, "
    "one table for both ends. Count: how many parameters does it have?",
    choices=(
        Choice(
            "About 0.3 million",
            "The matrices of attention alone, 4 in each of 4 blocks, are 0.26 million. The feed-forward networks hold "
            "twice as many, and there are the tables.",
        ),
        Choice(
            "About 0.9 million",
            "Each block has 4 matrices of 128 × 128 and 2 of 128 × 512: 0.2 million numbers, biases and norms "
            "included; the table of tokens has 1,024 × 128 = 0.13 million.",
            right=True,
        ),
        Choice(
            "About 3 million: the heads multiply the matrices of attention",
            "Heads share the 128 features, 32 each. Their number changes no size (notebook 02).",
        ),
        Choice("About 124 million", "That is GPT-2: 12 blocks, 768 features, 50,257 tokens."),
    ),
)

PARSES = Question(
    id="workshop.predict_parses",
    kind="prediction",
    text="The model learns for about two minutes. Then it writes 100 functions, and Python's own parser reads them: "
    "one wrong bracket or one wrong indentation, and a function is rejected. How many are accepted?",
    choices=(
        Choice(
            "More than half",
            "Brackets, colons and indentation follow rules that need only a few dozen earlier tokens, and the model "
            "has seen these rules at work hundreds of thousands of times. What the functions *mean* is another matter.",
            right=True,
        ),
        Choice(
            "Hardly any: Python forgives nothing, and two minutes is next to no training",
            "Python forgives nothing, but its rules are among the first things that the model learns.",
        ),
        Choice("About a fifth", "This is about what it writes early in training."),
        Choice(
            "All of them, since it has only ever read functions that are right",
            "It has read only right ones, but each of its tokens is drawn by chance, and one slip is enough.",
        ),
    ),
)

PREDICTIONS = (VOCABULARY, PARAMETERS, PARSES)
