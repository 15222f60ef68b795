"""Questions of notebook 06, each with a reason for every wrong choice."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

SEES_THE_ANSWER = Question(
    id="taxonomy.sees_the_answer",
    text="GPT is asked for the next word at every position of a text at once. Why is BERT not trained so?",
    choices=(
        Choice(
            "It could be; masked words are only a matter of taste",
            "In BERT each position sees the whole text, the next word too: it would learn to copy it.",
        ),
        Choice(
            "Each of its positions sees the next word, so there would be nothing to guess",
            "What is asked must not be seen. BERT hides words in its input; GPT hides them with its mask.",
            right=True,
        ),
        Choice("It has no last layer that gives logits over the vocabulary", "It has one, for its masked words."),
        Choice(
            "An encoder cannot be trained on texts, only on labels",
            "Masked words are labels that the text brings along.",
        ),
    ),
)

ALL_POSITIONS = Question(
    id="taxonomy.all_positions",
    text="A text has 100 words, and 15 % of them are chosen. At how many places is BERT asked something, and at how "
    "many ELECTRA's discriminator?",
    choices=(
        Choice("15 and 15", "ELECTRA is asked about the words that were left alone as well."),
        Choice("100 and 100", "BERT's other 85 words have the label −100: they do not count."),
        Choice("15 and 85", "ELECTRA is asked about the chosen ones too."),
        Choice(
            "15 and 100",
            "Each word may have been replaced, so each is asked about. That is why it learns more from one text.",
            right=True,
        ),
    ),
)

WITHOUT_EFFECT = Question(
    id="taxonomy.without_effect",
    text="A head gives a word the weight 0.6. The word is hidden, and the output hardly moves. How can that be?",
    choices=(
        Choice(
            "It cannot: more than half of what the head gives comes from that word",
            "More than half of the weight does. What comes of it hangs on the word's value vector, and on what the "
            "later layers make of it.",
        ),
        Choice(
            "The softmax was wrong: weights should be small where effects are",
            "Weights say how values are mixed. The softmax does not know what for.",
        ),
        Choice(
            "Its value may be near 0 or like that of its neighbours, and other heads may bring the same news",
            "Then the mix without it is nearly the same. A weight is one factor of many on the way to the output.",
            right=True,
        ),
        Choice("The model has not been trained long enough", "It is so in well trained models, too."),
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
            "It has learnt its training sentences by heart and fails on new ones",
            "Then it would be better in sentences like those of its training. It is not.",
        ),
        Choice(
            "Its labels are shifted by one word",
            "Then nouns and all other words would be wrong too; they are right to the last one.",
        ),
        Choice(
            "No word of it sees what comes after it, and these tags hang on words that come after",
            "Another reason at the end never moved the tag of *it*. An adjective comes before its noun, and *it* "
            "before the reason. The body is a decoder's; for tags an encoder was wanted.",
            right=True,
        ),
        Choice(
            "Its head reads the wrong position: the first one for all words",
            "Then all words of a sentence would have one tag.",
        ),
    ),
)

QUESTIONS = (SEES_THE_ANSWER, ALL_POSITIONS, WITHOUT_EFFECT, CASE_DIAGNOSIS)
