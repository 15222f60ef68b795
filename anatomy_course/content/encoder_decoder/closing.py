"""The closing questions of notebook 05: they can be answered from the notebook alone.

`closing_3` and `closing_4` close the section on label smoothing and the learning rate, which may be left out.
"""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

CLOSING = (
    Question(
        id="encoder_decoder.closing_1",
        text="A source of 15 tokens, a translation of 12 tokens including the stop token: what is the shape of one "
        "head's weights in cross-attention?",
        choices=(
            Choice("15 × 15", "That is self-attention in the encoder."),
            Choice("12 × 12", "That is self-attention in the decoder."),
            Choice("27 × 27", "That would be a decoder by itself that reads both texts as one."),
            Choice("12 × 15", "A row for each position that asks, a column for each that is asked.", right=True),
        ),
    ),
    Question(
        id="encoder_decoder.closing_2",
        text="Somebody puts a causal mask on cross-attention as well: word i of the target sees the source up to "
        "word i. What is the first French word made from?",
        choices=(
            Choice("The whole source, as before", "Such a mask hides all but the first position of the memory."),
            Choice(
                "One vector of the memory, the first",
                "The encoder lets all words see each other, so that vector may contain something of the others. But no "
                "head can choose a word to look at anymore.",
                right=True,
            ),
            Choice("Nothing at all", "The first position is left: each row of such a mask has at least one True."),
            Choice(
                "The first source word by itself, without any context",
                "Its vector comes from the top of the encoder, where it has seen the other words.",
            ),
        ),
    ),
    Question(
        id="encoder_decoder.closing_3",
        text="With label smoothing of 0.1 and 10 tokens in the vocabulary, what probability does the loss want the "
        "right token to have?",
        choices=(
            Choice("0.10", "All ten tokens share that, on top of the right one's 0.9."),
            Choice("0.90", "Its part of the 0.1 comes on top: that is spread over all ten, the right one included."),
            Choice("0.91", "0.9 of its own, and a tenth of 0.1.", right=True),
            Choice("1.00", "That is what the loss asks for without smoothing."),
        ),
    ),
    Question(
        id="encoder_decoder.closing_4",
        text="The paper's schedule has a warm-up of 4000 steps. You make it twice as long. Where is the highest rate "
        "now, and how high is it?",
        choices=(
            Choice(
                "At step 8000, and lower by a factor of √2",
                "The rising line meets the falling curve, which goes with 1/√step, at step 8000.",
                right=True,
            ),
            Choice("At step 8000, and exactly as high as before", "The falling curve has come down by then."),
            Choice("At the same step, and twice as high as before", "The peak is where the warm-up ends."),
            Choice("At step 2000, and higher by a factor of √2", "A longer warm-up rises more slowly."),
        ),
    ),
    Question(
        id="encoder_decoder.closing_5",
        text="You write <summary> in front of a sentence and give it to the translator of section 6. What happens?",
        choices=(
            Choice("It summarizes: the first token says so", "It never saw what should follow this token."),
            Choice(
                "It stops with an error, since it has no last layer for summaries",
                "It needs none: every task writes words.",
            ),
            Choice(
                "It writes words, but the token tells it nothing",
                "A token says what to do only because the model learned from pairs with it.",
                right=True,
            ),
        ),
    ),
    Question(
        id="encoder_decoder.closing_6",
        text="The colleague's translator was trained without any padding. Why did its loss not show the fault?",
        choices=(
            Choice(
                "The loss of a small model is always low in the end",
                "It is not: a small model that learns badly ends with a high loss. In training this mask did no harm.",
            ),
            Choice(
                "Its weights were wrong, but in a way that only greedy writing shows",
                "Nothing was wrong with the weights: with another mask, all was well.",
            ),
            Choice(
                "The loss is teacher-forced, and padding does no harm to teacher-forced texts",
                "Teacher forcing gives the decoder the right words to read. It does not hide the source's padding.",
            ),
            Choice(
                "All texts of a batch were equally long, and then the mask is right",
                "What never occurs in training is never judged by the loss. Try a text alone and in company.",
                right=True,
            ),
        ),
    ),
)
