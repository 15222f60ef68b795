"""The closing questions of notebook 05: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

CLOSING = (
    Question(
        id="encoder_decoder.closing_1",
        text="A source of 15 tokens, a translation of 12 tokens, stop token included: what is the shape of one "
        "head's weights in cross-attention?",
        choices=(
            Choice("15 × 15", "That is self-attention in the encoder."),
            Choice("12 × 12", "That is self-attention in the decoder."),
            Choice("12 × 15", "A row for each position that asks, a column for each that is asked.", right=True),
            Choice("27 × 27", "So it would be in a decoder by itself that reads both texts as one."),
        ),
    ),
    Question(
        id="encoder_decoder.closing_2",
        text="Somebody puts a causal mask on cross-attention as well: word i of the target sees the source up to "
        "word i. "
        "What does the first French word have to be made from?",
        choices=(
            Choice("The whole source, as before", "Such a mask hides all but the first position of the memory."),
            Choice(
                "The first vector of the memory, which has seen the whole source",
                "The encoder lets all words see each other, so something of the rest may be in it; but no head can "
                "choose a word to look at any more.",
                right=True,
            ),
            Choice("Nothing at all", "One position is left: a row of the mask always has one True at least."),
            Choice(
                "The first source word by itself, without any context",
                "Its vector comes from the top of the encoder.",
            ),
        ),
    ),
    Question(
        id="encoder_decoder.closing_3",
        text="With label smoothing of 0.1 and 10 tokens in the vocabulary, which probability does the loss ask for "
        "the right token?",
        choices=(
            Choice("0.9", "Its part of the 0.1 comes on top: that is spread over all ten, the right one included."),
            Choice("0.91", "0.9 of its own, and a tenth of 0.1.", right=True),
            Choice("1", "That is what the loss asks without smoothing."),
            Choice("0.1", "All ten together have that beside the right one's 0.9."),
        ),
    ),
    Question(
        id="encoder_decoder.closing_4",
        text="The paper's schedule with a warm-up of 4000 steps. You make it twice as long. What becomes of the "
        "highest rate?",
        choices=(
            Choice("It comes at the same step and is twice as high", "It comes where the warm-up ends."),
            Choice(
                "It comes at step 8000 and is as high as before",
                "The falling curve is the same, and has come down by then.",
            ),
            Choice(
                "It comes at step 8000 and is lower, by a factor of √½",
                "The rising line meets the falling curve, which goes with 1/√step, at step 8000.",
                right=True,
            ),
            Choice("It comes at step 2000 and is higher", "A longer warm-up rises more slowly."),
        ),
    ),
    Question(
        id="encoder_decoder.closing_5",
        text="You write <summary> in front of a sentence and give it to the translator of section 6. What happens?",
        choices=(
            Choice("It summarizes: the first token says so", "It has never seen what belongs to this token."),
            Choice(
                "It writes something, but that token means nothing to it: it was trained on other ones",
                "A token says what is wanted only because pairs with it were learned.",
                right=True,
            ),
            Choice("It stops: it has no last layer for summaries", "It needs none; all tasks write words."),
        ),
    ),
    Question(
        id="encoder_decoder.closing_6",
        text="The patient of section 12 was trained without any padding. Why did its loss not show the fault?",
        choices=(
            Choice(
                "Because the loss is always low in the end",
                "A fault in training shows in the loss; this one was not there.",
            ),
            Choice(
                "Because in training all texts of a batch were equally long, and there its mask is the right one",
                "What is never met in training is never judged by the loss. Try a text alone and in company.",
                right=True,
            ),
            Choice(
                "Because greedy writing is no part of training",
                "Teacher-forced, padding that is seen does harm as well.",
            ),
            Choice("Because its weights were wrong", "They were healthy: another mask, and all was well."),
        ),
    ),
)
