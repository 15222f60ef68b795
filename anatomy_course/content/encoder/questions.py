"""Questions of notebook 03, each with a reason for every wrong choice."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

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
            "Something else for the neighbors",
            "A convolution would do that. Here position i looks at position i only.",
        ),
    ),
)

LOSS_SCALED = Question(
    id="encoder.loss_scaled",
    text="You multiply the loss by 1000, and with it every gradient; nothing is clipped. What happens to the first "
    "step of Adam?",
    choices=(
        Choice("It is 1000 times as long", "So it would be with plain gradient descent: rate times gradient."),
        Choice(
            "It is about 32 times as long, the square root of 1000",
            "The mean of the squares grows by 1000², so its root grows by 1000, not by √1000.",
        ),
        Choice(
            "It is a thousandth as long, because Adam divides by the length",
            "Adam divides, but what it divides has grown as well.",
        ),
        Choice(
            "Its length hardly changes",
            "Numerator and denominator both grow by 1000. What is left is the sign, times the learning rate.",
            right=True,
        ),
    ),
)

ONLY_OFFSET = Question(
    id="encoder.only_offset",
    text="A sentence is moved ten positions to the right. Which of the eight schemes keep every score inside it "
    "exactly as it was?",
    choices=(
        Choice(
            "Rotary, ALiBi and T5's numbers, among others",
            "Queries and keys are turned by the same ten steps, or what is added to the score is looked up by "
            "the offset. The others are Shaw's, Transformer-XL's and DeBERTa's, which use the offset too.",
            right=True,
        ),
        Choice(
            "The waves alone: their dot products depend on the offset",
            "Two bare waves, yes. But waves are added to the words, and pass W_Q and W_K together with them.",
        ),
        Choice(
            "The learned table and the waves: both are added to the words",
            "That is why they do not: other vectors are added at p + 10, so queries, keys and scores change.",
        ),
        Choice("All of them", "What is added to a word before layer 0 is part of every score."),
    ),
)

LEFT_ALONE = Question(
    id="encoder.left_alone",
    text="One in ten of the chosen words is neither hidden nor exchanged: the input still contains the answer. What "
    "is that good for?",
    choices=(
        Choice(
            "To make the task easier at first, when the model knows nothing",
            "The shares stay the same from the first step to the last.",
        ),
        Choice("So that the loss counts more words", "They would count as well if they were hidden."),
        Choice(
            "So that visible words get useful vectors too",
            "In use, no word is hidden. Here any visible word may be asked for, and may even be the wrong one, so the "
            "model must check each word against the others.",
            right=True,
        ),
    ),
)

POSITIONS_DIAGNOSIS = Question(
    id="encoder.case_positions_diagnosis",
    text="What is wrong with `colleagues_embedding`?",
    choices=(
        Choice(
            "It adds no position vectors at all",
            "Then only the tokens' vectors would be in the output, and a batch would change nothing.",
        ),
        Choice("Its position table is too short for the sentence", "Then it would crash; here all shapes are right."),
        Choice(
            "It looks positions up by the tokens' ids",
            "Then both words “a” would indeed be alike, but a batch would change nothing.",
        ),
        Choice(
            "It numbers the texts, not the words",
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
            "It has no residual connections: nothing is added",
            "Then the output would be 0 when both sub-layers give 0; it is not, it is the normed input.",
        ),
        Choice(
            "The residual connection adds to the normed states",
            "When both sub-layers give 0, the input comes out normed. So the states do not grow, and in this one draw "
            "of weights hardly anything of the input is left after 6 layers.",
            right=True,
        ),
        Choice(
            "Its sub-layers work on states that have not been normed",
            "They have: what attention reads has the size 1.0 in both columns.",
        ),
        Choice(
            "Its norms run over the words, not over the features",
            "Then one word's norm would change with another word; it does not.",
        ),
    ),
)

QUESTIONS = (POSITION_WISE, LOSS_SCALED, ONLY_OFFSET, LEFT_ALONE, POSITIONS_DIAGNOSIS, NORM_DIAGNOSIS)
