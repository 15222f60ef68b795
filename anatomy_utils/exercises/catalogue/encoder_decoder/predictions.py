"""Predictions of notebook 05: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

FLIP = Question(
    id="encoder_decoder.predict_flip",
    kind="prediction",
    text="“The animal didn't cross the street because it was too tired.” becomes “L'animal n'a pas traversé la rue "
    "parce qu'il était trop fatigué.” Now the last word is “wide”. What changes in the French?",
    choices=(
        Choice(
            "The last word alone",
            "French must say what “it” is: a masculine animal (il) or a feminine street (elle).",
        ),
        Choice(
            "The last word and the pronoun: “qu'elle était trop large”",
            "It is the street now that is too wide, and “rue” is feminine. English says “it” both times, so the "
            "pronoun cannot be translated word by word.",
            right=True,
        ),
        Choice("The last word and the verb", "“Était” is the same for il and elle."),
        Choice(
            "Everything behind “parce que” stays, for “it” is the same word",
            "The English word is the same, what it stands for is not.",
        ),
    ),
)

HEADS = Question(
    id="encoder_decoder.predict_heads",
    kind="prediction",
    text="This translator has 24 heads. Those that a search has found are switched off, and in a second run as many "
    "that are drawn at random. What happens to the choice between “il” and “elle”?",
    choices=(
        Choice(
            "Nothing in either run: what a model knows is spread over all heads",
            "Much is spread, but the way from the last word to “it” runs through few heads.",
        ),
        Choice(
            "The same damage in both: any head that is missing hurts",
            "Most heads carry something else, or nothing that others do not carry too.",
        ),
        Choice(
            "The heads that were searched for spoil it, random ones mostly do not",
            "That is what the comparison is for: without it one could not tell a culprit from a bystander.",
            right=True,
        ),
        Choice(
            "The random ones spoil it more: they were not chosen with care",
            "They were not chosen to hurt, either.",
        ),
    ),
)

COMPANY = Question(
    id="encoder_decoder.predict_company",
    kind="prediction",
    text="The colleague's translator has translated 64 sentences, one by one. Now all 64 come in one batch, "
    "together with "
    "one text twice as long. What happens?",
    choices=(
        Choice(
            "The same translations: the rows of a batch never mix",
            "They should not. But about half of the 64 change.",
        ),
        Choice("Only the long text comes out wrong", "It is the one that is translated as before."),
        Choice(
            "About half of the 64 change, though not one of their words has",
            "Something that is not a word of theirs gets through to them. Look at the symptoms.",
            right=True,
        ),
        Choice(
            "It stops with an error: the shapes no longer fit",
            "All shapes are right. That is why such a fault can live for years.",
        ),
    ),
)

PREDICTIONS = (FLIP, HEADS, COMPANY)
