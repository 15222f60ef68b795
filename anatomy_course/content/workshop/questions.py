"""The questions within notebook 08."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

HELD_OUT = Question(
    id="workshop.held_out",
    text="Every twentieth function is held out for validation, before any window is drawn. A colleague draws all "
    "windows first, from the whole text, and holds out every twentieth window. What goes wrong?",
    choices=(
        Choice(
            "Nothing: the windows are drawn at random in both cases",
            "Random windows overlap. Most of a held-out window is in others, which are learned from.",
        ),
        Choice(
            "Held-out windows overlap with others, so their loss is too low",
            "Then the loss also measures what is known by heart. What is held out must be set apart before anything "
            "is cut from it.",
            right=True,
        ),
        Choice(
            "There are too few of them to say anything",
            "It is the same share of the text; its size is not the trouble.",
        ),
        Choice(
            "Some windows begin in the middle of a function",
            "Nearly all of them do, here too, and that does no harm.",
        ),
    ),
)

ONE_BATCH = Question(
    id="workshop.one_batch",
    text="A colleague trains on one single batch, again and again, for a hundred steps. The loss stays at 2. What "
    "does that tell you?",
    choices=(
        Choice("The batch is too hard: take an easier one", "Any batch of a few lines can be learned by heart."),
        Choice(
            "The model is too small for Python, and needs more layers",
            "For a few lines it is far too large. It could know them by heart many times over.",
        ),
        Choice(
            "The learning rate must fall, as in a real training run",
            "A falling rate polishes. Without it, the loss of one batch still goes to nearly 0.",
        ),
        Choice(
            "There is a bug: something does not learn as it should",
            "One batch is the cheapest test there is. A program that cannot learn it by heart need not be tried on "
            "more.",
            right=True,
        ),
    ),
)

STRICT = Question(
    id="workshop.strict",
    text="Your names fit: every tensor of the checkpoint has found a parameter of its shape, and none is left over. "
    "Does the model now give the original's numbers?",
    choices=(
        Choice(
            "Not yet sure: tensors of equal shape may have changed places",
            "`gate` and `inner` have the same shape, and so do `query` and `output`. Only the numbers tell them apart.",
            right=True,
        ),
        Choice(
            "Yes: with `strict=True`, torch has checked it",
            "It checks names and shapes. It cannot know what the numbers are for.",
        ),
        Choice(
            "Yes, provided that the tokenizer is the same one",
            "With the same ids, two tensors that have changed places still give other numbers.",
        ),
        Choice(
            "No: a model must be trained a little after its weights have been loaded",
            "The weights are the training. Nothing is left to learn.",
        ),
    ),
)

CASE = Question(
    id="workshop.case_diagnosis",
    text="What is wrong with the colleague's step?",
    choices=(
        Choice(
            "The gradients are never cleared",
            "They would add up from step to step. Training on one window takes just as many steps, and all is "
            "well there.",
        ),
        Choice(
            "The causal mask is missing, so the model copies what it should say",
            "Then the loss on new sentences would be far too low. It is too high.",
        ),
        Choice(
            "The learning rate is too high for more than one window",
            "With four windows, too, the loss ends at nearly 0. But what was learned is not what is asked for.",
        ),
        Choice(
            "Logits and labels are in different orders, so each is compared with another one's label",
            "The model gives (position, batch), the labels are (batch, position), and both are made one long row. "
            "With a single window the two orders are the same. With four it learns by heart which label is at which "
            "place of the row, and the same windows in another order are as strange to it as new ones.",
            right=True,
        ),
    ),
)

QUESTIONS = (HELD_OUT, ONE_BATCH, STRICT, CASE)
