"""Questions of notebook 02, each with a reason for every wrong choice."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

WHY_HEADS = Question(
    id="multi_head.why_heads",
    text="The word *it* attends with one head: 50 % of the weight lies on *animal*, 50 % on *tired*. "
    "What comes out for it?",
    choices=(
        Choice(
            "Both values, side by side",
            "A head multiplies each value with its weight and adds up; nothing is laid side by side.",
        ),
        Choice(
            "One vector half-way between the two values",
            "From the average alone nobody can tell what came from *animal* and what from *tired*. A second head has "
            "weights of its own: it can look at the one word while the first looks at the other.",
            right=True,
        ),
        Choice("The value of the word with the larger weight", "Softmax does not choose; every value is weighed."),
    ),
)

WHY_OUTPUT = Question(
    id="multi_head.why_output",
    text="What would be missing without W_O, the matrix behind the heads?",
    choices=(
        Choice(
            "The right width: the heads side by side are wider than d_model",
            "8 heads of 64 are 512 again. W_O would be square even so.",
        ),
        Choice("The weights would no longer sum to 1", "They do so in each head, long before W_O comes."),
        Choice(
            "Nothing, it could always be left out",
            "The output is added to the word's vector: what head 3 found would only ever change features 192 to 255 "
            "of it.",
        ),
        Choice(
            "What a head found could only reach its own d_head features of the output",
            "W_O lets every head write to every feature; what they write adds up.",
            right=True,
        ),
    ),
)

DIAGNOSIS = Question(
    id="multi_head.case_diagnosis",
    text="What is wrong with `colleagues_heads`?",
    choices=(
        Choice(
            "It cuts the sentence into heads, not the vectors: a head holds a few neighbouring words in full",
            "Words in different heads never meet, and padding behind the sentence shifts who is in which.",
            right=True,
        ),
        Choice(
            "Its head 0 takes features 0, 4, 8 … of every word instead of 0, 1, 2 …, and the other heads likewise",
            "Then a change of the last word would still reach every word, and padding would do no harm.",
        ),
        Choice(
            "It forgets the mask",
            "Then padding would do harm, but a change of the last word would reach every word.",
        ),
        Choice(
            "It divides by √d_model",
            "Then its weights would be more even, but shuffled words would still give shuffled vectors.",
        ),
    ),
)

QUESTIONS = (WHY_HEADS, WHY_OUTPUT, DIAGNOSIS)
