"""Work out a piece of the learner's line once more, from what its names held: only what changes nothing."""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

METHODS = frozenset(
    "transpose permute reshape view unsqueeze squeeze flatten unflatten swapaxes swapdims movedim moveaxis t "
    "contiguous expand expand_as view_as reshape_as repeat repeat_interleave narrow select index_select gather "
    "diagonal tril triu sum mean amax amin max min argmax argmin prod var std norm cumsum all any softmax "
    "log_softmax logsumexp exp log sqrt rsqrt square pow abs neg clamp where masked_fill matmul mm bmm mul add "
    "sub div eq ne lt le gt ge logical_not logical_and logical_or float double half long int bool to type type_as "
    "size dim numel item tolist detach clone chunk split unbind nonzero flip roll sort topk tanh relu sigmoid "
    "gelu outer new_zeros new_ones".split()
)
MAKERS = frozenset("arange ones zeros full tensor eye cat stack concat einsum ones_like zeros_like linspace".split())
PLAIN_FUNCTIONS = frozenset("len int float bool range tuple list abs slice".split())
ATTRIBUTES = frozenset("shape ndim dtype device T mT H mH values indices is_floating_point".split())
OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip
SIMPLE = (
    Tensor, int, float, bool, str, tuple, list, range, slice, torch.dtype, torch.device, type(None), type(Ellipsis),
)  # fmt: skip


class Unknown(Exception):  # noqa: N818 (it is a value, too)
    """It cannot be worked out, or not without calling what might change something."""


def known(node: ast.AST | None, names: Mapping[str, Any]) -> Any:
    """The value of an expression, or `Unknown` itself where it cannot be told."""
    if node is None:
        return Unknown
    try:
        with torch.no_grad():
            return value(node, names)
    except Exception:
        return Unknown


def value(node: ast.AST, names: Mapping[str, Any]) -> Any:
    """The value of an expression.

    Raises:
        Unknown: it holds something that is not known to leave everything as it was.
        Exception: whatever the expression itself raises.
    """
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return _simple(names[node.id]) if node.id in names else _unknown()
        case ast.Tuple() | ast.List():
            parts = [value(part, names) for part in node.elts]
            return tuple(parts) if isinstance(node, ast.Tuple) else parts
        case ast.Slice():
            return slice(*(part and value(part, names) for part in (node.lower, node.upper, node.step)))
        case ast.BinOp():
            return OPERATORS[type(node.op)](value(node.left, names), value(node.right, names))
        case ast.UnaryOp() if type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](value(node.operand, names))
        case ast.Compare() if len(node.ops) == 1 and type(node.ops[0]) in OPERATORS:
            return OPERATORS[type(node.ops[0])](value(node.left, names), value(node.comparators[0], names))
        case ast.Subscript():
            return _simple(value(node.value, names)[value(node.slice, names)])
        case ast.Attribute() if node.attr in ATTRIBUTES:
            return getattr(value(node.value, names), node.attr)
        case ast.Attribute() if (module := _module(node.value, names)) in (torch, math):
            return _simple(getattr(module, node.attr))
        case ast.Call():
            return _called(node, names)
    raise Unknown


def _called(node: ast.Call, names: Mapping[str, Any]) -> Any:
    function = _function(node.func, names)
    arguments: list[Any] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            arguments += value(argument.value, names)
        else:
            arguments.append(value(argument, names))
    keywords = {keyword.arg: value(keyword.value, names) for keyword in node.keywords if keyword.arg}
    return function(*arguments, **keywords)


def _function(node: ast.AST, names: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Name) and node.id in PLAIN_FUNCTIONS and node.id not in names:
        return getattr(builtins, node.id)
    if isinstance(node, ast.Attribute):
        module = _module(node.value, names)
        if module is math or (is_torch(node.value, names) and node.attr in METHODS | MAKERS):
            return getattr(module, node.attr)
        if module is None and node.attr in METHODS and isinstance(base := value(node.value, names), Tensor):
            return getattr(base, node.attr)
    raise Unknown


def _module(node: ast.AST, names: Mapping[str, Any]) -> ModuleType | None:
    held = names.get(node.id) if isinstance(node, ast.Name) else None
    return held if isinstance(held, ModuleType) else None


def is_torch(node: ast.AST, names: Mapping[str, Any]) -> bool:
    """Whether a name stands for torch or its module of functions."""
    return _module(node, names) in (torch, torch.nn.functional)


def _simple(found: Any) -> Any:
    return found if isinstance(found, SIMPLE) else _unknown()


def _unknown() -> Any:
    raise Unknown
