"""Predictions of notebook 02: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

PARAMETERS = Question(
    id="multi_head.predict_parameters",
    kind="prediction",
    text="d_model is 512. Take 1 head, then 8, then 64. How does the number of parameters change?",
    choices=(
        Choice(
            "It grows with the heads: every head has its own W_Q, W_K and W_V.",
            "It does, but a head among 8 is only 64 wide.",
        ),
        Choice(
            "It stays the same.",
            "More heads are narrower heads. Side by side their matrices are always 512 wide, and W_O is 512 × 512.",
            right=True,
        ),
        Choice("It falls: narrower heads need fewer numbers.", "Each head does, but there are more of them."),
    ),
)

SINK_GONE = Question(
    id="multi_head.predict_sink",
    kind="prediction",
    text="Two changes, each made in all 72 heads. (a) The values of `[CLS]` become zeros. (b) No token may look at "
    "`[CLS]`: the softmax shares its weight among the others. How much does the last vector of *it* change?",
    choices=(
        Choice(
            "(a) hardly, (b) a lot.",
            "The values were close to zero anyway. But without [CLS] the heads must put their weight on real words, "
            "whose values are not close to zero.",
            right=True,
        ),
        Choice("(a) a lot, (b) hardly.", "Then the heads would need what [CLS] says. Its values say almost nothing."),
        Choice(
            "Both hardly: nothing arrives from [CLS] either way.",
            "True of (a). In (b) the weight does not vanish: it falls on other tokens.",
        ),
        Choice(
            "Both a lot: no token gets more weight than [CLS].",
            "Weight is not what arrives. In (a) hardly anything that arrives has changed.",
        ),
    ),
)

HEAD_OFF = Question(
    id="multi_head.predict_head_off",
    kind="prediction",
    text="Layer 3, head 1 looks from *it* to *animal*. You switch off this one head. How similar is the encoder's "
    "last vector of *it* to what it was? (Cosine similarity; 1 is unchanged.)",
    choices=(
        Choice(
            "Below 0.7: the encoder no longer knows what *it* is.",
            "Where a head looks is one thing. There are 71 other heads, and the word's own vector.",
        ),
        Choice("0.7 to 0.95: clearly changed.", "One head of layer 5 does that, but not this one."),
        Choice("0.95 to 0.99: a little.", "Less than that, even."),
        Choice(
            "Above 0.99: hardly at all.",
            "A head adds one term among many to a vector that is carried on in any case. The picture of its weights "
            "did not show that.",
            right=True,
        ),
    ),
)

HALF_OFF = Question(
    id="multi_head.predict_half_off",
    kind="prediction",
    text="Alone, nearly every head can go and *it* hardly changes. Now switch off 36 heads at once, half of all "
    "heads: those that counted least when switched off one at a time. How similar is *it* to what it was?",
    choices=(
        Choice(
            "Above 0.99: what costs nothing alone costs nothing together.",
            "Each costs a little, and the little adds up.",
        ),
        Choice(
            "0.85 to 0.99: a smaller change than *wide* for *tired*.",
            "Half of the heads matter less than one word of the sentence.",
            right=True,
        ),
        Choice(
            "0.5 to 0.85: a larger change than *wide* for *tired*.",
            "That is what the *other* half does: the 36 heads that count most.",
        ),
        Choice("Below 0.5: no model can lose half of its heads.", "That takes all 72 of them."),
    ),
)

SCRAMBLED = Question(
    id="multi_head.predict_scrambled",
    kind="prediction",
    text="A small tagger is trained with `colleagues_heads` inside from the first step, so it can get used to them. "
    "What happens?",
    choices=(
        Choice("It crashes: the shapes do not fit.", "They do fit, at every step."),
        Choice("It runs, but the loss does not fall.", "It does: much can be learned without what is broken here."),
        Choice(
            "It learns as well as with correct heads: training makes up for the wrong order.",
            "Training would make up for features in another order. Here, words in different heads never meet.",
        ),
        Choice(
            "The loss falls and most labels are right, but something is not learned.",
            "Nearly all labels are right, but fewer than half of those of *it*: they depend on other words, which may "
            "be in another head.",
            right=True,
        ),
    ),
)

PREDICTIONS = (PARAMETERS, SINK_GONE, HEAD_OFF, HALF_OFF, SCRAMBLED)
