"""Weights unpacked once: the same from the cache as from the file, whatever happens to the cache."""

import errno
import multiprocessing
import os
from functools import partial

import pytest
import torch
from tiny_gguf import written

from anatomy_utils import pretrained
from anatomy_utils.zoo import unpacked
from anatomy_utils.zoo.gguf import GgufFile

SENTENCE = "ab a"
pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of this test's own."""
    monkeypatch.setenv("ANATOMY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def file(tmp_path):
    generator = torch.Generator().manual_seed(0)
    drawn = partial(torch.randn, generator=generator)
    return written(tmp_path / "model.gguf", queries=lambda shape, dtype: drawn(shape).numpy())


def numbers(path):
    """What a sentence gives, and all weights: those of the tiny file are equal but for the queries."""
    model, tokenizer = pretrained.load(path)
    with torch.no_grad():
        logits = model(tokenizer(SENTENCE).input_ids)
        return torch.cat([logits.flatten(), *(parameter.flatten() for parameter in model.parameters())])


def kept(cache):
    return sorted(str(found.relative_to(cache)) for found in cache.rglob("*") if found.is_file())


def no_second_reading(monkeypatch):
    monkeypatch.setattr(GgufFile, "tensors", lambda self: pytest.fail("the file was unpacked again"))


def test_the_second_load_is_the_same_and_unpacks_nothing(file, cache, monkeypatch):
    first = numbers(file)
    (folder,) = {name.partition("/")[0] for name in kept(cache) if "/" in name}
    names = ("config.json", "model.safetensors", "sum.txt", "tokenizer.json")
    assert kept(cache)[-4:] == [f"{folder}/{name}" for name in names]
    no_second_reading(monkeypatch)
    assert torch.equal(numbers(file), first)
    tokens = pretrained.load(file).tokenizer(["aab", "b"])
    assert tokens.input_ids.tolist() == [[1, 3], [0, 2]]
    assert tokens.attention_mask.tolist() == [[1, 1], [0, 1]]


def test_what_is_written_into_a_weight_stays_in_this_process_and_another_file_of_the_name_is_unpacked(file, cache):
    first = numbers(file)
    model = pretrained.load(file).model.train()
    for parameter in model.parameters():
        parameter.data.zero_()
    assert torch.equal(numbers(file), first)
    written(file, queries=lambda shape, dtype: torch.eye(*shape).numpy())
    assert not torch.equal(numbers(file), first)
    assert pretrained.cache_bytes() > 1000
    assert pretrained.clear_cache() > 1000
    assert pretrained.cache_bytes() == 0


def test_wide_matrices_lie_column_by_column_and_are_those_of_the_file(file, cache):
    ours, theirs = unpacked.unpack(file).tensors, GgufFile(file).tensors()
    assert ours.keys() == theirs.keys() and all(torch.equal(ours[name], theirs[name]) for name in ours)
    parameters = pretrained.load(file).model.parameters()
    lying = {tuple(each.shape): each.T.is_contiguous() for each in parameters if each.dim() == 2}
    assert {shape: turned for shape, turned in lying.items() if shape[0] != shape[1]} == {
        shape: shape[0] > shape[1] for shape in lying if shape[0] != shape[1]
    }
    assert len(set(lying.values())) == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_who_may_read_one_of_its_files_may_read_all(file, cache):
    numbers(file)
    modes = {path.name: path.stat().st_mode & 0o777 for path in cache.glob("*-v*/*") if path.is_file()}
    assert len(modes) == 4 and len(set(modes.values())) == 1, modes


def cut_off(path):
    path.write_bytes(path.read_bytes()[:-40])


def with_another_bit(path):
    content = bytearray(path.read_bytes())
    content[-40] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("model.safetensors", cut_off),
        ("model.safetensors", with_another_bit),
        ("model.safetensors", os.unlink),
        ("sum.txt", os.unlink),
        ("config.json", os.unlink),
        ("tokenizer.json", cut_off),
    ],
)
def test_a_damaged_cache_is_unpacked_again(name, damage, file, cache, monkeypatch):
    first = numbers(file)
    (damaged,) = cache.rglob(name)
    damage(damaged)
    with pytest.warns(UserWarning, match="damaged: they are unpacked again"):
        assert torch.equal(numbers(file), first)
    no_second_reading(monkeypatch)
    assert torch.equal(numbers(file), first)


def test_without_a_place_for_a_cache_it_goes_on(file, tmp_path, cache, monkeypatch):
    def full(*_arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(unpacked, "save_file", full)
        with pytest.warns(UserWarning, match="No space left"):
            assert numbers(file).isfinite().all()
    assert [name for name in kept(cache) if not name.endswith(".lock")] == [], "nothing is left behind"
    (tmp_path / "taken").write_text("")
    monkeypatch.setenv("ANATOMY_CACHE", str(tmp_path / "taken"))
    with pytest.warns(UserWarning, match="could not be kept.*Make room there, or name another folder"):
        assert numbers(file).isfinite().all()
    assert unpacked.cache_bytes() == 0


def test_weights_that_are_no_numbers_are_not_kept(tmp_path, cache):
    path = written(tmp_path / "nan.gguf", queries=lambda shape, dtype: torch.full(shape, torch.nan).numpy())
    for _ in range(2):
        with pytest.raises(ValueError, match="NaN or infinity"):
            numbers(path)


def _loaded(path, answers):
    torch.set_num_threads(1)  # a forked process has none of its parent's threads, and would wait for them
    answers.put(float(numbers(path).sum()))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes cannot be forked here")
def test_four_kernels_that_start_at_once_unpack_once(file, cache, tmp_path, monkeypatch):
    tensors = GgufFile.tensors

    def counted(self):
        with (tmp_path / "unpacked").open("a") as notes:
            notes.write("x")
        return tensors(self)

    monkeypatch.setattr(GgufFile, "tensors", counted)
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    kernels = [context.Process(target=_loaded, args=(file, answers)) for _ in range(4)]
    for kernel in kernels:
        kernel.start()
    found = {answers.get(timeout=60) for _ in kernels}
    for kernel in kernels:
        kernel.join()
    assert len(found) == 1
    assert (tmp_path / "unpacked").read_text() == "x"
