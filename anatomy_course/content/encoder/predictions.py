"""Predictions of notebook 03: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

PARAMETERS = Question(
    id="encoder.predict_parameters",
    kind="prediction",
    text="MiniLM has 22.6 million parameters, six layers and a vocabulary of 30,522 tokens. Where are most of "
    "the parameters?",
    choices=(
        Choice(
            "In the feed-forward networks: each widens 384 features to 1536 and back.",
            "Inside a layer, yes: two thirds. But that is only 31% of the whole model.",
        ),
        Choice(
            "In attention: four matrices in each of the six layers.",
            "Four of 384 × 384 in each layer, which is 16% of the whole model.",
        ),
        Choice(
            "In the embeddings: one vector for each token.",
            "30,522 vectors of 384 numbers are 52% of this small model; with positions and segments it is 53%.",
            right=True,
        ),
        Choice("In the norms: there are thirteen.", "Each has two vectors; together they are 0.04%."),
    ),
)

GRADIENT = Question(
    id="encoder.predict_gradient",
    kind="prediction",
    text="Stack 24 feed-forward networks, each reading the output of the one below, not trained yet. How long is the "
    "gradient that reaches the lowest network, compared with the gradient of the highest one?",
    choices=(
        Choice(
            "Always far shorter: each network loses something.",
            "That is what happens with torch's own starting weights. With larger ones, nothing is lost.",
        ),
        Choice(
            "It depends on the size of the starting weights.",
            "On the way down the gradient is multiplied by every network's derivative. With small weights, 24 factors "
            "leave next to nothing; with larger ones it arrives.",
            right=True,
        ),
        Choice(
            "Always far longer: each network adds its own part.",
            "Gradients are not added on this way, they are multiplied, network by network.",
        ),
        Choice(
            "About as long: all the networks have the same shape.",
            "They have the same shape, but 24 equal factors can still make a tiny number, or a huge one.",
        ),
    ),
)

DEPTH = Question(
    id="encoder.predict_depth",
    kind="prediction",
    text="The same narrow encoder, the same sentences, the full learning rate from the first step. With 2 layers, "
    "post-norm and pre-norm learn about equally well. What happens with 10 layers?",
    choices=(
        Choice("Both learn better than with 2: more layers can do more.", "Only one of the two does."),
        Choice(
            "Post-norm learns better: every layer's output has been normed.",
            "It has, but the gradient must come down through all of these norms as well.",
        ),
        Choice(
            "Pre-norm learns better; post-norm stays at guessing.",
            "With all three seeds. Post-norm ends near the loss of guessing by frequency, pre-norm far below the "
            "loss of 2 layers.",
            right=True,
        ),
        Choice(
            "Neither learns: ten layers are too many for so few steps.",
            "One of the two learns better than with 2 layers.",
        ),
    ),
)

BEYOND = Question(
    id="encoder.predict_beyond",
    kind="prediction",
    text="Six small encoders learn on rows of 8 to 16 tokens. One has no positions; each of the others has its own "
    "scheme. Now they get rows of 64 tokens. Which scheme gives worse answers than no positions at all?",
    choices=(
        Choice(
            "The learned table: its rows beyond 16 were never trained.",
            "It has no such rows. It gives no answer: it stops and says so.",
        ),
        Choice(
            "The waves, which are added to the words.",
            "There is a wave vector for every position, but the model has never seen those beyond 16, and they mislead "
            "it.",
            right=True,
        ),
        Choice(
            "T5's numbers: there are only a few of them for all offsets.",
            "Far offsets share a number, so no number is new. It answers better than the model without positions.",
        ),
        Choice(
            "Rotary: far words meet at angles that are new to the model.",
            "They do, but near words meet at the angles of training everywhere. At 64 nearly all answers are right.",
        ),
    ),
)

BAG = Question(
    id="encoder.predict_bag",
    kind="prediction",
    text="A tagger must mark where each name of a thing begins, and of what kind it is. In one tagger the words of a "
    "text do not know their positions. It is trained like any other. What happens?",
    choices=(
        Choice(
            "Most tags come out right, but many of the beginnings do not.",
            "Most words are outside of any name, and the word alone shows that. Whether *old* belongs to one noun or "
            "to the other, only the order shows. Each *it* counts as a beginning too; the bar does not say which "
            "beginnings are wrong.",
            right=True,
        ),
        Choice(
            "The loss does not fall: without order a sentence means nothing.",
            "It falls to less than a tenth: much can be told from the words alone.",
        ),
        Choice(
            "It learns as well as the healthy one: attention sees all words anyway.",
            "It sees which words there are, but not which word is beside which other word.",
        ),
    ),
)

PREDICTIONS = (PARAMETERS, GRADIENT, DEPTH, BEYOND, BAG)
