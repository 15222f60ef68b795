"""The closing questions of notebook 07: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

CLOSING = (
    Question(
        id="capstone.closing_1",
        text="You rebuild a published model. Layers 0 to 6 agree with the original, layers 7 to 11 do not, and the "
        "difference is largest in layer 10. Where do you look first?",
        choices=(
            Choice(
                "In layer 10, where the difference is largest",
                "A difference may grow on its way up, and is then largest far from its cause.",
            ),
            Choice(
                "In layer 11: its output is the result, and it is wrong", "It is given wrong numbers to begin with."
            ),
            Choice("In layer 6, the last one that agrees", "Its output is right."),
            Choice("In layer 7", "It was given right numbers and gave wrong ones: a cause is in it.", right=True),
        ),
    ),
    Question(
        id="capstone.closing_3",
        text="`reject` gives each of your functions the input of the model's own function, and goes on with the "
        "model's own result. What would happen if it went on with yours?",
        choices=(
            Choice("Nothing: the result is the same", "It is the same only while all your functions are right."),
            Choice(
                "A right organ could be blamed for a wrong one before it",
                "It would be given wrong input. With the model's own input, what is named is a cause and never a "
                "consequence.",
                right=True,
            ),
            Choice(
                "The model's weights would change, because wrong results are written back to it",
                "Neither way changes a weight.",
            ),
            Choice(
                "It would be slower, because both functions run",
                "Both run in any case: there is nothing to compare otherwise.",
            ),
        ),
    ),
    Question(
        id="capstone.closing_4",
        text="A model reads texts well. When it writes with its cache, the first new word is good and all others are "
        "bad. Which probe do you run first?",
        choices=(
            Choice(
                "The same text with the cache and without",
                "The logits must be equal, and the two ways differ in just the part that is under suspicion.",
                right=True,
            ),
            Choice("Its loss on unseen sentences", "That is reading, and it reads well."),
            Choice(
                "The same text twice: are the logits the same?",
                "It finds randomness inside a model, which would spoil reading, too.",
            ),
            Choice(
                "How far its weights have moved in training",
                "Nothing points to training: it reads well with these weights.",
            ),
        ),
    ),
    Question(
        id="capstone.closing_5",
        text="One team's loss is lower than anybody else's. What is the most useful question?",
        choices=(
            Choice(
                "Which learning rate was used?",
                "A good learning rate does not beat everybody else on new text by a wide margin.",
            ),
            Choice("How large is the model?", "Size helps a little. What is too good to be true needs a reason."),
            Choice(
                "Has the model already seen what it is asked for?",
                "The model may have seen it in training, if the test repeats the training text, or while answering, "
                "through a hole in the mask like the colleague's in notebook 04.",
                right=True,
            ),
            Choice("Is dropout still on while the loss is measured?", "Dropout makes a loss higher."),
        ),
    ),
)
