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
        text="Which sub-layer of a decoder layer has a causal mask?",
        choices=(
            Choice("Self-attention alone", "It alone could look at words that are still to be written.", right=True),
            Choice("Cross-attention alone", "The source is known to its end."),
            Choice("Both attentions", "Cross-attention needs a mask for padding, not for the future."),
            Choice("All three", "The feed-forward network works on each position by itself; it has no mask at all."),
        ),
    ),
    Question(
        id="encoder_decoder.closing_3",
        text="With label smoothing of 0.1 and 10 tokens in the vocabulary, how much of the target has the right token?",
        choices=(
            Choice("0.9", "Its part of the 0.1 comes on top: that is spread over all ten, the right one included."),
            Choice("0.91", "0.9 of its own, and a tenth of 0.1.", right=True),
            Choice("1", "That is the target without smoothing."),
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
        text="One model summarizes and answers questions; another one translates both ways. How do they know what "
        "to do?",
        choices=(
            Choice(
                "Each has a last layer of its own for each task",
                "So the models of notebook 03 had. Here both tasks of a model share every weight, the last layer too.",
            ),
            Choice(
                "The first token of the input says so",
                "Every task is a text to read and a text to write; what is wanted is part of the text to read.",
                right=True,
            ),
            Choice(
                "They guess from the language of the input",
                "Sentences to be summarized and to be answered from are both English.",
            ),
        ),
    ),
    Question(
        id="encoder_decoder.closing_6",
        text="A translator gives one sentence two different translations on two days: same weights, same settings, "
        "greedy "
        "choice. What do you look at first?",
        choices=(
            Choice("The temperature", "Greedy choice knows none."),
            Choice("Label smoothing", "That belongs to training."),
            Choice("Whether the words are known", "They were the same words on both days."),
            Choice(
                "What else was in the batch: does padding get weight?",
                "A text must come out in company as it does alone.",
                right=True,
            ),
        ),
    ),
)
