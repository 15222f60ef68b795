"""The norms' formulas against torch's kernels."""

import torch
from random_tensors import normal
from torch.nn import functional as F

from anatomy_utils.functional.norm import layer_norm, rms_norm


def test_layer_norm_equals_torch():
    hidden_states, weight, bias = normal(2, 3, 7), normal(7, seed=1), normal(7, seed=2)
    wanted = F.layer_norm(hidden_states, (7,), weight, bias, 1e-3)
    torch.testing.assert_close(layer_norm(hidden_states, weight, bias, 1e-3), wanted)


def test_rms_norm_equals_torch_and_keeps_low_precision():
    hidden_states, weight = normal(2, 3, 7), normal(7, seed=1)
    torch.testing.assert_close(rms_norm(hidden_states, weight, 1e-3), F.rms_norm(hidden_states, (7,), weight, 1e-3))
    assert rms_norm(hidden_states.bfloat16(), weight.bfloat16()).dtype == torch.bfloat16
