"""The closing questions of notebook 06: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

CLOSING = (
    Question(
        id="taxonomy.closing_1",
        text="You want to mark each word of a letter that names a drug. You have 2000 marked letters, and may choose "
        "among pretrained bodies of one size. Which do you take first?",
        choices=(
            Choice(
                "A decoder: the newest models are decoders",
                "Its position for a word knows nothing of the words behind it, and names are often told by these.",
            ),
            Choice(
                "An encoder",
                "One tag a word, from the words on both sides: that is what it was made for.",
                right=True,
            ),
            Choice(
                "An encoder–decoder: it has both",
                "It would do it, writing the tags out as a text, with twice the parts. Nothing has to be written here.",
            ),
            Choice(
                "None; 2000 letters are enough to begin from nothing",
                "Pretraining has seen millions of texts. It would be a waste to leave that aside.",
            ),
        ),
    ),
    Question(
        id="taxonomy.closing_2",
        text="In a text of 8 positions, counted from 0, position 1 sees 0 to 3, and position 5 sees 0 to 5. Which mask "
        "is it?",
        choices=(
            Choice("An encoder's", "Then position 1 would see all eight."),
            Choice("A causal one", "Then position 1 would not see 2 and 3."),
            Choice("A causal window of 4", "Then position 5 would not see 0 and 1, nor position 1 what comes after."),
            Choice(
                "That of a prefix of 4",
                "The first four see each other; behind them each sees what came before and itself.",
                right=True,
            ),
        ),
    ),
    Question(
        id="taxonomy.closing_3",
        text="An encoder like ALBERT, with one layer for all, is made 24 layers deep in place of 12. What doubles?",
        choices=(
            Choice(
                "Its parameters, and what it computes",
                "The second dozen are the same layer once more: no new parameters.",
            ),
            Choice("Its parameters only", "They are the only thing that stays."),
            Choice("What its layers compute; the parameters stay", "Sharing saves memory, not work.", right=True),
            Choice("Neither", "Each of the 24 layers has to be computed, whoever owns the numbers."),
        ),
    ),
    Question(
        id="taxonomy.closing_4",
        text="“Thank you for inviting me to your party last week” became “Thank you X me to your party Y week”. What "
        "does T5 have to write?",
        choices=(
            Choice(
                "X for inviting Y last Z",
                "Each span behind its sentinel, and one more sentinel at the end.",
                right=True,
            ),
            Choice("for inviting last", "Nothing would say which words belong where."),
            Choice("Thank you for inviting me to your party last week", "That is what BART writes: the whole text."),
            Choice("X Y", "They stand in its input; what is asked for is what they stand for."),
        ),
    ),
    Question(
        id="taxonomy.closing_5",
        text="A text becomes twice as long, from 4000 to 8000 tokens. By what factor does the number of scores grow, "
        "with full attention and with a window of 256?",
        choices=(
            Choice("2 and 2", "With full attention each of twice as many tokens looks at twice as many."),
            Choice("4 and 4", "With a window each token looks at as many as before."),
            Choice("4 and 2", "n² against n · 256.", right=True),
            Choice("2 and 1", "The window does not make the text shorter: 8000 tokens look at 256 each."),
        ),
    ),
    Question(
        id="taxonomy.closing_6",
        text="A picture shows that a head looks from “it” at “animal” with weight 0.8. What has been shown?",
        choices=(
            Choice(
                "That the model has understood what “it” stands for",
                "That would have to show in what it says: change the sentence and see whether it says another thing.",
            ),
            Choice(
                "That this head takes the value made at “animal” with weight 0.8 into what it gives to “it”",
                "No more and no less. Whether that matters is seen when it is taken away.",
                right=True,
            ),
            Choice(
                "That the output would change if “animal” were hidden",
                "That can be tried; a weight is a guess at what comes out, sometimes a good one and sometimes not.",
            ),
            Choice(
                "Nothing: weights are random numbers",
                "They are computed, and they do mix the values. Only what comes of it is not in them.",
            ),
        ),
    ),
)
