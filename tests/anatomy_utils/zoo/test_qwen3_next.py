"""Qwen3-Next: what is left unread of its files."""

import torch
from zoo_cases import reference_case

from anatomy_utils.zoo import checkpoint, loader


def test_the_layer_that_guesses_further_is_left_unread(tmp_path):
    reference_case("qwen3_next").reference().save_pretrained(tmp_path)
    config, tensors = checkpoint.read_folder(tmp_path)
    further = {"mtp.fc.weight": torch.ones(3, 5), "mtp.layers.0.self_attn.q_proj.weight": torch.ones(3, 5)}
    ids = torch.tensor([[3, 1, 4, 1, 5]])
    answers = [loader("qwen3_next")(config, found)(ids) for found in (tensors, tensors | further)]
    torch.testing.assert_close(*answers)
