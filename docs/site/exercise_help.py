"""An exercise and a question as the site shows them: everything that helps is on the page, folded."""

from __future__ import annotations

from elsewhere import colab_button
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from anatomy_course.judge.registry import find_exercise
from anatomy_course.judge.stub import solution_text
from anatomy_course.page.page import escape, in_code


def exercise_html(id: str, notebook: str) -> str:
    """Task, hints and solution of the exercise whose stub is above."""
    exercise = find_exercise(id)
    about = f"{exercise.difficulty}, about {exercise.minutes} minutes"
    hints = "".join(
        _folded(f"Hint {number}", f"<p>{in_code(hint)}</p>") for number, hint in enumerate(exercise.hints, 1)
    )
    code = colored(solution_text(exercise))
    solution = _folded("Solution", f"{code}<p>{in_code(exercise.explanation)}</p>")
    return (
        f'<div class="site-exercise" id="exercise-{id.replace(".", "-").replace("_", "-")}">'
        f"<p><strong>{escape(exercise.title)}</strong> <small>({about})</small></p><p>{in_code(exercise.task)}</p>"
        f"{hints}{solution}<p>{colab_button(notebook, 'Solve it in Colab')}</p></div>"
    )


def colored(code: str) -> str:
    """Python as HTML in the page's colors."""
    return f'<div class="highlight-python">{highlight(code, PythonLexer(), HtmlFormatter())}</div>'


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>{body}</details>"
