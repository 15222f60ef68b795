"""Questions of notebook 05, each with a reason for every wrong choice."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

NO_CAUSAL_MASK = Question(
    id="encoder_decoder.no_causal_mask",
    text="Self-attention in the decoder has a causal mask. Cross-attention has none. Why can it do without one?",
    choices=(
        Choice(
            "The source is complete before the first word is written",
            "The mask hides text that is still to be written, and none of that is in the memory.",
            right=True,
        ),
        Choice(
            "Self-attention comes first in the layer, and its mask protects cross-attention as well",
            "That mask is about the decoder's own text. Cross-attention looks at another text.",
        ),
        Choice(
            "It should have one: word 3 of the translation must not see word 4 of the source",
            "Word order differs between languages, so word 3 may need exactly that word.",
        ),
    ),
)

ONCE = Question(
    id="encoder_decoder.once",
    text="A translation of 14 tokens is written, one at a time. How often are the keys and values of cross-attention "
    "computed if nothing is computed twice?",
    choices=(
        Choice(
            "14 times, once for each token",
            "That is true of the queries: each new token brings its own. The source does not change meanwhile.",
        ),
        Choice(
            "Once in each layer",
            "They depend only on the memory. Each layer has its own W_K and W_V, so each has its own keys and values.",
            right=True,
        ),
        Choice(
            "Once, for all layers together",
            "The memory is the same for all layers, but each layer has its own matrices.",
        ),
        Choice("1 + 2 + … + 14 times", "That is how often the decoder's own keys would be computed without a cache."),
    ),
)

EXPOSURE = Question(
    id="encoder_decoder.exposure",
    text="A translator writes 12 words greedily, and the sixth is the first wrong one. Compared with a run in which "
    "somebody supplies the right sixth word, which of the other words can differ?",
    choices=(
        Choice(
            "Words 5 to 12: a wrong word spoils its neighbors on both sides",
            "The decoder is causal. What it wrote before the mistake cannot depend on it.",
        ),
        Choice(
            "Words 7 to 12",
            "Words 1 to 5 were written before the mistake. All later words are written by a decoder that reads it.",
            right=True,
        ),
        Choice(
            "All of them, since the memory is computed again after each word",
            "The memory depends only on the source. It is computed once.",
        ),
        Choice(
            "None: every word is chosen from the memory, which is still right",
            "The memory is still right, but the decoder also reads its own words.",
        ),
    ),
)

CASE_DIAGNOSIS = Question(
    id="encoder_decoder.case_diagnosis",
    text="What is wrong with `colleagues_padding_mask`?",
    choices=(
        Choice(
            "It gives all texts the length of the longest",
            "Each text should have its own length. A text that is alone is also the longest in its batch, so there the "
            "mask is right.",
            right=True,
        ),
        Choice(
            "It counts from 1, so that each text sees one position too many",
            "Then the three texts of 5, 3 and 2 tokens would see 12 or 13 positions. Look at how many they see.",
        ),
        Choice(
            "It has True and False swapped, so that only padding is seen",
            "Then a text without padding would see nothing at all, and no translation would be right even alone.",
        ),
        Choice(
            "It lets the words of one text look at the words of another",
            "A mask of this shape never joins two texts. Only the lengths of the others matter here.",
        ),
    ),
)

QUESTIONS = (NO_CAUSAL_MASK, ONCE, EXPOSURE, CASE_DIAGNOSIS)
