"""How an exercise is written: a real function or class, and what is wrong or otherwise right as an edit of its text.

    EXERCISE = written(
        attention_scores,                      # the solution: signature, docstring, stub and solution text come from it
        same_as=scores,                        # the library's own function, if there is one
        title="Scaled scores", task="…", level="medium, 4 minutes", returns="scores: query key", cases=cases,
        mistakes=\"\"\"
        no_root: ** 0.5 ⇒
            “Your dot products were divided by d_head itself, so they are too small.”
        keys_ask: result.mT
            “Your table has one row per key and one column per query: it is transposed.”
        \"\"\",
        also_right=\"\"\"
        mT: query @ key.mT * query.shape[-1] ** -0.5
        \"\"\",
        hints=\"\"\"…\"\"\", explanation=\"\"\"…\"\"\",
    )

Each entry of `mistakes` and `also_right` begins at the margin with its name and a colon. Then comes one of these:

- edits, one a line: `old ⇒ new`, wherever the solution's text has `old`; with nothing behind the arrow it is taken out.
  What is new may be a block of lines below, further in: each stands where the line with `old` does;
- an expression: what is returned in place of what the solution returns, which is called `result` in it;
- statements: the whole body of the function;
- of a class, methods from `def` on: each takes the place of the one of that name, or is added.

`name (other):` begins with the entry `other` in place of the solution. A mistake's sentence stands below, in “ ”.
Variants see `torch`, `Tensor`, `F`, `math` and what their file has above, such as a function, where no edit fits.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import math
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, cast, get_args

import torch
from torch import Tensor
from torch.nn import functional as F

from anatomy_course.judge.definition import Case, Condition, Difficulty, Exercise, Mistake, Output

Stages = Callable[..., Mapping[str, Tensor]]
CONTENT = "anatomy_course.content."
PASSED = "_passed"  # the name under which a solution that tells its stages keeps them


class Variant(NamedTuple):
    """The solution, written otherwise, and what a card says of it."""

    name: str
    source: str
    sentence: str


def written(
    solution: Callable[..., Any],
    *,
    title: str,
    task: str,
    level: str,
    returns: str | tuple[Output, ...],
    cases: Callable[[torch.Generator], Iterable[Case]],
    mistakes: str,
    also_right: str,
    hints: str,
    explanation: str,
    same_as: Callable[..., Any] | str | None = None,
    stages: str | Stages | None = None,
    observe: Callable[..., Any] | None = None,
    look_first: str = "",
    uses: str = "",
    again: str = "",
    seconds: float = 5.0,
) -> Exercise:
    """An exercise, read from its solution and the edits of it.

    Args:
        solution: a function or class whose docstring says the shapes. Its file's path is the exercise's id.
        title: two to four words.
        task: one sentence.
        level: `"medium, 4 minutes"`.
        returns: what is compared, in order, as `"context: query d_head; weights: query key"`: a name, and the names of
            the last axes. Or outputs, as a drive gives them: what it returns is compared then.
        cases: draws the cases from a generator; the first one is small enough to be drawn.
        mistakes: at least four, in the form above.
        also_right: at least three.
        hints: three, of growing help, each behind a dash.
        explanation: two or three sentences that go with the solution.
        same_as: the library's function that computes the same, or its dotted path; the proof compares the two.
        stages: tensors that the solution passes, one a line: `dot products: query @ key.mT`, an expression of its
            variables, or a variable's name alone. Or a function from a case's arguments to tensors by name.
        observe: called with the answer and a case's arguments; makes the answer do its work and returns its effects as
            a tuple of tensors, or an `Objection`. Left out where the answer is itself a function from arguments to
            tensors. What a drive changes is its own; it leaves torch's source of random numbers as it found it.
        look_first: names of outputs in the order in which a fault spreads; the order of `returns` when left out.
        uses: ids of earlier exercises whose functions or classes an answer may call by their names. Where the notebook
            has not one that passed, the course's own is used.
        again: edits after which the same idea is asked under another condition, a sentence in “ ” that says which, and
            behind `Not here:` the mistakes whose sentences would not be true then.
        seconds: how long all cases together may take.

    Raises:
        ValueError: an entry cannot be read, or two have one name; the message has its file and line.
    """
    file = inspect.getsourcefile(solution) or ""
    id = solution.__module__.removeprefix(CONTENT)
    text = _Solution(solution)

    def make(source: str, more: Mapping[str, Any] = {}, name: str = "stages") -> Callable[..., Any]:
        return define(source, f"{id}: {name}", solution.__name__, {**vars(sys.modules[solution.__module__]), **more})

    known: dict[str, str] = {}
    drive: dict[str, Any] = {"observe": observe, "make": make}
    try:
        rights, wrongs = (
            [(v, make(v.source, name=v.name)) for v in variants(entries, text.source, known)]
            for entries in (also_right, mistakes)
        )
        condition = _condition(again, text, mistakes, stages, drive) if again else None
    except ValueError as error:
        raise ValueError(f"{place_of(id, str(error).split(chr(39))[1])}: {error}") from error
    passed = _stages(stages, text.source, **drive) if isinstance(stages, str) else stages
    difficulty, _, minutes = level.partition(", ")
    helping = [_paragraph(hint) for hint in re.split(r"^\s*- ", hints, flags=re.MULTILINE)[1:]]
    if len(helping) != 3:
        raise ValueError(f"{file}: there are {len(helping)} hints; give three, each behind a dash.")
    first, second, third = helping
    if isinstance(returns, str):
        pairs = [each.partition(":") for each in returns.split(";")]
        returns = tuple(Output(name.strip(), axes.strip()) for name, _, axes in pairs)
    if difficulty not in get_args(Difficulty):
        raise ValueError(f"{file}: the level {level!r} should read like 'medium, 4 minutes'.")
    if missing := [variant.name for variant, _ in wrongs if not variant.sentence]:
        raise ValueError(f"{place_of(id, missing[0])}: the mistake {missing[0]!r} has no sentence.")
    return Exercise(
        id=id,
        title=title,
        task=task,
        difficulty=cast(Difficulty, difficulty),
        minutes=int(minutes.split()[0]),
        signature=text.signature,
        docstring=text.docstring,
        reference=same_as or solution,
        returns=returns,
        cases=cases,
        mistakes=tuple(Mistake(variant.name, function, variant.sentence) for variant, function in wrongs),
        also_right={variant.name: function for variant, function in rights},
        hints=(first, second, third),
        solution=text.body,
        explanation=_paragraph(explanation),
        stages=passed,
        look_first=tuple(look_first.split()),
        seconds=seconds,
        methods=text.methods,
        observe=observe,
        uses=tuple(uses.split()),
        again=condition,
    )


class _Solution:
    """The text of the solution and what is read from it."""

    def __init__(self, solution: Callable[..., Any]) -> None:
        whole = textwrap.dedent(inspect.getsource(solution))
        node = _definition(whole)
        lines = whole.splitlines()
        doc, *_ = node.body
        if not (isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant) and isinstance(doc.value.value, str)):
            raise ValueError(f"The solution {solution.__name__} has no docstring; it says the shapes.")
        self.docstring = "\n".join(line.rstrip() for line in inspect.cleandoc(doc.value.value).splitlines())
        head, rest = lines[node.lineno - 1 : doc.lineno - 1], lines[doc.end_lineno or 0 :]
        self.source = "\n".join([*head, *rest]).rstrip()  # without its docstring
        self.body = textwrap.dedent("\n".join(rest)).rstrip()  # and without its first line; of a class, its methods
        self.signature = _head(whole, node)
        methods = node.body if isinstance(node, ast.ClassDef) else []
        self.methods = tuple(_head(whole, each) for each in methods if isinstance(each, ast.FunctionDef))


def variants(text: str, solution: str, known: dict[str, str]) -> Iterator[Variant]:
    """Each entry of a list of variants, as an edit of a solution's text. The texts by name that are `known` grow by
    these.

    Raises:
        ValueError: an entry cannot be read; the message begins with its name.
    """
    for block in _blocks(text):
        name, base, rest = _name(block, known)
        code, _, sentence = rest.partition("“")
        if name in known:
            raise ValueError(f"{name!r} is there twice.")
        try:
            known[name] = _edited(known[base] if base else solution, _lines(code))
            compile(known[name], name, "exec")
            if _definition(known[name]).name != _definition(solution).name:
                raise ValueError("an edit gives the solution another name.")
        except (ValueError, SyntaxError) as error:
            raise ValueError(f"{name!r}: {error}") from error
        if known[name] == solution:
            raise ValueError(f"{name!r} is the solution itself.")
        yield Variant(name, known[name], " ".join(sentence.strip().removesuffix("”").split()))


def _blocks(text: str) -> list[str]:
    """The entries of a list of variants."""
    blocks = re.split(r"^(?=\S)", textwrap.dedent(text).strip("\n"), flags=re.MULTILINE)
    return [block for block in blocks if block.strip()]


def _condition(
    again: str, text: _Solution, mistakes: str, stages: str | Stages | None, drive: Mapping[str, Any]
) -> Condition:
    """The solution after these edits. Of the mistakes those are kept that are edits of what it still has."""
    make = drive["make"]
    edits, end, untrue = again.rpartition("”")
    (other,) = variants(f"again:\n{textwrap.indent(textwrap.dedent(edits + end), '    ')}", text.source, {})
    left_out = untrue.partition("Not here:")[2].split()
    if lost := set(left_out) - {re.split(r"[ :]", block)[0] for block in _blocks(mistakes)}:
        raise ValueError(f"'again': there is no mistake {min(lost)!r} to be left out.")
    known: dict[str, str] = {}
    kept = [Mistake("as_it_was", make(text.source, name="again"), f"That is the exercise as it was. {other.sentence}")]
    for block in _blocks(mistakes):
        with suppress(ValueError):  # its edit finds nothing here
            name, _, rest = _name(block, known)
            if "⇒" in rest and name.isidentifier() and name not in left_out:
                (made,) = variants(block, other.source, known)
                kept.append(Mistake(made.name, make(made.source, name=made.name), made.sentence))
    header = _definition(other.source).body[0].lineno - 1
    lines = [line for line in other.source.splitlines()[header:] if not line.isspace()]  # an edit may have emptied one
    body = textwrap.dedent("\n".join(lines))
    passed = _stages(stages, other.source, **drive) if isinstance(stages, str) else None
    return Condition(other.sentence, make(other.source, name="again"), body, tuple(kept), passed)


def _name(block: str, known: Mapping[str, str]) -> tuple[str, str, str]:
    head, colon, rest = block.partition(":")
    if not colon:
        raise ValueError(f"{head.strip()!r} is no entry: a name, a colon, and what is different.")
    other = re.fullmatch(r"(.+?) \((.+)\)", head)
    return (other[1], other[2], rest) if other and other[2] in known else (head, "", rest)


def _lines(code: str) -> list[str]:
    first, _, below = code.partition("\n")
    lines = textwrap.dedent(below).splitlines()
    return [line.rstrip() for line in ([first.strip()] if first.strip() else []) + lines if line.strip()]


def _edited(source: str, lines: list[str]) -> str:
    """The source after these edits, with this result, with this body, or with these methods."""
    if any("⇒" in line for line in lines):
        return _replaced(source, lines)
    code = "\n".join(lines)
    if not code:
        raise ValueError("nothing is different.")
    node = _definition(source)
    if code.startswith("def "):
        return _with_methods(source, node, code)
    with suppress(SyntaxError):
        expression = ast.parse(code, mode="eval")
        if any(isinstance(part, ast.Name) and part.id == "result" for part in ast.walk(expression)):
            return _with_returns(source, lambda was: f"result = ({was})\nreturn {code}")
        code = f"return {code}"
    if isinstance(node, ast.ClassDef):
        raise ValueError("of a class, give edits, methods, or an expression with `result`.")
    if lost := sorted(
        _names(node, ast.Store) & (_names(ast.parse(code), ast.Load) - _names(ast.parse(code), ast.Store))
    ):
        raise ValueError(f"it is the whole body, without the solution's {lost[0]!r}: write an edit, or use `result`.")
    header = source.splitlines()[: node.body[0].lineno - 1]
    return "\n".join([*header, textwrap.indent(code, "    ")])


def _names(tree: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """The names that are set, or used, anywhere in a piece of code, less the parameters that it takes."""
    taken = {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)}
    found = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, context)}
    return found - taken


def _replaced(source: str, lines: list[str]) -> str:
    edits: list[tuple[str, list[str]]] = []
    for line in lines:
        old, arrow, new = line.partition("⇒")
        if arrow:
            edits.append((old.strip(), [new.strip()] if new.strip() else []))
        elif edits and line.startswith(" "):
            edits[-1][1].append(line)
        else:
            raise ValueError(f"{line.strip()!r} is neither an edit nor further in than one.")
    for old, block in edits:
        if not old or old not in source:
            raise ValueError(f"its text has no {old!r}:\n{source}")
        new, made = textwrap.dedent("\n".join(block)), []
        for line in source.split("\n"):
            margin = line[: len(line) - len(line.lstrip())]
            made.append(line.replace(old, new.replace("\n", "\n" + margin)))
        source = "\n".join(made)
    return source


def _with_methods(source: str, node: ast.FunctionDef | ast.ClassDef, code: str) -> str:
    given = {each.name for each in ast.parse(code).body if isinstance(each, ast.FunctionDef)}
    lines = source.splitlines()
    for each in reversed(node.body):
        if isinstance(each, ast.FunctionDef) and each.name in given:
            del lines[each.lineno - 1 : each.end_lineno]
    return "\n".join([*lines, "", textwrap.indent(code, "    ")])


def _with_returns(source: str, write: Callable[[str], str]) -> str:
    """The source with other lines in place of each `return` of the function, or of the class's last method: `write`
    makes them of what was returned, `None` at the end of what returns nothing."""
    node = _definition(source)
    if isinstance(node, ast.ClassDef):
        node = next(each for each in reversed(node.body) if isinstance(each, ast.FunctionDef))
    lines = source.split("\n")
    returns = list(_returns(node))
    for old in reversed(returns):
        was = (ast.get_source_segment(source, old.value) if old.value else None) or "None"
        lines[old.lineno - 1 : old.end_lineno] = textwrap.indent(write(was), " " * old.col_offset).split("\n")
    if not returns:
        lines[node.end_lineno or 0 :] = [textwrap.indent(write("None"), " " * node.body[0].col_offset)]
    return "\n".join(lines)


def _returns(node: ast.AST) -> Iterator[ast.Return]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return):
            yield child
        elif not isinstance(child, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            yield from _returns(child)


def _stages(text: str, source: str, observe: Callable[..., Any] | None, make: Callable[..., Any]) -> Stages:
    """A function from a case's arguments to what the solution has passed when it first returns; `make` is from a text
    and further names that it sees to the function or class."""
    pairs = [line.strip().partition(": ") for line in text.splitlines() if line.strip()]
    table = ", ".join(f"{name.replace('_', ' ')!r}: {code or name}" for name, _, code in pairs)
    found: list[Mapping[str, Tensor]] = []
    answer = make(_with_returns(source, lambda was: f"{PASSED}.append({{{table}}})\nreturn {was}"), {PASSED: found})

    def passed(*arguments: Any) -> Mapping[str, Tensor]:
        found.clear()
        (partial(observe, answer) if observe else answer)(*arguments)
        return found[0]

    return passed


def define(source: str, place: str, name: str, names: Mapping[str, Any]) -> Callable[..., Any]:
    """The function or class called `name` in a text, which sees these names besides `torch`, `Tensor`, `F`
    (torch.nn.functional) and `math`; tools can read the text where they find `<place>`."""
    file = f"<{place}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace = {"torch": torch, "Tensor": Tensor, "F": F, "math": math, **names}
    exec(compile(source, file, "exec"), namespace)
    made: Callable[..., Any] = namespace[name]
    return made


def _definition(source: str) -> ast.FunctionDef | ast.ClassDef:
    node = ast.parse(source).body[-1]
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    return node


def _head(source: str, node: ast.FunctionDef | ast.ClassDef) -> str:
    """What follows `def` or `class`, up to the colon, in its own lines."""
    lines = source.splitlines()[node.lineno - 1 : node.body[0].lineno - 1]
    text = "\n".join(line[node.col_offset :] for line in lines)
    return re.sub(r"^(def|class) |:\s*(# fmt: skip\s*)?$", "", text)


def _paragraph(text: str) -> str:
    return " ".join(text.split())


def place_of(id: str, name: str) -> str:
    """Where an exercise's entry of that name begins, as `path:line`; the file's first line where it has none."""
    file = sys.modules[CONTENT + id].__file__ or ""
    starts = (
        line.strip().startswith((f"{name}:", f"{name} (")) or line.strip() == name for line in linecache.getlines(file)
    )
    return f"{file}:{next((number for number, found in enumerate(starts, 1) if found), 1)}"
