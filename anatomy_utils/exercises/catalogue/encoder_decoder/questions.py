"""Questions of notebook 05, each with a reason for every wrong choice."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

NO_CAUSAL_MASK = Question(
    id="encoder_decoder.no_causal_mask",
    text="Why is there no causal mask in cross-attention?",
    choices=(
        Choice(
            "There should be one: word 3 of the translation must not see word 4 of the source",
            "Word orders differ between languages, so it may need just that word.",
        ),
        Choice(
            "Self-attention below has one already, and that is enough for both",
            "Its mask is about the decoder's own text. Cross-attention looks at another text.",
        ),
        Choice(
            "The whole source has been read before the first word is written: nothing of it lies in the future",
            "What must not be seen is the text that is still to be written, and that is not in the memory.",
            right=True,
        ),
    ),
)

ONCE = Question(
    id="encoder_decoder.once",
    text="A translation of 14 tokens is written, one at a time. How often are the keys and values of cross-attention "
    "computed, when nothing is computed twice?",
    choices=(
        Choice(
            "14 times, once for each token",
            "Queries are: each new token asks anew. The source does not change while it is asked.",
        ),
        Choice(
            "Once in each layer",
            "They hang on the memory alone. Each layer has its own W_K and W_V, so each has its own keys and values.",
            right=True,
        ),
        Choice(
            "Once, for all layers together",
            "The memory is the same for all layers, but each has matrices of its own.",
        ),
        Choice("1 + 2 + … + 14 times", "So often would the decoder's own keys be computed without a cache."),
    ),
)

EXPOSURE = Question(
    id="encoder_decoder.exposure",
    text="Why does the half-trained translator get fewer words right when it runs free?",
    choices=(
        Choice(
            "Greedy choice draws a random word now and then",
            "Greedy choice draws nothing: it always takes the likeliest.",
        ),
        Choice("Its weights change while it writes", "They do not. What changes is what it reads."),
        Choice(
            "After a wrong word of its own it reads on from there; in training the right word stood in its place",
            "One slip stays in the text, and all that follows has to live with it.",
            right=True,
        ),
        Choice("It no longer sees the source", "It sees all of it at every word: the memory stays."),
    ),
)

CASE_DIAGNOSIS = Question(
    id="encoder_decoder.case_diagnosis",
    text="What is wrong with `colleagues_padding_mask`?",
    choices=(
        Choice(
            "It counts from 1, so that each text sees one position too many",
            "Then three texts of 5, 3 and 2 tokens would show 12 or 13 positions; look how many they show.",
        ),
        Choice(
            "All texts get the length of the longest: the padding of the shorter ones is seen",
            "It takes the largest of all lengths, where each text should have its own. Alone, each text is its own "
            "longest.",
            right=True,
        ),
        Choice(
            "It has True and False the wrong way round",
            "Then a text without padding would see nothing at all, and one by one no translation would be right.",
        ),
        Choice(
            "It mixes the words of different texts",
            "No word of a neighbour is ever seen. Only its length matters.",
        ),
    ),
)

QUESTIONS = (NO_CAUSAL_MASK, ONCE, EXPOSURE, CASE_DIAGNOSIS)
