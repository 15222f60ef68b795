"""The question of notebook 00."""

from __future__ import annotations

from anatomy_course.judge.questions import Choice, Question

HOW = Question(
    id="start.how",
    text="Yesterday you passed an exercise. Today you change a line, run the cell, and the card says “Not right yet”. "
    "What do the cells below it use now?",
    choices=(
        Choice(
            "Today's function, so they break too",
            "Then you could not read on. A wrong answer is never used: the course's own version takes its place.",
        ),
        Choice(
            "Yesterday's function, which had passed",
            "It is kept, and your progress still says passed. But the cells below follow what the cell holds today, "
            "and while that is wrong they use the course's own version.",
        ),
        Choice(
            "The course's own version",
            "Yes. Nothing below breaks. Your progress still says passed, and once the line is right, yours is used.",
            right=True,
        ),
        Choice(
            "Nothing; the notebook stops there",
            "A wrong answer never stops the notebook. It gets a card that says what is wrong.",
        ),
    ),
)

QUESTIONS = (HOW,)
