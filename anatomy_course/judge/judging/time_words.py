"""What to say of a function that had to be stopped: where it was, and whether a loop is around that line."""

from __future__ import annotations

import ast

from anatomy_course.judge.judging.place import Place

LOOPS = (ast.While, ast.For, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def time_words(seconds: float, place: Place | None, own_names: tuple[str, ...]) -> str:
    """One or two sentences; a loop is only mentioned where there is one."""
    stopped = f"Your function was stopped: it had not ended after {seconds:g} seconds."
    if place is None:
        return stopped
    around = next((node for node in place.nodes if isinstance(node, LOOPS)), None)
    if isinstance(around, ast.While):
        line = around.lineno + place.shift
        if isinstance(around.test, ast.Constant):
            return f"{stopped} It was in the `while` loop of line {line}: does that ever reach a `break` or a `return`?"
        return (
            f"{stopped} It was in the `while` loop of line {line}: does `{place.shown(around.test)}` ever become False?"
        )
    if around is not None:
        head = around if isinstance(around, ast.For) else around.generators[0]  # type: ignore[attr-defined]
        turns = f"`for {place.shown(head.target)} in {place.shown(head.iter)}`"
        loops = sum(isinstance(node, LOOPS) for node in place.nodes)
        inside = f", inside {'another loop' if loops == 2 else f'{loops - 1} others'}" if loops > 1 else ""
        return f"{stopped} It was in the loop {turns}{inside}: how many turns does that take, and what does each cost?"
    if calls := [name for name in own_names if place.function is not None and _calls(place.function, name)]:
        return f"{stopped} It calls itself (`{calls[0]}`): does that ever come to an end?"
    return f"{stopped} It was still in line {place.number}."


def _calls(function: ast.AST, name: str) -> bool:
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
        for node in ast.walk(function)
    )
