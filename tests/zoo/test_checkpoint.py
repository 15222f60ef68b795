"""Published files: every name is accounted for, and damaged files are refused."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import save_file
from zoo_cases import DEBERTA

from anatomy_utils.zoo import checkpoint, loader


def test_checkpoints_that_do_not_fit_are_accounted_for(tiny):
    _, folder = tiny
    config, tensors = checkpoint.read_folder(folder)
    tensors["encoder.layer.0.attention.self.wrong.weight"] = tensors.pop("encoder.layer.0.attention.self.query.weight")
    with pytest.raises(ValueError, match=r"left over: .*wrong.*missing: layers\.0\.self_attention\.to_query\.weight"):
        loader("bert")(config, tensors)
    with pytest.raises(ValueError, match="of another shape"):
        loader("bert")(config | {"vocab_size": 54}, checkpoint.read_folder(folder)[1])


def test_old_position_ids_and_pooler_are_left_out_on_purpose(tiny):
    _, folder = tiny
    config, tensors = checkpoint.read_folder(folder)
    save_file(tensors | {"embeddings.position_ids": torch.arange(19)[None]}, folder / "model.safetensors")
    loader("bert")(*checkpoint.read_folder(folder))
    assert config["model_type"] == "bert"


def test_damaged_files_are_refused(tiny, tmp_path):
    _, folder = tiny
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
    (folder / "config.json").write_text("{")
    with pytest.raises(ValueError, match="not readable as JSON"):
        checkpoint.read_config(folder / "config.json")


QUERY = "encoder.layer.1.attention.self.query.weight"
OURS = r"layers\.1\.self_attention\.to_query\.weight"
BAD_TENSORS = {
    "whole numbers": (lambda weight: weight.long(), rf"of another kind: {OURS} torch.int64 instead of torch.float32"),
    "bytes": (lambda weight: weight.to(torch.uint8), "torch.uint8 instead of torch.float32"),
    "truths": (lambda weight: weight > 0, "torch.bool instead of torch.float32"),
    "complex": (lambda weight: weight.to(torch.complex64), "torch.complex64 instead of torch.float32"),
    "NaN": (lambda weight: weight.index_fill(0, torch.tensor(7), torch.nan), rf"NaN or infinity: {OURS}\); fetch the"),
    "infinity": (lambda weight: weight.index_fill(1, torch.tensor(3), -torch.inf), f"NaN or infinity: {OURS}"),
    "too large for float32": (lambda weight: weight.double() + 1e300, f"NaN or infinity: {OURS}"),
    "no axes": (lambda weight: torch.tensor(1.0), rf"of another shape: {OURS} \(\) instead of \(30, 30\)"),
}


@pytest.mark.parametrize("name", BAD_TENSORS)
def test_tensors_that_no_model_can_calculate_with_are_named(name, tiny):
    make, sentence = BAD_TENSORS[name]
    _, tensors = checkpoint.read_folder(tiny[1])
    save_file(tensors | {QUERY: make(tensors[QUERY]).contiguous()}, tiny[1] / "model.safetensors")
    with pytest.raises(ValueError, match=sentence) as caught:
        loader("bert")(*checkpoint.read_folder(tiny[1]))
    assert "\n" not in str(caught.value)


def test_half_precision_is_read_as_float32(tiny):
    config, tensors = checkpoint.read_folder(tiny[1])
    model = loader("bert")(config, {name: tensor.half() for name, tensor in tensors.items()})
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}


def test_of_hundreds_of_names_the_first_are_told(tiny):
    config, tensors = checkpoint.read_folder(tiny[1])
    with pytest.raises(ValueError, match=r"missing: (layers[\w.]+, ){11}layers[\w.]+ and 420 more\)"):
        loader("bert")(config | {"num_hidden_layers": 30}, tensors)


def test_a_tensor_that_cannot_be_cut_is_named():
    cut = checkpoint.KeyMap([("mixed", ("query", "key", "value"))])
    with pytest.raises(ValueError, match=r"mixed has shape \(4, 2\), which cannot be cut into 3 equal parts; check"):
        cut.ours("mixed", torch.zeros(4, 2))


def test_what_no_check_foresaw_is_told_in_one_sentence():
    with pytest.raises(ValueError, match=r"weights of other shapes than Deberta has \(.*\); check that config and"):
        loader("deberta")(DEBERTA, {"deberta.in_proj.weight": torch.zeros(7, 2)})
