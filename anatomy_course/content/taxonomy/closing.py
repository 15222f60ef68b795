"""The closing questions of notebook 06: they can be answered from its core sections alone."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

CLOSING = (
    Question(
        id="taxonomy.closing_1",
        text="A fourth job: for each customer's question, find the passages among 10 million pages that answer it. "
        "Which body do you try first?",
        choices=(
            Choice(
                "A decoder: it can be asked in plain words whether a page answers the question",
                "Then all 10 million pages would have to be read again for every question.",
            ),
            Choice(
                "An encoder–decoder: it reads the page and writes down whether it fits",
                "Then all 10 million pages would have to be read again for every question, and nothing needs to be "
                "written.",
            ),
            Choice(
                "An encoder",
                "It turns each page into a vector once, from all of its words. A question is then one more vector, "
                "and the nearest pages are looked up. MiniLM is made for this.",
                right=True,
            ),
            Choice(
                "None: ten million pages are enough to train a body from nothing",
                "That would give away what pretraining has learned from far more text.",
            ),
        ),
    ),
    Question(
        id="taxonomy.closing_2",
        text="In a text of 8 positions, counted from 0, position 1 sees 0 to 3, and position 5 sees 0 to 5. Which mask "
        "is it?",
        choices=(
            Choice("An encoder's, open on both sides", "Then position 1 would see all eight."),
            Choice("A causal one, as in GPT", "Then position 1 would not see 2 and 3."),
            Choice("A causal window of 4", "Then position 5 would not see 0 and 1, nor position 1 what comes after."),
            Choice(
                "That of a prefix of 4",
                "The first four see each other; after them each position sees what comes before it and itself.",
                right=True,
            ),
        ),
    ),
    Question(
        id="taxonomy.closing_3",
        text="A chat model with 0.5 billion parameters fits into a phone, until the conversation has 30,000 tokens. "
        "Which change makes the cache much smaller and leaves the weights as they are?",
        choices=(
            Choice(
                "A window of 4,096 in every layer",
                "Then each layer keeps the keys and values of 4,096 tokens at most; no matrix changes.",
                right=True,
            ),
            Choice(
                "One layer's weights for all layers, as in ALBERT",
                "That shrinks the weights. Each layer still keeps keys and values of its own.",
            ),
            Choice(
                "Weights of 8 bits instead of 16",
                "That halves the weights; keys and values are computed and kept as before.",
            ),
            Choice(
                "Half as many layers, trained by the larger model",
                "That halves the cache, but the weights of the layers as well.",
            ),
        ),
    ),
    Question(
        id="taxonomy.closing_4",
        text="“Thank you for inviting me to your party last week” became “Thank you X me to your party Y week”. What "
        "does T5 have to write?",
        choices=(
            Choice(
                "X for inviting Y last Z",
                "Each span after its sentinel, and one more sentinel at the end.",
                right=True,
            ),
            Choice("for inviting last", "Nothing would say which words belong where."),
            Choice("Thank you for inviting me to your party last week", "That is what BART writes: the whole text."),
            Choice("X Y", "They are in its input; it must write what they replace."),
        ),
    ),
    Question(
        id="taxonomy.closing_5",
        text="A text becomes twice as long, from 4,000 to 8,000 tokens. By what factor does the number of pairs of a "
        "query and a key grow, with full attention and with a window of 256?",
        choices=(
            Choice("2 and 2", "With full attention each of twice as many tokens looks at twice as many."),
            Choice("4 and 4", "With a window each token looks at as many as before."),
            Choice("4 and 2", "n² against n · 256.", right=True),
            Choice("2 and 1", "The window does not make the text shorter: 8,000 tokens look at 256 each."),
        ),
    ),
)
