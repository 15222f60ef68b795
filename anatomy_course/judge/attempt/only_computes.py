"""Whether an answer only computes. Only then is it run more often than on the cases of its check, and are edited copies
of it tried: code with an effect (a file, a process, a widget, a variable of the notebook) has it once for each case.

This is a list of what is allowed: torch's tensor part, mathematics, safe builtins, and the learner's own functions and
classes of which the same holds. What it does not know is not run again.
"""

from __future__ import annotations

import ast
import builtins
import collections
import inspect
import linecache
import symtable
import sys
import textwrap
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy
import torch
from torch import Tensor, nn

from anatomy_course import PACKAGES
from anatomy_course.judge.attempt.program import Program
from anatomy_course.judge.stub import enclosed, globals_of, source_of, written_methods

MODULES = frozenset(
    "math cmath statistics itertools functools collections collections.abc copy string typing dataclasses enum "
    "numbers fractions random re operator __future__ torch torch.nn torch.nn.functional torch.nn.init "
    "torch.nn.utils torch.linalg torch.special torch.fft torch.func torch.optim torch.optim.lr_scheduler "
    "torch.autograd".split()
)
"""Modules whose functions and classes only compute; of torch itself see `_of_torch`."""
TORCH_PARTS = ("torch.functional", "torch._functorch", *(name for name in MODULES if name.startswith("torch.")))
"""Where the functions and classes of these modules are written."""
NATIVE = frozenset("torch._C._nn torch._C._linalg torch._C._special torch._C._fft".split())
"""Where torch keeps the native functions of `torch.nn.functional`, `torch.linalg`, …"""
OURS = tuple(
    "anatomy_utils.functional anatomy_utils.nn anatomy_utils.decoding anatomy_utils.objectives anatomy_utils.training "
    "anatomy_course.lab.street anatomy_course.content".split()
)
"""Parts of the course that only compute."""
NOT_OURS = tuple(
    "anatomy_utils.training.checkpointing anatomy_utils.training.loop anatomy_utils.training.parallel "
    "anatomy_utils.training.threads anatomy_course.content.workshop.save_training "
    "anatomy_course.content.workshop.resume_training".split()
)
"""Modules in these that write files or start threads."""
UNSAFE = frozenset("operator.methodcaller operator.attrgetter torch.from_file typing.get_type_hints".split())
"""What calls what a text names, or maps a file."""
BUILTINS = frozenset(
    "abs all any bool bytes callable chr classmethod complex dict divmod enumerate filter float format frozenset hash "
    "int isinstance issubclass iter len list map max min next object ord pow print property range repr reversed round "
    "set slice sorted staticmethod str sum super tuple zip NotImplemented Ellipsis __name__ __debug__".split()
)
OF_TORCH = frozenset(
    "Generator Size Tensor device dtype enable_grad finfo iinfo inference_mode is_grad_enabled is_tensor manual_seed "
    "no_grad get_default_dtype set_grad_enabled vmap split einsum".split()
)
"""Names of torch that are neither native functions nor among `torch.functional`'s own."""
SPECIAL = frozenset("__init__ __call__ __class__ __name__ __len__ __getitem__ __setitem__".split())
UNSAFE_ATTRIBUTES = frozenset(
    "compile ctypes dump open save share_memory share_memory_ storage tofile typed_storage untyped_storage "
    "write".split()
)
INTO_PYTHON = ("gi_", "cr_", "ag_", "tb_", "f_", "co_", "func_")
"""How names begin that lead from a generator or an error to everything that Python holds."""
OWNERS = (
    Tensor, nn.Dropout, nn.ModuleList, nn.ModuleDict, nn.Sequential, nn.ParameterList, nn.Parameter, torch.optim.AdamW,
    torch.Generator, torch.Size, torch.dtype, torch.device, torch.finfo, torch.autograd.function.FunctionCtx,
    numpy.ndarray, list, dict, tuple, set, frozenset, str, bytes, int, float, complex, range, slice, BaseException,
    collections.deque, collections.Counter, collections.OrderedDict, collections.defaultdict,
)  # fmt: skip
"""What an answer holds: its attributes are known, and but for the unsafe ones they only compute."""
CHANGES = frozenset(
    "append appendleft extend insert pop popleft popitem remove clear sort reverse update setdefault add discard "
    "backward step zero_grad load_state_dict train eval register_buffer register_parameter register_hook set_state "
    "manual_seed fill".split()
)
"""Methods that change what they are called on, as do those that end in `_`."""
MAKERS = frozenset("clone list dict set zeros ones empty full arange tensor float".split())
IMMUTABLE = (int, float, complex, str, bytes, type(None), torch.dtype, torch.device, range, type(Ellipsis))
MOST = 200  # entries of a list of the notebook that are looked at; a longer one is not known


LEFT_OUT = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.With, ast.Import, ast.ImportFrom)
"""Statements that may be left out, if they have effects and no result depends on them."""


class NotKnown(Exception):  # noqa: N818 (it is an answer, too)
    """Something in the code may have an effect, or is not known to have none."""


class Reader:
    """Reads an answer and what it uses. Attributes are safe that are among the solution's `words`, or those of its
    arguments.

    The argument called `writes` holds a file's name, where the exercise asks for a file; its driver puts it into a
    folder that is deleted.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        source: str | None = None,
        *,
        words: Iterable[str] = (),
        arguments: Iterable[Any] = (),
        writes: str = "",
    ) -> None:
        self.function, self.source, self.writes = function, source, writes
        self.words = {*words, *_attributes(arguments)}
        self._begin()

    def _begin(self) -> None:
        self.seen: set[int] = set()
        self.trees: list[ast.AST] = []
        self.of_modules: set[int] = set()  # the nodes that name something in a module, which has been looked at
        self.tables = self.tensors = False
        """Whether the code reads lists and the like, or tensors, that belong to the notebook."""
        self.remembers = False
        """Whether it changes variables or lists of the notebook: that touches no file, and is no computing."""

    def finds_nothing(self) -> bool:
        """Whether the answer, with all of the learner's that it uses, only computes."""
        return self._is_allowed(self.allow, self.function) and not self.remembers

    def finds_a_memory(self) -> bool:
        """Whether all that the answer does besides is to change variables or lists of the notebook."""
        return self._is_allowed(self.allow, self.function) and self.remembers

    def finds_nothing_in(self, program: Program) -> bool:
        """Whether a program only computes, as its trees now are."""
        return self._only_computes(program.tree, program.names, program.taken)

    def _only_computes(self, tree: ast.AST, names: Mapping[str, Any], known: Collection[str]) -> bool:
        return self._is_allowed(self._allow_tree, tree, names, known) and not self.remembers

    def permits(self, value: Any) -> bool:
        """Whether an edited copy of the answer may use what it finds under a global name."""
        if isinstance(value, types.ModuleType):
            return _is_allowed_module(value)
        return self._is_allowed(self.allow, value)

    def leave_out(self, program: Program) -> None:
        """Take away the statements with effects, and what only they use: figures, bars, files, notes.

        Whether the results are still the same must be tried.
        """
        for definition in program.definitions:
            _without_bars(definition)
            lost: set[str] = set()
            local = _local(definition)
            for node in list(ast.walk(definition)):
                for field in ("body", "orelse", "finalbody"):
                    block = getattr(node, field, None)
                    if isinstance(block, list):
                        kept = [line for line in block if not self._is_left_out(line, program, local, lost)]
                        setattr(node, field, kept or [ast.copy_location(ast.Pass(), line) for line in block[:1]])

    def _is_left_out(self, line: ast.stmt, program: Program, local: set[str], lost: set[str]) -> bool:
        if not isinstance(line, LEFT_OUT):
            return False
        uses = {node.id for node in ast.walk(line) if isinstance(node, ast.Name)}
        alone, known = ast.parse("def _(): pass"), program.taken | local
        alone.body[0].body = [line]  # type: ignore[attr-defined]
        if self._only_computes(alone, program.names, known) and not uses & lost:
            return False
        lost |= _local(line)
        return True

    def _is_allowed(self, look: Callable[..., None], *things: Any) -> bool:
        self._begin()
        try:
            look(*things)
            self._look_at_all()
        except (NotKnown, SyntaxError, RecursionError, ValueError):
            return False
        return True

    def _look_at_all(self) -> None:
        known = self.words.union(*map(_defined, self.trees))
        for tree in self.trees:
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute) and not (id(node) in self.of_modules or _is_safe(node.attr, known)):
                    raise NotKnown
                if isinstance(node, ast.MatchClass) or (self.writes and self._may_write_elsewhere(node)):
                    raise NotKnown
                self.remembers = self.remembers or isinstance(node, ast.Global)
            if (self.tables or self.tensors) and _changes_what_it_has_not_made(tree):
                self.remembers = True
        if self.remembers and self.tensors:  # a tensor's numbers may be those of a file
            raise NotKnown

    def allow_written(self, function: Any) -> None:
        """A function or class of the learner's: its text is read, and what it was wrapped in."""
        if id(function) in self.seen:
            return
        self.seen.add(id(function))
        if wrapped := getattr(function, "__wrapped__", None):
            self.allow(wrapped)
            if not isinstance(function, types.FunctionType) or _is_from(function, "torch"):  # a cache, `no_grad`
                return
        if isinstance(function, type) and not written_methods(function):
            for part in (*function.__bases__, *(value for name, value in vars(function).items() if name[:2] != "__")):
                self.allow(part)
            return
        text = _text_of(function) or (self.source if function is self.function else None)
        if not text:
            raise NotKnown
        tree = ast.parse(text)
        _strip(tree)
        names = {**globals_of(function), **enclosed(function), getattr(function, "__name__", ""): function}
        self._allow_tree(tree, names)

    def _allow_tree(self, tree: ast.AST, names: Mapping[str, Any], known: Collection[str] = ()) -> None:
        """What a piece of code finds under names that are not `known`, and what it does with that."""
        self.trees.append(tree)
        looked_up, imported = _looked_up(ast.unparse(tree)) - set(known), self._imported(tree)
        roots = {**{name: names[name] for name in looked_up & names.keys()}, **imported}
        modules = {name: value for name, value in roots.items() if isinstance(value, types.ModuleType)}
        self._allow_modules(tree, modules)
        for name in looked_up - imported.keys() - modules.keys():
            if name in names:
                self.allow(names[name])
            elif hasattr(builtins, name) and name not in BUILTINS:
                value = getattr(builtins, name)
                if not (isinstance(value, type) and issubclass(value, BaseException)):
                    raise NotKnown
        changed = {root.id for root in map(_root, _changed(tree)) if isinstance(root, ast.Name)}
        if changed & (roots.keys() - modules.keys()) - _local(tree):  # something that belongs to the notebook
            self.remembers = True

    def allow(self, value: Any) -> None:
        """Something that the code finds under a global name."""
        if isinstance(value, types.FunctionType | type) and "exercise" in vars(value):  # an earlier answer, a class
            value = vars(value)["yours"] if vars(value)["passed"] else vars(value)["used"]
        elif "exercise" in getattr(value, "__dict__", {}) and hasattr(type(value), "passed"):
            value = value.used
        if _is_library(value):
            return
        written = isinstance(value, types.FunctionType | type) or hasattr(value, "__wrapped__")
        if written and (value is self.function or value.__module__ == self.function.__module__):
            self.allow_written(value)
        elif not self._is_data(value):
            raise NotKnown

    def _is_data(self, value: Any, depth: int = 3) -> bool:
        if type(value) in (Tensor, nn.Parameter, numpy.ndarray):
            self.tensors = True
            return True
        if type(value) in IMMUTABLE or isinstance(value, torch.Size | bool):
            return True
        if type(value) in (list, tuple, dict, set, frozenset) and len(value) <= MOST and depth:
            self.tables = self.tables or type(value) in (list, dict, set)
            return all(self._is_data(part, depth - 1) for part in (value.values() if type(value) is dict else value))
        return False

    def _imported(self, tree: ast.AST) -> dict[str, Any]:
        """What the code imports itself, by the names that it gives it."""
        found: dict[str, Any] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for item in node.names:
                    first = item.name.partition(".")[0]
                    found[item.asname or first] = _module(item.name if item.asname else first)
            elif isinstance(node, ast.ImportFrom):
                module = _module(node.module or "")
                for item in node.names:
                    self._allow_member(module, item.name)
                    found[item.asname or item.name] = getattr(module, item.name, None)
        return found

    def _allow_modules(self, tree: ast.AST, roots: Mapping[str, Any]) -> None:
        """Every name of a module must lead to something allowed in it: `torch.nn.functional.gelu`."""
        open_ends: dict[int, types.ModuleType] = {}
        for node in reversed(list(ast.walk(tree))):  # from the inside out
            if isinstance(node, ast.Name) and isinstance(roots.get(node.id), types.ModuleType):
                open_ends[id(node)] = roots[node.id]
            elif isinstance(node, ast.Attribute) and (module := open_ends.pop(id(node.value), None)):
                if not isinstance(node.ctx, ast.Load):  # it is given something else
                    raise NotKnown
                self.of_modules.add(id(node))
                found = getattr(module, node.attr, None)
                if isinstance(found, types.ModuleType):
                    open_ends[id(node)] = found
                self._allow_member(module, node.attr)
        if open_ends:  # a module under another name, or passed on, could not be followed
            raise NotKnown

    def _allow_member(self, module: types.ModuleType, name: str) -> None:
        value = getattr(module, name, None)
        if not _is_allowed_module(module):
            raise NotKnown
        if value is None or (name in ("save", "load") and module is torch and self.writes):
            return  # there is no such thing, and the line raises an error; or it is what the exercise asks for
        if not (_is_allowed_module(value) if isinstance(value, types.ModuleType) else _is_member(module, name, value)):
            raise NotKnown

    def _may_write_elsewhere(self, node: ast.AST) -> bool:
        """Whether a file may be read or written that is not the one the exercise gives."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str) and bool(set("/\\~") & set(node.value))
        if isinstance(node, ast.Name) and node.id == self.writes:
            return not isinstance(node.ctx, ast.Load)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            return False
        given = {"save": node.args[1:2], "load": node.args[:1]}.get(node.func.attr)
        if given is None or id(node.func) not in self.of_modules:
            return False
        named = [*given, *(keyword.value for keyword in node.keywords if keyword.arg == "f")]
        return not any(isinstance(name, ast.Name) and name.id == self.writes for name in named)


def _module(name: str) -> types.ModuleType:
    module = sys.modules.get(name)
    if module is None or not _is_allowed_module(module):
        raise NotKnown
    return module


def _is_allowed_module(module: types.ModuleType) -> bool:
    name = module.__name__
    return name in MODULES or name in PACKAGES or _is_ours(name)


def _is_ours(module: str) -> bool:
    return module not in NOT_OURS and any(module == part or module.startswith(f"{part}.") for part in OURS)


def _is_member(module: types.ModuleType, name: str, value: Any) -> bool:
    if name.startswith("_") or f"{module.__name__}.{name}" in UNSAFE:
        return False
    if type(value) in IMMUTABLE or isinstance(value, bool | torch.layout | torch.memory_format):
        return True
    if module is torch:
        return _of_torch(name, value)
    return _is_library(value)


def _of_torch(name: str, value: Any) -> bool:
    if name in OF_TORCH or name in torch.functional.__all__:
        return isinstance(value, types.BuiltinFunctionType) or _is_from(value, "torch")
    native = isinstance(value, types.BuiltinFunctionType) and hasattr(torch._C._VariableFunctions, name)
    return native and f"torch.{name}" not in UNSAFE


def _is_library(value: Any) -> bool:
    """Whether it is a function or class of an allowed module, and really stands there."""
    if isinstance(value, types.BuiltinFunctionType):
        module, name = str(value.__module__ or "").removeprefix("_"), value.__name__
        if module == "builtins":
            return name in BUILTINS
        if module == "torch":
            return _of_torch(name, value)
        if module == "torch._C":
            return getattr(nn.functional, name, None) is value
        return module in NATIVE or (module in MODULES and f"{module}.{name}" not in UNSAFE)
    if not isinstance(value, types.FunctionType | type):
        return False
    module, name = str(value.__module__), value.__name__
    package = module.partition(".")[0]
    if f"{module}.{name}" in UNSAFE or not _is_from(value, package):
        return False
    if package == "builtins":
        return name in BUILTINS or issubclass(value, BaseException)  # type: ignore[arg-type]
    if package == "torch":
        return name in OF_TORCH or any(module == part or module.startswith(f"{part}.") for part in TORCH_PARTS)
    return _is_ours(module) if package in PACKAGES else module in MODULES


def _is_from(value: Any, package: str) -> bool:
    """Whether a function's code stands in a file of the package; where a class says that it comes from, it is there."""
    if isinstance(value, type):
        return getattr(sys.modules.get(value.__module__), value.__name__, None) is value
    code = getattr(inspect.unwrap(value), "__code__", None)
    file = getattr(sys.modules.get(package), "__file__", None)
    return code is not None and file is not None and code.co_filename.startswith(str(Path(file).parent))


def _text_of(function: Any) -> str | None:
    """The text of the function's own code, not of what it wraps; of a class, all of it."""
    if isinstance(function, type):
        return source_of(function)
    lines = linecache.getlines(function.__code__.co_filename)[function.__code__.co_firstlineno - 1 :]
    return textwrap.dedent("".join(inspect.getblock(lines))) if lines else None


def _strip(tree: ast.Module) -> None:
    """Take away what does not run when the answer does: annotations, and what its definition was decorated with."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.decorator_list = []
    for inner in ast.walk(tree):
        if isinstance(inner, ast.FunctionDef):
            inner.returns = None
        elif isinstance(inner, ast.arg):
            inner.annotation = None
        elif isinstance(inner, ast.AnnAssign):
            inner.annotation = ast.Constant(None)


def _looked_up(text: str) -> set[str]:
    """The names that a text, and every function in it, looks up outside of it."""
    tables, found = [symtable.symtable(text, "<answer>", "exec")], set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        outer = table.get_type() == "module"
        found |= {s.get_name() for s in table.get_symbols() if s.is_global() or (outer and s.is_referenced())}
    return found


def _local(tree: ast.AST) -> set[str]:
    """The names that code gives something to, and those of arguments."""
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    found |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return found | {item.asname or item.name.partition(".")[0] for node in imports for item in node.names}


def _without_bars(tree: ast.AST) -> None:
    """`for i in tqdm(range(n))` goes through the same without a bar."""

    class Unwrap(ast.NodeTransformer):
        def visit_Call(self, call: ast.Call) -> ast.expr:
            self.generic_visit(call)
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            return call.args[0] if name == "tqdm" and call.args else call

    Unwrap().visit(tree)


def _changes_what_it_has_not_made(tree: ast.AST) -> bool:
    """Whether code changes something that may be, under another name, what belongs to the notebook."""
    made: dict[str, bool] = {}
    for node in ast.walk(tree):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            for part in ast.walk(target):
                if isinstance(part, ast.Name):
                    made[part.id] = made.get(part.id, True) and _is_new(node.value)  # type: ignore[attr-defined]
    return not all(isinstance(root, ast.Name) and made.get(root.id, False) for root in map(_root, _changed(tree)))


def _is_new(node: ast.expr) -> bool:
    """Whether an expression makes something that nobody else holds."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return name in MAKERS or name.endswith("_like")
    return isinstance(node, ast.Constant | ast.BinOp | ast.List | ast.Dict | ast.Set | ast.ListComp | ast.Compare)


def _changed(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions whose value is changed in place, or whose name is given something else by `+=`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            yield node.value
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            yield node.target
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if name in CHANGES or (name.endswith("_") and not name.startswith("_")):
                yield from (node.func.value, *node.args)  # type: ignore[attr-defined]
            yield from (keyword.value for keyword in node.keywords if keyword.arg == "out")


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def _is_safe(name: str, known: set[str]) -> bool:
    if name in UNSAFE_ATTRIBUTES or name.startswith(INTO_PYTHON):
        return False
    if name.startswith("_"):
        return name in SPECIAL or (name in known and not name.startswith("__"))
    return name in known or name in _usual()


@cache
def _usual() -> frozenset[str]:
    owners = (*OWNERS, nn.Linear(1, 1), nn.LayerNorm(1), nn.Embedding(1, 1), nn.MultiheadAttention(1, 1))
    return frozenset(name for owner in owners for name in dir(owner) if not name.startswith("_"))


def _defined(tree: ast.AST) -> set[str]:
    """The attributes that code gives its own objects: methods, what is set on `self`, names of buffers."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.attr if isinstance(node, ast.Attribute) else node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            found.add(node.value)
    return found


def _attributes(values: Iterable[Any], depth: int = 2) -> set[str]:
    """The public attributes of what an answer is given, and of what that holds."""
    found: set[str] = set()
    for value in values:
        if isinstance(value, (*IMMUTABLE, Tensor)):
            continue
        found |= {name for name in dir(value) if not name.startswith("_")}
        if depth:
            inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
            with suppress(TypeError):
                inner = inner or vars(value).values()
            found |= _attributes(inner, depth - 1)
    return found
