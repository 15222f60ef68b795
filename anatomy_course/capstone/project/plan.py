"""The file of a project: its template, what it must hold, and the registration of its plan.

A registration is a file beside the project's, `my_organ.plan.json`: the plan, the time, and SHA-256 hashes of the plan,
the project's file and the program. Nothing is run without one, and a plan that is registered does not change.
"""

from __future__ import annotations

import datetime
import hashlib
import importlib.util
import json
import math
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_course.page.page import CellOutput, table

METRICS = {"loss on unseen sentences": -1, "right next words": 1, "grammatical sentences": 1}
"""What a claim may be about → 1 for a share, of which more is better; −1 for a loss."""
SEEDS = range(3, 13)
"""How many there may be."""
FUNCTIONS = ("with_organ", "parameters", "work", "cache_bytes")
PIECES = ("GPT", "random_windows", "parameter_groups", "learning_rate", "training_step")
"""What a project uses of the exported program."""
ANOTHER = "put it back, or give the file another name and register that as a project of its own"


class Shown:
    """Shows itself in a cell as its `table`."""

    def table(self) -> CellOutput:
        """As a piece of page."""
        raise NotImplementedError

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        return self.table()._repr_mimebundle_(include, exclude)

    def __repr__(self) -> str:
        return self.table().text


@dataclass(frozen=True)
class Project:
    """A project's file as it is now.

    Attributes:
        path: of the file.
        plan: what is registered.
        module: the file's own names.
        program: the exported program's.
        hashes: SHA-256 of the "plan", of the "file" and of the "program".
    """

    path: Path
    plan: dict[str, Any]
    module: ModuleType
    program: Any
    hashes: dict[str, str]

    @property
    def size(self) -> SimpleNamespace:
        """The sizes of the model, for the counts by hand."""
        return SimpleNamespace(vocabulary_size=len(street_vocabulary()), **self.plan["size"])

    def beside(self, ending: str) -> Path:
        """A file beside the project's, such as `my_organ.plan.json`."""
        return self.path.with_suffix(ending)

    def changed_since(self, hashes: dict[str, str]) -> str:
        """The name of the file that is not the one of these hashes, the project's or the program's; "" if both are."""
        names = {"file": self.path.name, "program": str(self.module.PROGRAM)}
        return " and ".join(name for each, name in names.items() if hashes[each] != self.hashes[each])

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of the file; ValueError where it stops."""
        return guarded(self.path, lambda: getattr(self.module, name)(*arguments))


def template(path: str | Path) -> Path:
    """Write a file to fill in: the plan of a project, its organ, and what was counted by hand.

    Raises:
        ValueError: the name does not end in .py, the file is there already, or it cannot be written.
    """
    return _written(path, "template.txt")


def example(path: str | Path) -> Path:
    """Write a project that is filled in: QK norm. See `template`."""
    return _written(path, "example.txt")


def _written(path: str | Path, source: str) -> Path:
    place = Path(path)
    if place.suffix != ".py":
        raise ValueError(f'{str(path)!r} is not the name of a Python file, which ends in .py: "my_organ.py".')
    try:
        with place.open("x", encoding="utf-8") as file:
            file.write(Path(__file__).with_name(source).read_text(encoding="utf-8"))
    except FileExistsError as error:
        raise ValueError(f"{place} is there already and stays as it is; choose another name.") from error
    except OSError as error:
        raise ValueError(f"{place} cannot be written ({error.strerror}); give a file in a folder of yours.") from error
    return place


def read(path: str | Path) -> Project:
    """Run a project's file and the program that it names, and look whether everything is there.

    Raises:
        ValueError: a file is missing or stops, or a field is missing or wrong; says which, and what to write.
    """
    place = Path(path)
    module = _run(place, 'write one with project.template("my_organ.py")')
    for name in ("PLAN", "PROGRAM", "KEPT", *FUNCTIONS):
        if not hasattr(module, name):
            raise ValueError(f"{place.name} has no {name}; take it over from the template and fill it in.")
    _look_at(module.PLAN, place.name)
    program_path = place.parent / module.PROGRAM
    program = _run(program_path, f'write it beside {place.name} with export("{module.PROGRAM}")')
    if missing := [name for name in PIECES if not hasattr(program, name)]:
        raise ValueError(f'{program_path.name} has no {missing[0]}; write it again with export("{program_path.name}").')
    plan = json.dumps(module.PLAN, sort_keys=True, ensure_ascii=False).encode()
    hashes = {"plan": plan, "file": place.read_bytes(), "program": program_path.read_bytes()}
    return Project(place, module.PLAN, module, program, {name: sha256(data) for name, data in hashes.items()})


def sha256(data: bytes) -> str:
    """64 hexadecimal digits, others for any other data."""
    return hashlib.sha256(data).hexdigest()


def _run(path: Path, otherwise: str) -> ModuleType:
    if not path.is_file() or path.suffix != ".py":
        raise ValueError(f"There is no Python file {path}; {otherwise}.")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module, loader = importlib.util.module_from_spec(spec), spec.loader
    guarded(path, lambda: loader.exec_module(module))
    return module


def guarded(path: Path, do: Callable[[], Any]) -> Any:
    """Do something with the learner's code.

    Raises:
        ValueError: it stops, in one sentence with the last line of the file that was reached.
    """
    try:
        return do()
    except Exception as error:  # whatever that code stops with
        frames, own = traceback.extract_tb(error.__traceback__), path.resolve()
        lines = [each.lineno for each in frames if Path(each.filename).resolve() == own]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
        where = f" in line {line}" if line else ""
        told = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise ValueError(f"{path.name} stops{where} with {told}. Mend it and try again.") from error


def _whole(value: object, least: int = 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _above_0(value: Any) -> bool:
    return _is_number(value) and value > 0


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_seeds(value: object) -> bool:
    return isinstance(value, list) and all(_whole(each, 0) for each in value) and len(set(value)) == len(value) in SEEDS


def _is_size(value: object) -> bool:
    if not (isinstance(value, dict) and sorted(value) == ["d_model", "length", "num_heads", "num_layers"]):
        return False
    return all(map(_whole, value.values())) and value["d_model"] % value["num_heads"] == 0 and value["length"] >= 8


FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "organ": (_is_text, "the name of what you add"),
    "hypothesis": (_is_text, "a sentence that says what will be better, and by how much"),
    "metric": (lambda value: value in list(METRICS), f"one of {', '.join(METRICS)}"),
    "better_by": (_is_number, "a number"),
    "equal": (lambda value: value in ("steps", "work"), "steps or work"),
    "steps": (_whole, "one whole number above 0"),
    "batch": (_whole, "one whole number above 0"),
    "peak": (_above_0, "a number above 0"),
    "seeds": (_are_seeds, f"a list of {SEEDS[0]} to {SEEDS[-1]} whole numbers, each once"),
    "size": (_is_size, "as in the template: whole numbers, a length of 8 or more, and heads that divide d_model"),
}
"""Field of the plan → whether a value is one, and what it must be."""


def _look_at(plan: Any, name: str) -> None:
    if not isinstance(plan, dict):
        raise ValueError(f"PLAN in {name} is {type(plan).__name__}, but must be a dictionary as in the template.")
    for field, (fits, wanted) in FIELDS.items():
        if field not in plan or plan[field] is ...:
            raise ValueError(f'"{field}" in the PLAN of {name} is not filled in yet; write {wanted}.')
        if not fits(plan[field]):
            raise ValueError(f'"{field}" in the PLAN of {name} is {plan[field]!r}, but must be {wanted}.')
    if METRICS[plan["metric"]] == 1 and abs(plan["better_by"]) > 1:
        raise ValueError(f'"better_by" in the PLAN of {name} is {plan["better_by"]}, but {plan["metric"]} are a share.')
    if others := set(plan) - set(FIELDS):
        raise ValueError(f'The PLAN of {name} has "{min(map(str, others))}", which no plan has; take it out.')


@dataclass(frozen=True, repr=False)
class Registration(Shown):
    """What was registered, when (in UTC), and its hashes (see `Project`)."""

    plan: dict[str, Any]
    registered: str
    hashes: dict[str, str]

    def table(self) -> CellOutput:
        """Field by field."""
        rows = [["registered", self.registered], *self.plan.items()]
        rows += [(f"SHA-256 of the {name}", own) for name, own in self.hashes.items()]
        return table("", ["plan", ""], [[field, str(value)] for field, value in rows], words=[1])


def register(path: str | Path) -> Registration:
    """Store the plan of a project with the time and its hashes, before anything is run.

    A registered plan keeps its time and cannot be changed. Until it is run, the organ's code can be: register again,
    and the new code's hash is noted.

    Args:
        path: of the project's file.

    Raises:
        ValueError: the file is not whole (see `read`), its plan is registered differently, or it changed after its run.
    """
    project, time = read(path), now()
    place = project.beside(".plan.json")
    if place.exists():
        before = registration(project)
        time = before.registered
        if before.hashes != project.hashes and project.beside(".results.json").exists():
            raise ValueError(f"{project.changed_since(before.hashes)} changed after the run; {ANOTHER}.")
    made = Registration(project.plan, time, project.hashes)
    place.write_text(json.dumps(vars(made), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return made


def registration(project: Project) -> Registration:
    """The registration of a project's plan.

    Raises:
        ValueError: there is none, it is damaged, or the plan is not the one that was registered.
    """
    place, name = project.beside(".plan.json"), project.path.name
    if not place.exists():
        raise ValueError(f'The plan of {name} is not registered; do that first: project.register("{name}").')
    try:
        found = Registration(**json.loads(place.read_text(encoding="utf-8")))
        kept = found.hashes["plan"]
        datetime.datetime.fromisoformat(found.registered)
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{place.name} is damaged; give {name} another name and register that.") from error
    if kept != project.hashes["plan"]:
        changed = [field for field in FIELDS if found.plan.get(field) != project.plan[field]]
        raise ValueError(f"The plan of {name} changed after it was registered ({', '.join(changed)}); {ANOTHER}.")
    return found


def now() -> str:
    """The time, in UTC."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
