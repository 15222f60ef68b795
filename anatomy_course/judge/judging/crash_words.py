"""A crash, or a stop, in one or two sentences: first from what was on the line, then from the error's own message."""

from __future__ import annotations

import ast
import re

import torch
from torch import Tensor

from anatomy_course.judge.judging import shape_words
from anatomy_course.judge.judging.error_messages import plain_words, str_of
from anatomy_course.judge.judging.evaluation import known
from anatomy_course.judge.judging.place import Place
from anatomy_course.judge.judging.shape_words import Look

LOOPS = (ast.While, ast.For, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
CELLWISE = {
    "min": "torch.minimum (two tensors), .clamp (a tensor and a number) and .amin (along an axis)",
    "max": "torch.maximum (two tensors), .clamp (a tensor and a number) and .amax (along an axis)",
    "sorted": ".sort",
    "any": "the tensor's own .any()",
    "all": "the tensor's own .all()",
}
KINDS = {
    "Bool": "True and False (bool)", "Byte": "whole numbers (uint8)", "Short": "whole numbers (int16)",
    "Int": "whole numbers (int32)", "Long": "whole numbers (int64)", "Half": "numbers of half precision (float16)",
    "BFloat16": "numbers of half precision (bfloat16)", "Float": "float32 numbers", "Double": "float64 numbers",
    "ComplexFloat": "complex numbers",
}  # fmt: skip


def crash_words(error: BaseException, place: Place | None, own_names: tuple[str, ...]) -> str:
    """What went wrong.

    Args:
        error: what was raised.
        place: where; None when the call itself did not fit.
        own_names: what the learner's function is called.
    """
    if place is None:
        return plain_words(error)
    called = [name for name in own_names if re.search(rf"\b{re.escape(name)}\b", place.text)]
    if isinstance(error, RecursionError) and called:
        return (
            f"Your function calls itself and never ends: `{called[0]}` in line {place.number} is your own function, "
            "not the course's."
        )
    if words := _says_itself(place, error, own_names):
        return words
    message = str_of(error)
    for pattern, look in (*shape_words.LOOKS, *LOOKS):
        if (match := re.search(pattern, message)) and (words := look(place, match)):
            return words
    return plain_words(error)


def _says_itself(place: Place, error: BaseException, own_names: tuple[str, ...]) -> str | None:
    """A `raise` on the learner's own line."""
    if not place.innermost or not isinstance(place.statement, ast.Raise):
        return None
    if isinstance(error, NotImplementedError):
        name = place.frame.f_code.co_name
        return f"{'Your function' if name in own_names else f'`{name}`'} says itself that it is not written yet."
    said = f": {str_of(error)}" if str_of(error) else ""
    return (
        f"Your own `raise` stops here ({type(error).__name__}{said.rstrip('.')}). For this input there is a right "
        "answer, so something before it took it for another."
    )


def _one_truth(place: Place, match: re.Match[str]) -> str | None:
    """Python asked a tensor with many numbers for one True or False."""
    inside: ast.AST | None = None
    for node in place.nodes:
        if words := _asks(place, node, inside):
            return words
        if isinstance(node, ast.stmt):
            return None
        inside = node
    return None


def _asks(place: Place, node: ast.AST, inside: ast.AST | None) -> str | None:
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in CELLWISE and name not in place.names and inside is None:
            how = "looks for one True or False in each row" if name in ("any", "all") else "compares with one `<`"
            return (
                f"This is Python's `{name}`, which {how}, but a tensor holds many numbers; what works on tensors: "
                f"{CELLWISE[name]}."
            )
        case ast.Compare() if len(node.ops) > 1:
            text = place.shown(node)
            return (
                f"`{text}` is two comparisons with `and` between them, and `and` wants one True or False, but a tensor "
                "holds many. Two comparisons in parentheses with `&` between them go cell by cell."
            )
        case ast.Compare(ops=[ast.In() | ast.NotIn()]):
            return (
                "`in` compares with `==` and wants one True or False, but the tensors hold many; "
                "torch.isin goes cell by cell."
            )
        case ast.BoolOp():
            word, cellwise = ("and", "&") if isinstance(node.op, ast.And) else ("or", "|")
            return (
                f"`{word}` wants one True or False on each side, but {_many(place, *node.values)}; "
                f"`{cellwise}` goes cell by cell (put comparisons in parentheses)."
            )
        case ast.UnaryOp(op=ast.Not()):
            return f"`not` wants one True or False, but {_many(place, node.operand)}; `~` goes cell by cell."
        case ast.If() | ast.IfExp() | ast.While() | ast.Assert() if inside is None or inside is node.test:
            word = {ast.While: "while", ast.Assert: "assert"}.get(type(node), "if")
            instead = "; torch.where decides cell by cell" if word == "if" else ""
            many = _many(place, node.test, *ast.iter_child_nodes(node.test))
            return f"`{word}` wants one True or False, but {many}{instead}."
    return None


def _many(place: Place, *nodes: ast.AST) -> str:
    """The first of the expressions that is a tensor of many numbers, with their count."""
    for node in nodes:
        held = known(node, place.names)
        if isinstance(held, Tensor) and held.numel() != 1:
            return f"`{place.shown(node)}` holds {held.numel()}"
    return "the tensor holds many"


def _python_function(place: Place, match: re.Match[str]) -> str | None:
    """`sum(x, dim=-1)`: an option that only torch's function of this name has."""
    node = place.node
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id in place.names:
        return None
    name = node.func.id
    options = [keyword.arg for keyword in node.keywords if keyword.arg in ("dim", "axis", "keepdim")]
    if not options:
        return None
    return f"This is Python's `{name}`, which knows no `{options[0]}`; torch.{name} and the tensor's own .{name} do."


def _not_for_this_type(place: Place, match: re.Match[str]) -> str:
    """A function of torch's that does not exist for this type of numbers."""
    cure = " .float() makes numbers with a fraction." if match[1] in ("Bool", "Byte", "Short", "Int", "Long") else ""
    return f"torch cannot do {_what_failed(place)} with {KINDS.get(match[1], f'{match[1]} numbers')}.{cure}"


def _without_numbers(place: Place, match: re.Match[str]) -> str:
    what = _what_failed(place)
    return f"{what[:1].upper()}{what[1:]} needs numbers, and a tensor on the device `meta` has only a shape."


def _what_failed(place: Place) -> str:
    return "this" if place.node is None or isinstance(place.node, ast.stmt) else f"`{place.shown(place.node)}`"


def _values_and_names(place: Place, match: re.Match[str]) -> str | None:
    """`a, b, c = …` with more or fewer values than names."""
    if not isinstance(place.statement, ast.Assign):
        return None
    target, given = place.statement.targets[0], known(place.statement.value, place.names)
    if not isinstance(target, ast.Tuple) or place.node not in (target, place.statement):
        return None
    if not isinstance(given, tuple | list | Tensor) or any(isinstance(name, ast.Starred) for name in target.elts):
        return None
    text, count = place.shown(place.statement.value), len(given)
    what = f"is {tuple(given)}" if isinstance(given, torch.Size) else f"gives {count}"
    if isinstance(given, Tensor):
        what = f"has {count} entries along its first axis"
    return f"There are {len(target.elts)} names on the left of `=`, but `{text}` {what}."


def _function_not_called(place: Place, match: re.Match[str]) -> str | None:
    """`x + norm`: a function stands where its result belongs."""
    for part in (place.node.left, place.node.right) if isinstance(place.node, ast.BinOp) else ():
        held = place.names.get(part.id) if isinstance(part, ast.Name) else None
        if callable(held) and not isinstance(held, Tensor):
            return (
                f"`{place.shown(part)}` is a function, and it is not called here: that takes parentheses and an input."
            )
    return None


LOOKS: tuple[tuple[str, Look], ...] = (
    (r"unsupported operand type", _function_not_called),
    (r"(?i:truth value)|Boolean value of Tensor with", _one_truth),
    (r"keyword argument", _python_function),
    (r"values to unpack", _values_and_names),
    (r"not implemented for .?(\w+).?$", _not_for_this_type),
    (r"'Meta' backend|[Mm]eta tensor", _without_numbers),
)
"""What is looked at where a message has this in it: where Python's own words meet tensors."""


def time_words(seconds: float, place: Place | None, own_names: tuple[str, ...]) -> str:
    """Where a function was that had to be stopped; a loop is only mentioned where there is one."""
    stopped = f"Your function was stopped: it had not ended after {seconds:g} seconds."
    if place is None:
        return stopped
    around = next((node for node in place.nodes if isinstance(node, LOOPS)), None)
    if isinstance(around, ast.While):
        line = around.lineno + place.shift
        ends = f"`{place.shown(around.test)}` ever become False"
        if isinstance(around.test, ast.Constant):
            ends = "that ever reach a `break` or a `return`"
        return f"{stopped} It was in the `while` loop of line {line}: does {ends}?"
    if around is not None:
        head = around if isinstance(around, ast.For) else around.generators[0]  # type: ignore[attr-defined]
        turns = f"`for {place.shown(head.target)} in {place.shown(head.iter)}`"
        loops = sum(isinstance(node, LOOPS) for node in place.nodes)
        inside = f", inside {'another loop' if loops == 2 else f'{loops - 1} others'}" if loops > 1 else ""
        return f"{stopped} It was in the loop {turns}{inside}: how many turns does that take, and what does each cost?"
    inside_it = [] if place.function is None else list(ast.walk(place.function))
    called = {node.func.id for node in inside_it if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    if calls := [name for name in own_names if name in called]:
        return f"{stopped} It calls itself (`{calls[0]}`): does that ever come to an end?"
    return f"{stopped} It was still in line {place.number}."
