"""Predictions of notebook 06: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

JOBS = Question(
    id="taxonomy.predict_jobs",
    kind="prediction",
    text="Suppose you take one decoder, like GPT, for all three jobs, and train it for each. It reads every text once, "
    "and says a word's tag as soon as it has read the word. In which jobs will its answers be as good as those of a "
    "body made for the job?",
    choices=(
        Choice(
            "Only in the chat: with no encoder it cannot read what it should tag or translate",
            "It reads: its translations were as good as those of an encoder–decoder of its size.",
        ),
        Choice(
            "In the chat and the translation, but not in the tagging",
            "A chat is what decoders are made for, so only its memory was counted. The decoder translated as well as "
            "an encoder–decoder of its size, though with almost twice the multiplications. As a tagger it could only "
            "guess wherever a tag depends on later words. Reading every text twice cured that, at twice the length.",
            right=True,
        ),
        Choice(
            "In all three: whatever can be put as text, a decoder can do",
            "Reading once, it must tag each word before it has seen the rest of the sentence. When it read every text "
            "twice, it tagged as well as an encoder, at twice the length.",
        ),
        Choice(
            "In the chat and the tagging, but not in the translation, which needs two stacks",
            "One stack was enough for translating. Tagging was the job in which it failed, reading once.",
        ),
    ),
)

WORK = Question(
    id="taxonomy.predict_work",
    kind="prediction",
    text="ALBERT's base model has about a tenth of BERT's parameters. Both have 12 layers of the same width. How much "
    "does it compute for each token, compared with BERT?",
    choices=(
        Choice(
            "Nearly as much",
            "Twelve layers are computed, whoever owns the numbers. Only the last step, over the vocabulary, is cheaper "
            "with a narrow table: where masked words are asked for, ALBERT computes about four fifths of what BERT "
            "computes. A tagger has no such step: for job 1 ALBERT saves no work.",
            right=True,
        ),
        Choice(
            "About a tenth: as many multiplications as parameters",
            "That holds where each parameter is used once for a token. ALBERT's one layer is used twelve times.",
        ),
        Choice(
            "About a twelfth: one layer in place of twelve",
            "One layer's numbers are stored, but twelve layers are computed.",
        ),
        Choice(
            "About half: attention costs the same, the feed-forward networks are shared",
            "Attention and feed-forward network are both shared, and shared parts are computed as often as others.",
        ),
    ),
)

WINDOW = Question(
    id="taxonomy.predict_window",
    kind="prediction",
    text="In every layer of Mistral 7B a token sees the 4,096 tokens up to itself. After 4,096 tokens, keys and values "
    "take 512 MiB (16 bits a number). How much do they take after 32,768 tokens?",
    choices=(
        Choice("32 GiB", "That would be n²: a number for each pair of tokens. A cache has some for each token."),
        Choice("4 GiB", "Eight times the tokens would need eight times the bytes if nothing could be forgotten."),
        Choice("1 GiB", "That would be two windows. One is enough at any time."),
        Choice(
            "512 MiB",
            "Nothing that has left the window is ever looked at again, so a new token's keys and values overwrite it.",
            right=True,
        ),
    ),
)

RIVALS = Question(
    id="taxonomy.predict_rivals",
    kind="prediction",
    text="An encoder–decoder learns to put English into French, and so does a decoder alone, which reads both "
    "languages as one text. They have nearly the same number of parameters, and are trained on the same sentences for "
    "the same number of steps. Which one gets more sentences right?",
    choices=(
        Choice(
            "The encoder–decoder, clearly: translating is what it was made for",
            "Both learned it; the few sentences between them could turn around with another start.",
        ),
        Choice(
            "The decoder, clearly: its one stack is as deep as the two others together",
            "Depth was not what the task lacked: both learned it.",
        ),
        Choice(
            "Neither clearly: both learn it",
            "Both write more than nine sentences in ten without a mistake. What differs is the work.",
            right=True,
        ),
        Choice(
            "The encoder–decoder: without an encoder the decoder never gets to know the English words",
            "They are the beginning of its text, and it attends to them as to any other words before.",
        ),
    ),
)

COPYING = Question(
    id="taxonomy.predict_copying",
    kind="prediction",
    text="A Transformer and an LSTM with about the same number of parameters learn to repeat four symbols after a "
    "pause of 4, 8, 16 or 32 tokens. A third model is the LSTM with four times the training. What will the longest "
    "pause do?",
    choices=(
        Choice(
            "It troubles all three alike: what is further away is harder to find",
            "Not for the Transformer: for attention a key is a key, however far away it is.",
        ),
        Choice(
            "The Transformer repeats them; both LSTMs guess",
            "An LSTM must carry the symbols through every step of the pause, and what it learns from must travel back "
            "the same way. More training helped it, but only over short pauses.",
            right=True,
        ),
        Choice(
            "With four times the training, the LSTM repeats them as well as the Transformer does",
            "More training helped it over short pauses, and not over the longest.",
        ),
        Choice(
            "None of them repeats them: four symbols are too many for so small a model",
            "The Transformer has room for them: they stay in its keys and values.",
        ),
    ),
)

FAVOURITE = Question(
    id="taxonomy.predict_favourite",
    kind="prediction",
    text="A tagger of two layers says what “it” means, and is nearly always right. For each of 100 sentences we look "
    "up two words: the one at which “it” looks most in the last layer, and the one whose hiding changes the answer "
    "most. How often are they the same word?",
    choices=(
        Choice(
            "In at least 75 sentences: it looks at what it needs",
            "They are the same far less often. Hiding the reason at the end (“tired”, “wide”) often changes the answer "
            "most, but the reason is hardly ever what “it” looks at most.",
        ),
        Choice(
            "In some, but in fewer than 75",
            "Hiding the reason at the end (“tired”, “wide”) often changes the answer most, but the reason is hardly "
            "ever what “it” looks at most. The last layer probably knows of it from the layer below.",
            right=True,
        ),
        Choice(
            "In none of them: weights and effects have nothing to do with each other",
            "They agree far more often than two words drawn from a dozen would.",
        ),
    ),
)

PREDICTIONS = (JOBS, WORK, WINDOW, RIVALS, COPYING, FAVOURITE)
