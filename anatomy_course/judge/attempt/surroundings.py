"""What an answer finds around it is as it was once it has returned: torch's settings and functions, and Python's own.

The whole of it is noted once per check. What every single run inside that check puts back is little, and quick.
"""

from __future__ import annotations

import builtins
import decimal
import gc
import importlib
import logging
import math
import os
import random
import signal
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from operator import attrgetter, is_not, setitem
from pathlib import Path
from typing import Any

import numpy
import torch

from anatomy_course import PACKAGES
from anatomy_course.judge.attempt.output import OURS, SilencedDescriptors
from anatomy_course.page.page import shell

resource: Any
try:
    import resource
except ImportError:  # Windows
    resource = None

Settings = tuple[tuple[str, Callable[[], Any], Callable[[Any], Any]], ...]
"""What each is called in a sentence, how it is read, and how it is set."""


def _device() -> tuple[torch.device, int]:
    return torch.get_default_device(), torch._C._len_torch_function_stack()


def _set_device(held: tuple[torch.device, int]) -> None:
    device, depth = held
    torch.set_default_device(None if device.type == "cpu" else device)
    while torch._C._len_torch_function_stack() > depth:  # left behind by a `with torch.device(…)` that was never left
        torch._C._pop_torch_function_stack()


def _folder() -> str | None:
    try:
        return str(Path.cwd())
    except OSError:  # it was deleted
        return None


def _set_folder(held: str | None) -> None:
    with suppress(OSError):
        os.chdir(held or ".")


def _environment() -> dict[str, str]:
    """All of it but what torch sets itself when it compiles."""
    return {name: value for name, value in os.environ.items() if not name.startswith("TORCH")}


def _set_environment(held: dict[str, str]) -> None:
    for name in _environment().keys() - held.keys():
        del os.environ[name]
    os.environ.update(held)


def _handlers() -> dict[int, Any]:
    in_the_main_thread = threading.current_thread() is threading.main_thread()
    return {number: signal.getsignal(number) for number in SIGNALS} if in_the_main_thread else {}


def _set_handlers(held: dict[int, Any]) -> None:
    for number, handler in held.items():
        if handler is not None:  # not one of Python's: it cannot be put back
            signal.signal(number, handler)


def _umask() -> int:
    os.umask(now := os.umask(0o077))
    return now


def _open_files() -> tuple[int, int] | None:
    return resource and resource.getrlimit(resource.RLIMIT_NOFILE)  # type: ignore[no-any-return]


def _set_open_files(held: tuple[int, int]) -> None:
    with suppress(ValueError, OSError):  # only root may raise the second again
        resource.setrlimit(resource.RLIMIT_NOFILE, (held[0], max(held[1], _open_files()[1])))  # type: ignore[index]


def _decimals() -> tuple[Any, ...]:
    now = decimal.getcontext()
    traps = [signal for signal, on in now.traps.items() if on]
    return now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, [], traps


def _hooks() -> list[tuple[list[Any], list[Any]]]:
    """The lists of the notebook's hooks, each with what is in it."""
    if (notebook := shell()) is None:
        return []
    transforms = notebook.input_transformer_manager
    lists = [*notebook.events.callbacks.values(), transforms.cleanup_transforms, transforms.line_transforms]
    return [(hooks, list(hooks)) for hooks in (*lists, transforms.token_transformers, notebook.ast_transformers)]


def _set_hooks(held: list[tuple[list[Any], list[Any]]]) -> None:
    for hooks, before in held:
        hooks[:] = before


SIGNALS = [
    getattr(signal, name)
    for name in "SIGINT SIGTERM SIGALRM SIGCHLD SIGHUP SIGPIPE SIGQUIT SIGUSR1 SIGUSR2 SIGBREAK".split()
    if hasattr(signal, name)
]
ENTRIES = slice(None)  # all that is in a list: the list itself stays
QUICK: Settings = (
    ("torch's default type of numbers", torch.get_default_dtype, torch.set_default_dtype),
    ("torch's default device", _device, _set_device),
    ("torch's number of threads", torch.get_num_threads, torch.set_num_threads),
    (
        "torch's deterministic mode",
        lambda: (torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()),
        lambda held: torch.use_deterministic_algorithms(held[0], warn_only=held[1]),
    ),
    ("torch's autocast", lambda: torch.is_autocast_enabled("cpu"), partial(torch.set_autocast_enabled, "cpu")),
    ("torch's autocast", lambda: torch.get_autocast_dtype("cpu"), partial(torch.set_autocast_dtype, "cpu")),
    ("torch's anomaly detection", torch.is_anomaly_enabled, torch.autograd.set_detect_anomaly),
    ("torch's precision of products", torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    ("torch's oneDNN", torch._C._get_mkldnn_enabled, torch._C._set_mkldnn_enabled),
    ("Python's recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
)
FIRST: Settings = (("the limit of open files", _open_files, _set_open_files),)
PRINTING = vars(torch._tensor_str.PRINT_OPTS)
SLOW: Settings = (
    ("the working directory", _folder, _set_folder),
    ("the environment variables", _environment, _set_environment),
    ("the signal handlers", _handlers, _set_handlers),
    ("the module search path", lambda: list(sys.path), lambda held: setitem(sys.path, ENTRIES, held)),
    ("NumPy's error handling", numpy.geterr, lambda held: numpy.seterr(**held)),
    ("NumPy's way to print", numpy.get_printoptions, lambda held: numpy.set_printoptions(**held)),
    ("torch's way to print", lambda: dict(PRINTING), PRINTING.update),
    ("Python's garbage collection", gc.get_debug, gc.set_debug),
    ("Python's garbage collection", gc.get_threshold, lambda held: gc.set_threshold(*held)),
    ("Python's garbage collection", gc.isenabled, lambda held: gc.enable() if held else gc.disable()),
    ("Python's decimal numbers", _decimals, lambda held: decimal.setcontext(decimal.Context(*held))),
    ("Python's importers", lambda: list(sys.meta_path), lambda held: setitem(sys.meta_path, ENTRIES, held)),
    ("Python's logging", lambda: logging.root.level, logging.root.setLevel),
    ("Python's logging", lambda: logging.root.manager.disable, logging.disable),
    ("the turns of threads", sys.getswitchinterval, sys.setswitchinterval),
    ("the hook for errors in threads", lambda: threading.excepthook, partial(setattr, threading, "excepthook")),
    ("the permissions of new files", _umask, os.umask),
    ("the notebook's hooks", _hooks, _set_hooks),
)


class Surroundings:
    """What there is before an answer runs, and how to get back to it.

    `undone` names what the answer had changed, in the words of a sentence; random numbers and streams are put back
    without a word, since drawing and printing are nothing to complain of.
    """

    def __init__(self) -> None:
        self.undone: list[str] = []
        self.leftovers = Leftovers()
        self._silence = SilencedDescriptors()
        self._names = Names()
        self._streams = sys.stdout, sys.stderr, sys.stdin
        self._held = {read: read() for _, read, _ in (*FIRST, *QUICK, *SLOW)}
        self._random = random.getstate(), numpy.random.get_state(), torch.get_rng_state()  # noqa: NPY002
        self.set_aside = [f"{space.title}{name}" for space, name, _ in self._names.set_aside]

    def make_sound(self) -> None:
        """The first thing after an answer's function, however it ended: without `builtins` and files nothing can be put
        back."""
        if _process_id() != self.leftovers.process_id:  # the answer called os.fork, and this is the child
            _leave(0)
        self._names.restore_builtins()
        self._put_back(FIRST)

    def restore(self) -> None:
        """Put back what a result is compared with and the next run needs."""
        self.make_sound()
        self._note(self._names.restore())
        sys.stdout, sys.stderr, sys.stdin = self._streams
        torch.set_rng_state(self._random[2])
        self._put_back(QUICK)
        self.leftovers.end_processes()

    def end(self) -> None:
        """Put back all the rest."""
        self._silence.end()
        self._put_back(SLOW)
        random.setstate(self._random[0])
        numpy.random.set_state(self._random[1])  # noqa: NPY002
        self._names.give_back()
        self.leftovers.close()

    def in_words(self) -> tuple[str, ...]:
        """What a card says of all this, a sentence each."""
        sentences = []
        if self.set_aside:
            sentences.append(f"Your notebook has replaced {_list(self.set_aside)}; the check used the original.")
        if self.undone:
            sentences.append(f"Your function changed {_list(self.undone)}; the check changed it back.")
        return (*sentences, *self.leftovers.in_words())

    def _put_back(self, settings: Settings) -> None:
        for words, read, write in settings:
            if read() != self._held[read]:
                write(self._held[read])
                self._note([words])

    def _note(self, words: list[str]) -> None:
        self.undone += [word for word in dict.fromkeys(words) if word not in self.undone]


_here = threading.local()
_process_id, _leave = os.getpid, os._exit


@contextmanager
def restored_globals() -> Iterator[Surroundings]:
    """Whatever a learner's function does to its surroundings, afterwards they are as they were.

    Inside another `restored_globals` it goes back to what that one noted, which takes little time.
    """
    outer: Surroundings | None = getattr(_here, "around", None)
    _here.around = around = outer or Surroundings()
    try:
        with torch.inference_mode(False), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                yield around
            finally:
                around.restore()
    finally:
        _here.around = outer
        if outer is None:
            around.end()


@contextmanager
def as_usual() -> Iterator[tuple[str, ...]]:
    """What the notebook has set for itself, and no answer is judged by, is as usual in here; gives the sentence that
    says so, if there is anything to say."""
    changed = []
    with ExitStack() as stack:
        if torch.get_default_device().type != "cpu":
            stack.enter_context(torch.device("cpu"))
            changed.append("torch's default device")
        if torch.is_autocast_enabled("cpu"):
            stack.enter_context(torch.autocast("cpu", enabled=False))
            changed.append("torch's autocast")
        yield (f"Your notebook has changed {_list(changed)}; the check used the usual one.",) if changed else ()


def _list(names: list[str], most: int = 4) -> str:
    shown = [name if " " in name else f"`{name}`" for name in names[:most]]
    return in_a_row([*shown, f"{len(names) - most} more"] if len(names) > most else shown)


def in_a_row(words: list[str]) -> str:
    """`"a, b and c"`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


MISSING: Any = object()  # stands where there is no such name

LIBRARIES: tuple[tuple[str, Any], ...] = (
    ("", builtins),
    ("math.", math),
    ("random.", random),
    ("numpy.", numpy),
    ("torch.", torch),
    ("Tensor.", torch.Tensor),
    ("F.", torch.nn.functional),
    ("nn.", torch.nn),
    ("nn.Module.", torch.nn.Module),
    ("torch.linalg.", torch.linalg),
)
_BUILTINS = vars(builtins)
COURSE = tuple(f"{package}." for package in PACKAGES)


class Namespace:
    """The names of one module or class, as they are when this is made; `title` is what a sentence puts before each."""

    def __init__(self, title: str, owner: Any) -> None:
        self.title, self.owner = title, owner
        self._now = vars(owner)
        self.settle()

    def settle(self) -> None:
        """From here on the names are to be what they are now."""
        self._kept = dict(self._now)
        self._values = list(self._kept.values())

    def is_untouched(self) -> bool:
        """Whether every name is what it was."""
        return len(self._now) == len(self._values) and not any(map(is_not, self._now.values(), self._values))

    def changes(self) -> dict[str, tuple[Any, Any]]:
        """Name → (what was there, what is there now), for all that an answer replaced, deleted or added."""
        now, kept = self._now, self._kept
        both = {name: (kept.get(name, MISSING), now.get(name, MISSING)) for name in sorted({*now, *kept})}
        return {
            name: (old, new) for name, (old, new) in both.items() if old is not new and self._by_hand(name, old, new)
        }

    def restore(self) -> list[str]:
        """Undo those changes; returns their names."""
        found = self.changes()
        for name, (old, _) in found.items():
            self.put(name, old)
        self.settle()
        return [f"{self.title}{name}" for name in found]

    def put(self, name: str, value: Any) -> None:
        if value is MISSING:
            delattr(self.owner, name)
        else:
            setattr(self.owner, name, value)

    def set_by_the_notebook(self) -> dict[str, tuple[Any, Any]]:
        """The changes that bring in a function of the notebook, another one of the same library, or no function."""
        if self.is_untouched():
            return {}
        own = {id(value) for value in self._values}
        found = {
            name: (old, new)
            for name, (old, new) in self.changes().items()
            if (old is not MISSING or self._shadows(name))
            and (not callable(new) or id(new) in own or getattr(new, "__module__", None) == "__main__")
        }
        if not found:
            self.settle()
        return found

    def _by_hand(self, name: str, old: Any, new: Any) -> bool:
        """Whether this is no change that a library makes itself, when it loads a part of itself late."""
        if self._shadows(name):
            return not self._own(name, new)
        if old is not MISSING and self.title.startswith(COURSE):  # its modules give each name one thing, for good
            return True
        if old is MISSING:
            late = isinstance(new, type) or (not isinstance(self.owner, type) and self._own(name, new))
            return callable(new) and not late
        if callable(old):
            return not self._own(name, new)
        return isinstance(old, int | float) and not name.startswith("_")

    def _shadows(self, name: str) -> bool:
        """Whether a class has this name from a class below it, as `torch.Tensor` has most of its methods."""
        bases = self.owner.__mro__[1:] if isinstance(self.owner, type) else ()
        return name not in self._kept and any(name in vars(base) for base in bases)

    def _own(self, name: str, value: Any) -> bool:
        """Whether the library has put this there itself: a class, a function of that name in its own files, or one of
        its private parts' (`torch._dynamo` replaces some). Where it stands counts: a `__module__` may be copied."""
        package = str(getattr(self.owner, "__module__", self.owner.__name__)).partition(".")[0]
        if isinstance(value, type):
            return str(value.__module__).partition(".")[0] == package
        file = getattr(sys.modules.get(package), "__file__", None)
        if not isinstance(value, types.FunctionType) or file is None:
            return False
        root, _, inside = value.__code__.co_filename.partition(f"{Path(file).parent}{os.sep}")
        private = inside.startswith("_") and os.sep in inside
        return root == "" and inside != "" and (value.__name__ == name or private)


INSIDE = ("__code__", "__defaults__", "__kwdefaults__")


class Insides:
    """What is inside of functions, and of lists, sets and tables of a module: the same things as when this first saw
    the module. A function keeps its identity when its code is replaced, and a table when its entries are."""

    def __init__(self) -> None:
        self._functions: dict[types.FunctionType, None] = {}
        self._held: dict[str, list[Any]] = {part: [] for part in INSIDE}
        self._tables: dict[int, tuple[Any, Any]] = {}
        self._seen: set[int] = set()

    def look_at(self, modules: Iterable[Any]) -> None:
        """Note what is inside of modules and classes that were not seen before."""
        for owner in modules:
            if id(owner) in self._seen:
                continue
            self._seen.add(id(owner))
            for name, value in list(vars(owner).items()):
                for function in _functions_of(value):
                    if function not in self._functions:
                        self._functions[function] = None
                        for part, held in self._held.items():
                            held.append(getattr(function, part))
                if isinstance(value, type) and str(value.__module__).startswith(COURSE):
                    self.look_at([value])
                elif type(value) in (dict, list, set) and name[:1] != "_" and owner.__name__.startswith(COURSE):
                    self._tables.setdefault(id(value), (value, value.copy()))

    def restore(self) -> list[str]:
        """Undo what was changed; returns names."""
        undone = []
        for part, held in self._held.items():
            if any(map(is_not, map(attrgetter(part), self._functions), held)):
                for function, value in zip(self._functions, held, strict=True):
                    if getattr(function, part) is not value:
                        setattr(function, part, value)
                        undone.append(function.__name__)
        for table, copy in self._tables.values():
            if not _same_entries(table, copy):
                table.clear()
                table.extend(copy) if isinstance(table, list) else table.update(copy)
                undone.append(f"a table of the course with {next(iter(copy), '')!r}")
        return undone


def _functions_of(value: Any) -> list[types.FunctionType]:
    value = next((getattr(value, name) for name in ("__func__", "fget", "func") if hasattr(value, name)), value)
    found = (value, getattr(value, "__wrapped__", None)) if isinstance(value, types.FunctionType) else ()
    return [function for function in found if isinstance(function, types.FunctionType)]


def _same_entries(table: Any, copy: Any) -> bool:
    """Whether both hold the same things; in the same order, but for sets, of which a copy may have another one."""
    if isinstance(table, set):
        return set(map(id, table)) == set(map(id, copy))
    mine, theirs = (each.values() if isinstance(each, dict) else each for each in (table, copy))
    return len(mine) == len(theirs) and not any(map(is_not, mine, theirs))


class Names:
    """All names that an answer's code is likely to touch, as they are when this is made: torch's own, even where the
    notebook has put a function in their place before the check."""

    def __init__(self) -> None:
        self.set_aside: list[tuple[Namespace, str, Any]] = []
        for space in AT_IMPORT:
            for name, (old, new) in space.set_by_the_notebook().items():
                self.set_aside.append((space, name, new))
                space.put(name, old)
        course = [(f"{name}.", module) for name, module in list(sys.modules.items()) if name.startswith(COURSE)]
        self._spaces = [Namespace(title, owner) for title, owner in (*LIBRARIES, *course)]
        INSIDES.look_at(owner for _, owner in (*LIBRARIES, *course))
        self._builtins = dict(_BUILTINS)
        self._undone: list[str] = []

    def restore_builtins(self) -> None:
        """Undo what was changed in `builtins`, first of all: everything else here needs them."""
        found = _BUILTINS.copy()
        _BUILTINS.update(self._builtins)  # up to here with methods alone
        self._undone += [name for name, value in self._builtins.items() if found.get(name, MISSING) is not value]

    def restore(self) -> list[str]:
        """Undo what was changed since; returns the names."""
        self.restore_builtins()
        undone, self._undone = self._undone, []
        undone += INSIDES.restore()
        return undone + [name for space in self._spaces if not space.is_untouched() for name in space.restore()]

    def give_back(self) -> None:
        """Let the notebook have what was set aside for the check."""
        for space, name, value in self.set_aside:
            space.put(name, value)


INSIDES = Insides()
AT_IMPORT = [Namespace(title, owner) for title, owner in LIBRARIES]


psutil: Any
try:
    psutil = importlib.import_module("psutil")
except ImportError:  # it comes with the notebook's kernel; without it nothing is ended
    psutil = None

HELPERS = ("resource_tracker", "compile_worker")  # processes that Python and torch start for themselves and need later
PATIENCE = 0.1  # seconds that processes and threads have to end by themselves


class Leftovers:
    """The processes and threads there are when this is made; what comes after them is an answer's."""

    def __init__(self) -> None:
        self.process_id = os.getpid()
        self.ended = 0
        self.threads = 0
        self._threads = set(sys._current_frames())
        self._processes = {process.pid for process in _processes()} if _any_process() else set()
        self._quick = hasattr(os, "waitid") and not self._processes

    def end_processes(self) -> None:
        """End what was started and still runs, where one can tell quickly whether there is anything."""
        if self._quick and _any_process():
            self._end()

    def close(self) -> None:
        """The last look, at what takes longer to see."""
        if not self._quick:
            self._end()
        if not set(sys._current_frames()) - self._threads:
            return
        for thread in threading.enumerate():
            if thread.ident not in self._threads and not _is_ours(thread):
                thread.join(PATIENCE)
        ours = {thread.ident for thread in threading.enumerate() if _is_ours(thread)}
        self.threads = len(set(sys._current_frames()) - self._threads - ours)

    def _end(self) -> None:
        started = [process for process in _processes() if process.pid not in self._processes]
        if not started:
            return
        _, running = psutil.wait_procs(started, timeout=PATIENCE)
        for process in running:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(running, timeout=1)
        self.ended += len(running)

    def in_words(self) -> tuple[str, ...]:
        """What a card says of it, a sentence each."""
        sentences = []
        if self.ended:
            what = "a process" if self.ended == 1 else f"{self.ended} processes"
            which = "it was" if self.ended == 1 else "they were"
            sentences.append(f"Your function left {what} running; {which} ended after the check.")
        if self.threads:
            what, it = ("a thread", "it goes") if self.threads == 1 else (f"{self.threads} threads", "they go")
            sentences.append(
                f"Your function left {what} running. Python cannot end a thread from outside: {it} on until the end of "
                "the work or of the kernel."
            )
        return tuple(sentences)


def _any_process() -> bool:
    """Whether this process has any child at all: asking takes a microsecond, a list of them milliseconds."""
    if not hasattr(os, "waitid"):  # Windows, and macOS with an older Python
        return True
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _processes() -> list[Any]:
    """The processes that this one has started, and theirs, without those that Python or torch need themselves."""
    if psutil is None:
        return []
    found = []
    with suppress(psutil.Error):
        for process in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                if not any(helper in " ".join(process.cmdline()) for helper in HELPERS):
                    found.append(process)
    return found


def _is_ours(thread: threading.Thread) -> bool:
    return thread.name == OURS or type(thread).__module__.startswith("tqdm")
