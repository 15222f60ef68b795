"""Predictions of notebook 03: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

BEYOND = Question(
    id="encoder.predict_beyond",
    kind="prediction",
    text="Small encoders learn on rows of 8 to 16 words to count each word's marked neighbours. Given positions of any "
    "kind, they do it well up to 16. Then they get rows of 64 words. Whose answers are still nearly all right?",
    choices=(
        Choice(
            "Those with sinusoidal positions: any position has its waves.",
            "Any position has a vector, but the model has never seen those beyond 16, and its answers are worse than "
            "without any positions.",
        ),
        Choice("Those with a learned table: it learnt what it needs.", "It has no row for position 17: it refuses."),
        Choice(
            "Those with rotary positions: neighbours are turned against each other by the same angle everywhere.",
            "Nearly all are right at 64 words. At 128 they lose their way as well.",
            right=True,
        ),
        Choice(
            "All whose scores depend on the offset alone: rotary, T5's and ALiBi's.",
            "All three do better than those that know absolute positions, but in these runs T5's and ALiBi's biases "
            "were down to about two thirds.",
        ),
    ),
)

PARAMETERS = Question(
    id="encoder.predict_parameters",
    kind="prediction",
    text="MiniLM has 22.6 million parameters, six layers and a vocabulary of 30,522 tokens. Where do most of them sit?",
    choices=(
        Choice(
            "In the feed-forward networks: two thirds of every layer are there.",
            "Of every layer, yes; that makes 31 % of the whole.",
        ),
        Choice(
            "In attention: four matrices in each layer.",
            "Four of 384 × 384 in each, which makes 16 % of the whole.",
        ),
        Choice(
            "In the embeddings: one vector for each token.",
            "30,522 vectors of 384 numbers are 52 % of this small model; positions and segments make it 53.",
            right=True,
        ),
        Choice("In the norms: there are thirteen.", "Each holds two vectors; together 0.04 %."),
    ),
)

DEPTH = Question(
    id="encoder.predict_depth",
    kind="prediction",
    text="The same narrow encoder, the same seed, the same sentences, no warm-up. With 2 layers, post-norm and "
    "pre-norm learn alike. What happens with 10 layers?",
    choices=(
        Choice("Both learn better than with 2: more layers can do more.", "One of the two does."),
        Choice(
            "Post-norm learns better: what comes out of a layer has been normed.",
            "It has, but so a norm stands on every way down for the gradient.",
        ),
        Choice("Neither learns: ten layers need warm-up.", "One of the two needs none at this depth."),
        Choice(
            "Pre-norm learns better than with 2 layers; post-norm stays at guessing.",
            "In all three seeds, after 150 steps: post-norm ends at 1.35 to 1.38, like knowing only how frequent each "
            "tag is; pre-norm at 0.06 to 0.12.",
            right=True,
        ),
    ),
)

BAG = Question(
    id="encoder.predict_bag",
    kind="prediction",
    text="A tagger is trained whose words do not know where they stand. It has to mark where each entity begins, and "
    "of what kind it is. What happens?",
    choices=(
        Choice(
            "The loss does not fall: without order a sentence means nothing.",
            "It falls to less than a tenth: much can be told from the words alone.",
        ),
        Choice(
            "The loss falls and most tags are right, but many beginnings are missed.",
            "Most words are in no entity, and that can be told from the word. Whether *old* belongs to one noun or to "
            "the other, only order tells.",
            right=True,
        ),
        Choice(
            "It learns as well as the healthy one: attention sees all words anyway.",
            "It sees which words there are, and not which stands beside which.",
        ),
    ),
)

PREDICTIONS = (BEYOND, PARAMETERS, DEPTH, BAG)
