"""Questions of notebook 01, each with a reason for every wrong choice."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

SAME_COLOR = Question(
    id="attention.same_color",
    text="Suppose one street breaks the rule: all four things on it are red. The question is what color the bus is. "
    "What do W_Q and W_K learn from this street?",
    choices=(
        Choice(
            "Nothing worth keeping, whatever the weights are",
            "Once W_V passes on the color, all four values are nearly the same. Then their average is nearly the same "
            "whatever the weights. Looking elsewhere hardly changes the loss, and W_Q and W_K get hardly any gradient.",
            right=True,
        ),
        Choice(
            "To look at the bus",
            "Looking at the bus gains nothing here: the car, the bike and the van give the same answer.",
        ),
        Choice(
            "To look at all four things evenly",
            "With even weights the answer is right, but so it is with any others. Nothing pulls the weights toward "
            "being even.",
        ),
        Choice(
            "That a key should be made from the color, as that is what gets asked for",
            "A key made from the color could not be found by a question that names the thing. This street does not "
            "reward such a key either.",
        ),
    ),
)

WHY_SCALE = Question(
    id="attention.why_scale",
    text="A model's d_head grows from 64 to 256, and somebody forgets to change the divisor, which stays √64 = 8. "
    "Queries and keys are random as above. What is the variance of the scores now?",
    choices=(
        Choice("1", "That needs the divisor √256 = 16. With 8 the scores are twice as large."),
        Choice(
            "2",
            "The scores are twice as large as they should be, so 2 is their standard deviation; the variance is its "
            "square.",
        ),
        Choice(
            "4",
            "The dot products have variance 256, and dividing them by 8 divides their variance by 64. The softmax "
            "becomes sharper than it was.",
            right=True,
        ),
        Choice("16", "√256 = 16 is the divisor that would bring the variance back to 1."),
    ),
)

MASK_BEFORE = Question(
    id="attention.mask_before",
    text="A row of weights is 0.09, 0.24, 0.67, and the last key is forbidden. A colleague puts a 0 in the place of "
    "0.67. What is wrong with the row now?",
    choices=(
        Choice(
            "The forbidden value still reaches the output",
            "A value with weight 0 adds nothing, so it is kept out.",
        ),
        Choice(
            "The two other weights are no longer in the right proportion to each other",
            "Their proportion is still right: 0.09 to 0.24 is that of e to the power of their scores, with or without "
            "a third key.",
        ),
        Choice("Nothing is wrong", "Add up the row: what is left is an average of too little."),
        Choice(
            "Its weights sum to 0.33",
            "The forbidden key took its share in the softmax, and that share is lost. With −∞ as its score before "
            "the softmax, the other two keys share the whole weight.",
            right=True,
        ),
    ),
)

DIAGNOSIS = Question(
    id="attention.case_diagnosis",
    text="What is wrong with `almost_right_attention`?",
    choices=(
        Choice(
            "Its softmax runs over the queries in place of the keys",
            "Then its columns would sum to 1. Your numbers say that its rows do.",
        ),
        Choice(
            "It forgets to divide the scores by anything",
            "Then its weights would be too sharp at every length. Here they are too sharp only in short sentences; in "
            "long ones they are too even.",
        ),
        Choice(
            "It mixes up keys and values, so that values are scored",
            "Then its favorites would be different keys. In your table both favor the same keys.",
        ),
        Choice(
            "It divides by a number that grows with the sentence",
            "At 32 words, which is d_head here, it agrees with ours. Shorter sentences come out too sharp, longer ones "
            "too even.",
            right=True,
        ),
    ),
)

QUESTIONS = (SAME_COLOR, WHY_SCALE, MASK_BEFORE, DIAGNOSIS)
