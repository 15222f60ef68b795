"""A learner's function as a text that stands alone: with the imports, numbers and helpers that it uses."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable
from typing import Any

from anatomy_utils.exercises.stub import source_of


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
        _collect(function, above, {getattr(function, "__name__", "")})
    except (SyntaxError, ValueError):
        return source
    return "\n".join([*above.values(), text]) + "\n"


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
    node = next(n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef))
    return "\n".join(source.splitlines()[node.lineno - 1 : node.end_lineno])


def _collect(function: Callable[..., Any], above: dict[str, str], seen: set[str]) -> None:
    for name in _names(function):
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
        helper = source_of(inner)
        if helper is None:
            return None
        _collect(inner, above, seen)
        return _without_decorators(helper)
    qualified = getattr(inner, "__qualname__", getattr(inner, "__name__", ""))
    if module and module != "__main__" and qualified.isidentifier():
        return f"from {module} import {qualified} as {name}"
    return None


def _names(function: Callable[..., Any]) -> list[str]:
    """Global names in the order of use, those of inner functions and of annotations too."""

    def of(code: types.CodeType) -> list[str]:
        inner = [name for constant in code.co_consts if isinstance(constant, types.CodeType) for name in of(constant)]
        return [*code.co_names, *inner]

    annotations = [getattr(hint, "__name__", "") for hint in function.__annotations__.values()]
    return list(dict.fromkeys([*annotations, *of(function.__code__)]))
