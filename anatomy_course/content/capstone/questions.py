"""The diagnoses of the ward: what is wrong with each patient, and what speaks against everything else.

One question a patient, by the name it has in `anatomy_course.lab.debugging.cases`.
"""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

ADA = Question(
    id="capstone.ward_ada",
    text="What is wrong with Ada?",
    choices=(
        Choice(
            "She writes with a cache that counts positions wrongly",
            "“cached equals uncached” finds no difference, and up to the full stop her sentences are in order.",
        ),
        Choice(
            "Her training was too short to learn how a sentence of this language ends",
            "She was trained for as long as her twin, whose every text ends. And she does write the full stop.",
        ),
        Choice(
            "24 words are not enough for her",
            "The street's longest sentence has 15 tokens, and she goes on after the full stop.",
        ),
        Choice(
            "Her loss left out the end of a text, together with padding",
            "The token chosen for padding was <eos>, so her loss never asked what follows a full stop. In “as it was "
            "taught” the loss jumps, because that probe does ask for <eos>. “unseen sentences” counts words alone, and "
            "those are fine.",
            right=True,
        ),
        Choice(
            "Her words are drawn too much at random",
            "The samples always take the likeliest word, and even so she does not end.",
        ),
        Choice(
            "Her labels were shifted by one place too many",
            "“which word it says” finds the next word, as it should.",
        ),
    ),
)

BORIS = Question(
    id="capstone.ward_boris",
    text="What is wrong with Boris?",
    choices=(
        Choice(
            "He is still in training mode, with dropout on",
            "The randomness is inside the model, so every comparison fails, even that of an answer with itself. His "
            "loss hardly suffers, because he was trained with dropout: his loss alone would not have shown it.",
            right=True,
        ),
        Choice(
            "His words are drawn at random instead of taking the likeliest",
            "“same answer twice” compares logits, before any word is chosen, and they differ.",
        ),
        Choice(
            "Padding leaks from the other texts of a batch",
            "“batch equals single” fails, but in “same answer twice” he reads the same batch both times, and that "
            "fails as well.",
        ),
        Choice(
            "His cache holds wrong keys",
            "“cached equals uncached” fails, but “same answer twice” uses no cache and fails, too.",
        ),
        Choice(
            "Sums are added in another order each time and rounded differently",
            "That changes logits by about 0.00001. His differ by several units.",
        ),
    ),
)

CLARA = Question(
    id="capstone.ward_clara",
    text="What is wrong with Clara?",
    choices=(
        Choice(
            "Her mask lets her see the word that she should guess",
            "Her loss would then have fallen far below her twin's; it stayed above.",
        ),
        Choice(
            "Her labels were shifted twice: she says the word after next",
            "“which word it says” finds 2. Measured by the loss she was trained with, all is well; measured on the "
            "next word, “as it was taught” and “unseen sentences” are terrible.",
            right=True,
        ),
        Choice(
            "Her learning rate was too low, or her training was too short",
            "Her curve has long been flat. And a loss of 10 on the next word is worse than blind guessing among 316 "
            "words, which costs 5.8: she has learned, but something else.",
        ),
        Choice(
            "Her vocabulary's ids are off by one row",
            "Then each of her words would be a different word from the one meant. “which word it says” finds the right "
            "words, only at another shift.",
        ),
        Choice(
            "She has no positions, so that she sees a bag of words",
            "She would still have been asked for the next word, and “as it was taught” would find what was noted in "
            "training.",
        ),
        Choice(
            "She loses the thread while she writes because her cache is wrong",
            "“cached equals uncached” finds no difference, and she is just as wrong when she only reads.",
        ),
    ),
)

DORA = Question(
    id="capstone.ward_dora",
    text="What is wrong with Dora?",
    choices=(
        Choice(
            "Her training diverged, and the weights hold NaN",
            "Her curve is her twin's to the last step, and alone all her answers are numbers.",
        ),
        Choice(
            "Padding is not masked, so that she reads it like words",
            "Then a batch would change her numbers, but they would be numbers. And in the map no word gives weight to "
            "padding.",
        ),
        Choice(
            "Prompts are padded at the wrong end",
            "They are padded at the beginning, as prompts must be: the map's first rows show it.",
        ),
        Choice(
            "Padding moves the other words to wrong positions",
            "That would change numbers; it cannot make them NaN.",
        ),
        Choice(
            "Numbers grow too large for the engine and overflow",
            "The numbers of a prompt are the same alone and in a batch. Alone they do not overflow.",
        ),
        Choice(
            "A query that may attend to nothing divides 0 by 0",
            "Padding at the beginning sees nothing: no real word comes before it. In the map its rows are NaN. One "
            "layer up, 0 × NaN is NaN for every word that gives padding a weight of 0. The longest prompt has no "
            "padding.",
            right=True,
        ),
    ),
)

EMIL = Question(
    id="capstone.ward_emil",
    text="What is wrong with Emil?",
    choices=(
        Choice("He was trained too little", "In “unseen sentences” he is as good as his twin."),
        Choice(
            "Always taking the likeliest word leads into circles",
            "His twin writes in the same way. And “cached equals uncached” compares logits, before any word is chosen.",
        ),
        Choice(
            "With the cache, each new word counts as the first",
            "When he reads a text as a whole, he is healthy; word by word, he is not. In the map, the rows of the "
            "prompt, which is read at once, are his twin's, and no row after them is.",
            right=True,
        ),
        Choice(
            "His cache forgets the beginning of a text",
            "In the map, words after the prompt still give weight to words far back, only to the wrong ones.",
        ),
        Choice("His texts of unequal length disturb one another", "“batch equals single” finds no difference."),
        Choice("Dropout is still on", "“same answer twice” finds no difference."),
    ),
)

FRIDA = Question(
    id="capstone.ward_frida",
    text="What is wrong with Frida?",
    choices=(
        Choice(
            "The new engine rotates other pairs of features than the ones she was trained with",
            "“as it was taught” says that she was better once: nothing went wrong in training. All other probes "
            "compare the engine with itself, and it is consistent. Shapes fit, so nothing was reported. But “feature "
            "1” means one thing to the weights and another to the engine, so she reads distances between words "
            "wrongly.",
            right=True,
        ),
        Choice(
            "Her head was not tied to her token table when she was loaded",
            "With a fresh head she could only guess blindly, at a loss of 5.8 or more. Hers is about 0.25 above her "
            "twin's.",
        ),
        Choice(
            "The new engine's cache counts positions wrongly",
            "“cached equals uncached” finds no difference; she is worse even when she only reads.",
        ),
        Choice(
            "She was trained too little",
            "The loss noted in training ends where her twin's does. Only now does the same batch give a higher one.",
        ),
        Choice("Dropout is still on", "“same answer twice” finds no difference."),
        Choice(
            "She was never asked for the end of a text",
            "She ends most of her texts herself, and her curve is her twin's, who was asked for it.",
        ),
    ),
)

GUSTAV = Question(
    id="capstone.ward_gustav",
    text="What is wrong with Gustav?",
    choices=(
        Choice(
            "His learning rate is too high",
            "A rate that is too high makes the curve jump. His falls smoothly, and one part has not changed at all, "
            "which no rate explains.",
        ),
        Choice(
            "His learning rate is too low",
            "Then every part would have changed a little. “every part learns” finds one that changed by exactly 0.",
        ),
        Choice(
            "The words that were added later have no rows in the token table that he uses",
            "Reading one of them would then have raised an error; and the old words are no better.",
        ),
        Choice("His labels were shifted by one place too many", "“which word it says” finds the next one."),
        Choice(
            "The optimizer holds his old table; the one in use never learns",
            "The optimizer was made before the table was enlarged. The other parts learn around a random table that is "
            "also his head: the likeliest word is often right, but hardly likelier than others, so the loss stays at "
            "4.",
            right=True,
        ),
        Choice(
            "Dropout is too strong",
            "“same answer twice” finds no difference; and dropout would not keep a part from learning.",
        ),
    ),
)

HANNA = Question(
    id="capstone.ward_hanna",
    text="What is wrong with Hanna?",
    choices=(
        Choice(
            "Nothing: she is better than her twin",
            "On sentences that really are new her loss is more than twice her twin's.",
        ),
        Choice(
            "Her mask lets her see the word that she should guess",
            "She would see it in unseen sentences, too, and they would be easy.",
        ),
        Choice(
            "She knows few sentences by heart, and the test asks for them",
            "“right and new” finds that she copies. “as it was taught” finds nothing, because it asks for what she has "
            "read; only “unseen sentences” asks for something else. Setting aside part of a file makes no test when "
            "the file repeats itself.",
            right=True,
        ),
        Choice(
            "She was trained without dropout, and so she learned her sentences by heart",
            "Her twin had no dropout either. With new sentences at every step there is nothing to learn by heart.",
        ),
        Choice(
            "The test has too few sentences to be reliable",
            "Another draw of 128 sentences changes a loss by some hundredths. Here it is 0.4 against almost 3.",
        ),
        Choice("Her team reports the loss of the word after next", "“which word it says” finds the next one."),
    ),
)

QUESTIONS = (ADA, BORIS, CLARA, DORA, EMIL, FRIDA, GUSTAV, HANNA)
"""In the order of the patients."""
