"""A quantized file, unpacked once: what the first kernel wrote into the cache, every later one maps.

Unpacking a `.gguf` file takes seconds, and twice the memory of what comes of it. The result is kept as an ordinary
folder of published weights in the user's cache folder. Its file is mapped, not read: kernels share its pages, and
whoever writes into a weight (training, an edit) gets a copy of that page. `ANATOMY_CACHE` names another folder.

A matrix that gives more features than it takes lies in the file column by column: a single token's product with it,
which waits for memory alone, is then up to twice as fast; with four tokens or more at once it is a little slower.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from anatomy_utils.zoo.checkpoint import Checked, check_file, is_finite, read_config
from anatomy_utils.zoo.gguf import GgufFile
from anatomy_utils.zoo.tokenizer import Tokenizer

T = TypeVar("T")
Make = Callable[[dict[str, Any], dict[str, Tensor], Tokenizer], T]
"""What makes something of a configuration, weights and a tokenizer."""

VARIABLE = "ANATOMY_CACHE"
FORMAT = 4
"""Raised whenever what is written changes; folders of another format are left alone."""
PATIENCE = 120.0
"""Seconds to wait for another kernel that unpacks the same file; then this one unpacks its own."""
CONFIG, TENSORS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
SUM = "sum.txt"
"""The sum of all the weights' bits, read as whole numbers of eight bytes."""
TURNED = "turned"
"""In the weights' own notes: the names of the matrices that lie column by column."""


class Unpacked(NamedTuple):
    """What a model is loaded from."""

    config: dict[str, Any]
    tensors: dict[str, Tensor]
    tokenizer: Tokenizer


def cache_folder() -> Path:
    """Where unpacked weights are kept: in the user's cache folder, or where the environment says."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    import platformdirs

    return Path(platformdirs.user_cache_dir("transformer-anatomy", appauthor=False))


def cache_bytes() -> int:
    """How much is kept there."""
    with suppress(OSError):
        return sum(file.stat().st_size for file in cache_folder().glob("*/*") if file.is_file())
    return 0


def clear_cache() -> int:
    """Remove all unpacked weights; they are unpacked again when they are next loaded.

    Returns:
        How many bytes that made free.

    Raises:
        ValueError: some could not be removed, because a kernel still uses them or the folder is read-only.
    """
    before = cache_bytes()
    for folder in cache_folder().glob("*-v*"):
        shutil.rmtree(folder, ignore_errors=True)
    if left := cache_bytes():
        raise ValueError(
            f"{left:,} bytes of unpacked weights in {cache_folder()} could not be removed; restart the kernels that "
            "use them, and check that the folder can be written."
        )
    return before


def unpack(path: Path, sha256: str | None = None) -> Unpacked:
    """The configuration, weights and tokenizer of a `.gguf` file, from the cache if they are there: `unpack_as`."""
    return unpack_as(Unpacked, path, sha256)


def unpack_as(make: Make[T], path: Path, sha256: str | None) -> T:
    """What `make` makes of the configuration, weights and tokenizer of a `.gguf` file, from the cache if it is there.

    A cache that is damaged, full or read-only is done without; a warning says so.

    Args:
        make: called once more if the cache turns out to be damaged: it is checked meanwhile.
        path: the file.
        sha256: its fingerprint, where one is known.

    Raises:
        ValueError: as `GgufFile`.
    """
    check_file(path, f"There is no file {path}; give the path of a .gguf file.")
    with ThreadPoolExecutor(1) as beside:  # of this call alone: a pool of the module's would hang in a forked process
        fingerprint = beside.submit(_fingerprint, path)
        folder = _folder(sha256 or fingerprint.result())
        kept = _kept(folder, make)
        found = fingerprint.result()
    if sha256 is not None and found != sha256:
        told = f"its SHA-256 is {found[:12]}…, not {sha256[:12]}…"
        raise ValueError(f"{path} is not the published file: {told}; install it again.")
    if kept:
        return kept
    with _only_one(folder):
        if kept := _kept(folder, make):  # another kernel has unpacked it meanwhile
            return kept
        file = GgufFile(path)
        inside = Unpacked(file.config(), file.tensors(), file.tokenizer())
        _keep(folder, inside)
        return _kept(folder, make) or make(*inside)


def _folder(fingerprint: str) -> Path:
    return cache_folder() / f"{fingerprint[:16]}-v{FORMAT}"


def _fingerprint(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """Of several kernels that begin at once, one unpacks and the others wait; without a lock, each for itself."""
    from filelock import FileLock

    with ExitStack() as held:
        with suppress(OSError, NotImplementedError):  # read-only, full, no locks there, or waited long enough
            folder.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(FileLock(folder.with_suffix(".lock"), timeout=PATIENCE))
        yield


def _keep(folder: Path, made: Unpacked) -> None:
    """Write all of it beside the folder, then give it its name in one go. Nothing that cannot be calculated with."""
    if not all(is_finite(tensor) for tensor in made.tensors.values()):
        return
    try:
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix="new-") as place:
            new = Path(place) / folder.name
            new.mkdir()
            turned = [name for name, tensor in made.tensors.items() if _is_wide(tensor)]
            lying = {name: tensor.T.contiguous() if name in turned else tensor for name, tensor in made.tensors.items()}
            save_file(lying, new / TENSORS, {TURNED: json.dumps(turned)})
            (new / SUM).write_text(str(_sum(_mapped(new)[0])), encoding="utf-8")
            made.tokenizer.save(new / TOKENIZER)
            (new / CONFIG).write_text(json.dumps(made.config), encoding="utf-8")
            (new / TENSORS).chmod((new / CONFIG).stat().st_mode)  # safetensors writes for the owner alone
            shutil.rmtree(folder, ignore_errors=True)
            new.rename(folder)
    except (OSError, SafetensorError) as error:
        reason = str(error).splitlines()[0][:120]
        warnings.warn(
            f"The unpacked weights could not be kept in {folder.parent} ({reason}): each kernel unpacks them again. "
            f"Make room there, or name another folder with {VARIABLE}.",
            stacklevel=2,
        )


def _kept(folder: Path, make: Make[T]) -> T | None:
    """What is made of what the folder holds; None if it is not there or not whole."""
    if not folder.is_dir():
        return None
    with suppress(ValueError, OSError, SafetensorError, RuntimeError):
        config, wanted = read_config(folder / CONFIG), (folder / SUM).read_text(encoding="utf-8")
        lying, notes = _mapped(folder)
        with ThreadPoolExecutor(1) as beside:  # while the weights are added up, all else is done
            found = beside.submit(_sum, lying)
            turned = json.loads(notes.get(TURNED, "[]"))
            tensors = Checked({name: tensor.T if name in turned else tensor for name, tensor in lying.items()})
            made = make(config, tensors, Tokenizer.from_file(folder / TOKENIZER, pad_left=True, checked=True))
        if wanted == str(found.result()):
            return made
    warnings.warn(f"The unpacked weights in {folder} are damaged: they are unpacked again.", stacklevel=2)
    return None


def _mapped(folder: Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The weights as they lie in their file, and the file's notes."""
    with safe_open(folder / TENSORS, "pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118 (no mapping)


def _is_wide(tensor: Tensor) -> bool:
    return tensor.dim() == 2 and tensor.shape[0] > tensor.shape[1]


def _sum(tensors: dict[str, Tensor]) -> int:
    """Sees a damaged byte anywhere. Mapped tensors lie one behind the other: NumPy adds all their bytes in one go,
    eight at a time, as fast as memory gives them, and lets other threads work meanwhile."""
    start = min(tensor.data_ptr() for tensor in tensors.values())
    size = max(tensor.data_ptr() + tensor.nbytes for tensor in tensors.values()) - start
    if size != sum(tensor.nbytes for tensor in tensors.values()):
        raise ValueError("The tensors do not lie one behind the other.")
    whole = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(start))
    even = size // 8 * 8
    return int(np.add.reduce(whole[:even].view(np.uint64))) + int(whole[even:].sum())
