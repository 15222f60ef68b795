"""What edits are made of: names in scope, families of like functions, and the pieces that the solution is made of."""

from __future__ import annotations

import ast
import contextlib
import textwrap
from collections import Counter
from functools import cached_property
from typing import Any

from anatomy_course.judge.attempt.only_computes import Reader
from anatomy_course.judge.attempt.program import Program
from anatomy_course.judge.definition import Exercise
from anatomy_course.judge.stub import source_of

FAMILIES = (
    "sum mean amax amin prod", "max min", "max amax", "min amin", "exp log", "sin cos", "tril triu", "ones zeros",
    "argmax argmin",
    "ones_like zeros_like", "softmax log_softmax", "relu gelu silu sigmoid tanh", "floor ceil round trunc",
    "var std", "any all", "cumsum cumprod", "sqrt square rsqrt", "sqrt isqrt", "log log2 log10 log1p", "exp exp2 expm1",
    "view reshape", "repeat repeat_interleave tile expand", "sort argsort", "cat stack", "logical_and logical_or",
    "maximum minimum", "clamp_min clamp_max", "gather take_along_dim", "rand randn", "split chunk", "matmul mul",
    "T mT", "append extend", "train eval", "squeeze unsqueeze", "add sub mul div", "keys values", "long float bool",
    "flatten ravel", "norm square", "index_select gather", "transpose permute", "roll flip", "abs neg",
    "log_softmax softmax logsumexp", "isinf isnan isfinite",
)  # fmt: skip
ALIKE: dict[str, tuple[str, ...]] = {}
for _family in FAMILIES:
    for _word in _family.split():
        ALIKE[_word] = tuple(dict.fromkeys((*ALIKE.get(_word, ()), *(w for w in _family.split() if w != _word))))

HARMLESS = ("unsqueeze", "squeeze", "None", "USub", "0", "1", "2", "dim", "keepdim", "num_classes", "BitAnd", "BitOr")
"""Words that an answer may need where the solution lays its tensors out in another way, or has other steps."""
BY_AXIS = frozenset(
    "softmax log_softmax sum mean amax amin max min argmax argmin prod var std norm cumsum cumprod sort argsort topk "
    "transpose swapaxes unsqueeze squeeze flip roll cat stack chunk split select narrow unbind size flatten all any "
    "logsumexp gather index_select repeat_interleave movedim median unflatten diagonal permute".split()
)
"""Functions whose whole numbers name axes, most of them."""


class EditVocabulary:
    """Everything that may be put in place of what the learner wrote: names in the program's scope, and pieces of the
    exercise's solution as far as they are made of the arguments alone."""

    def __init__(self, program: Program, exercise: Exercise) -> None:
        self.program = program
        self.exercise = exercise
        self.arguments = exercise.parameters()
        self._solution = ast.parse(f"def {exercise.function_name}():\n{textwrap.indent(exercise.solution, '    ')}")
        self._tokens = tokens(self._solution)
        constants = [node.value for node in ast.walk(self._solution) if isinstance(node, ast.Constant)]
        self.numbers: list[Any] = list(dict.fromkeys(value for value in constants if type(value) in (int, float)))
        self.strings = list(dict.fromkeys(value for value in constants if isinstance(value, str)))
        self._variables: dict[ast.AST, list[str]] = {}
        for name in {node.id for node in ast.walk(self._solution) if isinstance(node, ast.Name)} & program.names.keys():
            if not Reader(program.function).permits(program.names[name]):  # nobody has called it, and no edit may
                del program.names[name]

    @cached_property
    def modules(self) -> set[str]:
        """Names of modules: `torch`, `F`, `math`."""
        return {name for name, value in self.program.names.items() if type(value).__name__ == "module"}

    def variables(self, scope: ast.AST) -> list[str]:
        """The arguments and variables of one definition, in the order in which they appear."""
        if scope not in self._variables:
            found = [node.arg for node in ast.walk(scope) if isinstance(node, ast.arg) and node.arg != "self"]
            stored = [n.id for n in ast.walk(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
            self._variables[scope] = list(dict.fromkeys([*found, *stored]))
        return self._variables[scope]

    def counters(self, scope: ast.AST) -> list[str]:
        """The names that loops of one definition count with."""
        targets = [node.target for node in ast.walk(scope) if isinstance(node, ast.For | ast.comprehension)]
        return list(dict.fromkeys(n.id for each in targets for n in ast.walk(each) if isinstance(n, ast.Name)))

    @cached_property
    def functions(self) -> list[str]:
        """Names of what is called by a plain name, by the learner or in the solution."""
        calls = [node for tree in (self.program.tree, self._solution) for node in ast.walk(tree)]
        named = [node.func.id for node in calls if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        known = {*self.program.names, *self.arguments}
        return [name for name in dict.fromkeys(named) if name in known]

    def attributes_like(self, name: str) -> list[str]:
        """Methods of the solution that no family knows."""
        found = dict.fromkeys(node.attr for node in ast.walk(self._solution) if isinstance(node, ast.Attribute))
        return [attr for attr in found if attr != name and attr not in ALIKE.get(name, ())]

    @cached_property
    def unused(self) -> list[str]:
        """Arguments of the exercise that the learner's program never looks at."""
        used = {n.id for n in ast.walk(self.program.tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        return [name for name in self.arguments if name not in used]

    def elsewhere(self, node: ast.Attribute) -> list[str]:
        """The other modules that have a function of this name: `math` for `torch.sqrt`."""
        here = node.value.id if isinstance(node.value, ast.Name) else ""
        known = (
            {name: self.program.names[name] for name in self.modules if name != here} if here in self.modules else {}
        )
        return [name for name, module in known.items() if hasattr(module, node.attr)]

    @cached_property
    def tables(self) -> list[str]:
        """Arguments of which the solution looks rows up: `table[ids]`."""
        looked_up = [node for node in ast.walk(self._solution) if isinstance(node, ast.Subscript)]
        found = [node.value for node in looked_up if isinstance(node.slice, ast.Name)]
        return [name for name in self.arguments if any(isinstance(t, ast.Name) and t.id == name for t in found)]

    @cached_property
    def pieces(self) -> list[ast.expr]:
        """Small expressions of the solution that are made of arguments, modules and numbers, and are not all of it."""
        found = [node for node in ast.walk(self._solution) if isinstance(node, ast.expr) and self._speaks_here(node)]
        most = min(9, size(self._solution) // 3)
        small = [node for node in found if not isinstance(node, ast.Constant) and size(node) <= most]
        return list({ast.dump(node): without_places(node) for node in small}.values())

    @cached_property
    def steps(self) -> list[tuple[type[ast.operator], ast.expr, bool]]:
        """Operators of the solution with the one side that is made of arguments alone; whether that is the left."""
        found = []
        for node in ast.walk(self._solution):
            if isinstance(node, ast.BinOp):
                found += [(type(node.op), node.right, False)] if self._speaks_here(node.right) else []
                found += [(type(node.op), node.left, True)] if self._speaks_here(node.left) else []
            elif isinstance(node, ast.AugAssign) and self._speaks_here(node.value):
                found.append((type(node.op), node.value, False))
        return list({(op, ast.dump(side), left): (op, without_places(side), left) for op, side, left in found}.values())

    @cached_property
    def calls(self) -> list[ast.Call]:
        """Calls of the solution that take one thing and else only what is known here."""
        found = []
        for node in ast.walk(self._solution):
            if not isinstance(node, ast.Call):
                continue
            others = [*node.args, *(keyword.value for keyword in node.keywords)]
            if isinstance(node.func, ast.Attribute) and not self.is_module(node.func.value):
                fits = all(map(self._speaks_here, others))
            else:
                fits = bool(node.args) and all(map(self._speaks_here, others[1:])) and self._speaks_here(node.func)
            if fits:
                found.append(node)
        return list({ast.dump(node): node for node in found}.values())

    def now(self) -> Counter[str]:
        """The words of the program as it is now."""
        return tokens(self.program.tree)

    def likeness(self) -> int:
        """How many words the program, as it is now, has in common with the solution."""
        return (self.now() & self._tokens).total()

    @cached_property
    def of_right_answers(self) -> Counter[str]:
        """The words of the solution and of every other right answer that is known, each as often as one likes."""
        found = Counter(self._tokens)
        for right in self.exercise.also_right.values():
            with contextlib.suppress(SyntaxError):  # a lambda in the middle of a line does not stand alone
                found += tokens(ast.parse(source_of(right) or ""))
        return Counter(dict.fromkeys([*found, *HARMLESS], 10**6))

    def is_module(self, node: ast.expr) -> bool:
        """Whether it names a module, whose functions are no methods."""
        return isinstance(node, ast.Name) and node.id in {*self.modules, "torch", "F", "math", "nn"}

    def _speaks_here(self, node: ast.expr) -> bool:
        """Whether every name in it is known where the learner writes."""
        known = {*self.arguments, *self.program.names, "float", "int", "len", "range", "max", "min", "bool"}
        return all(inner.id in known for inner in ast.walk(node) if isinstance(inner, ast.Name)) and not any(
            isinstance(inner, ast.Lambda | ast.GeneratorExp | ast.ListComp) for inner in ast.walk(node)
        )


def tokens(tree: ast.AST) -> Counter[str]:
    """Methods, operators, numbers and keywords of a tree; names of variables are everybody's own."""
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            found[node.attr] += 1
        elif isinstance(node, ast.Constant | ast.keyword):
            found[repr(node.value) if isinstance(node, ast.Constant) else str(node.arg)] += 1
        elif isinstance(node, ast.operator | ast.cmpop | ast.unaryop):
            found[type(node).__name__] += 1
    return found


def size(tree: ast.AST) -> int:
    return sum(1 for _ in ast.walk(tree))


def without_places(tree: ast.expr) -> ast.expr:
    """The same tree, to be put anywhere: its nodes take the place of what they replace."""
    for node in ast.walk(tree):
        for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            node.__dict__.pop(name, None)
    return tree
