"""Predictions of notebook 05: chosen before a cell runs, judged by what it shows."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

FLIP = Question(
    id="encoder_decoder.predict_flip",
    kind="prediction",
    text="In French, “The animal didn't cross the street because it was too tired.” is “L'animal n'a pas traversé la "
    "rue parce qu'il était trop fatigué.” Now the last English word becomes “wide”. What has to change in the French?",
    choices=(
        Choice(
            "Only the last word: “… parce qu'il était trop large.”",
            "French must also say what “it” is: a masculine animal (il) or a feminine street (elle).",
        ),
        Choice(
            "The last word and the verb before it, “était”",
            "The verb is the same for il and elle.",
        ),
        Choice(
            "The last word and the beginning, since the sentence is about the street now",
            "Everything before the pronoun stays as it is.",
        ),
        Choice(
            "The last word and the pronoun: “… qu'elle était trop large.”",
            "Now it is the street that is too wide, and “rue” is feminine. English says “it” both times, so the "
            "pronoun cannot be translated on its own.",
            right=True,
        ),
    ),
)

FREE = Question(
    id="encoder_decoder.predict_free",
    kind="prediction",
    text="The half-trained translator now writes on its own. How many whole sentences will be right, compared with "
    "the teacher-forced run, in which it read the right words?",
    choices=(
        Choice(
            "Fewer: mistakes add up when it reads its own words",
            "Mistakes do add up, but only in sentences that already contain one, and those are lost in both runs.",
        ),
        Choice(
            "Exactly as many",
            "As long as every word is right, what it reads is the right text, so both runs are the same.",
            right=True,
        ),
        Choice(
            "More: it no longer has to follow somebody else's words",
            "The words that it had to follow were the right ones. Nothing helps more.",
        ),
        Choice(
            "Fewer or more, depending on the sentences that were drawn",
            "It is the same number for any sentences: a sentence is right in both runs or in neither.",
        ),
    ),
)

PRONOUN = Question(
    id="encoder_decoder.predict_pronoun",
    kind="prediction",
    text="The half-trained translator already gets most words right. Now 500 unseen sentences like the two at the "
    "top: in half of them the right word is “il”, in half “elle”. How often is its pronoun right?",
    choices=(
        Choice(
            "About as often as its other words",
            "Most words need no more than one word of the source. The pronoun needs the last word and a noun.",
        ),
        Choice(
            "Almost always, since the two words are so common",
            "Common words are learned early. When to use which of them is learned much later.",
        ),
        Choice(
            "About half the time",
            "It knows that a pronoun has to come, but not which. Guessing gets half of them right.",
            right=True,
        ),
        Choice(
            "Almost never: it mixes up the two words",
            "To be wrong almost always, it would have to know what “it” means and say the opposite.",
        ),
    ),
)

HEADS = Question(
    id="encoder_decoder.predict_heads",
    kind="prediction",
    text="This translator has 24 heads. A search finds those that the choice between “il” and “elle” needs most. They "
    "are switched off; in other runs, the same number of heads drawn at random is switched off instead. What happens "
    "to the choice?",
    choices=(
        Choice(
            "Losing the heads that were found spoils it; losing random ones hardly changes it",
            "That is what the comparison is for: without it we could not tell a culprit from a bystander.",
            right=True,
        ),
        Choice(
            "Nothing in either run: what a model knows is spread evenly over all of its heads",
            "Much is spread, but the way from the last word to the pronoun leads through few heads.",
        ),
        Choice(
            "The same damage in both: a trained model needs every head that it has, whichever is missing",
            "Most heads carry something else, or nothing that other heads do not carry too.",
        ),
        Choice(
            "More damage without the random ones, since nobody looked at what they do",
            "They were not chosen to hurt.",
        ),
    ),
)

SEED = Question(
    id="encoder_decoder.predict_seed",
    kind="prediction",
    text="The other translator of section 6 learned from another seed: other starting weights, other sentences, the "
    "same number of steps. Which heads will the same search find in it?",
    choices=(
        Choice(
            "The same one: the task decides which head gets the job",
            "Before training, all heads of a layer are alike but for random numbers. Which one gets a job is a matter "
            "of chance.",
        ),
        Choice(
            "Heads of cross-attention again; which ones is a matter of chance",
            "In the decoder, only cross-attention can read the source. Which of its heads the search finds depends on "
            "the seed.",
            right=True,
        ),
        Choice(
            "Heads of the decoder's self-attention, where the written words meet",
            "Up to the pronoun the written words are the same for both readings. The difference is in the source.",
        ),
        Choice(
            "None: the job will be spread so evenly that no four heads matter",
            "Four heads were enough to spoil the choice here, too.",
        ),
    ),
)

COMPANY = Question(
    id="encoder_decoder.predict_company",
    kind="prediction",
    text="The colleague's translator has translated 64 sentences, one by one. Now all 64 come in one batch, "
    "together with one text twice as long. What happens?",
    choices=(
        Choice(
            "The same translations as before: the rows of a batch never mix",
            "They should not. But many of the 64 change.",
        ),
        Choice("Only the long text comes out wrong", "The long text is the one that comes out as it would alone."),
        Choice(
            "It stops with an error: the shapes no longer fit",
            "All shapes are right. That is why such a fault can go unnoticed for years.",
        ),
        Choice(
            "Many of the 64 translations change",
            "Something that is not a word of theirs gets through to them. Look at the symptoms.",
            right=True,
        ),
    ),
)

PREDICTIONS = (FLIP, FREE, PRONOUN, HEADS, SEED, COMPANY)
