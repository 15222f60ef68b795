"""Published files: every name is accounted for, and damaged files are refused."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import save_file

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
