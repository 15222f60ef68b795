"""The closing questions of notebook 02: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

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
                "The shape is right, but the features of a head are neighbors.",
            ),
        ),
    ),
    Question(
        id="multi_head.closing_2",
        text="d_model is 512 and a text has 100 tokens. You replace 8 heads of width 64 with 16 of width 32. "
        "What grows?",
        choices=(
            Choice("The number of parameters", "It is four matrices of 512 × 512, however they are cut."),
            Choice("The shape of the output", "It stays (batch, 100, 512)."),
            Choice(
                "The attention weights: 16 tables of 100 × 100 instead of 8",
                "Every head has its own table, however narrow the head is.",
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
                "Because the heads' contexts are added, feature by feature, before they meet W_O",
                "Before W_O they are side by side, each in its own place.",
            ),
            Choice(
                "Because each head's softmax is added up",
                "Each head has its own softmax; it never meets that of another.",
            ),
            Choice(
                "Because each head meets its own rows of W_O, and the results are added",
                "That is also why switching off a head removes exactly its own term.",
                right=True,
            ),
        ),
    ),
    Question(
        id="multi_head.closing_4",
        text="In the encoder of this notebook, a head gives 0.9 of its weight to `[CLS]`, averaged over a sentence. "
        "What does it add to the words' vectors?",
        choices=(
            Choice(
                "Mostly the value of [CLS], a vector that sums up the whole sentence",
                "In the heads that look at [CLS] most, its value is close to zero; nine tenths of that are still close "
                "to zero.",
            ),
            Choice("As much as any other head: weights sum to 1", "The weights do. The values they meet differ."),
            Choice("Nothing at all: the softmax leaves out [CLS]", "The softmax gave it 0.9."),
            Choice(
                "Little: nine tenths of its weight bring almost nothing",
                "It is a way to stay silent. A softmax must give its weight to something. How little depends on the "
                "values that the last tenth meets.",
                right=True,
            ),
        ),
    ),
    Question(
        id="multi_head.closing_5",
        text="A picture shows that a head looks from *it* to *animal*. What follows?",
        choices=(
            Choice(
                "That the model needs this head to understand *it*",
                "Two heads look there with two thirds of their weight. Without head 1 of layer 3 the last vector of "
                "*it* hardly moved; without head 11 of layer 5 it moved most of all. The picture did not tell which.",
            ),
            Choice(
                "That *animal* has a large weight in what this head adds to *it*, no more",
                "How long *animal*'s value is, and whether anything later depends on it, must be measured.",
                right=True,
            ),
            Choice(
                "That the other heads, or at least those of the same layer, look at other words",
                "Nothing divides the words among the heads: head 1 of layer 3 and head 11 of layer 5 look at the same "
                "word.",
            ),
        ),
    ),
    Question(
        id="multi_head.closing_6",
        text="Before training, all 8 heads of a layer get the same random numbers: equal projections, equal rows of "
        "W_O. What do 300 training steps make of them?",
        choices=(
            Choice(
                "They stay equal: one head, eight times",
                "Equal heads compute the same, get the same gradients, and take the same steps. That is why each head "
                "starts with random numbers of its own.",
                right=True,
            ),
            Choice("They part, because each head sees other words", "Every head sees every word."),
            Choice(
                "They part, because the optimizer treats each matrix by itself",
                "It does, but equal matrices with equal gradients take equal steps.",
            ),
            Choice("The loss does not fall", "It falls, as far as it can with a single narrow head."),
        ),
    ),
)
