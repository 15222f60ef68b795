"""DeepSeek-V3: its published configuration, and what is left unread of its files."""

import torch
from zoo_cases import reference_case

from anatomy_utils.zoo import checkpoint, loader
from anatomy_utils.zoo.deepseek_v3 import DeepseekV3Config


def test_the_configuration_as_the_hub_has_it():
    yarn = {"type": "yarn", "factor": 40, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0, "mscale_all_dim": 1.0}
    published = {
        "vocab_size": 129280, "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128,
        "num_key_value_heads": 128, "intermediate_size": 18432, "max_position_embeddings": 163840, "rope_theta": 1e4,
        "rope_scaling": yarn | {"original_max_position_embeddings": 4096}, "scoring_func": "sigmoid",
        "topk_method": "noaux_tc", "moe_layer_freq": 1,
    }  # fmt: skip
    assert DeepseekV3Config.from_published(published) == DeepseekV3Config()


def test_the_layer_that_guesses_further_is_left_unread(tmp_path):
    reference = reference_case("deepseek_v3").reference()
    reference.save_pretrained(tmp_path)
    config, tensors = checkpoint.read_folder(tmp_path)
    further = {name.replace("layers.2.", "layers.3."): tensor for name, tensor in tensors.items() if ".2." in name}
    assert len(further) > 10
    further["model.layers.3.eh_proj.weight"] = torch.ones(3, 5)
    ids = torch.tensor([[3, 1, 4, 1, 5]])
    answers = [loader("deepseek_v3")(config, found)(ids) for found in (tensors, tensors | further)]
    torch.testing.assert_close(*answers)
