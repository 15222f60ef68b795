"""Predictions of notebook 01: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

FIXED_VECTOR = Question(
    id="attention.fixed_vector",
    kind="prediction",
    text="How similar are the two vectors of *flies*: as rows of the table, and after the six layers?",
    choices=(
        Choice(
            "Below 1 in the table; the layers bring them closer together.",
            "The table is given an id, and both *flies* have the same one. What differs comes later.",
        ),
        Choice(
            "Below 1 in the table; the layers move them further apart.",
            "The layers do move them apart. But the table is given an id, and both *flies* have the same one.",
        ),
        Choice(
            "Exactly 1 in the table; less after the layers.",
            "The look-up sees the id alone, and the id is the same in both sentences. The layers see the words around "
            "it.",
            right=True,
        ),
        Choice(
            "Exactly 1 in the table and after the layers.",
            "True of the table. But the layers let the other words in, and those differ.",
        ),
    ),
)

APPLE = Question(
    id="attention.predict_apple",
    kind="prediction",
    text='"I ate an apple and a pear for breakfast." The encoder has six layers. '
    "How many must this apple pass through before it is nearer to *banana* than to *microsoft*?",
    choices=(
        Choice(
            "None: it is nearer in the table.",
            "The table has one row for both apples, and that row is nearer to *microsoft*.",
        ),
        Choice("One.", "One layer is enough, and the word stays on that side to the last.", right=True),
        Choice("About three.", "By then the gap is wide, but the word changed sides earlier."),
        Choice("All six.", "It is still on that side there, but it had been for five layers."),
    ),
)

UNIFORM = Question(
    id="attention.predict_uniform",
    kind="prediction",
    text="The weights are even, and only W_V learns. Near which loss does the training end?",
    choices=(
        Choice(
            "0: the right color, without a doubt.",
            "The average of four values is the same whichever thing is asked for. So no W_V can tell.",
        ),
        Choice(
            "0.69 = ln 2: a guess between two colors.",
            "What could rule out two of the four? The question does not even enter the average.",
        ),
        Choice(
            "1.39 = ln 4: a guess among the street's four colors.",
            "The average tells which four colors there are, but not which of them belongs to the bus.",
            right=True,
        ),
        Choice(
            "2.08 = ln 8: a blind guess among all eight colors.",
            "That is where it begins. But four of the eight colors leave no trace in the average, and W_V learns that.",
        ),
    ),
)

VARIANCE = Question(
    id="attention.predict_variance",
    kind="prediction",
    text="Random queries and keys, scores not divided by anything. d_head grows from 4 to 256. What happens "
    "to the largest weight of a row?",
    choices=(
        Choice(
            "It rises toward 1.",
            "The scores' variance grows with d_head, and the softmax of numbers that are far apart gives nearly all "
            "the weight to one of them.",
            right=True,
        ),
        Choice(
            "It stays about the same.",
            "That would be so if the scores kept their spread. But each one is a sum of d_head products.",
        ),
        Choice("It falls toward an even share.", "The other way round: the scores move further apart, not together."),
    ),
)

SHUFFLE = Question(
    id="attention.predict_shuffle",
    kind="prediction",
    text="You shuffle the words of a sentence and run attention again, with no positions added. What happens "
    "to the outputs?",
    choices=(
        Choice(
            "Every word gets a new vector, because it now has other neighbors.",
            "Attention knows no neighbors. All words are equally near, and the same words are still there.",
        ),
        Choice(
            "Each word gets the same vector as before, at its new place.",
            "A weighted average does not depend on the order of its terms. Attention alone sees a bag of words, not a "
            "sentence.",
            right=True,
        ),
        Choice(
            "Nothing changes, not even the order.",
            "Row i of the output belongs to word i of the input. When the words move, their rows move with them.",
        ),
    ),
)

PREDICTIONS = (FIXED_VECTOR, APPLE, UNIFORM, VARIANCE, SHUFFLE)
