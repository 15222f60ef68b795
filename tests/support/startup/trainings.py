"""Keeps what `fit` has trained, so that a second run of the same notebook need not train it again.

The strict run of the notebooks trains everything and keeps it; the runs on Colab's versions and in the browser, which
look at other things, take it from there. So it is with a few long experiments and with the texts of SmolLM2.

A training is the same when the model, its weights, the batches, the loss and all options are. One that cannot be told
(an iterator, a limit in seconds), that the keyboard ended, or that may be looked at after any step (a function is
called there, which may hold the model) is trained again; a `Diary` looks at moments that it names, so the weights of
those moments are kept too.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.abc
import importlib.machinery
import os
import sys
import tempfile
from functools import wraps
from inspect import isgenerator
from pathlib import Path
from threading import Lock
from types import FunctionType, ModuleType
from typing import Any

FOLDER = Path(os.environ.get("ANATOMY_TRAININGS", ""))
ONLY_KEEP = "ANATOMY_TRAININGS_ONLY_KEEP"


def watch_for_fit() -> None:
    """Once the package's `fit` is imported, put the remembering one in its place."""
    sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name not in REMEMBERED:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def execute(module: ModuleType) -> None:
                load(module)
                for function, remember in REMEMBERED[name].items():
                    setattr(module, function, remember(getattr(module, function)))

            spec.loader.exec_module = execute  # type: ignore[method-assign]
        return spec


def remembering(fit: Any) -> Any:
    """`fit`, but a training that the folder knows is taken from there."""
    import torch

    def remembered(model: Any, batches: Any, loss: Any, **options: Any) -> Any:
        watch = options.get("on_step")
        moments = _moments(watch)
        watched = isinstance(watch, FunctionType) and not moments
        if watched or not isinstance(batches, list | tuple) or options.get("seconds") is not None:
            return fit(model, batches, loss, **options)
        place = FOLDER / f"{_key(model, batches, loss, options, moments)}.pt"
        if place.exists() and not os.environ.get(ONLY_KEEP):
            return _taken(torch.load(place, weights_only=False), model, options)
        then: dict[int, dict[str, Any]] = {}

        def on_step(history: Any) -> Any:
            if len(history) in moments:
                then[len(history)] = {name: value.clone() for name, value in model.state_dict().items()}
            return None if watch is None else watch(history)

        history = fit(model, batches, loss, **(options | {"on_step": on_step} if moments else options))
        if "the keyboard ended it" in (history.stopped or ""):
            return history
        generator = options.get("generator")
        kept = {
            "weights": model.state_dict(),
            "history": dataclasses.asdict(history),
            "generator": None if generator is None else generator.get_state(),
            "then": then,
        }
        _keep(kept, place)
        return history

    return wraps(fit)(remembered)


def remembering_whole(experiment: Any) -> Any:
    """A function that trains, measures or searches for seconds, and returns plain numbers, at once or step by step."""
    import torch

    def remembered(*arguments: Any, **options: Any) -> Any:
        if "on_step" in options:
            return experiment(*arguments, **options)
        place = _place(experiment, arguments, options)
        if place.exists() and not os.environ.get(ONLY_KEEP):
            return torch.load(place, weights_only=False)
        result = experiment(*arguments, **options)
        if isgenerator(result):
            return _kept_when_done(result, place)
        _keep(result, place)
        return result

    return wraps(experiment)(remembered)


def remembering_text(generate: Any) -> Any:
    """`generate`, but what a notebook had a large decoder write is taken from the folder.

    The cache that was given stays empty then. What the package asks for itself is written again: it also asks models
    with parts changed, which may do something else with the same weights.
    """
    import torch

    def remembered(step: Any, cache: Any, prompt_ids: Any, **options: Any) -> Any:
        model, generator = getattr(step, "__self__", None), options.get("generator")
        of_a_notebook = sys._getframe(1).f_globals["__name__"] == "__main__"
        if not of_a_notebook or not hasattr(model, "decoder") or not _is_large(model):
            return generate(step, cache, prompt_ids, **options)
        options["stop_ids"] = list(options.get("stop_ids", ()))
        place = _place(generate, [step.__func__, model, prompt_ids], options)
        if place.exists() and not os.environ.get(ONLY_KEEP):
            written, then = torch.load(place, weights_only=False)
            if generator is not None:
                generator.set_state(then)
            return written
        written = generate(step, cache, prompt_ids, **options)
        _keep((written, generator and generator.get_state()), place)
        return written

    return wraps(generate)(remembered)


def _place(function: Any, arguments: Any, options: dict[str, Any]) -> Path:
    digest = hashlib.sha256()
    _feed(digest, [function.__qualname__, arguments, options])
    return FOLDER / f"{digest.hexdigest()}.pt"


def _kept_when_done(steps: Any, place: Path) -> Any:
    done = []
    for step in steps:
        done.append(step)
        yield step
    _keep(done, place)


def _is_large(model: Any) -> bool:
    return any(parameter.numel() >= LARGE for parameter in model.parameters())


def _keep(value: Any, place: Path) -> None:
    import torch

    FOLDER.mkdir(parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=FOLDER)
    os.close(handle)
    torch.save(value, unfinished)
    Path(unfinished).replace(place)


def _taken(kept: dict[str, Any], model: Any, options: dict[str, Any]) -> Any:
    from anatomy_utils.training.history import History

    history, on_step = History(planned=kept["history"]["planned"]), options.get("on_step")
    lists = {name: values for name, values in kept["history"].items() if isinstance(values, list)}
    if kept["generator"] is not None:
        options["generator"].set_state(kept["generator"])
    for numbers in zip(*lists.values(), strict=True):
        history.add(**dict(zip(lists, numbers, strict=True)))
        if len(history) in kept["then"]:
            model.load_state_dict(kept["then"][len(history)])
        if on_step is not None:
            on_step(history)
    model.load_state_dict(kept["weights"])
    history.stopped = kept["history"]["stopped"]
    return history


def _moments(watch: Any) -> tuple[int, ...]:
    """After which steps a function looks at the model; none when it holds nothing that names them."""
    held = [cell.cell_contents for cell in getattr(watch, "__closure__", None) or ()]
    return next((moments for each in held if (moments := getattr(each, "moments", None) or _moments(each))), ())


def _key(model: Any, batches: Any, loss: Any, options: dict[str, Any], moments: tuple[int, ...]) -> str:
    digest = hashlib.sha256()
    _feed(digest, [model, list(batches), loss])
    rate = options.get("learning_rate", 1e-3)
    rates = [rate(step) for step in range(1, 1 + (options.get("steps") or len(batches)))] if callable(rate) else rate
    optimizer = options.get("optimizer")
    groups = optimizer and [{**group, "params": len(group["params"])} for group in optimizer.param_groups]
    plain = {name: options.get(name) for name in ("epochs", "steps", "clip")}
    generator = options.get("generator")
    _feed(digest, [rates, str(type(optimizer)), groups, plain, moments, generator and generator.get_state()])
    return digest.hexdigest()


def _made(module: Any) -> list[Any]:
    """What a module's description and weights do not tell: its code and its plain settings."""
    settings = {
        name: value for name, value in vars(module).items() if isinstance(value, int | float | str | FunctionType)
    }
    return [type(module).__qualname__, type(module).forward, settings]


def _feed(digest: Any, value: Any) -> None:
    """Everything that says what `value` is, into the digest."""
    if hasattr(value, "detach"):
        digest.update(f"{value.dtype}{tuple(value.shape)}".encode())
        digest.update(_numbers(value.detach()))
    elif hasattr(value, "get_state"):  # a source of random numbers
        _feed(digest, value.get_state())
    elif hasattr(value, "state_dict"):
        _feed(digest, [str(value), [_made(module) for module in value.modules()], value.state_dict()])
    elif hasattr(value, "_tokenizer"):
        _feed(digest, value._tokenizer.to_str())
    elif isinstance(value, dict):
        for name in value:
            _feed(digest, name)
            _feed(digest, value[name])
    elif isinstance(value, list | tuple):
        digest.update(f"{type(value).__name__}{len(value)}".encode())
        for part in value:
            _feed(digest, part)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            _feed(digest, getattr(value, field.name))
    elif isinstance(value, FunctionType):
        cells = [cell.cell_contents for cell in value.__closure__ or ()]
        code = value.__code__
        constants = [constant for constant in code.co_consts if not hasattr(constant, "co_code")]
        _feed(digest, [value.__qualname__, code.co_code.hex(), code.co_names, constants, value.__defaults__, cells])
    elif hasattr(value, "func") and hasattr(value, "keywords"):  # functools.partial
        _feed(digest, [value.func, value.args, value.keywords])
    else:
        digest.update(repr(value).encode())


LARGE = 500_000
"""Numbers in a tensor that is read only once: it stays the same while nothing is written into it."""
_read: dict[tuple[int, int, tuple[int, ...]], tuple[Any, bytes]] = {}
_reading = Lock()


def _numbers(tensor: Any) -> bytes:
    """The numbers of a tensor, or for a large one their digest."""
    import torch

    def raw() -> Any:
        return tensor.contiguous().reshape(-1).view(dtype=torch.uint8).numpy()

    if tensor.numel() < LARGE or tensor.is_inference():
        return raw().tobytes()  # type: ignore[no-any-return]
    now = (tensor.data_ptr(), tensor._version, tensor.stride())
    with _reading:
        if now not in _read:  # the tensor is held, so that no other one gets its place in memory
            _read[now] = (tensor, hashlib.sha256(raw()).digest())
        return _read[now][1]


def shorter(gpt_size: Any) -> Any:
    """Notebook 10 trains in a loop of its own, which nothing can remember: it is cut short, its outputs not read."""

    def short(device: Any) -> Any:
        return dataclasses.replace(gpt_size(device), steps=16, warmup=2)

    return wraps(gpt_size)(short)


def fewer(write_texts: Any) -> Any:
    """What that loop's model writes is not read either: a tenth of the texts."""

    def few(model: Any, choose: Any, count: int, **options: Any) -> Any:
        return write_texts(model, choose, max(1, count // 10), **options)

    return wraps(write_texts)(few)


def few_lessons(lessons: Any) -> Any:
    """So it is with SmolLM2's adapters, which learn from as many lessons as there are."""

    def few(count: int, *drawn: Any) -> Any:
        return lessons(min(count, 16), *drawn)

    return wraps(lessons)(few)


EXPERIMENTS = "anatomy_course.lab.experiments"
REMEMBERED = {
    "anatomy_utils.training.loop": {"fit": remembering},
    "anatomy_utils.decoding.generation": {"generate": remembering_text},
    f"{EXPERIMENTS}.attention_cost": {"attention_costs": remembering_whole},
    f"{EXPERIMENTS}.cache_cost": {"measure_cache_cost": remembering_whole},
    f"{EXPERIMENTS}.copy_task": {"reading_times": remembering_whole},
    f"{EXPERIMENTS}.norm_placement": {"depth_experiment": remembering_whole},
    f"{EXPERIMENTS}.part_swaps": {"measure_swaps": remembering_whole},
    f"{EXPERIMENTS}.taught": {"lessons": few_lessons},
    f"{EXPERIMENTS}.two_processes": {"train_in_two_processes": remembering_whole},
    f"{EXPERIMENTS}.window_cost": {"measure_window_costs": remembering_whole},
    "anatomy_course.lab.small_models.python_code": {"python_functions": remembering_whole},
    "anatomy_utils.training.byte_pairs": {"train_byte_pairs": remembering_whole},
    "anatomy_course.lab.small_models.workshop": {"gpt_size": shorter, "write_texts": fewer},
}
"""Module → its functions, and what stands in the place of each."""
