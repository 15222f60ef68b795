"""The closing questions of notebook 04: they can be answered from the notebook alone."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

CLOSING = (
    Question(
        id="decoder.closing_1",
        text="Three texts of 15, 9 and 6 tokens, <bos> and <eos> counted, go through training in one batch. For how "
        "many "
        "next tokens does the model answer?",
        choices=(
            Choice(
                "3, the last of each text",
                "Each position that is followed by another one has an answer and a label.",
            ),
            Choice("27", "14 + 8 + 5: every token but the last of each text is followed by one.", right=True),
            Choice("30", "Nothing comes after <eos>, so nothing is asked there."),
            Choice("42", "3 · 14 counts the padding too; it has no label."),
        ),
    ),
    Question(
        id="decoder.closing_2",
        text="A model's loss falls by log 2, about 0.69. What becomes of its perplexity?",
        choices=(
            Choice("It falls by 0.69, too", "It is not the loss, but e to the power of it."),
            Choice("It is halved", "It hesitates among half as many tokens.", right=True),
            Choice("It falls by 2", "A difference of losses is a factor between perplexities."),
            Choice("That depends on the vocabulary", "Only the probabilities of the right tokens count in either."),
        ),
    ),
    Question(
        id="decoder.closing_3",
        text="What is shared when weights are tied?",
        choices=(
            Choice("All layers use the same matrices", "Some models do that; it is called sharing across layers."),
            Choice(
                "Several query heads use one head of keys and values",
                "Those are grouped queries; they make the cache smaller.",
            ),
            Choice(
                "The table that turns ids into vectors is also the last linear layer",
                "A token's logit is the dot product of the state with that token's own vector.",
                right=True,
            ),
        ),
    ),
    Question(
        id="decoder.closing_4",
        text="Probabilities are 0.5, 0.3, 0.15 and 0.05. Top-p with p = 0.9: with what probability is the third "
        "token drawn?",
        choices=(
            Choice("0: 0.5 and 0.3 are kept", "Together they have 0.8, which falls short of 0.9."),
            Choice("0.15, as before", "The last token is out, and its share goes to the others."),
            Choice(
                "About 0.16",
                "Three tokens are kept; they have 0.95 together, and 0.15 / 0.95 is 0.158.",
                right=True,
            ),
            Choice("A third: three are kept", "They keep their proportions."),
        ),
    ),
    Question(
        id="decoder.closing_5",
        text="A model has 9 query heads and 3 heads of keys and values. Each query head is given a copy of its own. "
        "What "
        "changes?",
        choices=(
            Choice(
                "The cache is three times as large, and the text is the same",
                "The copies hold the same numbers; only there are more of them for every token.",
                right=True,
            ),
            Choice("The text: each head now sees something else", "It sees a copy of what it saw before."),
            Choice("A step reads fewer tokens", "It reads one, as before."),
            Choice("Nothing at all", "Somebody has to keep the copies: three times as many."),
        ),
    ),
    Question(
        id="decoder.closing_6",
        text="A language model's loss is lower than any you have ever seen, and its texts are nonsense. What do you "
        "look at first?",
        choices=(
            Choice("Whether it was trained long enough", "Too little training leaves the loss high."),
            Choice("The temperature", "It can spoil texts, but the loss knows nothing of it."),
            Choice(
                "Whether the test sentences were in training too",
                "Then the loss would be too good, but what it has learned by heart it could write.",
            ),
            Choice(
                "Whether a position can see its own answer: mask and shift",
                "What cannot be seen in writing must not be seen in training.",
                right=True,
            ),
        ),
    ),
)
