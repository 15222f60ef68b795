"""Predictions of notebook 06: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

WORK = Question(
    id="taxonomy.predict_work",
    kind="prediction",
    text="ALBERT's base model has about a tenth of the parameters of BERT's. Both have 12 layers of the same width. "
    "How much does it compute for a token, compared with BERT?",
    choices=(
        Choice(
            "About a tenth: as many multiplications as parameters",
            "So it is where each parameter is used once for a token. ALBERT's layer is used twelve times.",
        ),
        Choice(
            "About a twelfth: one layer in place of twelve",
            "One layer's numbers are stored; twelve layers are computed.",
        ),
        Choice(
            "Nearly as much",
            "Twelve layers are twelve layers, whoever owns the numbers. Only the last step, over the vocabulary, is "
            "cheaper with a narrow table: where masked words are asked, ALBERT computes about four fifths in all.",
            right=True,
        ),
        Choice(
            "About half: attention costs the same, the feed-forward networks are shared",
            "Attention and feed-forward are shared alike, and shared parts are computed as often as others.",
        ),
    ),
)

WINDOW = Question(
    id="taxonomy.predict_window",
    kind="prediction",
    text="Mistral 7B has a window of 4096 tokens. At 4096 tokens, its keys and values take 512 MiB (16 bits a number). "
    "How much at 32,768 tokens?",
    choices=(
        Choice(
            "512 MiB", "A new token's keys and values are written over those that have left the window.", right=True
        ),
        Choice("4 GiB", "Eight times the tokens would be eight times the bytes, were none of them forgotten."),
        Choice("32 GiB", "That would be n²: a number for each pair of tokens. A cache has some for each token."),
        Choice("1 GiB", "Two windows' worth? Only one is needed at a time."),
    ),
)

PREDICTIONS = (WORK, WINDOW)
