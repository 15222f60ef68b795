"""Questions of notebook 01, each with a reason for every wrong choice."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

FIXED_VECTOR = Question(
    id="attention.fixed_vector",
    text="A table gives every word one fixed vector. What can it not do?",
    choices=(
        Choice(
            "Put words with similar meanings near each other",
            "It can, and tables trained on large texts do: *cat* lies near *dog*.",
        ),
        Choice(
            'Give *flies* one vector in "time flies" and another in "fruit flies"',
            "The look-up sees the id alone, and the id is the same in both sentences.",
            right=True,
        ),
        Choice(
            "Hold more than a few thousand words",
            "A table may have as many rows as memory allows; 30,000 to 250,000 are common.",
        ),
        Choice("Be learned from text", "It can: the rows are parameters like any others, and training moves them."),
    ),
)

WHY_SCALE = Question(
    id="attention.why_scale",
    text="Why are the scores divided by √d_head before the softmax?",
    choices=(
        Choice("So that each row of weights sums to 1", "Softmax takes care of that, whatever scores it is given."),
        Choice(
            "So that a longer sentence does not get larger scores",
            "A score is a dot product over d_head features. The number of words does not enter it.",
        ),
        Choice(
            "Because a dot product of d_head terms spreads more the wider it is, and softmax would saturate",
            "Its variance is about d_head. Divided by √d_head it is about 1, and gradients can flow.",
            right=True,
        ),
        Choice("To save memory", "The table of scores has the same size before and after the division."),
    ),
)

MASK_BEFORE = Question(
    id="attention.mask_before",
    text="Why does the mask put −∞ before the softmax, and not 0 after it?",
    choices=(
        Choice(
            "Because −∞ is quicker to compute with than 0",
            "Speed is the same. What differs is what is left of the row.",
        ),
        Choice(
            "Because with 0 after it the row no longer sums to 1: the forbidden keys have already taken their share",
            "With −∞ before it, e to its power is 0, and the allowed keys share the whole weight.",
            right=True,
        ),
        Choice(
            "Because 0 after it would let the forbidden values through",
            "A value with weight 0 adds nothing, so they would be kept out. What is wrong is the weight of the others.",
        ),
        Choice(
            "There is no difference",
            "Try a row with weights ½ and ½: put 0 after the softmax and one ½ is left; with −∞ before it, a 1.",
        ),
    ),
)

DIAGNOSIS = Question(
    id="attention.case_diagnosis",
    text="What is wrong with `almost_right_attention`?",
    choices=(
        Choice(
            "Its softmax runs over the queries", "Then its columns would sum to 1. Your numbers say that its rows do."
        ),
        Choice(
            "It forgets to divide the scores",
            "Then its weights would be too sharp at every length. Here they grow too even as the sentence grows.",
        ),
        Choice(
            "It divides by a number that depends on the sentence's length in place of d_head",
            "At d_head words it agrees with the healthy one; shorter ones come out too sharp, longer ones too even.",
            right=True,
        ),
        Choice(
            "It mixes up keys and values",
            "Then its favourites would be others. In your table both favour the same keys.",
        ),
    ),
)

QUESTIONS = (FIXED_VECTOR, WHY_SCALE, MASK_BEFORE, DIAGNOSIS)
