"""The optimizer: how gradients change the weights.

Notebook 03 uses it without looking inside. AdamW is what nearly all published transformers were trained with.
"""

from __future__ import annotations

import torch
from torch import nn


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
        weight_decay: how strongly matrices are pulled towards 0; biases and norms are not.

    Raises:
        ValueError: nothing is to be trained.
    """
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not trained:
        raise ValueError("The model has no parameter that wants a gradient; nothing can be trained.")
    groups = [
        {"params": [parameter for parameter in trained if parameter.dim() >= 2], "weight_decay": weight_decay},
        {"params": [parameter for parameter in trained if parameter.dim() < 2], "weight_decay": 0.0},
    ]
    groups = [group for group in groups if group["params"]]
    try:
        return torch.optim.AdamW(groups, lr=learning_rate, betas=betas, eps=epsilon, fused=True)
    except RuntimeError:  # a device for which torch has no fused form
        return torch.optim.AdamW(groups, lr=learning_rate, betas=betas, eps=epsilon)
