"""Questions of notebook 04, each with a reason for every wrong choice."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

TEACHER_FORCING = Question(
    id="decoder.teacher_forcing",
    text="In training a decoder has answered “the cat” where the text says “the dog”. What does it read at the next "
    "position?",
    choices=(
        Choice(
            "“the dog”",
            "It always reads the text itself (teacher forcing). So all positions can be computed at once.",
            right=True,
        ),
        Choice(
            "“the cat”",
            "So it is in writing, where there is no text but its own. In training all positions would then have to "
            "wait for one another.",
        ),
        Choice(
            "Nothing: it has to answer again until it is right",
            "Each position answers once in a step; the loss says how good the answer was.",
        ),
    ),
)

ADAPTS = Question(
    id="decoder.adapts",
    text="After “Paris is the capital of” a model is almost sure, after “I like” it is not. Which filter keeps few "
    "tokens in the first case and many in the second?",
    choices=(
        Choice("Top-k with k = 50", "It keeps 50 in both."),
        Choice(
            "Top-p with p = 0.9",
            "It keeps as many as it takes to reach 0.9: one where one has it all, hundreds where all have little.",
            right=True,
        ),
        Choice("Temperature 0.5", "It throws nothing out: every token keeps a probability above 0."),
        Choice("A repetition penalty", "It looks at what the text holds already, not at how sure the model is."),
    ),
)

NO_QUERIES = Question(
    id="decoder.no_queries",
    text="Why are keys and values kept in the cache, and queries not?",
    choices=(
        Choice(
            "Queries are too large",
            "They are as wide as keys, or wider where heads share keys; but that is not why.",
        ),
        Choice(
            "Queries of the past change with each new token",
            "They do not: like keys and values, they depend on their own position and those before it.",
        ),
        Choice(
            "A new token asks with its own query; what it asks of the past are keys and values",
            "The past has asked its questions already, and its answers do not change.",
            right=True,
        ),
        Choice("Queries can be computed from the keys", "They are made of the hidden states by a matrix of their own."),
    ),
)

CASE_DIAGNOSIS = Question(
    id="decoder.case_diagnosis",
    text="What is wrong with `colleagues_causal_mask`?",
    choices=(
        Choice(
            "It forbids nothing: every position sees the whole future",
            "Then the first word would keep a sixth of its weight for itself; look at how much it keeps.",
        ),
        Choice(
            "It has True and False the wrong way round",
            "Then the last word would see nothing; it sees all six, as it should.",
        ),
        Choice("It forbids each position to see itself", "Then the first word would have no weight on itself at all."),
        Choice(
            "Its queries are counted from 1 and its keys from 0: each position sees one that comes after it",
            "The token too many is the very one to be predicted. In writing nothing stands there yet, so the mask "
            "does no harm "
            "any more, but the model has never learned to predict.",
            right=True,
        ),
    ),
)

QUESTIONS = (TEACHER_FORCING, ADAPTS, NO_QUERIES, CASE_DIAGNOSIS)
