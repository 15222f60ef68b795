"""The question of notebook 00."""

from __future__ import annotations

from anatomy_utils.exercises.questions import Choice, Question

HOW = Question(
    id="start.how",
    text="Your answer to an exercise is wrong. What do the cells below it use?",
    choices=(
        Choice(
            "Your wrong function, so they break too",
            "They would, but you should be able to read on: the course puts its own version in its place.",
        ),
        Choice(
            "The course's own version, until yours passes",
            "Yes. Nothing below breaks, and once yours passes, yours is used.",
            right=True,
        ),
        Choice(
            "Nothing; the notebook stops there",
            "A wrong answer never stops the notebook. It gets a card that says what is wrong.",
        ),
    ),
)

QUESTIONS = (HOW,)
