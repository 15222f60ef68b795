"""The ward: eight beds with a patient each, to be examined, diagnosed and cured.

Every bed has a chart (loss curve, a head's weights, samples, each beside a healthy twin's), probes that Python answers,
and a diagnosis to choose. Notebook 09. The class knows no model: it is given what to show and three functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.arrays import to_array
from anatomy_course.figures.picture import Picture
from anatomy_course.views._kit.base import attributes, buffer_trait, float_bytes
from anatomy_course.views._kit.checks import word_list
from anatomy_course.views._kit.request import Asking


@dataclass(frozen=True)
class Bed:
    """A patient and its chart.

    Attributes:
        name: of the patient.
        anamnesis: what its team says.
        loss: of each step of its training.
        ends: where that loss ends, smoothed.
        test_loss: the loss that its team reports.
        head: which head the map shows.
        tokens: what it reads there.
        weights: (query, key) of that head; NaN where it gives none.
        twin_weights: the same of the healthy twin.
        samples: what it writes, one text a line.
        question: the diagnosis, as `Question.data` makes it.
        cured_by: what puts it right.
        report: text → address of the same fault in public, and what it is about.
    """

    name: str
    anamnesis: str
    loss: Any
    ends: float | int
    test_loss: float | int
    head: str
    tokens: Sequence[str]
    weights: Any
    twin_weights: Any
    samples: Sequence[str]
    question: dict[str, Any]
    cured_by: str
    report: dict[str, str]


@dataclass(frozen=True)
class Twin:
    """The healthy one that all are compared with; attributes as a `Bed`'s."""

    loss: Any
    ends: float | int
    test_loss: float | int
    samples: Sequence[str]


@dataclass(frozen=True)
class Result:
    """What a probe found, as the page shows it.

    Attributes:
        shown: the patient's number.
        healthy: the twin's.
        passed: whether all is well.
        sentence: both in words.
    """

    shown: str
    healthy: str
    passed: bool
    sentence: str


@dataclass(frozen=True)
class LabFunctions:
    """What the widget asks Python.

    Attributes:
        probe: (bed, name of a probe) → what is found.
        write: bed → new samples.
        cure: bed → what all probes find once it is cured, in their order.
    """

    probe: Callable[[int, str], Result]
    write: Callable[[int], Sequence[str]]
    cure: Callable[[int], Sequence[Result]]


class DebuggingLab(Asking):
    """Eight beds, or as many as there are.

    Args:
        beds: the patients.
        twin: the healthy one.
        probes: name → what it asks.
        lab: what Python can be asked.
        chosen: the diagnosis made before, bed by bed; −1 for none.
        examined: whether a bed was examined before.
        on_choice: told bed and choice whenever a diagnosis is checked.
        on_probe: told a bed that is examined.

    Raises:
        ValueError: no bed or probe, or a map that does not fit its tokens.
    """

    beds = traitlets.List(traitlets.Dict()).tag(sync=True)
    twin = traitlets.Dict().tag(sync=True)
    maps = traitlets.List(buffer_trait()).tag(sync=True)
    """One buffer a bed: (2, query, key) as float32, the patient's weights and the twin's."""
    probes = traitlets.List(traitlets.Dict()).tag(sync=True)
    bed = traitlets.Int(0).tag(sync=True)
    """The bed that is looked at."""
    samples = traitlets.List(traitlets.List(traitlets.Unicode())).tag(sync=True)
    findings = traitlets.List(traitlets.Dict()).tag(sync=True)
    """Probe → result, bed by bed; only those that were asked for."""
    cures = traitlets.List(traitlets.Dict()).tag(sync=True)
    """The same once a patient is cured; empty before."""
    chosen = traitlets.List(traitlets.Int()).tag(sync=True)
    examined = traitlets.List(traitlets.Bool()).tag(sync=True)

    def __init__(
        self,
        beds: Sequence[Bed],
        twin: Twin,
        probes: Mapping[str, str],
        lab: LabFunctions,
        *,
        chosen: Sequence[int] = (),
        examined: Sequence[bool] = (),
        on_choice: Callable[[int, int], None] | None = None,
        on_probe: Callable[[int], None] | None = None,
        label: str = "The ward: what ails them?",
    ) -> None:
        if not beds or not probes:
            raise ValueError(f"There are {len(beds)} beds and {len(probes)} probes; give at least one of each.")
        self._lab, self._names, self._on_probe = lab, list(probes), on_probe
        super().__init__(
            beds=[_told(bed) for bed in beds], twin={**_losses(twin), "samples": list(twin.samples)},
            maps=[_map(bed) for bed in beds], samples=[list(bed.samples) for bed in beds],
            probes=[{"name": name, "question": question} for name, question in probes.items()],
            findings=[{} for _ in beds], cures=[{} for _ in beds], chosen=[*chosen, *[-1] * len(beds)][: len(beds)],
            examined=[*examined, *[False] * len(beds)][: len(beds)], question={"do": "look"}, label=label,
        )  # fmt: skip
        if on_choice is not None:
            self.observe(lambda change: _tell_choices(change, on_choice), "chosen")

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """A probe's finding, new samples, or the findings after the cure."""
        bed: Any = question.get("bed")
        if bed not in range(len(self.beds)):
            raise ValueError(f"Bed {bed!r} was asked for; there are beds 0 to {len(self.beds) - 1}.")
        match question.get("do"):
            case "probe":
                return self._probed(bed, question.get("probe"))
            case "write":
                return {"samples": _with(self.samples, bed, list(self._lab.write(bed)))}
            case "cure":
                found = zip(self._names, self._lab.cure(bed), strict=True)
                return {"cures": _with(self.cures, bed, {name: asdict(result) for name, result in found})}
        raise ValueError(f"{question.get('do')!r} cannot be done here; ask for 'probe', 'write' or 'cure'.")

    def _probed(self, bed: int, name: Any) -> dict[str, Any]:
        if name not in self._names:
            raise ValueError(f"There is no probe {name!r}; there are {', '.join(map(repr, self._names))}.")
        result = self._lab.probe(bed, name)
        if self._on_probe is not None:
            self._on_probe(bed)
        return {
            "findings": _with(self.findings, bed, {**self.findings[bed], name: asdict(result)}),
            "examined": _with(self.examined, bed, True),
        }

    def still_picture(self) -> Picture:
        """All loss curves beside the twin's."""
        told = "; ".join(f"{bed['name']} ends at {bed['ends']:.2f}" for bed in self.beds)
        titles = {bed["name"]: f"{bed['name']}: ends at {bed['ends']:.2f}" for bed in self.beds}
        return plots.curve_grid(
            {titles[bed["name"]]: {"patient": bed["loss"], "healthy twin": self.twin["loss"]} for bed in self.beds},
            xlabel="step", ylabel="loss", title=self.label,
            alt=f"Loss curves of {len(self.beds)} patients, each beside the healthy twin's, which ends at "
            f"{self.twin['ends']:.2f}: {told}.",
        )  # fmt: skip


def _tell_choices(change: Any, on_choice: Callable[[int, int], None]) -> None:
    for bed, (before, now) in enumerate(zip(change["old"], change["new"], strict=True)):
        if now != before and now >= 0:
            on_choice(bed, now)


def _with(items: list[Any], place: int, item: Any) -> list[Any]:
    """A list with one item changed: a new one, so that the change is noticed."""
    return [*items[:place], item, *items[place + 1 :]]


def _told(bed: Bed) -> dict[str, Any]:
    tokens = word_list(bed.tokens, f"tokens of {bed.name}")
    return {**attributes(bed, "name anamnesis head question cured_by report"), **_losses(bed), "tokens": tokens}


def _losses(of: Bed | Twin) -> dict[str, Any]:
    loss = [round(float(value), 4) for value in to_array(of.loss)]
    return {"loss": loss, "ends": float(of.ends), "test_loss": float(of.test_loss)}


def _map(bed: Bed) -> bytes:
    both = np.stack([to_array(bed.weights), to_array(bed.twin_weights)])
    size = len(bed.tokens)
    if both.shape != (2, size, size):
        raise ValueError(f"The map of {bed.name} has shape {both.shape[1:]}, but there are {size} tokens.")
    return float_bytes(both)
