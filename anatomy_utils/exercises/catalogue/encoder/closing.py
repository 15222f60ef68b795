"""The closing questions of notebook 03: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

CLOSING = (
    Question(
        id="encoder.closing_1",
        text="Two encoders were trained on texts of up to 16 words: one with a learned table of positions, one with "
        "rotary positions. Both get a text of 20. What do they do?",
        choices=(
            Choice("Both answer; the first one somewhat worse", "For position 17 there is no row that could be added."),
            Choice(
                "Both stop with an error: neither has seen position 17",
                "Rotary positions are computed; no table ends.",
            ),
            Choice(
                "The first stops with an error; the second answers, well or badly",
                "A table ends, a turn is defined everywhere. Whether it works there has to be measured.",
                right=True,
            ),
            Choice(
                "The first stops; the second answers as well as ever, at any length",
                "In section 4 it did at 64 words, and at 128 no longer.",
            ),
        ),
    ),
    Question(
        id="encoder.closing_2",
        text="d_model is 384, and the feed-forward network is 4 times as wide inside. How many weights has it, biases "
        "left out, compared with the four matrices of attention?",
        choices=(
            Choice(
                "Half as many", "It has two matrices and attention four, but each of the two is four times as large."
            ),
            Choice("As many", "4 · 384² are attention's; the network's are 2 · 384 · 1536."),
            Choice("Twice as many", "8 · 384² against 4 · 384².", right=True),
            Choice("Four times as many", "Four times as wide, but there are two matrices, not four."),
        ),
    ),
    Question(
        id="encoder.closing_3",
        text="Over which numbers does layer norm take mean and variance?",
        choices=(
            Choice(
                "Over all words of a text, for each feature",
                "Then a word's vector would depend on its neighbours through the norm.",
            ),
            Choice(
                "Over the texts of the batch, for each feature",
                "Batch norm does so; a text would get other vectors in another batch.",
            ),
            Choice("Over everything that comes in", "Then long texts would have more say than short ones."),
            Choice("Over the features of one word's vector", "384 numbers in MiniLM. Each word by itself.", right=True),
        ),
    ),
    Question(
        id="encoder.closing_4",
        text="Two stacks of 10 layers, not trained yet. How do their gradients differ in the very first step?",
        choices=(
            Choice(
                "Post-norm's is much longer near the output than below; pre-norm's is about equal in all layers",
                "Xiong et al. hold the large first steps near the output responsible; that smaller ones, with warm-up, "
                "helped our stack fits that.",
                right=True,
            ),
            Choice(
                "Post-norm's is 0 in the lowest layers; pre-norm's is not",
                "It shrinks on its way down, but about a third arrives.",
            ),
            Choice("Pre-norm's is longer in every layer", "It is shorter near the output."),
            Choice("They do not: norms only matter after some steps", "The picture in section 8 shows the first step."),
        ),
    ),
    Question(
        id="encoder.closing_5",
        text="A model answers differently each time it is given the same text. What has been forgotten?",
        choices=(
            Choice(
                "`model.eval()`: dropout is still at work",
                "In use nothing is left out, and the same text gets the same answer.",
                right=True,
            ),
            Choice("Warm-up", "That belongs to training, and changes nothing in a finished model."),
            Choice("The attention mask", "Without it padding would do harm, but the same harm each time."),
            Choice("To divide by 1 − probability", "The numbers would be wrong, but that alone makes none random."),
        ),
    ),
    Question(
        id="encoder.closing_6",
        text="The best start of an answer is word 8, the best end is word 2. What does the span head answer?",
        choices=(
            Choice("Words 2 to 8", "Their scores say the opposite: 8 begins, 2 ends. Turned round they mean nothing."),
            Choice("That there is no answer", "Some models can say so, by a score of its own; this one cannot."),
            Choice(
                "Word 8, the better of the two",
                "Perhaps, if its score as an end is good too. It is compared with all other spans.",
            ),
            Choice(
                "The best pair of a start and an end that may go together",
                "Start ≤ end, not too long, the largest sum of scores. Neither word 8 nor word 2 need be in it.",
                right=True,
            ),
        ),
    ),
)
