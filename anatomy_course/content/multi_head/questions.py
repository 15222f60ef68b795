"""Questions of notebook 02, each with a reason for every wrong choice."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

WHY_HEADS = Question(
    id="multi_head.why_heads",
    text="The word *it* attends with one head: 50% of the weight lies on *animal*, 50% on *tired*. "
    "What comes out for it?",
    choices=(
        Choice(
            "Both values, side by side",
            "A head multiplies each value by its weight and adds up the products; it keeps nothing side by side.",
        ),
        Choice(
            "One vector halfway between the two values",
            "From the average alone nobody can tell what came from *animal* and what from *tired*. A second head has "
            "its own weights: it can look at one word while the first looks at the other.",
            right=True,
        ),
        Choice(
            "The value of the word with the larger weight",
            "Softmax does not choose; every value counts with its weight.",
        ),
    ),
)

VIEW_ALONE = Question(
    id="multi_head.view_alone",
    text="`vectors` holds three words of four features: [[10, 11, 12, 13], [20, 21, 22, 23], [30, 31, 32, 33]]. "
    "What is in head 0 of `vectors.view(1, 2, 3, 2)`?",
    choices=(
        Choice(
            "[[10, 11], [20, 21], [30, 31]]",
            "That is what we want. But `view` skips no number: after 11 it reads on with 12.",
        ),
        Choice("[[10, 12], [20, 22], [30, 32]]", "That is every second feature of each word; `view` skips no number."),
        Choice(
            "[[10, 11], [12, 13], [20, 21]]",
            "`view` reads the numbers in the order in which they are stored, row by row, and fills the new shape.",
            right=True,
        ),
    ),
)

WHY_OUTPUT = Question(
    id="multi_head.why_output",
    text="What would go wrong without W_O, the matrix after the heads?",
    choices=(
        Choice(
            "The width would be wrong: the heads side by side are wider than d_model",
            "8 heads of 64 make 512 features, as many as the vector has. W_O is square.",
        ),
        Choice("The weights would no longer sum to 1", "They sum to 1 in each head, long before W_O."),
        Choice(
            "Nothing, it could always be left out",
            "Look at what the output is added to: what head 3 found would only ever change features 192 to 255.",
        ),
        Choice(
            "Each head could change only its own 64 features",
            "With W_O every head can write to every feature, and what the heads write adds up.",
            right=True,
        ),
    ),
)

SINK = Question(
    id="multi_head.sink",
    text="Most heads give `[CLS]` more weight than any other token. What do they get from it?",
    choices=(
        Choice(
            "A summary of the whole sentence, which [CLS] has collected",
            "A summary would need a value with something in it. Measure how long the values of [CLS] are.",
        ),
        Choice(
            "About as much as from any other token: values are about equally long",
            "Those of most tokens are. The picture below shows that [CLS] is different.",
        ),
        Choice(
            "Next to nothing: its value is close to zero",
            "What arrives is the weight times the value. In nearly all heads the value of [CLS] is close to zero, so "
            "even a large weight brings almost nothing.",
            right=True,
        ),
    ),
)

DIAGNOSIS = Question(
    id="multi_head.case_diagnosis",
    text="What is wrong with `colleagues_heads`?",
    choices=(
        Choice(
            "It cuts the sentence into heads, not the vectors: a head holds a few neighboring words in full",
            "Words in different heads never meet, and padding after the sentence shifts which word is in which head.",
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
            "Then its weights would be more even, but shuffled words would still give the same vectors, shuffled.",
        ),
    ),
)

MEMORY = Question(
    id="multi_head.memory_outputs",
    text="5 hidden states ask a memory of 7 vectors. How many vectors come out?",
    choices=(
        Choice("7", "The vectors of the memory are asked; they get no answers themselves."),
        Choice("12", "Those that ask and those that are asked are not joined."),
        Choice("35", "That is the number of weights in each head: one for each pair."),
        Choice("5", "One for each vector that asks, made of the memory's values.", right=True),
    ),
)

QUESTIONS = (WHY_HEADS, VIEW_ALONE, WHY_OUTPUT, SINK, DIAGNOSIS, MEMORY)
