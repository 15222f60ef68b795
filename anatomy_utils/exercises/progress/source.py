"""A learner's function as a text that stands alone: with the imports, numbers and helpers that it uses."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable
from typing import Any

from anatomy_utils.exercises.stub import source_of

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


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


def load(text: str, name: str) -> Callable[..., Any]:
    """The function called `name` from such a text.

    Raises:
        ValueError: the text does not run, or makes no such function.
    """
    namespace: dict[str, Any] = {"__name__": "learner"}
    try:
        exec(compile(text, f"<your {name}>", "exec", dont_inherit=True), namespace)
    except Exception as error:
        raise ValueError(f"Your saved {name} does not run any more ({error}); pass the exercise once more.") from error
    made = namespace.get(name)
    if not callable(made):
        raise ValueError(f"Your saved text holds no function {name}; pass the exercise once more.")
    return made  # type: ignore[no-any-return]


def _without_decorators(source: str) -> str:
    for node in ast.parse(source).body:
        if isinstance(node, DEFINITIONS):
            return "\n".join(source.splitlines()[node.lineno - 1 : node.end_lineno])
    raise ValueError("This text holds no `def`.")


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
    return _without_decorators(source or "") if any(isinstance(node, DEFINITIONS) for node in body) else None


def _collect(function: Callable[..., Any], text: str, above: dict[str, str], seen: set[str]) -> None:
    for name in _names(text):
        if name in seen or name not in function.__globals__:
            continue
        seen.add(name)
        line = _line(name, function.__globals__[name], above, seen)
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
    if inspect.isfunction(inner) and (module == "__main__" or module is None):
        text = _helper(name, source_of(inner))
        if text is not None:
            _collect(inner, text, above, seen)
        return text
    qualified = getattr(inner, "__qualname__", getattr(inner, "__name__", ""))
    if module and module != "__main__" and qualified.isidentifier():
        return f"from {module} import {qualified} as {name}"
    return None


def _names(source: str) -> list[str]:
    """Every name in a function's text, in the order of use, those of annotations and inner functions too."""
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)]
    return list(dict.fromkeys(node.id for node in sorted(found, key=lambda node: (node.lineno, node.col_offset))))
