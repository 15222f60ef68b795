"""Questions of notebook 03, each with a reason for every wrong choice."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

ONLY_OFFSET = Question(
    id="encoder.only_offset",
    text="A sentence is moved ten positions to the right. In which of these does every score inside it stay exactly "
    "the same?",
    choices=(
        Choice(
            "With a learned table of positions",
            "Other rows are added to the words: queries and keys change, and so do scores.",
        ),
        Choice(
            "With sinusoidal positions",
            "The waves of p and p + 10 differ, and they are added to the words before W_Q and W_K. Only the dot "
            "product of two waves depends on the offset alone.",
        ),
        Choice(
            "With rotary positions, ALiBi or T5's buckets",
            "Queries and keys are turned by the same ten steps, or what is added to the score is looked up by "
            "the offset.",
            right=True,
        ),
        Choice("With all of them", "What is added to a word before the first layer is there in every score."),
    ),
)

POSITION_WISE = Question(
    id="encoder.position_wise",
    text="You change the last word of a sentence. What does the feed-forward network alone give for the other words?",
    choices=(
        Choice(
            "The same as before",
            "It works on each position by itself. Only attention carries anything from word to word.",
            right=True,
        ),
        Choice(
            "Something else for all: its two layers see the whole sentence",
            "They see d_model features of one word at a time; `@` multiplies along the last axis.",
        ),
        Choice(
            "Something else for the neighbours",
            "A convolution would do that. Here position i looks at position i only.",
        ),
    ),
)

LEFT_ALONE = Question(
    id="encoder.left_alone",
    text="One in ten of the asked words is neither hidden nor exchanged: the answer stands in the input. What for?",
    choices=(
        Choice(
            "To make the task easier at the beginning of training",
            "The shares stay the same from the first step to the last.",
        ),
        Choice(
            "So that visible words get useful vectors too, not only hidden ones",
            "Later no word is hidden. Here any visible word may be asked for, and may even be the wrong one, so each "
            "must be checked against the others.",
            right=True,
        ),
        Choice("So that the loss counts more words", "They would be counted as well if they were hidden."),
    ),
)

POSITIONS_DIAGNOSIS = Question(
    id="encoder.case_positions_diagnosis",
    text="What is wrong with `colleagues_embedding`?",
    choices=(
        Choice(
            "It adds no position vectors at all",
            "Then nothing but the tokens' vectors would be in it, and a batch would change nothing.",
        ),
        Choice("Its position table is too short", "Then it would crash; here all shapes are right."),
        Choice(
            "It looks positions up by the tokens' ids",
            "Then both words “a” would indeed be alike, but a batch would change nothing.",
        ),
        Choice(
            "It numbers the texts of the batch: all words of a text get one and the same position vector",
            "Alone, a text is at position 0 throughout; as the second of a batch it is at position 1.",
            right=True,
        ),
    ),
)

NORM_DIAGNOSIS = Question(
    id="encoder.case_norm_diagnosis",
    text="What is wrong with `colleagues_layer`?",
    choices=(
        Choice(
            "It adds the sub-layer's result to the normed states: no way from input to output is without a norm",
            "States cannot grow, and after some layers hardly anything of the input is left.",
            right=True,
        ),
        Choice(
            "It has no residual connections",
            "Then the output would be 0 when both sub-layers give 0; it is not, it is the normed input.",
        ),
        Choice(
            "Its sub-layers work on states that are not normed",
            "They do work on normed states; look at what goes into them.",
        ),
        Choice(
            "Its norms run over the wrong axis",
            "Then one word's norm would change with another word; it does not.",
        ),
    ),
)

QUESTIONS = (ONLY_OFFSET, POSITION_WISE, LEFT_ALONE, POSITIONS_DIAGNOSIS, NORM_DIAGNOSIS)
