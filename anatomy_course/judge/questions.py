"""Knowledge questions and predictions: one right choice, and a reason for every wrong one.

A question is answered and judged at once, in the browser. A prediction is written down before a cell runs, and judged
afterwards (`outcome`), when the cell has shown what happens.

A notebook's are on one page, `content/attention/questions.md`: below `# Predictions` predictions, below any other
heading of that level questions. `## why_scale` is the id, then come the text and the choices, the right one with
`[x]`, and below each one its reason, quoted:

    ## why_scale

    Why are the scores divided by √d_head?

    - [ ] So that they are positive
      > A dot product divided by a positive number keeps its sign.
    - [x] So that …
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, Literal

from anatomy_course.page.page import CellOutput, details, in_code

Kind = Literal["question", "prediction"]


@dataclass(frozen=True)
class Choice:
    """One choice and what is said about it: why it is right, or what is wrong with it."""

    text: str
    reason: str
    right: bool = False


@dataclass(frozen=True)
class Question:
    """A question or, with `kind="prediction"`, a prediction.

    Raises:
        ValueError: not exactly one choice is right, or a choice has no reason.
    """

    id: str  # as an exercise's: `"attention.why_scale"`
    text: str  # the question
    choices: tuple[Choice, ...]  # two or more; exactly one is right
    kind: Kind = "question"  # a prediction's reasons are told only by `outcome`

    def __post_init__(self) -> None:
        if sum(choice.right for choice in self.choices) != 1:
            raise ValueError(f"The question {self.id!r} must have exactly one right choice.")
        if not all(choice.reason for choice in self.choices):
            raise ValueError(f"Every choice of the question {self.id!r} needs a reason.")

    @property
    def right(self) -> int:
        return next(i for i, choice in enumerate(self.choices) if choice.right)

    def data(self) -> dict[str, Any]:
        """What the choice widget shows. A prediction ships no reasons: the cell below it gives them."""
        judged = self.kind == "question"
        return {
            "id": self.id,
            "kind": self.kind,
            "text": self.text,
            "choices": [
                {"text": c.text, "reason": c.reason if judged else "", "right": c.right if judged else False}
                for c in self.choices
            ],
        }


def read_questions(page: str, prefix: str) -> Iterator[Question]:
    """The questions and predictions of a notebook's page, in the form above, in its order.

    Raises:
        ValueError: a line or a question cannot be read; the message has the question's id.
    """
    kind: Kind = "question"
    for part in re.split(r"^(?=##? )", page, flags=re.MULTILINE):
        heading, _, text = part.partition("\n")
        if heading.startswith("## "):
            yield _read(f"{prefix}.{heading[3:].strip()}", text, kind)
        elif heading.startswith("# "):
            kind = "prediction" if heading == "# Predictions" else "question"
        elif part.strip():
            raise ValueError(f"The questions of {prefix!r} begin with a heading, not with {heading!r}.")


def _read(id: str, text: str, kind: Kind) -> Question:
    asked, *choices = re.split(r"^- (?=\[)", text, flags=re.MULTILINE)
    found = []
    for choice in choices:
        lines = choice.splitlines()
        quoted = [line.strip().removeprefix(">") for line in lines if line.strip().startswith(">")]
        plain = _joined(line for line in lines if not line.strip().startswith(">"))
        if plain[:4] not in ("[ ] ", "[x] "):
            raise ValueError(f"A choice of the question {id!r} begins with [ ] or [x], not with {plain[:20]!r}.")
        found.append(Choice(plain[4:], _joined(quoted), right=plain.startswith("[x]")))
    return Question(id, _joined(asked.splitlines()), tuple(found), kind)


def _joined(lines: Iterable[str]) -> str:
    return " ".join(" ".join(lines).split())


def question_page(question: Question) -> CellOutput:
    """The question with its answers folded away: what a page without a kernel shows."""
    lettered = list(zip(ascii_uppercase, question.choices, strict=False))
    items = "".join(f"<li>{in_code(choice.text)}</li>" for choice in question.choices)
    page = f'<div><p><strong>{in_code(question.text)}</strong></p><ol type="A">{items}</ol>'
    text = [question.text, *(f"  {letter}. {choice.text}" for letter, choice in lettered)]
    if question.kind == "question":
        judged = ((letter, "right" if choice.right else "wrong", in_code(choice.reason)) for letter, choice in lettered)
        reasons = "".join(f"<p><strong>{letter}</strong> is {what}. {why}</p>" for letter, what, why in judged)
        page += details("Show the answer", reasons)
    else:
        page += "<p>Choose before you run the next cell.</p>"
    return CellOutput(page + "</div>", "\n".join(text))
