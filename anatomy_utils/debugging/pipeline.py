"""Care: how a writer is built, taught, judged by its team and put to use. A patient's fault sits in one of these steps.

`HEALTHY` is the way as it should be; `faults` holds the steps that went wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from anatomy_utils.debugging.model import new_body
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.recipes.encoder_tasks import label_loss
from anatomy_utils.toy_language.batches import Labelled, language_modelling
from anatomy_utils.toy_language.sampling import sample_scenes
from anatomy_utils.training import History, adamw, fit, linear_schedule
from anatomy_utils.training.threads import threads

BATCH, LEARNING_RATE, STEPS = 64, 1.2e-2, 250
EXAM = 128
"""How many sentences a writer is judged by."""


@dataclass(frozen=True)
class Books:
    """The sentences of the ward, the same for everybody.

    Attributes:
        lessons: a batch for each step of training; no sentence comes twice.
        exam: sentences whose two nouns were never together in a lesson.
    """

    lessons: tuple[Labelled, ...]
    exam: Labelled


def new_books(steps: int, generator: torch.Generator) -> Books:
    """Draw the sentences of a ward whose writers learn for so many steps."""
    lessons = language_modelling(sample_scenes(steps * BATCH, generator, "train"))
    exam = language_modelling(sample_scenes(EXAM, generator, "test"))
    return Books(tuple(lessons[step * BATCH : (step + 1) * BATCH] for step in range(steps)), exam)


def all_lessons(books: Books) -> Sequence[Labelled]:
    """Every lesson once."""
    return books.lessons


def unseen_exam(books: Books) -> Labelled:
    """Sentences that no lesson held."""
    return books.exam


@dataclass(frozen=True)
class Care:
    """The steps from nothing to a writer in use.

    Attributes:
        build: a source of chance → a body that has learnt nothing.
        prepare: makes the optimizer, and whatever else is done to a body before it learns.
        read: the batches that it learns from, one for each step.
        loss: what it is taught by.
        exam: what its team judges it by, with that same loss.
        use: a taught body → the writer that people meet; the taught one stays as it is.
    """

    build: Callable[[torch.Generator], LanguageModel] = new_body
    prepare: Callable[[LanguageModel], torch.optim.Optimizer] = adamw
    read: Callable[[Books], Sequence[Labelled]] = all_lessons
    loss: Callable[[LanguageModel, Labelled], Tensor] = label_loss
    exam: Callable[[Books], Labelled] = unseen_exam
    use: Callable[[LanguageModel], LanguageModel] = LanguageModel.eval

    @property
    def lessons(self) -> Care:
        """The same care but for its last step: who shares it has learnt the same."""
        return replace(self, use=LanguageModel.eval)


HEALTHY = Care()


@dataclass(frozen=True)
class Taught:
    """A body that has learnt.

    Attributes:
        model: in evaluation mode.
        before: its weights before the first step.
        history: of its training.
        exam: the loss that its team reports.
        read: what it learnt from.
    """

    model: LanguageModel
    before: dict[str, Tensor]
    history: History
    exam: float
    read: Sequence[Labelled]


@dataclass
class School:
    """Teaches, and remembers who has learnt what: equal care from an equal seed gives equal weights.

    Args:
        books: what is read.
        seed: of all weights and of dropout.
    """

    books: Books
    seed: int = 0
    _taught: dict[Care, Taught] = field(default_factory=dict, repr=False)

    def taught(self, care: Care) -> Taught:
        """A body after its lessons, the same object for everybody with the same ones."""
        if care.lessons not in self._taught:
            self._taught[care.lessons] = self._teach(care)
        return self._taught[care.lessons]

    def _teach(self, care: Care) -> Taught:
        generator = torch.Generator().manual_seed(self.seed)
        model = care.build(generator)
        optimizer = care.prepare(model)
        before = deepcopy(model.state_dict())
        read = care.read(self.books)
        with threads(1):
            history = fit(
                model,
                read,
                care.loss,
                learning_rate=linear_schedule(LEARNING_RATE, steps=len(read), warmup=len(read) // 10),
                optimizer=optimizer,
                generator=generator,
                progress=False,
            )
        with torch.no_grad():
            exam = care.loss(model.eval(), care.exam(self.books)).item()
        return Taught(model, before, history, exam, read)
