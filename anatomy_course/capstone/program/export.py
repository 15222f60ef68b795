"""`export("my_gpt.py")`: the learner's own saved code as one program, which needs torch alone."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from anatomy_course import PACKAGES
from anatomy_course.capstone.program.own import pieces
from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.progress.answer_source import load
from anatomy_course.judge.progress.location import own_progress
from anatomy_course.judge.progress.record import Progress
from anatomy_course.judge.stub import solution_text

HERE = "anatomy_course.capstone.program.given"
BYTE_PAIRS = (
    *("Pair", "BYTES", "WORDS", "ENDINGS", "PUBLISHED_WORDS", "split_words", "token_bytes", "encode_words"),
    *("split_as_published", "numbered_merges", "byte_letters", "published_tokenizer"),
)
PYTHON_CODE = ("END", "LEFT_OUT", "python_functions", "_files", "_functions", "_statements", "is_function", "_parsed")
GIVEN: tuple[tuple[str, tuple[str, ...] | None], ...] = (
    ("anatomy_utils.training.byte_pairs", BYTE_PAIRS),
    (f"{HERE}.learn_merges", None),
    ("anatomy_course.lab.small_models.python_code", PYTHON_CODE),
    (f"{HERE}.gated", None),
    (f"{HERE}.llama", None),
    (f"{HERE}.cached", None),
    ("anatomy_utils.zoo.gguf_layout", None),
    (f"{HERE}.weights", None),
    (f"{HERE}.main", None),
)
"""Modules whose text the program holds, and which parts of them; all where there is None."""
ABOUT = '''"""A GPT from an empty file: {yours} of its {all} pieces are yours.

Exported from the course Transformer Anatomy:

    python {name} train                       # on the functions of Python's own library; again: it goes on
    python {name} train my_folder             # on the .py, .txt, .md and .rst files of a folder
    python {name} write "def add("            # with the model that was trained
    python {name} smollm2 SmolLM2.gguf "Once upon a time"    # needs: pip install gguf
    torchrun --nproc-per-node 2 {name} train  # the same training, shared by two processes

It needs torch, and runs on a CPU or a graphics card. Each command has options: python {name} train --help
"""

from __future__ import annotations
'''


@dataclass(frozen=True)
class Exported:
    path: Path  # of the file
    yours: tuple[str, ...]  # names of the pieces that are the learner's
    ours: dict[str, str]  # names of the others → why the course's own is there

    def __repr__(self) -> str:
        lines = [f"{self.path}: {len(self.yours)} of {len(self.yours) + len(self.ours)} pieces are yours."]
        return "\n".join([*lines, *(f"  {name}: the course's own, {why}" for name, why in self.ours.items())])


class _Program:
    def __init__(self, given: list[FileParts]) -> None:
        self.pieces = pieces()
        self.given = {each.name for source in given for each in source.statements}
        self.imports: dict[str, tuple[str, str | None]] = {"torch": ("torch", None), "Tensor": ("torch", "Tensor")}
        for source in given:
            self.imports |= _outside(source.imports)
        self.written: dict[str, str] = {}
        self.texts: list[str] = []

    def add(self, exercise: Exercise, text: str) -> None:
        """Take in a learner's piece with the helpers that it needs.

        Raises:
            ValueError: it cannot run without the course.
        """
        source, own = source_in_parts(text), exercise.function_name
        known = {*self.pieces, *self.given}
        names = [each.name for each in source.statements]
        used = own if own in names else names[-1]
        imports = {name: of for name, of in source.imports.items() if name not in known or name == used}
        if course := [module for module, _ in imports.values() if module.partition(".")[0] in PACKAGES]:
            raise ValueError(f"since yours uses {course[0]}, a part of the course")
        imports = _outside(imports)
        if other := [name for name, of in imports.items() if self.imports.get(name, of) != of]:
            raise ValueError(f"since yours means something else by {other[0]} than the pieces before it")
        kept = [each for each in source.statements if each.name not in self.pieces or each.name in (own, used)]
        if used != own:
            kept = [Statement(each.name, renamed(each.text, used, own)) for each in kept]
        made = self._apart(own, kept)
        self.imports |= imports
        self._write(exercise, "yours", made)

    def add_ours(self, exercise: Exercise, why: str) -> None:
        """Take in the course's own version of a piece."""
        text = solution_text(exercise).partition("\n")[2].rstrip()
        self._write(exercise, f"the course's own, {why}", [Statement(exercise.function_name, text)])

    def _apart(self, own: str, statements: list[Statement]) -> list[Statement]:
        """Helpers that are there already are left out; others of the same name get another one."""
        made: list[Statement] = []
        for statement in statements:
            name, text = statement.name, statement.text
            if self.written.get(name) == text:
                continue
            if name != own and (name in self.written or name in self.given):
                new = f"{name}_of_{own}"
                statements = [Statement(each.name, renamed(each.text, name, new)) for each in statements]
                return self._apart(own, [Statement(new if each.name == name else each.name, each.text)
                                         for each in statements])  # fmt: skip
            made.append(statement)
        return made

    def _write(self, exercise: Exercise, whose: str, statements: list[Statement]) -> None:
        self.written |= {each.name: each.text for each in statements}
        first, *more = [each.text for each in statements]
        self.texts += [f"# {exercise.id}: {whose}\n{first}", *more]


def export(path: str | Path, *, record: Progress | None = None) -> Exported:
    """Write the program of notebook 10 into one Python file: your own saved pieces, ours where one is missing.

    Args:
        path: of the file, which ends in `.py`; one that is there already is replaced.
        record: whose progress; the learner's own when left out.

    Raises:
        ValueError: the file cannot be written.
    """
    place = Path(path)
    if place.suffix != ".py":
        raise ValueError(f'{str(path)!r} is not the name of a Python file, which ends in .py: export("my_gpt.py").')
    notes = record or own_progress()
    given = [source_of_module(module, wanted) for module, wanted in GIVEN]
    program = _Program(given)
    ours: dict[str, str] = {}
    for name, exercise in program.pieces.items():
        try:
            program.add(exercise, _saved(exercise, notes))
        except ValueError as error:
            ours[name] = str(error)
            program.add_ours(exercise, ours[name])
    yours = tuple(name for name in program.pieces if name not in ours)
    about = ABOUT.format(yours=len(yours), all=len(program.pieces), name=place.name)
    rest = [each.text for source in given for each in source.statements]
    rest[0] = f"# What follows is given.\n{rest[0]}"
    text = "\n\n\n".join(["\n".join([about, *import_lines(program.imports)]), *program.texts, *rest]) + "\n"
    try:
        place.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{place} cannot be written ({error.strerror}); give a file in a folder of yours.") from error
    return Exported(place, yours, ours)


def _saved(exercise: Exercise, notes: Progress) -> str:
    """The text of the learner's piece that passed last.

    Raises:
        ValueError: there is none, it may be somebody else's, or it no longer runs.
    """
    try:
        text = notes.runnable(exercise.id)
    except ValueError as error:
        raise ValueError(f"for this reason: {' '.join(str(error).split())}") from error
    if text is None or not notes.passed(exercise.id):
        raise ValueError("since you have not passed this exercise yet")
    references = {name: piece.resolve for name, piece in pieces().items()}
    try:
        load(text, source_in_parts(text).statements[-1].name, references)
    except (ValueError, SyntaxError, IndexError) as error:
        raise ValueError(f"since yours no longer runs: {' '.join(str(error).split())}") from error
    return text


def _outside(imports: dict[str, tuple[str, str | None]]) -> dict[str, tuple[str, str | None]]:
    """What is imported from outside the course and needed when the program runs."""
    left_out = {*PACKAGES, *ONLY_TYPES}
    return {name: of for name, of in imports.items() if of[0].partition(".")[0] not in left_out}


ONLY_TYPES = {"jaxtyping"}  # modules that annotations alone speak of; nothing reads these when the program runs


@dataclass(frozen=True)
class Statement:
    name: str  # what it defines; empty for anything else
    text: str  # its lines, with comments directly above it


@dataclass(frozen=True)
class FileParts:
    """A file's text in parts.

    Attributes:
        imports: name → module and what is taken from it; None where the module itself is imported.
    """

    imports: dict[str, tuple[str, str | None]]
    statements: list[Statement]  # everything below the imports, in order


def source_in_parts(text: str) -> FileParts:
    """A file's text in parts, without its docstring.

    Raises:
        SyntaxError: it is no Python.
    """
    imports: dict[str, tuple[str, str | None]] = {}
    statements: list[Statement] = []
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import):
            imports |= {each.asname or each.name: (each.name, None) for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            imports |= {each.asname or each.name: (node.module or "", each.name) for each in node.names}
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            statements.append(Statement(_name(node), "\n".join(lines[_first(node, lines) : node.end_lineno])))
        elif statements:  # the words about the assignment above it
            words = "\n".join(lines[node.lineno - 1 : node.end_lineno])
            statements[-1] = Statement(statements[-1].name, f"{statements[-1].text}\n{words}")
    imports.pop("annotations", None)
    return FileParts(imports, statements)


def source_of_module(name: str, wanted: Iterable[str] | None = None) -> FileParts:
    """A module of the course in parts; of its statements those that are wanted by name, or all."""
    spec = find_spec(name)
    assert spec is not None and spec.origin is not None
    found = source_in_parts(Path(spec.origin).read_text(encoding="utf-8"))
    if wanted is None:
        return found
    by_name = {each.name: each for each in found.statements}
    return FileParts(found.imports, [by_name[each] for each in wanted])


def import_lines(imports: dict[str, tuple[str, str | None]]) -> list[str]:
    """The lines that import all this, sorted."""
    whole = sorted(f"import {module}" + (f" as {name}" if name != module else "")
                   for name, (module, part) in imports.items() if part is None)  # fmt: skip
    parts: dict[str, list[str]] = {}
    for name, (module, part) in sorted(imports.items()):
        if part is not None:
            parts.setdefault(module, []).append(part if part == name else f"{part} as {name}")
    return [*whole, *(f"from {module} import {', '.join(names)}" for module, names in sorted(parts.items()))]


def renamed(text: str, old: str, new: str) -> str:
    """A text with one of its names replaced; attributes and keyword arguments of that name stay."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    lines, depth = text.splitlines(keepends=True), 0
    found: list[tuple[int, int]] = []
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        depth += (token.string in "([{" and token.type == tokenize.OP) - (
            token.string in ")]}" and token.type == tokenize.OP
        )
        keyword = depth > 0 and after is not None and after.string == "="
        attribute = before is not None and before.string == "."
        if token.type == tokenize.NAME and token.string == old and not keyword and not attribute:
            found.append(token.start)
    for row, column in reversed(found):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + new + line[column + len(old) :]
    return "".join(lines)


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def _first(node: ast.stmt, lines: list[str]) -> int:
    first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))]) - 1
    while first and lines[first - 1].startswith("#"):
        first -= 1
    return first
