"""A crash where Python's own words (`if`, `and`, `min`, `sum`) meet tensors, or where torch lacks a function for a
type."""

from __future__ import annotations

import ast
import re

import torch
from torch import Tensor

from anatomy_course.judge.judging.error_messages import str_of
from anatomy_course.judge.judging.evaluation import known
from anatomy_course.judge.judging.place import Place

CELLWISE = {
    "min": "torch.minimum (two tensors), .clamp (a tensor and a number) and .amin (along an axis)",
    "max": "torch.maximum (two tensors), .clamp (a tensor and a number) and .amax (along an axis)",
    "sorted": ".sort",
    "any": "the tensor's own .any()",
    "all": "the tensor's own .all()",
}


def one_truth(place: Place, message: str) -> str | None:
    """Python asked a tensor with many numbers for one True or False."""
    if "truth value" not in message.lower() and "Boolean value of Tensor with" not in message:
        return None
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


def python_function(place: Place, message: str) -> str | None:
    """`sum(x, dim=-1)`: an option that only torch's function of this name has."""
    node = place.nodes[0] if place.nodes else None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id in place.names:
        return None
    name = node.func.id
    options = [keyword.arg for keyword in node.keywords if keyword.arg in ("dim", "axis", "keepdim")]
    if not options or "keyword argument" not in message:
        return None
    return f"This is Python's `{name}`, which knows no `{options[0]}`; torch.{name} and the tensor's own .{name} do."


KINDS = {
    "Bool": "True and False (bool)",
    "Byte": "whole numbers (uint8)",
    "Short": "whole numbers (int16)",
    "Int": "whole numbers (int32)",
    "Long": "whole numbers (int64)",
    "Half": "numbers of half precision (float16)",
    "BFloat16": "numbers of half precision (bfloat16)",
    "Float": "float32 numbers",
    "Double": "float64 numbers",
    "ComplexFloat": "complex numbers",
}


def not_there_for_this_type(place: Place, message: str) -> str | None:
    """A function of torch's that does not exist for this type of numbers, or without numbers at all."""
    what = f"`{place.shown(place.nodes[0])}`" if place.nodes and not isinstance(place.nodes[0], ast.stmt) else "this"
    if match := re.search(r"not implemented for .?(\w+).?$", message):
        kind = KINDS.get(match[1], f"{match[1]} numbers")
        cure = (
            " .float() makes numbers with a fraction." if match[1] in ("Bool", "Byte", "Short", "Int", "Long") else ""
        )
        return f"torch cannot do {what} with {kind}.{cure}"
    if "meta" in message.lower() and ("no data" in message or "'Meta' backend" in message or "meta tensor" in message):
        return f"{_capital(what)} needs numbers, and a tensor on the device `meta` has only a shape."
    return None


def says_itself(place: Place, error: BaseException, own_names: tuple[str, ...]) -> str | None:
    """A `raise` on the learner's own line, or a module without a `forward`."""
    own_raise = place.innermost and isinstance(place.statement, ast.Raise)
    if own_raise and not isinstance(error, NotImplementedError):
        said = f": {str_of(error)}" if str_of(error) else ""
        return (
            f"Your own `raise` stops here ({type(error).__name__}{said.rstrip('.')}). For this input there is a right "
            "answer, so something before it took it for another."
        )
    if not isinstance(error, NotImplementedError):
        return None
    if place.innermost and isinstance(place.statement, ast.Raise):
        name = place.frame.f_code.co_name
        return f"{'Your function' if name in own_names else f'`{name}`'} says itself that it is not written yet."
    message = str(error)
    if match := re.search(r'Module \[(\w+)\] is missing the required "forward"', message):
        return f"The module `{match[1]}` has no `forward`, so it cannot be called."
    return None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def values_and_names(place: Place, message: str) -> str | None:
    """`a, b, c = …` with more or fewer values than names."""
    if "values to unpack" not in message or not isinstance(place.statement, ast.Assign):
        return None
    target, given = place.statement.targets[0], known(place.statement.value, place.names)
    if not isinstance(target, ast.Tuple) or place.nodes[0] not in (target, place.statement):
        return None
    if not isinstance(given, tuple | list | Tensor) or any(isinstance(name, ast.Starred) for name in target.elts):
        return None
    text, count = place.shown(place.statement.value), len(given)
    what = f"is {tuple(given)}" if isinstance(given, torch.Size) else f"gives {count}"
    if isinstance(given, Tensor):
        what = f"has {count} entries along its first axis"
    return f"There are {len(target.elts)} names on the left of `=`, but `{text}` {what}."


def function_not_called(place: Place, message: str) -> str | None:
    """`x + norm`: a function stands where its result belongs."""
    node = place.nodes[0] if place.nodes else None
    if "unsupported operand type" not in message or not isinstance(node, ast.BinOp):
        return None
    for part in (node.left, node.right):
        held = place.names.get(part.id) if isinstance(part, ast.Name) else None
        if callable(held) and not isinstance(held, Tensor):
            return (
                f"`{place.shown(part)}` is a function, and it is not called here: that takes parentheses and an input."
            )
    return None


WORDS = (function_not_called, one_truth, python_function, values_and_names, not_there_for_this_type)
