"""What is known of a patient: before anybody looks at it, and once it is well again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from anatomy_utils.debugging.pipeline import Care


@dataclass(frozen=True)
class Report:
    """Where the same thing happened to somebody in public.

    Attributes:
        repository: owner and name, on GitHub.
        kind: "issue" or "pull request".
        number: of it.
        title: its own.
        says: what it is about, in a sentence.
    """

    repository: str
    kind: Literal["issue", "pull request"]
    number: int
    title: str
    says: str

    @property
    def address(self) -> str:
        """Where it can be read."""
        return f"https://github.com/{self.repository}/{'issues' if self.kind == 'issue' else 'pull'}/{self.number}"


@dataclass(frozen=True)
class Case:
    """One patient.

    Attributes:
        name: of the patient.
        anamnesis: what its team tells.
        care: how it came to be as it is.
        cure: the same with the fault put right.
        cured_by: what was put right, in a sentence.
        telling: the name of the probe that shows best that it is well again.
        report: of the same fault elsewhere.
    """

    name: str
    anamnesis: str
    care: Care
    cure: Care
    cured_by: str
    telling: str
    report: Report
