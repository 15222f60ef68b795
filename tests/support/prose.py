"""What a learner reads, as one list of texts, each with the place where it can be changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from notebook_tools import ROOT, TITLE, notebook_paths, read

from anatomy_course.judge import registry
from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.questions import Question

PAGES = ("README.md", "CONTRIBUTING.md", "docs/models.md", "docs/exercises.md")
CODE = re.compile(r"```.*?```|\$\$.*?\$\$|(`+).+?\1|\$[^$\n]+\$|https?://\S+|\]\([^)]*\)", re.DOTALL)


class Text(NamedTuple):
    """A text and where it is: `("05_decoder", "cell 04-015", "Shift by one …")`."""

    owner: str
    place: str
    words: str


def plain(text: str) -> str:
    """A text without code, formulas and addresses, in one line."""
    return " ".join(CODE.sub(" ", text).split())


def notebook_texts() -> Iterator[Text]:
    """Every Markdown cell, and every title of a folded cell."""
    for path in notebook_paths():
        for cell in read(path).cells:
            if cell.cell_type == "markdown":
                yield Text(path.stem, f"cell {cell.id}", plain(cell.source))
            elif cell.source.startswith(TITLE):
                yield Text(path.stem, f"cell {cell.id}", plain(cell.source.partition("\n")[0].removeprefix(TITLE)))


def catalogue_texts() -> Iterator[Text]:
    """Every sentence of the exercises and of the questions."""
    for notebook in registry.NOTEBOOKS:
        for exercise in registry.exercises_of(notebook.prefix).values():
            yield from (Text(notebook.file, exercise.id, plain(words)) for words in words_of(exercise))
        for question in registry.questions_of(notebook.prefix).values():
            yield from (Text(notebook.file, question.id, plain(words)) for words in said_by(question))


def words_of(exercise: Exercise) -> list[str]:
    """What an exercise says to the learner."""
    fixed = [exercise.title, exercise.task, exercise.docstring, exercise.explanation]
    kinds = [mistake.sentence for mistake in exercise.mistakes]
    return [*fixed, *exercise.hints, *kinds]


def said_by(question: Question) -> list[str]:
    """What a question says to the learner."""
    return [question.text, *(words for choice in question.choices for words in (choice.text, choice.reason))]


def page_texts() -> Iterator[Text]:
    """The pages of the repository, paragraph by paragraph."""
    for name in PAGES:
        text = CODE.sub(" ", (ROOT / name).read_text(encoding="utf-8"))
        for number, paragraph in enumerate(re.split(r"\n\s*\n", text), 1):
            yield Text(name, f"paragraph {number}", plain(paragraph))


def texts() -> list[Text]:
    """All of them."""
    return [*notebook_texts(), *catalogue_texts(), *page_texts()]
