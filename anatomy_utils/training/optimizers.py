"""The optimizer: how gradients change the weights.

Notebook 03 uses it without looking inside, notebook 10 writes its groups and its step. AdamW is what nearly all
published transformers were trained with.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn


def parameter_groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Two groups for an optimizer: matrices, which decay, and vectors, which do not.

    A weight of a matrix that nothing pulls on should fade; a norm's gain or a bias has no reason to be near 0.

    Args:
        model: its parameters that want a gradient; tied ones once.
        weight_decay: of what has two axes or more.

    >>> [len(group["params"]) for group in parameter_groups(nn.Linear(2, 3), 0.1)]
    [1, 1]
    """
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    return [
        {"params": [parameter for parameter in trained if parameter.dim() >= 2], "weight_decay": weight_decay},
        {"params": [parameter for parameter in trained if parameter.dim() < 2], "weight_decay": 0.0},
    ]


def adamw(
    model: nn.Module,
    learning_rate: float = 1e-3,
    *,
    betas: tuple[float, float] = (0.9, 0.98),
    epsilon: float = 1e-9,
    weight_decay: float = 0.01,
) -> torch.optim.AdamW:
    """AdamW with the numbers of the 2017 Transformer, in torch's fused form where there is one.

    Kingma and Ba 2015 (arXiv:1412.6980); Loshchilov and Hutter 2019 (arXiv:1711.05101); the numbers are Vaswani et al.
    2017, section 5.3. The fused form does the same in one call instead of a loop over the parameters: four times as
    fast on a CPU.

    Args:
        model: its parameters that want a gradient are trained; tied ones once.
        learning_rate: of every step, unless a schedule sets it.
        betas: how slowly the averages of the gradient and of its square forget.
        epsilon: keeps the division by the root of that square finite.
        weight_decay: how strongly matrices are pulled toward 0; biases and norms are not.

    Raises:
        ValueError: nothing is to be trained.
    """
    groups = [group for group in parameter_groups(model, weight_decay) if group["params"]]
    if not groups:
        raise ValueError("The model has no parameter that wants a gradient; nothing can be trained.")
    try:
        return torch.optim.AdamW(groups, lr=learning_rate, betas=betas, eps=epsilon, fused=True)
    except RuntimeError:  # a device for which torch has no fused form
        return torch.optim.AdamW(groups, lr=learning_rate, betas=betas, eps=epsilon)
