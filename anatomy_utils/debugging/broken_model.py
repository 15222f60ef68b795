"""A patient of the ward: a writer with one fault, and what can be seen and measured of it beside its healthy twin."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from anatomy_utils.debugging.case import Case
from anatomy_utils.debugging.checks import PROBES, Subject
from anatomy_utils.debugging.inspect_plots import HeadMap, all_weights, attention_map, loss_curve, telling_head
from anatomy_utils.debugging.pipeline import Care, School
from anatomy_utils.debugging.samples import PROMPTS, answers
from anatomy_utils.toy_language import street_vocabulary, tokenise
from anatomy_utils.training import History, seeded

if TYPE_CHECKING:
    from anatomy_utils.figures.picture import Picture


@dataclass(frozen=True)
class Finding:
    """What a probe found.

    Attributes:
        probe: its name.
        value: the number; NaN where the writer gave none.
        healthy: the healthy twin's.
        passed: whether all is well.
        sentence: both numbers in words.
    """

    probe: str
    value: float
    healthy: float
    passed: bool
    sentence: str

    def __repr__(self) -> str:
        return f"{'✓' if self.passed else '✗'} {self.sentence}"


class Samples(list[str]):
    """Texts, shown one a line."""

    def __repr__(self) -> str:
        return "\n".join(self)


class Patient:
    """A writer and how it came to be.

    Args:
        case: what is known of it; None for the healthy twin.
        care: how it is built, taught and used.
        school: where it learns.
        twin: the healthy one that it is compared with; itself when left out.
    """

    def __init__(self, case: Case | None, care: Care, school: School, twin: Patient | None = None) -> None:
        self.case = case
        self.twin = twin or self
        taught = school.taught(care)
        self._school = school
        self._subject = Subject(care.use(taught.model), taught, school.books)
        self._chance = torch.Generator().manual_seed(school.seed)
        self._measured: dict[str, float] = {}

    @property
    def name(self) -> str:
        """What it is called."""
        return self.case.name if self.case else "the healthy twin"

    @property
    def anamnesis(self) -> str:
        """What its team tells."""
        return self.case.anamnesis if self.case else "Nothing ails it."

    @property
    def history(self) -> History:
        """Of its training, by the loss that it was taught by."""
        return self._subject.taught.history

    @property
    def exam(self) -> float:
        """The loss that its team reports after training."""
        return self._subject.taught.exam

    def __repr__(self) -> str:
        return f"{self.name}: {self.anamnesis}"

    def probe(self, name: str) -> Finding:
        """Ask one thing of it, and the same of its twin.

        Args:
            name: one of `PROBES`.

        Raises:
            ValueError: there is no such probe.
        """
        if name not in PROBES:
            close = get_close_matches(str(name), PROBES, n=2, cutoff=0.3) or list(PROBES)
            raise ValueError(f"There is no probe {name!r}; did you mean {' or '.join(map(repr, close))}?")
        probe = PROBES[name]
        value, healthy = self.measure(name), self.twin.measure(name)
        sentence = f"{probe.says.format(probe.show(value))}; the healthy twin's number is {probe.show(healthy)}."
        return Finding(name, value, healthy, probe.passes(value, healthy), sentence)

    def measure(self, name: str) -> float:
        """A probe's number alone; the twin is asked once."""
        if name not in self._measured or self.twin is not self:
            with torch.inference_mode(), seeded(self._chance):
                self._measured[name] = PROBES[name].measure(self._subject)
        return self._measured[name]

    def samples(self) -> Samples:
        """What it makes of the beginnings of five sentences, all in one batch, always the likeliest word."""
        vocabulary = street_vocabulary()
        with seeded(self._chance):
            rows = answers(self._subject.model).rows()
        written = []
        for prompt, row in zip(PROMPTS, rows, strict=True):
            whole = vocabulary.text([*vocabulary.ids(tokenise(prompt)), *row])
            cut_off = "" if vocabulary.eos_id in row else " …"
            written.append(f"{prompt} |{whole[len(prompt) :]}{cut_off}")
        return Samples(written)

    def head(self) -> HeadMap:
        """The head whose weights are farthest from the twin's while both read a sentence; see `looks`."""
        return telling_head(self._weights, self.twin._weights)

    @cached_property
    def _weights(self) -> Tensor:
        with torch.inference_mode(), seeded(self._chance):
            return all_weights(self._subject.model)

    def loss_curve(self) -> Picture:
        """The loss of each step of its training, beside its twin's."""
        return loss_curve(self.name, self.history.loss, self.twin.history.loss)

    def attention_map(self) -> Picture:
        """The weights of `head`, beside the twin's."""
        return attention_map(self.name, self.head())

    def cured(self) -> Patient:
        """The same writer with its fault put right: in place where only its use was wrong, else taught again.

        Who then gets the same lessons from the same seed as the healthy twin becomes that twin.

        Raises:
            ValueError: it is healthy.
        """
        if self.case is None:
            raise ValueError("The healthy twin has nothing that could be cured; take one of the patients.")
        return Patient(self.case, self.case.cure, self._school, self.twin)
