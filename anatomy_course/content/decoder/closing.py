"""The closing questions of notebook 04: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

CLOSING = (
    Question(
        id="decoder.closing_1",
        text="Three texts of 15, 9 and 6 tokens, <bos> and <eos> included, go through training in one batch. How many "
        "labels count in the loss?",
        choices=(
            Choice(
                "3: the last token of each text",
                "Each token that is followed by another one has a label.",
            ),
            Choice("27", "14 + 8 + 5: every token but the last of each text is followed by one.", right=True),
            Choice("30: one for each token", "Nothing follows <eos>, so nothing is asked there."),
            Choice("42: 3 rows of 14", "That counts the padding too; its label is −100."),
        ),
    ),
    Question(
        id="decoder.closing_2",
        text="A model's loss falls by log 2, about 0.69. What happens to its perplexity?",
        choices=(
            Choice("It falls by 0.69, too", "It is not the loss, but e to the power of it."),
            Choice("It falls by 2", "A difference of losses is a factor between perplexities."),
            Choice("It is halved", "It hesitates among half as many tokens.", right=True),
            Choice(
                "That depends on the vocabulary",
                "Only the probabilities of the right tokens count in either.",
            ),
        ),
    ),
    Question(
        id="decoder.closing_3",
        text="In a model with tied weights, the vector of *dog* is copied over that of *cat*. What happens when it "
        "writes?",
        choices=(
            Choice(
                "Wherever one of the two words could follow, both are now equally likely",
                "The table is also the last linear layer, so the two tokens always get the same logit.",
                right=True,
            ),
            Choice(
                "It reads *cat* as *dog*, but chooses between them as before",
                "That would be so if the last layer had a matrix of its own.",
            ),
            Choice(
                "It never writes *cat* any more, because its row of the table is gone",
                "The row is still there; it makes the same logit as that of *dog*.",
            ),
        ),
    ),
    Question(
        id="decoder.closing_4",
        text="Probabilities are 0.5, 0.3, 0.15 and 0.05. Top-p with p = 0.9: with what probability is the third "
        "token drawn?",
        choices=(
            Choice("0: only 0.5 and 0.3 are kept", "Together they have 0.8, which falls short of 0.9."),
            Choice("0.15, as before", "The last token is out, and its share goes to the others."),
            Choice(
                "About 0.16",
                "Three tokens are kept; they have 0.95 together, and 0.15 / 0.95 is 0.158.",
                right=True,
            ),
            Choice("A third, as three are kept", "They keep their proportions."),
        ),
    ),
    Question(
        id="decoder.closing_5",
        text="A model has 9 query heads and 3 heads of keys and values. Now the cache keeps a separate copy for each "
        "query head. What changes?",
        choices=(
            Choice(
                "The cache is three times as large, and the text is the same",
                "The copies hold the same numbers; there are just more of them for every token.",
                right=True,
            ),
            Choice("The text changes, as each head now sees something else", "It sees a copy of what it saw before."),
            Choice("Each step reads a third of the tokens", "It reads one token, as before."),
            Choice("Nothing at all", "Somebody has to keep the copies: three times as many."),
        ),
    ),
    Question(
        id="decoder.closing_6",
        text="A colleague forgets the shift: the labels are the very tokens that are read. The causal mask is right. "
        "What do you see?",
        choices=(
            Choice(
                "The loss stays high, because the model cannot see what follows",
                "It need not: each label is the token at its own position, which the mask lets it see.",
            ),
            Choice("An error: the shapes of inputs and labels do not fit", "They have the same shape."),
            Choice(
                "A usual loss: a right mask keeps every answer out of sight",
                "The mask hides what follows. Without the shift the answer is not there, but at the position itself.",
            ),
            Choice(
                "The loss falls to almost 0, and in writing the last token is repeated",
                "The model learns to copy its input. What cannot be seen in writing must not be seen in training.",
                right=True,
            ),
        ),
    ),
)
