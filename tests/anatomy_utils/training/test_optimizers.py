"""AdamW: which parameters decay, and what happens without a fused form."""

import pytest
import torch
from torch import nn

from anatomy_utils.training import adamw, parameter_groups


def test_adamw_is_fused_and_spares_biases_and_norms():
    model = nn.Sequential(nn.Linear(2, 3), nn.LayerNorm(3))
    model[0].requires_grad_(True)
    decayed, spared = adamw(model, weight_decay=0.2).param_groups
    assert (decayed["weight_decay"], [p.dim() for p in decayed["params"]]) == (0.2, [2])
    assert (spared["weight_decay"], [p.dim() for p in spared["params"]]) == (0.0, [1, 1, 1])
    assert decayed["fused"] is True
    with pytest.raises(ValueError, match="no parameter that wants a gradient"):
        adamw(model.requires_grad_(False))


def test_adamw_without_a_fused_form(monkeypatch):
    kind = torch.optim.AdamW

    def without(*args, fused=False, **options):
        if fused:
            raise RuntimeError("no fused form on this device")
        return kind(*args, **options)

    monkeypatch.setattr(torch.optim, "AdamW", without)
    assert not adamw(nn.Linear(3, 5)).param_groups[0]["fused"]


def test_groups_list_shared_parameters_once_and_frozen_ones_never():
    model = nn.ModuleDict({"tokens": nn.Embedding(7, 3), "norm": nn.LayerNorm(3), "head": nn.Linear(3, 7)})
    model["head"].weight = model["tokens"].weight
    model["norm"].weight.requires_grad_(False)
    matrices, vectors = parameter_groups(model, 0.3)
    assert matrices["weight_decay"] == 0.3 and vectors["weight_decay"] == 0.0
    assert [id(p) for p in matrices["params"]] == [id(model["tokens"].weight)]
    assert [id(p) for p in vectors["params"]] == [id(model["norm"].bias), id(model["head"].bias)]
