"""The closing questions of notebook 07: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

CLOSING = (
    Question(
        id="capstone.closing_1",
        text="You rebuild a published model. Its last hidden states differ from yours, and so do those of layers 7 to "
        "11. Where do you look first?",
        choices=(
            Choice("In the last layer: that is where the result is wrong", "It gets wrong numbers to begin with."),
            Choice(
                "In the layer with the largest difference",
                "A difference may grow on its way up, and is then largest far from its cause.",
            ),
            Choice("In layer 6, the last one that agrees", "What it gives out is right."),
            Choice("In layer 7", "It was given right numbers and gave wrong ones: the cause is in it.", right=True),
        ),
    ),
    Question(
        id="capstone.closing_2",
        text="Through your organs, the output of MiniLM differs from the original by 0.000003. What does that say?",
        choices=(
            Choice(
                "Nothing is wrong: sums in another order are rounded otherwise",
                "Numbers of seven digits cannot do better. Each organ by itself was accepted, too.",
                right=True,
            ),
            Choice(
                "One organ is slightly wrong; equal formulas give equal numbers",
                "They do so on paper. a + (b + c) and (a + b) + c differ in their last digit here.",
            ),
            Choice("The weights were loaded with too few digits", "Both runs use the same weights."),
        ),
    ),
    Question(
        id="capstone.closing_3",
        text="`reject` gives each of your functions what the model's own one is given at that place, and goes on with "
        "the model's own result. Why?",
        choices=(
            Choice("It is faster", "It is slower: both functions run each time."),
            Choice(
                "So that an organ is not blamed for what a wrong one before it has done",
                "Each place is judged on right input. What is named is a cause and never a consequence.",
                right=True,
            ),
            Choice("So that the model's weights are not changed", "Neither way changes a weight."),
            Choice(
                "Because functions of learners may stop with an error",
                "They may, and then the error is the rejection. But functions that do not fail are judged in the same "
                "way.",
            ),
        ),
    ),
    Question(
        id="capstone.closing_4",
        text="A model reads texts well. When it writes with its cache, the first new word is good and all others are "
        "bad. Which probe do you run first?",
        choices=(
            Choice("Its loss on unseen sentences", "That is reading, and it reads well."),
            Choice("The same text twice", "It finds randomness inside a model, which would spoil reading, too."),
            Choice(
                "With the cache and without: are the logits the same?",
                "The two must be equal, and they differ just by what is under suspicion.",
                right=True,
            ),
            Choice(
                "The size of its steps in training",
                "Nothing speaks of training: it reads well with these weights.",
            ),
        ),
    ),
    Question(
        id="capstone.closing_5",
        text="A loss is lower than anybody's. What is the most useful question?",
        choices=(
            Choice("Which learning rate was it?", "A good rate does not beat everybody on new text by a factor."),
            Choice("How large is the model?", "Size helps a little. What is too good to be true needs a reason."),
            Choice(
                "Has it seen, in training or while it answers, what it is asked for?",
                "Either by heart, as Hanna, or through a hole in the mask, as the case of notebook 04.",
                right=True,
            ),
            Choice("Is dropout on?", "Dropout makes a loss higher."),
        ),
    ),
)
