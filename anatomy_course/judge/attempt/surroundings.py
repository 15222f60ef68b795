"""What an answer finds around it is as it was once it has returned: torch's settings and functions, and Python's own.

The whole of it is noted once per check. What every single run inside that check puts back is little, and quick.
"""

from __future__ import annotations

import decimal
import gc
import logging
import os
import random
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy
import torch

from anatomy_course.judge.attempt.leftovers import Leftovers
from anatomy_course.judge.attempt.namespaces import Names
from anatomy_course.judge.attempt.output import SilencedDescriptors
from anatomy_course.page.page import shell

resource: Any
try:
    import resource
except ImportError:  # Windows
    resource = None

Settings = tuple[tuple[str, Callable[[], Any], Callable[[Any], Any]], ...]
"""What each is called in a sentence, how it is read, and how it is set."""


def _set_autocast(held: tuple[bool, torch.dtype]) -> None:
    torch.set_autocast_enabled("cpu", held[0])
    torch.set_autocast_dtype("cpu", held[1])


def _device() -> tuple[torch.device, int]:
    return torch.get_default_device(), torch._C._len_torch_function_stack()


def _set_device(held: tuple[torch.device, int]) -> None:
    device, depth = held
    torch.set_default_device(None if device.type == "cpu" else device)
    while torch._C._len_torch_function_stack() > depth:  # left behind by a `with torch.device(…)` that was never left
        torch._C._pop_torch_function_stack()


def _set_anomaly(held: bool) -> None:
    torch.autograd.set_detect_anomaly(held)


def _set_streams(held: tuple[Any, Any, Any]) -> None:
    sys.stdout, sys.stderr, sys.stdin = held


def _set_deterministic(held: tuple[bool, bool]) -> None:
    torch.use_deterministic_algorithms(held[0], warn_only=held[1])


def _set_folder(held: str | None) -> None:
    with suppress(OSError):
        os.chdir(held or ".")


def _folder() -> str | None:
    try:
        return str(Path.cwd())
    except OSError:  # it was deleted
        return None


def _environment() -> dict[str, str]:
    """All of it but what torch sets itself when it compiles."""
    return {name: value for name, value in os.environ.items() if not name.startswith("TORCH")}


def _set_environment(held: dict[str, str]) -> None:
    for name in _environment().keys() - held.keys():
        del os.environ[name]
    os.environ.update(held)


def _handlers() -> dict[int, Any]:
    return {number: signal.getsignal(number) for number in SIGNALS} if _in_the_main_thread() else {}


def _set_handlers(held: dict[int, Any]) -> None:
    for number, handler in held.items():
        if handler is not None:  # not one of Python's: it cannot be put back
            signal.signal(number, handler)


def _in_the_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _set_path(held: list[str]) -> None:
    sys.path[:] = held


def _set_importers(held: list[Any]) -> None:
    sys.meta_path[:] = held


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
    return now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, traps


def _set_decimals(held: tuple[Any, ...]) -> None:
    precision, rounding, smallest, largest, capitals, clamp, traps = held
    decimal.setcontext(decimal.Context(precision, rounding, smallest, largest, capitals, clamp, traps=traps))


def _set_thread_hook(held: Any) -> None:
    threading.excepthook = held


def _collector() -> tuple[bool, tuple[int, int, int], int]:
    return gc.isenabled(), gc.get_threshold(), gc.get_debug()


def _set_collector(held: tuple[bool, tuple[int, int, int], int]) -> None:
    gc.set_debug(held[2])
    gc.set_threshold(*held[1])
    (gc.enable if held[0] else gc.disable)()


def _logging() -> tuple[int, int]:
    return logging.root.level, logging.root.manager.disable


def _set_logging(held: tuple[int, int]) -> None:
    logging.root.setLevel(held[0])
    logging.disable(held[1])


def _torch_prints() -> dict[str, Any]:
    return dict(vars(torch._tensor_str.PRINT_OPTS))


def _set_torch_prints(held: dict[str, Any]) -> None:
    vars(torch._tensor_str.PRINT_OPTS).update(held)


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
QUICK: Settings = (
    ("torch's default type of numbers", torch.get_default_dtype, torch.set_default_dtype),
    ("torch's default device", _device, _set_device),
    ("torch's number of threads", torch.get_num_threads, torch.set_num_threads),
    (
        "torch's deterministic mode",
        lambda: (torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()),
        _set_deterministic,
    ),
    ("torch's autocast", lambda: (torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")), _set_autocast),
    ("torch's anomaly detection", torch.is_anomaly_enabled, _set_anomaly),
    ("torch's precision of products", torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
    ("torch's oneDNN", torch._C._get_mkldnn_enabled, torch._C._set_mkldnn_enabled),
    ("Python's recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
)
FIRST: Settings = (("the limit of open files", _open_files, _set_open_files),)
SLOW: Settings = (
    ("the working directory", _folder, _set_folder),
    ("the environment variables", _environment, _set_environment),
    ("the signal handlers", _handlers, _set_handlers),
    ("the module search path", lambda: list(sys.path), _set_path),
    ("NumPy's error handling", numpy.geterr, lambda held: numpy.seterr(**held)),
    ("NumPy's way to print", numpy.get_printoptions, lambda held: numpy.set_printoptions(**held)),
    ("torch's way to print", _torch_prints, _set_torch_prints),
    ("Python's garbage collection", _collector, _set_collector),
    ("Python's decimal numbers", _decimals, _set_decimals),
    ("Python's importers", lambda: list(sys.meta_path), _set_importers),
    ("Python's logging", _logging, _set_logging),
    ("the turns of threads", sys.getswitchinterval, sys.setswitchinterval),
    ("the hook for errors in threads", lambda: threading.excepthook, _set_thread_hook),
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
        self._held = {words: read() for words, read, _ in (*FIRST, *QUICK, *SLOW)}
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
        _set_streams(self._streams)
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
            if read() != self._held[words]:
                write(self._held[words])
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
    shown += [f"{len(names) - most} more"] if len(names) > most else []
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
