"""The closing questions of notebook 03: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

CLOSING = (
    Question(
        id="encoder.closing_1",
        text="What does an encoder without any positions do with “dog bites man” and “man bites dog”?",
        choices=(
            Choice(
                "Each word gets the same vector in both sentences",
                "Attention is an average over a set, and the rest of a layer works word by word.",
                right=True,
            ),
            Choice(
                "All words of both sentences get one and the same vector",
                "Different words still come in with different vectors.",
            ),
            Choice(
                "It tells them apart, but less well than with positions",
                "There is nothing in it that could depend on the order.",
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
            Choice(
                "Over the features of one word's vector",
                "384 numbers in MiniLM. Each word by itself.",
                right=True,
            ),
        ),
    ),
    Question(
        id="encoder.closing_4",
        text="Why does a deep pre-norm stack learn without warm-up where the post-norm one does not?",
        choices=(
            Choice("It has more norms, and so more parameters", "One more norm at the end: that is not what helps."),
            Choice(
                "From the output to every layer there is a way without a norm, on which the gradient comes down whole",
                "In the post-norm stack it passes a norm at each sub-layer and arrives weaker the deeper it gets.",
                right=True,
            ),
            Choice(
                "Its states all have the same scale",
                "The other way round: they grow from layer to layer, while post-norm's keep their scale.",
            ),
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
                "The pair with the largest sum of scores among all with start ≤ end that are not too long",
                "Neither word 8 nor word 2 need be in it.",
                right=True,
            ),
        ),
    ),
)
