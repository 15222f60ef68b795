"""Widgets that ask Python something while the reader plays: a new sentence, another layer.

The page sets `question`, which has an `id`; Python works it out and answers with new traits, or with one sentence in
`error`, and then everything else stays as it was. `answered` says which question that was, so that the page knows an
answer that came late. The other side is `_kit/request.js`.
"""

from __future__ import annotations

import unicodedata
from typing import Any, ClassVar

import traitlets

from anatomy_course.views._kit.base import AnatomyWidget

LONGEST_SENTENCE = 300
"""Characters that a sentence may have. The field takes more, so that a longer paste is refused and never cut."""


class Asking(AnatomyWidget):
    """Base of widgets with a question: a subclass says in `answer` which traits its answer sets."""

    question = traitlets.Dict().tag(sync=True)
    """What the reader asked last."""
    error = traitlets.Unicode().tag(sync=True)
    answered = traitlets.Int(0).tag(sync=True)
    """The id of the question that was answered last, well or with an error."""
    failed: ClassVar[str] = "Computing this failed: {}"
    """What is said of an error that is no `ValueError`."""

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """Trait → new value, all sent in one message.

        Raises:
            ValueError: the question cannot be answered; its sentence is shown.
        """
        raise NotImplementedError

    @traitlets.observe("question")
    def _answer(self, change: Any) -> None:
        question = change["new"]
        if not change["old"]:  # the first question is what the widget was made with
            return
        try:
            told: dict[str, Any] = {"error": "", **self.answer(question)}
        except ValueError as error:
            told = {"error": str(error)}
        except Exception as error:  # a model may fail in any way; the reader still gets one sentence
            told = {"error": self.failed.format(f"{type(error).__name__}: {error}")[:LONGEST_SENTENCE]}
        with self.hold_sync():  # in one message, so that the page never sees half of it
            for name, value in told.items():
                setattr(self, name, value)
            self.answered = question.get("id", self.answered + 1)


def usable_sentence(text: Any) -> str:
    """A sentence that a model can read, control characters replaced by spaces.

    Raises:
        ValueError: no text, one without a visible character, or one that is too long.
    """
    if not isinstance(text, str):
        raise ValueError(f"The sentence is a {type(text).__name__}; give one string.")
    text = "".join(" " if unicodedata.category(letter) == "Cc" else letter for letter in text)
    if all(unicodedata.category(letter)[0] in "CZ" for letter in text):
        raise ValueError("The sentence is empty; type at least one word.")
    if len(text) > LONGEST_SENTENCE:
        raise ValueError(f"The sentence has {len(text)} characters; at most {LONGEST_SENTENCE} fit: shorten it.")
    return text
