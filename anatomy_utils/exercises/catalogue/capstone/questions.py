"""The diagnoses of the ward: what is wrong with each patient, and what speaks against everything else.

One question a patient, by the name it has in `anatomy_utils.debugging.cases`.
"""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

ADA = Question(
    id="capstone.ward_ada",
    text="What is wrong with Ada?",
    choices=(
        Choice(
            "She writes with a cache that counts positions wrongly",
            "“cached equals uncached” finds no difference, and until the full stop her sentences are in order.",
        ),
        Choice(
            "Her training was too short to learn how sentences end",
            "Her curve ends beside her twin's, who learnt for as long and ends every text. She knows the full stop.",
        ),
        Choice(
            "24 words are not enough for her",
            "The street's longest sentence has 15 tokens, and she goes on behind the full stop.",
        ),
        Choice(
            "The end of a text was left out of her loss, together with padding",
            "The token chosen for padding was <eos>, so what follows a full stop was never asked of her. “as it was "
            "taught” sees the loss jump now that <eos> is asked for, too; “unseen sentences” counts words alone, and "
            "they are fine.",
            right=True,
        ),
        Choice(
            "Her words are drawn too much at random",
            "The samples always take the likeliest word, and even so she does not end.",
        ),
        Choice("Her labels were moved by one place too many", "“which word it says” finds the next one, as it should."),
    ),
)

BORIS = Question(
    id="capstone.ward_boris",
    text="What is wrong with Boris?",
    choices=(
        Choice(
            "He is still in training mode: dropout falls on every answer",
            "Chance is inside the model, so every comparison fails, even that of an answer with itself. His loss "
            "hardly suffers, because he has learnt to live with dropout: figures alone would not have shown it.",
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
            "Sums are added in another order each time and rounded otherwise",
            "That moves logits by some 0.00001. His differ by several units.",
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
            "Her learning rate was too low, or her training too short",
            "Her curve has long been flat. And a loss of 10 on the next word is worse than blind guessing among 316 "
            "words (5.8): she has learnt, but something else.",
        ),
        Choice(
            "Her labels were moved by one place twice: she says the word after next",
            "“which word it says” finds 2. By the loss that she was taught with all is well; by the next word, “as it "
            "was taught” and “unseen sentences” are terrible.",
            right=True,
        ),
        Choice(
            "Her vocabulary's ids are off by one row",
            "Then each of her words would be another word than meant. “which word it says” finds the right words, only "
            "in another place.",
        ),
        Choice(
            "She has no positions, so that she sees a bag of words",
            "She would still have been asked for the next word, and “as it was taught” would find what was noted in "
            "training.",
        ),
        Choice(
            "She loses the thread while writing because her cache is wrong",
            "“cached equals uncached” finds no difference, and she is as wrong where she only reads.",
        ),
    ),
)

DORA = Question(
    id="capstone.ward_dora",
    text="What is wrong with Dora?",
    choices=(
        Choice(
            "Her training diverged, and the weights hold NaN",
            "The curve is her twin's to the last step, and alone all her answers are numbers.",
        ),
        Choice(
            "Padding is not masked, so that she reads it like words",
            "She would give other numbers in company, but numbers. And in the map no word gives weight to padding.",
        ),
        Choice(
            "Prompts are padded at the wrong end",
            "They are padded at the head, as prompts must be: the map's first rows show it.",
        ),
        Choice(
            "Padding moves the other words to wrong positions",
            "That would change numbers; it cannot make them NaN.",
        ),
        Choice(
            "Numbers grow too large for the engine and overflow",
            "The numbers of a prompt are the same alone and in company. Alone they do not overflow.",
        ),
        Choice(
            "A query that may attend to nothing divides 0 by 0",
            "Padding at the head sees nothing: no word stands before it. In the map its rows are NaN. One layer above, "
            "0 × NaN is NaN in everybody who gives padding a weight of 0. The longest prompt has no padding.",
            right=True,
        ),
    ),
)

EMIL = Question(
    id="capstone.ward_emil",
    text="What is wrong with Emil?",
    choices=(
        Choice("He learnt too little", "His exam and “unseen sentences” equal his twin's."),
        Choice(
            "Taking always the likeliest word leads into circles",
            "His twin writes in the same way. And “cached equals uncached” compares logits, before any choice.",
        ),
        Choice(
            "With the cache, every new word is taken for the first one",
            "Read as a whole he is healthy. Word by word he differs from that; in the map, the rows of the prompt, "
            "which is read at once, are his twin's, and every row behind them is not.",
            right=True,
        ),
        Choice(
            "His cache forgets what was before",
            "In the map, words behind the prompt still give weight to words long past; only to the wrong ones.",
        ),
        Choice("His texts of unequal length disturb each other", "“batch equals single” finds no difference."),
        Choice("Dropout is still on", "“same answer twice” finds no difference."),
    ),
)

FRIDA = Question(
    id="capstone.ward_frida",
    text="What is wrong with Frida?",
    choices=(
        Choice(
            "Her head was not tied to her token table when she was loaded",
            "With a fresh head she could only guess blindly, at a loss of 5.8 or more. Hers is about 0.25 above her "
            "twin's.",
        ),
        Choice(
            "The new engine turns other features of queries and keys together than those she learnt with",
            "“as it was taught” says that she was better once: nothing happened in training. All else compares the "
            "engine with itself, and it is consistent. Shapes fit, so nothing was reported; but “feature 1” means one "
            "thing to the weights and another to the engine, and offsets are no longer what they were.",
            right=True,
        ),
        Choice(
            "The new engine's cache counts wrongly",
            "“cached equals uncached” finds no difference; she is worse even where she only reads.",
        ),
        Choice(
            "She was trained too short",
            "The loss noted in training ends where her twin's does. Only now the same lesson gives a higher one.",
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
            "A rate that is too high makes the curve jump. His falls smoothly, and one organ has not moved at all, "
            "which no rate explains.",
        ),
        Choice(
            "His learning rate is too low",
            "Then all organs would have moved little. “every organ learns” finds one that moved by exactly 0.",
        ),
        Choice(
            "The words that were added have no rows in his table",
            "Reading one of them would then have raised an error; and more rows did not help the old words either.",
        ),
        Choice("His labels were moved by one place too many", "“which word it says” finds the next one."),
        Choice(
            "The optimizer holds his old table; the one in use never learns",
            "It was made before the table was enlarged. The other organs learn around a table of chance, which is also "
            "his head: the likeliest word is often right, but hardly likelier than others, and a loss of 4 tells it.",
            right=True,
        ),
        Choice(
            "Dropout is too strong",
            "“same answer twice” finds no difference; and dropout would not keep an organ from moving.",
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
            "She has few sentences by heart, and the exam asks for the same ones",
            "“right and new” finds that she copies. “as it was taught” is content: by what she has read she is judged, "
            "and only “unseen sentences” asks for something else. Cutting an exam out of the same file does not help "
            "where the file repeats itself.",
            right=True,
        ),
        Choice(
            "She was trained without dropout, so she learnt by heart",
            "Her twin had none either. With a new sentence at every step there is nothing to learn by heart.",
        ),
        Choice(
            "The exam is too short to be reliable",
            "Another draw of 128 sentences moves a loss by some hundredths. Here it is 0.4 against almost 3.",
        ),
        Choice("Her team reports the loss of the word after next", "“which word it says” finds the next one."),
    ),
)

QUESTIONS = (ADA, BORIS, CLARA, DORA, EMIL, FRIDA, GUSTAV, HANNA)
"""Bed by bed."""
