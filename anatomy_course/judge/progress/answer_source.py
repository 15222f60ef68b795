"""A learner's function as a text that stands alone: with the imports, numbers and helpers that it uses."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any

from anatomy_course import PACKAGES
from anatomy_course.judge.stub import Definition, globals_of, looked_up, source_of

IMPORTS = (ast.Import, ast.ImportFrom)


def standing_alone(function: Callable[..., Any], source: str | None = None) -> str | None:
    """The function's text without its decorators, below everything of its module that it names.

    Modules become imports, numbers and strings assignments; helper functions are taken along, and what they name.
    None when Python does not know the function's text.
    """
    source = source or source_of(function)
    if source is None:
        return None
    above: dict[str, str] = {}
    try:
        text = _without_decorators(source)
        _collect(function, text, above, {getattr(function, "__name__", "")})
    except (SyntaxError, ValueError):
        return source
    return "\n".join(["from __future__ import annotations", *above.values(), text]) + "\n"


def load(text: str, name: str, references: Mapping[str, Callable[[], Any]] | None = None) -> Callable[..., Any]:
    """The function called `name` from such a text as `standing_alone` makes.

    An older version of the course may have saved imports that this one no longer has. Where the imported name is that
    of an exercise's function, the course's own version of it (`references`) takes the place; an import that the
    function does not use is left out.

    Raises:
        ValueError: the text does not run, or makes no such function.
    """
    namespace: dict[str, Any] = {"__name__": "learner"}
    lost: dict[str, str] = {}
    try:
        tree = ast.fix_missing_locations(_AsOfToday().visit(ast.parse(text, f"<your {name}>")))
        for statement in [node for node in tree.body if isinstance(node, IMPORTS)]:
            alias = statement.names[0]
            bound, module = alias.asname or alias.name, getattr(statement, "module", None) or alias.name
            try:
                exec(compile(ast.Module([statement], []), f"<your {name}>", "exec"), namespace)
            except ImportError:
                if not module.startswith(PACKAGES):
                    raise
                tree.body.remove(statement)
                if references and bound in references:
                    namespace[bound] = references[bound]()
                else:
                    lost[bound] = module
        code = compile(tree, f"<your {name}>", "exec", dont_inherit=True)
        exec(code, namespace)
    except Exception as error:
        raise ValueError(f"Your saved {name} no longer runs ({error}); pass the exercise once more.") from error
    if missing := sorted({lost[used] for used in looked_up(code) if used in lost}):
        raise ValueError(
            f"Your saved {name} no longer runs (it uses {' and '.join(missing)}, which is no longer there); "
            "pass the exercise once more."
        )
    made = namespace.get(name)
    if not callable(made):
        raise ValueError(f"Your saved text holds no function {name}; pass the exercise once more.")
    return made  # type: ignore[no-any-return]


MOVED = {
    "exercises.catalogue": "content", "exercises.capstone": "capstone", "exercises.program": "capstone.program",
    "exercises.repair": "judge.slips", "exercises.driving": "judge.effects", "exercises": "judge",
    "notebook.setup_check": "views.setup_check.check", "notebook": "page", "colab": "page.colab",
    "figures.contents": "page.notebooks", "figures": "figures", "widgets": "views", "views": "views",
    "toy_language": "lab.street", "recipes": "lab.small_models", "experiments": "lab.experiments",
    "debugging": "lab.debugging", "transplant": "lab.transplant", "objectives.registry": "lab.objectives.registry",
    "objectives.OBJECTIVES": "lab.objectives.OBJECTIVES",
}  # fmt: skip
"""Where version 1.0.0, which was one package, had what an answer may import, and where `anatomy_course` has it."""


class _AsOfToday(ast.NodeTransformer):
    """Imports by the names of version 1.0.0 become those of today, each name in a line of its own."""

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        names = [ast.alias(_now(alias.name), alias.asname) for alias in node.names]
        return [ast.copy_location(ast.Import([alias]), node) for alias in names]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        if node.module is None:
            return [node]
        lines: list[ast.stmt] = []
        for alias in node.names:
            module, _, name = _now(f"{node.module}.{alias.name}").rpartition(".")
            asname = alias.asname or (None if name == alias.name else alias.name)
            lines.append(ast.copy_location(ast.ImportFrom(module, [ast.alias(name, asname)], node.level), node))
        return lines


def _now(name: str) -> str:
    """`anatomy_utils.figures.plots` → `anatomy_course.figures.plots`; what has not moved as it is."""
    package, _, rest = name.partition(".")
    if package == "anatomy_utils":
        for old, now in MOVED.items():
            if rest == old or rest.startswith(f"{old}."):
                return f"anatomy_course.{now}{rest.removeprefix(old)}"
    return name


def _without_decorators(source: str) -> str:
    for node in ast.parse(source).body:
        if isinstance(node, Definition):
            return "\n".join(source.splitlines()[node.lineno - 1 : node.end_lineno])
    raise ValueError("This text holds no `def` and no `class`.")


def _helper(name: str, source: str | None) -> str | None:
    """A helper's text; None for one whose text does not stand alone, such as a lambda in the middle of a call.

    A name may also be the function's own and only by chance that of something in the notebook: nothing is lost then.
    """
    try:
        body = ast.parse(source or "").body
    except SyntaxError:
        return None
    if len(body) == 1 and isinstance(body[0], ast.Assign) and isinstance(body[0].value, ast.Lambda):
        return f"{name} = {ast.unparse(body[0].value)}"
    return _without_decorators(source or "") if any(isinstance(node, Definition) for node in body) else None


def _collect(function: Callable[..., Any], text: str, above: dict[str, str], seen: set[str]) -> None:
    for name in _names(text):
        if name in seen or name not in globals_of(function):
            continue
        seen.add(name)
        line = _line(name, globals_of(function)[name], above, seen)
        if line:
            above[name] = line


def _line(name: str, value: Any, above: dict[str, str], seen: set[str]) -> str | None:
    if isinstance(value, types.ModuleType):
        return f"import {value.__name__} as {name}"
    if isinstance(value, bool | int | str):
        return f"{name} = {value!r}"
    if isinstance(value, float):
        return f"{name} = float({str(value)!r})"
    inner = getattr(value, "used", value)  # the answer to another exercise
    module = getattr(inner, "__module__", None)
    if (inspect.isfunction(inner) or isinstance(inner, type)) and (module == "__main__" or module is None):
        text = _helper(name, source_of(inner))
        if text is not None:
            _collect(inner, text, above, seen)
        return text
    qualified = getattr(inner, "__qualname__", getattr(inner, "__name__", ""))
    if module and module != "__main__" and qualified.isidentifier():
        return f"from {module} import {qualified} as {name}"
    return None


def _names(source: str) -> list[str]:
    """Every name in a function's text, in the order of use, those of annotations and inner functions too.

    Not its own variables: one of them may be called like something of the notebook.
    """
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)]
    made = {node.id for node in found if isinstance(node.ctx, ast.Store)} - looked_up(compile(source, "", "exec"))
    names = (node.id for node in sorted(found, key=lambda node: (node.lineno, node.col_offset)))
    return list(dict.fromkeys(name for name in names if name not in made))
