"""Published files: every name is accounted for, and damaged files are refused."""

import json
import os
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from zoo_cases import CASES, DEBERTA

from anatomy_utils.zoo import checkpoint, loader

QUERY = "encoder.layer.1.attention.self.query.weight"
OURS = r"layers\.1\.self_attention\.to_query\.weight"


def test_checkpoints_that_do_not_fit_are_accounted_for(published):
    config, tensors = published
    with pytest.raises(ValueError, match="of another shape"):
        loader("bert")(config | {"vocab_size": 54}, tensors)
    with pytest.raises(ValueError, match=r"missing: (layers[\w.]+, ){11}layers[\w.]+ and 420 more\)"):
        loader("bert")(config | {"num_hidden_layers": 30}, tensors)
    renamed = {name.replace("1.attention.self.query", "1.wrong"): tensor for name, tensor in tensors.items()}
    with pytest.raises(ValueError, match=rf"left over: .*wrong.*missing: {OURS}"):
        loader("bert")(config, renamed)


@pytest.mark.parametrize(("count", "told"), [(12, "11.weight"), (13, "11.weight and 1 more")])
def test_twelve_names_are_told_and_of_more_their_number(count, told):
    model = torch.nn.ModuleList(torch.nn.Linear(1, 1, bias=False) for _ in range(count))
    with pytest.raises(ValueError, match=rf"missing: 0.weight, .*, {told}\); check"):
        checkpoint.load_published(model, {}, checkpoint.KeyMap([]))


def test_old_position_ids_are_left_out_on_purpose_and_half_precision_is_read_as_float32(published):
    config, tensors = published
    half = {name: tensor.half() for name, tensor in tensors.items()}
    model = loader("bert")(config, half | {"embeddings.position_ids": torch.arange(19)[None]})
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}


BAD_TENSORS = {
    "a byte each, without their scales": (
        lambda weight: weight.to(torch.float8_e4m3fn),
        rf"of another kind: {OURS} torch.float8_e4m3fn instead of torch.float32\); .*save it again in float32",
    ),
    "whole numbers": (lambda weight: weight.long(), "torch.int64 instead of torch.float32"),
    "complex": (lambda weight: weight.to(torch.complex64), "torch.complex64 instead of torch.float32"),
    "NaN": (lambda weight: weight.index_fill(0, torch.tensor(7), torch.nan), rf"NaN or infinity: {OURS}\); fetch the"),
    "infinity": (lambda weight: weight.index_fill(1, torch.tensor(3), -torch.inf), f"NaN or infinity: {OURS}"),
    "too large for float32": (lambda weight: weight.double() + 1e300, f"NaN or infinity: {OURS}"),
    "no axes": (lambda weight: torch.tensor(1.0), rf"of another shape: {OURS} \(\) instead of \(30, 30\)"),
}


@pytest.mark.parametrize("name", BAD_TENSORS)
def test_tensors_that_no_model_can_calculate_with_are_named(name, published, tmp_path):
    make, sentence = BAD_TENSORS[name]
    config, tensors = published
    save_file(tensors | {QUERY: make(tensors[QUERY]).contiguous()}, tmp_path / "model.safetensors")
    with pytest.raises(ValueError, match=sentence) as caught:
        loader("bert")(config, checkpoint.read_tensors(tmp_path / "model.safetensors"))
    assert "\n" not in str(caught.value)


TWICE = {
    "bert": ("embeddings.word_embeddings.weight", "bert.embeddings.word_embeddings.weight"),
    "gpt2": ("transformer.wte.weight", "lm_head.weight"),
    "bart": ("model.shared.weight", "lm_head.weight"),
    "m2m_100": ("model.shared.weight", "lm_head.weight"),
    "openai_gpt": ("transformer.tokens_embed.weight", "lm_head.weight"),
}


@pytest.mark.parametrize("family", TWICE)
def test_two_names_for_one_parameter_must_agree(family, tmp_path):
    stored, again = TWICE[family]
    writers = [case for case in CASES[family] if case.architecture.endswith(("LMHeadModel", "Generation"))]
    (*writers, CASES[family][0])[0].reference().save_pretrained(tmp_path)
    config, tensors = checkpoint.read_folder(tmp_path)
    load = loader(config["model_type"])
    load(config, tensors | {again: tensors[stored].double()})
    with pytest.raises(ValueError, match=f"one and the same here, but unequal: {stored} and {again}.; check that"):
        load(config, tensors | {again: tensors[stored] + 1e-3})


def test_damaged_files_are_refused(folder):
    weights = folder / "model.safetensors"
    with pytest.raises(ValueError, match="not the published file"):
        checkpoint.read_tensors(weights, sha256="0" * 64)
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ValueError, match="damaged or not a safetensors file"):
        checkpoint.read_tensors(weights)
    weights.unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match=r"pytorch_model\.bin, a pickle"):
        checkpoint.read_tensors(weights)


@pytest.mark.parametrize("method", ["open", "stat"])
def test_a_file_that_may_not_be_read_is_not_called_missing(method, folder, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    for read, name in ((checkpoint.read_config, "config.json"), (checkpoint.read_tensors, "model.safetensors")):
        with monkeypatch.context() as patch:
            patch.setattr(Path, method, refuse)
            with pytest.raises(ValueError, match=rf"{name} cannot be read \(Permission denied\); check who may read"):
                read(folder / name)


def test_what_is_larger_than_the_memory_is_told(folder, monkeypatch):
    def refuse(_):
        raise RuntimeError("unable to mmap 42949672960 bytes from file")

    monkeypatch.setattr(checkpoint, "load_file", refuse)
    with pytest.raises(ValueError, match=r"The [\d,]+ bytes of .*model.safetensors do not fit into this machine's mem"):
        checkpoint.read_tensors(folder / "model.safetensors")


def with_a_list(path, tensors):
    """The beginning of a file of weights: the list of what it holds."""
    listed = json.dumps(tensors).encode()
    path.write_bytes(len(listed).to_bytes(8, "little") + listed)
    return path


@pytest.mark.skipif(not hasattr(os, "SEEK_HOLE"), reason="this system does not tell what was written")
def test_a_file_of_which_most_was_never_written_is_refused(tmp_path):
    size = 4 * 3_221_225_472
    table = {"dtype": "F32", "shape": [size // 4, 1], "data_offsets": [0, size]}
    path = with_a_list(tmp_path / "model.safetensors", {"table": table})
    os.truncate(path, path.stat().st_size + size)
    with pytest.raises(ValueError, match=r"Of the 12,884,[\d,]+ bytes of .*, 12,884,[\d,]+ were never written; fetch"):
        checkpoint.read_tensors(path)


def test_lists_that_no_model_has_are_not_read(tmp_path):
    (tmp_path / "config.json").write_text("[" + "[]," * 2_000_000 + "[]]")
    with pytest.raises(ValueError, match=r"config.json has 6,000,004 bytes, but at most 4,000,000 are expected; fetch"):
        checkpoint.read_config(tmp_path / "config.json")
    empty = {str(i): {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]} for i in range(80_000)}
    path = with_a_list(tmp_path / "model.safetensors", empty)
    with pytest.raises(ValueError, match=r"its list of tensors has [\d,]+ bytes, at most 4,000,000 are read\); fetch"):
        checkpoint.read_tensors(path)


def test_a_tensor_that_cannot_be_cut_is_named():
    cut = checkpoint.KeyMap([("mixed", ("query", "key", "value"))])
    with pytest.raises(ValueError, match=r"mixed has shape \(4, 2\), which cannot be cut into 3 equal parts; check"):
        cut.ours("mixed", torch.zeros(4, 2))


def test_what_no_check_foresaw_is_told_in_one_sentence():
    with pytest.raises(ValueError, match=r"weights of other shapes than Deberta has \(.*\); check that config and"):
        loader("deberta")(DEBERTA, {"deberta.in_proj.weight": torch.zeros(7, 2)})
