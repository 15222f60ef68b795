"""Predictions of notebook 04: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

TEMPERATURE = Question(
    id="decoder.predict_temperature",
    kind="prediction",
    text="Three tokens have the logits 2, 1 and 0. At temperature 1 the first has probability 0.67. What has it at "
    "temperature 0.5?",
    choices=(
        Choice("0.33: half of it", "Temperature divides logits, not probabilities; and the rows still sum to 1."),
        Choice("0.51", "That is what temperature 2 gives: the logits 1, 0.5 and 0 lie nearer together."),
        Choice("0.67: the order of the tokens stays the same", "The order does, the gaps do not."),
        Choice("0.87", "The logits become 4, 2 and 0, and e⁴ : e² : 1 is 0.87 : 0.12 : 0.02.", right=True),
    ),
)

CACHE = Question(
    id="decoder.predict_cache",
    kind="prediction",
    text="A model gets one token and writes 256 more, always the likeliest. With a key/value cache it reads 256 "
    "tokens in all. How many does it read without one, and what becomes of the text?",
    choices=(
        Choice(
            "512 tokens; the same text",
            "That would be each token twice. Without a cache the first is read 256 times.",
        ),
        Choice(
            "32,896 tokens; the same text",
            "1 + 2 + … + 256. What the cache holds is what would be computed again, so the text is the same.",
            right=True,
        ),
        Choice(
            "32,896 tokens; another text, for the cache is an approximation",
            "The number is right. But keys and values of the past do not change as the text grows: nothing is "
            "approximated.",
        ),
        Choice(
            "65,536 tokens; the same text",
            "256 times 256 would be it if every step read a text of full length; the first ones are short.",
        ),
    ),
)

TOO_GOOD = Question(
    id="decoder.predict_too_good",
    kind="prediction",
    text="A colleague's small GPT comes to a loss of about 0.01 on sentences that it has never seen. A healthy one, "
    "after as many steps on the same sentences, stays at about 1.25. How good are the texts that the colleague's "
    "writes?",
    choices=(
        Choice(
            "Better than the healthy one's: the lower the loss, the better the texts",
            "None of its texts is grammatical. The loss is taken behind the right words; when it writes, there are "
            "only its own.",
        ),
        Choice(
            "As good as the healthy one's: the last bit of loss cannot be seen in a text",
            "None of its texts is grammatical.",
        ),
        Choice(
            "Nonsense",
            "None of its texts is grammatical. A loss that good is a symptom; of what, is to be found out now.",
            right=True,
        ),
        Choice("Sentences from its training, word by word", "Those would be grammatical; none of its texts is."),
    ),
)

PREDICTIONS = (TEMPERATURE, CACHE, TOO_GOOD)
