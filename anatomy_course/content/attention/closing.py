"""The closing questions of notebook 01: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

CLOSING = (
    Question(
        id="attention.closing_1",
        text="query is (5, 64) and key is (7, 64). What is the shape of the weights, and what sums to 1?",
        choices=(
            Choice("(7, 5), each column sums to 1", "There is one row per query, and there are 5 queries."),
            Choice(
                "(5, 7), each column sums to 1",
                "The shape is right. But it is each query that shares out its weight; a key may be popular or ignored.",
            ),
            Choice(
                "(64, 64), everything sums to 1",
                "The 64 features are summed over in the dot product; they are gone from the scores.",
            ),
            Choice(
                "(5, 7), each row sums to 1",
                "One row per query, one weight per key, and each query shares out exactly 1.",
                right=True,
            ),
        ),
    ),
    Question(
        id="attention.closing_2",
        text="You add the same vector c to every key of a sentence. What happens to the weights of one query?",
        choices=(
            Choice(
                "They become sharper",
                "That takes a factor: doubled keys double the differences between scores. A sum leaves the "
                "differences as they are.",
            ),
            Choice(
                "They move to the keys that are similar to c",
                "c meets the query, not the other keys: every score of the row grows by the same number q · c.",
            ),
            Choice(
                "They become more even",
                "The differences between the scores would have to shrink. Each score grows by q · c, so they stay.",
            ),
            Choice(
                "They stay as they are",
                "Each score of the row grows by the same number q · c, and the softmax does not notice.",
                right=True,
            ),
        ),
    ),
    Question(
        id="attention.closing_3",
        text="An attention without biases begins its training with W_Q = 0: every number in it is 0. What are the "
        "weights in the first step?",
        choices=(
            Choice("All 0", "The scores are all 0. But e⁰ is 1, and the softmax makes each row sum to 1."),
            Choice(
                "All equal",
                "Every query is 0, so every score is 0, and equal scores share the weight evenly.",
                right=True,
            ),
            Choice("NaN, because 0 is divided by 0", "The softmax divides e⁰ = 1 by the number of keys."),
            Choice(
                "Random, because W_K still is",
                "The keys are random, but each is multiplied by a query that is 0.",
            ),
        ),
    ),
    Question(
        id="attention.closing_4",
        text="A text is padded at its front, and a causal mask and a padding mask both hold. What may the first [PAD] "
        "attend to, and what are its weights?",
        choices=(
            Choice(
                "To itself, with weight 1",
                "The causal mask would let it. But it is padding, and the padding mask closes that key.",
            ),
            Choice(
                "To nothing; all its weights are 0",
                "The causal mask leaves the first [PAD] only its own key, and the padding mask closes that one. A row "
                "with nothing to attend to gives nothing.",
                right=True,
            ),
            Choice(
                "To the real words after it, with even weights",
                "The causal mask closes everything after it. A large negative number in place of −∞ would give even "
                "weights.",
            ),
            Choice(
                "To nothing; its weights are NaN, as 0 divided by 0 must be",
                "That is what −∞ in a plain softmax gives. One NaN spreads, so an empty row is made 0.",
            ),
        ),
    ),
    Question(
        id="attention.closing_5",
        text="A text gets twice as long, and the layer gets half as many heads. How many weights does the layer "
        "compute now?",
        choices=(
            Choice(
                "As many as before",
                "Half as many heads halve the number of weights. But twice the words make four times as many.",
            ),
            Choice(
                "Twice as many",
                "One weight for each pair of words: four times as many per head, and half as many heads.",
                right=True,
            ),
            Choice("Four times as many", "That is right for each head. But there are half as many of them."),
        ),
    ),
)
