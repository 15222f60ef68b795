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

RIVALS = Question(
    id="taxonomy.predict_rivals",
    kind="prediction",
    text="English is to become French. An encoder–decoder learns it, and so does a decoder alone, which reads both "
    "languages as one text: as many parameters, the same sentences, the same steps. Which one gets more sentences "
    "right?",
    choices=(
        Choice(
            "The encoder–decoder, clearly: translating is what it was made for",
            "With one seed it is ahead, with another it is behind.",
        ),
        Choice(
            "The decoder, clearly: its one stack is as deep as the two others together",
            "With one seed it is ahead, with another one it is not. Depth alone does not decide it.",
        ),
        Choice(
            "Neither clearly: most sentences come out right in both, and another seed changes who is ahead",
            "On a task this small the difference between two trainings of one design is as large as that between the "
            "designs.",
            right=True,
        ),
        Choice(
            "The encoder–decoder: without an encoder the decoder never gets to know the English words",
            "They are the beginning of its text, and it attends to them as to any other words before.",
        ),
    ),
)

FAVOURITE = Question(
    id="taxonomy.predict_favourite",
    kind="prediction",
    text="A tagger of two layers says what “it” stands for, and is nearly always right. For each of 100 sentences we "
    "look up which word “it” looks at most in the last layer, and which word it is whose hiding moves its answer most. "
    "How often is it the same word?",
    choices=(
        Choice(
            "In at least 90: it looks at what it needs",
            "It agrees in far fewer. The reason at the end (“tired”, “wide”) is often what moves most, and "
            "hardly ever what is looked at most.",
        ),
        Choice(
            "In some, but in fewer than 75",
            "The reason at the end (“tired”, “wide”) is often the word that moves most, and hardly ever the one that "
            "is looked at most. The last layer probably knows of it from the layer below.",
            right=True,
        ),
        Choice(
            "In none: weights and effects have nothing to do with each other",
            "They agree far more often than two words picked at random from a dozen would.",
        ),
    ),
)

PREDICTIONS = (WORK, WINDOW, RIVALS, FAVOURITE)
