"""Predictions of notebook 04: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

DETOUR = Question(
    id="decoder.predict_detour",
    kind="prediction",
    text="A model of two layers, both with the causal mask, reads our sentence, and then the same one with another "
    "word in place of *street*. At which positions does the model's output change?",
    choices=(
        Choice(
            "At *street* only",
            "Every later position may look at *street*, so it changes too.",
        ),
        Choice(
            "At *street* and at the word that is predicted from it",
            "All later positions may look at *street*, not only the next one.",
        ),
        Choice(
            "From *street* to the end",
            "A position sees itself and its past. In layer 1 it sees vectors that saw only their own past.",
            right=True,
        ),
        Choice(
            "At all of them: what layer 0 hides, layer 1 brings back",
            "There is no detour: in layer 1, too, a position sees only itself and what came before it.",
        ),
    ),
)

TEMPERATURE = Question(
    id="decoder.predict_temperature",
    kind="prediction",
    text="Three tokens have the logits 2, 1 and 0. At temperature 1 the first has probability 0.67. What is its "
    "probability at temperature 0.5?",
    choices=(
        Choice("0.33: half of it", "Temperature divides logits, not probabilities; and the rows still sum to 1."),
        Choice("0.51: nearer to the others", "That is what temperature 2 gives, with the logits 1, 0.5 and 0."),
        Choice("0.67: the order of the tokens stays the same", "The order does, the gaps do not."),
        Choice(
            "0.87: farther ahead", "The logits become 4, 2 and 0, and e⁴ : e² : 1 is 0.87 : 0.12 : 0.02.", right=True
        ),
    ),
)

AFTER_END = Question(
    id="decoder.predict_after_end",
    kind="prediction",
    text="The small GPT has written a sentence and `<eos>`. We do not stop, but ask it for 15 more tokens. What will "
    "they be?",
    choices=(
        Choice(
            "Nothing that it was trained to write",
            "In training nothing ever followed <eos>, so no label has ever said what comes there.",
            right=True,
        ),
        Choice(
            "`<eos>` again and again, since the text has ended",
            "It was never shown a second <eos>; nothing has taught it to stay silent.",
        ),
        Choice(
            "`<bos>` and another sentence of the same kind",
            "Each text of the training began again. It has never seen <bos> after <eos>.",
        ),
        Choice(
            "An error, as there is no token left to choose",
            "There are logits after any token, so there is always a likeliest one.",
        ),
    ),
)

CACHE = Question(
    id="decoder.predict_cache",
    kind="prediction",
    text="A model gets one token and writes 256 more, always the likeliest. If it reads each token once, it reads 256 "
    "tokens in all. How many does it read if each step reads the whole text again, and what happens to the text?",
    choices=(
        Choice(
            "512 tokens; the same text",
            "That would be each token twice. But the first one alone is read 256 times.",
        ),
        Choice(
            "32,896 tokens; the same text",
            "1 + 2 + … + 256. What the cache holds is what would be computed again, so the text is the same.",
            right=True,
        ),
        Choice(
            "32,896 tokens; a better text, as nothing is approximated",
            "The number is right. But keys and values of the past do not change as the text grows: the cache "
            "approximates nothing.",
        ),
        Choice(
            "65,536 tokens; the same text",
            "256 times 256 would be right if every step read a text of full length; the first ones are short.",
        ),
    ),
)

SHARING = Question(
    id="decoder.predict_sharing",
    kind="prediction",
    text="A layer with 9 query heads has 3 heads of keys and values in place of 9. How much is left of its cache, and "
    "how much of its parameters?",
    choices=(
        Choice(
            "A third of the cache and a third of the parameters",
            "Of the cache, yes. But two of the four matrices have not changed at all.",
        ),
        Choice(
            "A third of the cache and all of the parameters",
            "Fewer heads of keys and values need smaller matrices to make them.",
        ),
        Choice(
            "All of the cache, because nine query heads need nine keys",
            "They do while they compute, but copies need not be kept: three are.",
        ),
        Choice(
            "A third of the cache, two thirds of the parameters",
            "W_K and W_V shrink to a third, W_Q and W_O stay: (1 + 1 + ⅓ + ⅓) / 4 is two thirds.",
            right=True,
        ),
    ),
)

TOO_GOOD = Question(
    id="decoder.predict_too_good",
    kind="prediction",
    text="A colleague's small GPT reaches a loss of about 0.02 on sentences that it has never seen. Ours "
    "learned from the same texts for as many steps, and its loss on the new sentences is about 1.27. How good are the "
    "texts that the colleague's model writes?",
    choices=(
        Choice(
            "Better than ours: the lower the loss, the better the texts",
            "None of its texts is grammatical. The loss is measured after the right words; when it writes, it has only "
            "its own.",
        ),
        Choice(
            "As good as ours: the last bit of loss cannot be seen in a text",
            "None of its texts is grammatical, and the gap in the loss is not a small one.",
        ),
        Choice(
            "Useless: not one of them is a sentence",
            "None of its texts is grammatical. A loss that good is a symptom; we look for the cause now.",
            right=True,
        ),
        Choice(
            "Copies: sentences of its training, word by word",
            "Those would be grammatical, and none of its texts is.",
        ),
    ),
)

PREDICTIONS = (DETOUR, TEMPERATURE, AFTER_END, CACHE, SHARING, TOO_GOOD)
