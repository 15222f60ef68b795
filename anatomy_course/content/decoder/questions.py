"""Questions of notebook 04, each with a reason for every wrong choice."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

TEACHER_FORCING = Question(
    id="decoder.teacher_forcing",
    text="The text says “the dog slept”. In training, after “the”, a decoder is nearly sure that “cat” comes next. "
    "What does it read at the next position?",
    choices=(
        Choice(
            "“cat”, the token that it said itself",
            "That happens in writing, where there is no other text. In training, all positions would then have to "
            "wait for one another.",
        ),
        Choice(
            "“dog”, the token of the text",
            "It always reads the text itself. So all positions can be computed at once.",
            right=True,
        ),
        Choice(
            "“the” again, until it says “dog”",
            "Each position answers once in a step; the loss says how good the answer was.",
        ),
    ),
)

PADDING = Question(
    id="decoder.padding",
    text="`batch_of` pads short texts at the end, and no mask tells the model so. Why does that not spoil the "
    "training?",
    choices=(
        Choice(
            "The vector of <pad> is zero, so it adds nothing to any average",
            "Its vector is a row of the table like any other; and even a zero vector takes a share of the weights.",
        ),
        Choice(
            "It does spoil it a little, but long texts make up for it",
            "Not even a little: cut the padding off, and every real position gives the same logits.",
        ),
        Choice(
            "The model learns in training that <pad> has no meaning",
            "It cannot: no label ever asks about a padded position, so nothing there is learned.",
        ),
        Choice(
            "Only positions with the label −100 can see padding",
            "Padding comes after the text. The causal mask hides it from all real positions, and the others are not "
            "asked.",
            right=True,
        ),
    ),
)

ADAPTS = Question(
    id="decoder.adapts",
    kind="prediction",
    text="After “Thanks for lunch, I had a”, the 50 likeliest tokens have 57 % of the probability together. How many "
    "tokens will top-p keep there, with p = 0.9?",
    choices=(
        Choice("Fewer than 50", "The first 50 reach only 0.57; more are needed to reach 0.9."),
        Choice(
            "About 80, as 50 · 0.9 / 0.57 is 79",
            "That would be so if all tokens were equally likely. Each further token adds less than those before it.",
        ),
        Choice("Several hundred", "The tail is long and flat: each further token adds very little.", right=True),
        Choice(
            "About 44,000, which is 90 % of the vocabulary",
            "It is the probability that must reach 90 %, and most tokens have next to none.",
        ),
    ),
)

NO_QUERIES = Question(
    id="decoder.no_queries",
    text="A colleague's cache keeps the queries of all tokens too. What does that gain?",
    choices=(
        Choice(
            "Nothing but a larger cache",
            "A query is used once, when its own token is read. Later tokens look at the keys and values of the past.",
            right=True,
        ),
        Choice(
            "Steps become faster, as the old queries need not be computed again",
            "A step computes the query of its new token only, with this cache or without it.",
        ),
        Choice(
            "The text becomes better, as no question is forgotten",
            "The old questions have been answered already: what they found is in the vectors of later layers.",
        ),
        Choice(
            "The keys can be left out, as they follow from the queries",
            "They do not: keys and queries are made from the hidden states, each by a matrix of its own.",
        ),
    ),
)

CASE_DIAGNOSIS = Question(
    id="decoder.case_diagnosis",
    text="What is wrong with `colleagues_causal_mask`?",
    choices=(
        Choice(
            "It forbids nothing: every position sees the whole text, its future included",
            "Then the first word would keep a sixth of its weight for itself; look at how much it keeps.",
        ),
        Choice(
            "Each position also sees the one after it",
            "Queries are counted from 1 and keys from 0. The extra token is the very one to be predicted. When the "
            "model writes, there is none yet, so the mask does no harm there, but the model has never learned to "
            "predict.",
            right=True,
        ),
        Choice(
            "It has True and False swapped, so the past is hidden",
            "Then the last word would see nothing; it sees all six, as it should.",
        ),
        Choice(
            "It forbids each position to see itself",
            "Then the first word would have no weight on itself at all.",
        ),
    ),
)

QUESTIONS = (TEACHER_FORCING, PADDING, ADAPTS, NO_QUERIES, CASE_DIAGNOSIS)
