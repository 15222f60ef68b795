"""Questions of notebook 06, each with a reason for every wrong choice."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

SEES_THE_ANSWER = Question(
    id="taxonomy.sees_the_answer",
    text="GPT learns by saying the next word at every position of a text. What would happen if BERT were trained in "
    "just that way?",
    choices=(
        Choice(
            "Nothing much: which words are asked for is a matter of taste",
            "It matters whether the answer can be seen. In BERT each position sees the whole text, the next word too.",
        ),
        Choice(
            "It could not be done: BERT has no last layer that gives logits over the vocabulary",
            "It has one, for its masked words.",
        ),
        Choice(
            "It would need labels written by people, since an encoder cannot learn from bare text",
            "Hidden words are labels that the text brings along, and so are next words.",
        ),
        Choice(
            "Its loss would soon be near 0, and it would have learned to copy",
            "Each of its positions sees the next word. What is asked for must not be seen: BERT hides words in its "
            "input, GPT hides them with its mask.",
            right=True,
        ),
    ),
)

ALL_POSITIONS = Question(
    id="taxonomy.all_positions",
    text="Of the 100 words of a text, 15 are chosen, and a small model guesses each of them. Three of its guesses "
    "happen to be the original word. ELECTRA gets the text with the guesses and must say of every word: original or "
    "replaced? How many labels say *replaced*, and at how many positions does it learn something?",
    choices=(
        Choice("15 and 15", "Three of the guesses are the original, and it is asked about the other words as well."),
        Choice(
            "12 and 100",
            "Where the guess is the original word, nothing was replaced. Any word may have been replaced, so it is "
            "asked about each. BERT would be asked at 15 positions.",
            right=True,
        ),
        Choice("15 and 100", "Where the guess is the original word, the label must say *original*."),
        Choice("12 and 15", "The words that were left alone are questions too: is this one the original?"),
    ),
)

CASE_DIAGNOSIS = Question(
    id="taxonomy.case_diagnosis",
    text="What is wrong with the colleague's tagger?",
    choices=(
        Choice(
            "It was not trained long enough, or is too small: *it* is the hardest word",
            "It has exactly as many parameters as the healthy one and saw the same sentences. Nor would that explain "
            "the adjectives, which are easy.",
        ),
        Choice(
            "It has learned its training sentences by heart and fails on new ones",
            "Then it would be clearly better on sentences like those of its training. It is hardly better.",
        ),
        Choice(
            "None of its positions sees what comes after it",
            "Another reason at the end never changes the tag of *it*. An adjective comes before its noun, and *it* "
            "before the reason. The body is a decoder's; these tags need an encoder.",
            right=True,
        ),
        Choice(
            "Its labels are shifted by one word, as next words are in a decoder",
            "Then nouns and all other words would be wrong too, and every one of them is right.",
        ),
        Choice(
            "Its head reads the wrong position: the first one, whichever word it should tag",
            "Then all words of a sentence would have one tag.",
        ),
    ),
)

WITHOUT_EFFECT = Question(
    id="taxonomy.without_effect",
    text="A head gives a word the weight 0.6. The word is hidden, and the output hardly changes. How can that be?",
    choices=(
        Choice(
            "It cannot: more than half of what the head gives comes from that word",
            "More than half of the weight does. What becomes of it depends on the word's value vector, and on what "
            "later layers make of it.",
        ),
        Choice(
            "The softmax was computed wrongly: weights should be small where effects are",
            "Weights say how values are mixed. The softmax does not know what for.",
        ),
        Choice(
            "Its value may be small, or other heads bring the same news",
            "Then the result without it is nearly the same. A weight is one factor of many on the way to the output.",
            right=True,
        ),
        Choice("The model has not been trained long enough", "It happens in well-trained models, too."),
    ),
)

QUESTIONS = (SEES_THE_ANSWER, ALL_POSITIONS, CASE_DIAGNOSIS, WITHOUT_EFFECT)
