"""Look at, or change, any tensor inside a model by its name.

A module passes each tensor worth seeing through `tap`, which hands it back untouched and costs one dictionary look-up.
`watch` collects those tensors while a model runs; `edit` changes them on their way. A tensor's name is the path of its
module and the name given in `tap`: `"layers.0.self_attention.weights"`.

Every figure and widget of the course, and every experiment that switches a head off, reads from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from fnmatch import fnmatchcase

from torch import Tensor, nn

Edit = Callable[[Tensor], Tensor]


@dataclass
class _Listeners:
    """Who listens to one module: editors first, so that a watcher sees what really flows on."""

    editors: list[Callable[[str, Tensor], Tensor]] = field(default_factory=list)
    watchers: list[Callable[[str, Tensor], None]] = field(default_factory=list)


class Seen(Mapping[str, Tensor]):
    """The tensors that one `watch` collected: name → the latest tensor of that name, detached."""

    def __init__(self) -> None:
        self._calls: dict[str, list[Tensor]] = {}

    def __getitem__(self, name: str) -> Tensor:
        return self.all(name)[-1]

    def all(self, name: str) -> list[Tensor]:
        """Every tensor of that name in the order of the calls: one per step when a model is run step by step."""
        if name not in self._calls:
            raise KeyError(f"No tensor named {name!r} was seen.{_suggestion(name, self._calls)}")
        return self._calls[name]

    def matching(self, pattern: str) -> dict[str, Tensor]:
        """The latest tensors whose names match a pattern such as `"layers.*.self_attention.weights"`, in order."""
        return {name: calls[-1] for name, calls in self._calls.items() if fnmatchcase(name, pattern)}

    def __iter__(self) -> Iterator[str]:
        return iter(self._calls)

    def __len__(self) -> int:
        return len(self._calls)


def tap(module: nn.Module, name: str, tensor: Tensor) -> Tensor:
    """Offer a tensor to whoever watches or edits `module`, and return what the module should go on with.

    Args:
        module: the module that made the tensor (`self`, in a `forward`).
        name: the tensor's name within the module, such as `"weights"`.
        tensor: any shape.

    Returns:
        `tensor` itself, or what an `edit` made of it.
    """
    listeners: _Listeners | None = module.__dict__.get("_tap_listeners")
    if listeners is None:
        return tensor
    for change in listeners.editors:
        tensor = change(name, tensor)
    for note in listeners.watchers:
        note(name, tensor)
    return tensor


def is_tapped(module: nn.Module) -> bool:
    """Whether anybody watches or edits this module right now."""
    return "_tap_listeners" in module.__dict__


@contextmanager
def watch(model: nn.Module, *patterns: str) -> Iterator[Seen]:
    """Collect the named tensors of everything that `model` runs inside the `with` block.

    Args:
        model: any module whose parts use `tap`.
        patterns: names to keep, such as `"layers.*.self_attention.weights"`; without any, all are kept.

    Yields:
        A mapping that fills while the model runs: `seen["layers.0.self_attention.weights"]`.
    """
    seen = Seen()

    def watcher(path: str) -> Callable[[str, Tensor], None]:
        def note(name: str, tensor: Tensor) -> None:
            full = _join(path, name)
            if not patterns or any(fnmatchcase(full, pattern) for pattern in patterns):
                seen._calls.setdefault(full, []).append(tensor.detach())

        return note

    attached = [(module, watcher(path)) for path, module in model.named_modules()]
    for module, note in attached:
        _listeners(module).watchers.append(note)
    try:
        yield seen
    finally:
        for module, note in attached:
            _listeners(module).watchers.remove(note)
            _forget_if_unused(module)


@contextmanager
def edit(model: nn.Module, edits: Mapping[str, Edit]) -> Iterator[None]:
    """Change named tensors on their way through `model` inside the `with` block.

    Args:
        model: any module whose parts use `tap`.
        edits: name → function; the function gets the tensor and returns another of the same shape. Gradients flow.

    Raises:
        ValueError: a name's module does not exist, a function returns another shape, or the model ran to the end of
            the block without ever making a tensor of that name.
    """
    modules = dict(model.named_modules())
    offered: dict[str, set[str]] = {name: set() for name in edits}
    attached = []
    for full, function in edits.items():
        path, _, name = full.rpartition(".")
        if path not in modules:
            raise ValueError(f"There is no module {path!r} to edit {full!r} in.{_suggestion(path, modules)}")
        attached.append((modules[path], _editor(full, name, function, offered[full])))
    for module, change in attached:
        _listeners(module).editors.append(change)
    try:
        yield
    finally:
        for module, change in attached:
            _listeners(module).editors.remove(change)
            _forget_if_unused(module)
    for full, names in offered.items():
        name = full.rpartition(".")[2]
        if names and name not in names:
            raise ValueError(f"{full!r} was never reached; tensors made there: {', '.join(sorted(names))}.")


def _editor(full: str, name: str, function: Edit, offered: set[str]) -> Callable[[str, Tensor], Tensor]:
    def change(current: str, tensor: Tensor) -> Tensor:
        offered.add(current)
        if current != name:
            return tensor
        changed = function(tensor)
        if changed.shape != tensor.shape:
            raise ValueError(
                f"The edit of {full!r} returned shape {tuple(changed.shape)}; "
                f"it must keep the shape {tuple(tensor.shape)}."
            )
        return changed

    return change


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _listeners(module: nn.Module) -> _Listeners:
    return module.__dict__.setdefault("_tap_listeners", _Listeners())


def _forget_if_unused(module: nn.Module) -> None:
    listeners = _listeners(module)
    if not listeners.editors and not listeners.watchers:
        del module.__dict__["_tap_listeners"]


def _suggestion(name: str, known: Mapping[str, object]) -> str:
    close = get_close_matches(name, known, n=3)
    return f" Did you mean {' or '.join(repr(c) for c in close)}?" if close else ""
