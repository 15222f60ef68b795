"""What is known of a broken model: what its team reports, where the bug is, and how it is fixed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from anatomy_course.lab.debugging.pipeline import Pipeline


@dataclass(frozen=True)
class PublicReport:
    """A public report of the same bug elsewhere.

    Attributes:
        repository: owner and name, on GitHub.
        kind: "issue" or "pull request".
        number: of the issue or pull request.
        title: as it is on GitHub.
        summary: what it is about, in a sentence.
    """

    repository: str
    kind: Literal["issue", "pull request"]
    number: int
    title: str
    summary: str

    @property
    def url(self) -> str:
        """Where it can be read."""
        return f"https://github.com/{self.repository}/{'issues' if self.kind == 'issue' else 'pull'}/{self.number}"


@dataclass(frozen=True)
class BugCase:
    """One broken model.

    Attributes:
        name: of the model.
        team_report: what its team says.
        pipeline: with the bug.
        fixed_pipeline: the same with the bug fixed.
        fix: what was changed, in a sentence.
        telling_check: the name of the check that shows best that the bug is gone.
        public_report: of the same bug elsewhere.
    """

    name: str
    team_report: str
    pipeline: Pipeline
    fixed_pipeline: Pipeline
    fix: str
    telling_check: str
    public_report: PublicReport
