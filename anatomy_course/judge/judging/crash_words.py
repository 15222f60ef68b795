"""A crash, or a stop, in one or two sentences: first from what was on the line, then from the error's own message."""

from __future__ import annotations

import ast
import builtins
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from anatomy_course.judge.judging.crash import Place
from anatomy_course.judge.judging.error_messages import plain_words, str_of

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
    """What went wrong; there is no place where the call itself did not fit. The learner's function is called by one of
    `own_names`."""
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
    for pattern, look in (*SHAPE_LOOKS, *LOOKS):
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
            if isinstance(node.test, ast.Name | ast.Attribute):
                instead += "; to ask whether there is one: `is not None`"
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
    if isinstance(place.node, ast.Call) and place.shown(place.node.func).rpartition(".")[2] == "cross_entropy":
        held = [known(argument, place.names) for argument in place.node.args[:2]]
        if [isinstance(each, Tensor) and each.is_floating_point() for each in held] == [False, True]:
            return "`cross_entropy` wants the logits first and the labels second; here it is the other way round."
    cure = " .float() makes numbers with a fraction." if match[1] in ("Bool", "Byte", "Short", "Int", "Long") else ""
    what = _what_failed(place, "this")
    return f"torch cannot do {what} with {KINDS.get(match[1], f'{match[1]} numbers')}.{cure}"


def _without_numbers(place: Place, match: re.Match[str]) -> str:
    return f"{_what_failed(place, 'This')} needs numbers, and a tensor on the device `meta` has only a shape."


def _what_failed(place: Place, unknown: str) -> str:
    return unknown if place.node is None or isinstance(place.node, ast.stmt) else f"`{place.shown(place.node)}`"


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


Look = Callable[[Place, re.Match[str]], str | None]
"""Called with where it crashed and what a pattern found in the message; None where this look does not apply."""
REDUCTIONS = {
    "sum": "the sum",
    "mean": "the average",
    "amax": "the largest",
    "max": "the largest",
    "norm": "the length",
}


def _beyond_the_end(place: Place, match: re.Match[str]) -> str | None:
    """An index of a subscript is not among the places of its axis, or of a list."""
    if not isinstance(node := place.node, ast.Subscript):
        return None
    base, index, called = known(node.value, place.names), known(node.slice, place.names), place.shown(node.value)
    if isinstance(base, list | tuple | range) and isinstance(index, int):
        what = f"has {len(base)}" if base else "is empty"
        return f"Index {index} is beyond the end: `{called}` {what}{_first_to_last(len(base))}."
    if not isinstance(base, Tensor) or index is Unknown:
        return None
    for axis, part in _axes_of(index, base.dim()):
        if axis < base.dim() and (outside := _outside(part, base.shape[axis])) is not None:
            length, shape = base.shape[axis], tuple(base.shape)
            beyond = "lies before the start" if outside < 0 else "is beyond the end"
            holds = f"which holds {length}{_first_to_last(length)}" if length else "which is empty"
            said = f"Index {outside} {beyond} of axis {axis}, {holds}: `{called}` has shape {shape}."
            return said + _where_it_counts(place, node.slice, outside)
    return None


def _where_it_counts(place: Place, index: ast.AST, number: int) -> str:
    """The loop over `range(…)` that an index comes from."""
    held = {n.id: place.names.get(n.id) for n in ast.walk(index) if isinstance(n, ast.Name)}
    named = [name for name, value in held.items() if type(value) is int and value == number]
    for loop in ast.walk(place.function) if place.function is not None else ():
        if isinstance(loop, ast.For | ast.comprehension) and isinstance(loop.target, ast.Name):
            counts = isinstance(loop.iter, ast.Call) and place.shown(loop.iter.func) == "range"
            if counts and loop.target.id in named:
                line = loop.iter.lineno + place.shift
                return f" `{loop.target.id}` counts through `{place.shown(loop.iter)}` (line {line})."
    return ""


def _beyond_what_gather_can_reach(place: Place, match: re.Match[str]) -> str | None:
    """An index of gather or scatter is not among the places of the axis that it picks from."""
    node = _method(place, "gather", "scatter", "scatter_")
    if node is None or len(node.args) < 2:
        return None
    base, axis, index = (known(part, place.names) for part in (node.func.value, *node.args[:2]))
    if not isinstance(base, Tensor) or type(axis) is not int or not isinstance(index, Tensor):
        return None
    length = base.shape[axis]
    outside = [i for i in index.flatten().tolist() if not 0 <= i < length]
    if not outside:
        return None
    return (
        f"Among the indices is {outside[0]}, and {node.func.attr} takes 0 to {length - 1} here: along axis "
        f"{axis % base.dim()} `{place.shown(node.func.value)}` holds {length}."
    )


def _first_to_last(length: int) -> str:
    return f" (0 to {length - 1})" if length else ""


def _axes_of(index: Any, rank: int) -> Iterator[tuple[int, Any]]:
    """Each part of an index with the axis that it picks from."""
    parts = list(index) if isinstance(index, tuple) else [index]
    taken = sum(_axes_taken(part) for part in parts)
    axis = 0
    for part in parts:
        if part is Ellipsis:
            axis += rank - taken
            continue
        yield axis, part
        axis += _axes_taken(part)


def _axes_taken(part: Any) -> int:
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    return part.dim() if isinstance(part, Tensor) and part.dtype == torch.bool else 1


def _outside(part: Any, length: int) -> int | None:
    if isinstance(part, list):
        part = torch.tensor(part)
    if isinstance(part, Tensor) and part.dtype != torch.bool and not part.is_floating_point():
        return next((int(i) for i in part.flatten().tolist() if not -length <= i < length), None)
    if isinstance(part, int) and not isinstance(part, bool):
        return None if -length <= part < length else part
    return None


def _do_not_meet(place: Place, match: re.Match[str]) -> str | None:
    """Two shapes that a cell by cell operation cannot bring together."""
    operands = _operands(place)
    if operands is None:
        return None
    (left, one), (right, other) = operands
    by_name = isinstance(place.node, ast.Call) and place.shown(place.node.func).endswith(".matmul")
    if by_name or isinstance(getattr(place.node, "op", None), ast.MatMult):
        return (
            f"{_is(place, left, one)} and {_is(place, right, other)}: a matrix product of stacks needs equal axes "
            f"before the last two, and here these are {tuple(one.shape[:-2])} and {tuple(other.shape[:-2])}."
        )
    from_the_end = enumerate(zip(one.shape[::-1], other.shape[::-1], strict=False), 1)
    number, *have = next(((i, a, b) for i, (a, b) in from_the_end if _clash(a, b)), (0,))
    if sorted(have) != sorted((int(match[1]), int(match[2]))):
        return None
    lost = _missing_axis(place, right, other, left, one) or _missing_axis(place, left, one, right, other)
    where = {1: "their last axes", 2: "their second-to-last axes"}.get(
        number, f"the axes at place {number} from the end"
    )
    return (
        f"Two shapes do not fit each other: one has {have[0]} and the other {have[1]} where they should be equal, "
        "or one of them 1. "
        f"{_is(place, left, one)} and {_is(place, right, other)}; compared from the end, they differ in {where}.{lost}"
    )


def _laid_out(place: Place, match: re.Match[str]) -> str | None:
    """Sizes for `reshape` or `view` of which one is not the length of the axis that it stands for."""
    if (node := _method(place, "reshape", "view")) is None:
        return None
    held, sizes = known(node.func.value, place.names), [known(part, place.names) for part in node.args]
    if not isinstance(held, Tensor) or not all(type(size) is int for size in sizes):
        return None
    off = [axis for axis, (size, length) in enumerate(zip(sizes[:-2], held.shape, strict=False)) if size != length]
    if len(off) != 1 or off[0] + 1 >= held.dim():
        return None
    axis = off[0]
    if -1 not in sizes and held.numel() * sizes[axis] != math.prod(sizes) * held.shape[axis]:
        return None
    return (
        f"{held.numel()} numbers cannot be laid out as ({', '.join(map(str, sizes))}): "
        f"{_is(place, node.func.value, held)}, so its axis {axis} has {held.shape[axis]}, and "
        f"`{place.shown(node.args[axis])}` is {sizes[axis]}."
    )


def _method(place: Place, *names: str) -> Any:
    is_one = isinstance(place.node, ast.Call) and isinstance(place.node.func, ast.Attribute)
    return place.node if is_one and place.node.func.attr in names else None  # type: ignore[union-attr]


def _clash(one: int, other: int) -> bool:
    return one != other and 1 not in (one, other)


def _is(place: Place, node: ast.AST, held: Tensor) -> str:
    return f"`{place.shown(node)}` is {tuple(held.shape)}"


def _operands(place: Place) -> tuple[tuple[ast.AST, Tensor], tuple[ast.AST, Tensor]] | None:
    """The two tensors that met in the failed expression, with what the learner calls them."""
    if (node := place.node) is None:
        return None
    pair: tuple[ast.AST, ...] = ()
    if isinstance(node, ast.BinOp):
        pair = node.left, node.right
    elif isinstance(node, ast.Compare) and len(node.comparators) == 1:
        pair = node.left, node.comparators[0]
    elif isinstance(node, ast.AugAssign):
        pair = node.target, node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        on = known(node.func.value, place.names)
        if not isinstance(on, Tensor) and not is_torch(node.func.value, place.names):
            return None
        given = ([node.func.value] if isinstance(on, Tensor) else []) + list(node.args)
        pair = tuple(part for part in given if isinstance(known(part, place.names), Tensor))
    elif isinstance(place.statement, ast.AugAssign):
        pair = place.statement.target, place.statement.value
    values = [known(part, place.names) for part in pair]
    if isinstance(node, ast.Call) and place.shown(node.func).endswith("linear"):
        values = values[:2]
    if len(values) != 2 or not all(isinstance(held, Tensor) for held in values):
        return None
    return (pair[0], values[0]), (pair[1], values[1])


def _missing_axis(place: Place, node: ast.AST, held: Tensor, partner: ast.AST, other: Tensor) -> str:
    """A sentence about an axis that one of the two lacks: with it the two would fit."""
    if held.dim() + 1 != other.dim():
        return ""
    made, where = _made_by(place, node)
    for axis, how in _axes_lost(place, made, other.dim()):
        kept = held.unsqueeze(axis)
        if not any(_clash(a, b) for a, b in zip(kept.shape[::-1], other.shape[::-1], strict=False)):
            return f" `{place.shown(node)}` has lost the axis {how}{where}."
    for axis in range(1, held.dim()):  # one in the middle, so that the first axes meet
        kept = held.unsqueeze(axis)
        if 1 < held.shape[0] == other.shape[0] and not any(map(_clash, kept.shape, other.shape)):
            return (
                f" `{place.shown(node)}` has no axis to go with axis {axis} of `{place.shown(partner)}`, so its axis "
                f"{axis - 1} stands there{where}."
            )
    if held.shape == other.shape[:-1]:
        return (
            f" The axes of `{place.shown(node)}` are the first ones of `{place.shown(partner)}`; for the last one of "
            f"these, which is {other.shape[-1]} long, it has none."
        )
    return ""


def _axes_lost(place: Place, made: ast.AST, rank: int) -> Iterator[tuple[int, str]]:
    """Each axis that the expression has done away with, and how."""
    if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr in REDUCTIONS:
        if any(keyword.arg == "keepdim" for keyword in made.keywords):
            return
        arguments = [*made.args, *(k.value for k in made.keywords if k.arg in ("dim", "axis"))]
        for axis in (known(part, place.names) for part in arguments):
            if type(axis) is int and -rank <= axis < rank:
                yield axis, f"over which {REDUCTIONS[made.func.attr]} is taken"
    elif isinstance(made, ast.Subscript) and (index := known(made.slice, place.names)) is not Unknown:
        picked = ((axis, part) for axis, part in _axes_of(index, rank) if type(part) is int)
        yield from ((axis, f"from which entry {part} is picked") for axis, part in picked if axis < rank)


def _made_by(place: Place, node: ast.AST) -> tuple[ast.AST, str]:
    """The expression, or the one that its name was last given; with the line, when it is another one."""
    if not isinstance(node, ast.Name) or place.function is None:
        return node, ""
    given = [
        part
        for part in ast.walk(place.function)
        if isinstance(part, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == node.id for target in part.targets)
    ]
    if len(given) != 1 or given[0] is place.statement:
        return node, ""
    return given[0].value, f" (line {given[0].lineno + place.shift})"


def _product(place: Place, match: re.Match[str]) -> str | None:
    """Two shapes that a matrix product cannot bring together."""
    node, operands = place.node, _operands(place)
    if operands is None or (isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult)):
        return None
    (left, one), (right, other) = operands
    if one.dim() < 1 or other.dim() < 1:
        return None
    inner = other.shape[-2] if other.dim() > 1 else other.shape[-1]
    if isinstance(node, ast.Call) and place.shown(node.func).endswith("linear"):
        inner = other.shape[-1]
        rule = "linear takes the weight as (output, input): the last axes of the two must be equally long"
    elif other.dim() == 1:
        rule = "the last axis of the left must be as long as the vector"
    else:
        rule = "the last axis of the left must be as long as the second to last of the right"
    if one.shape[-1] == inner:
        return None
    return (
        f"The two do not fit for a matrix product: {_is(place, left, one)}, {_is(place, right, other)}, and {rule}; "
        f"{one.shape[-1]} meets {inner}."
    )


def _put_in(place: Place, match: re.Match[str]) -> str | None:
    """Something is written into a place of another shape."""
    if not isinstance(place.statement, ast.Assign | ast.AugAssign):
        return None
    target = place.statement.targets[0] if isinstance(place.statement, ast.Assign) else place.statement.target
    if not isinstance(target, ast.Subscript) or place.node not in (target, place.statement):
        return None
    given, room = match["given"], match["room"]
    return f"What is put into `{place.shown(target)}` has shape ({given}), but the room there is ({room})."


SHAPE_LOOKS: tuple[tuple[str, Look], ...] = (
    (r"index out of range|is out of bounds for dimension", _beyond_the_end),
    (r"is out of bounds for dimension", _beyond_what_gather_can_reach),
    (r"The size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", _do_not_meet),
    (r"is invalid for input of size", _laid_out),
    (r"mat1 and mat2|first two dimensions of batch2|got input \(\d+\), mat|inconsistent tensor", _product),
    (r"Target sizes: \[(?P<room>.*?)\]\.\s+Tensor sizes: \[(?P<given>.*?)\]", _put_in),
    (r"value tensor of shape \[(?P<given>.*?)\] cannot be .+ result of shape \[(?P<room>.*?)\]", _put_in),
)
"""What is looked at where a message has this in it."""


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
