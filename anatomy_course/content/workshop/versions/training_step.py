"""A step on a batch in parts: what the right and wrong versions of the exercise are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_

from anatomy_course.judge.effects.parts import Parts

Part = tuple[Tensor, Tensor]


def summed(model: nn.Module, part: Part) -> Tensor:
    return F.cross_entropy(model(part[0]).flatten(0, 1), part[1].flatten(), reduction="sum")


def by_windows(parts: Parts, labels: Tensor) -> float:
    return len(labels) / sum(len(each) for _, each in parts) / labels.numel()


def tokens(parts: Parts) -> int:
    return sum(labels.numel() for _, labels in parts)


@dataclass(frozen=True)
class Step:
    """The step with one thing done differently."""

    clear: str = "first"
    loss: Callable[[nn.Module, Part], Tensor] = summed
    share: Callable[[Parts, Tensor], float] = lambda parts, labels: 1 / tokens(parts)
    clip: Callable[[Any, float], Any] | None = clip_grad_norm_
    clip_each_part: bool = False
    update: str = "last"
    told: Callable[[list[float], list[float]], float] = lambda shares, means: sum(shares)

    def __call__(self, model: nn.Module, optimizer: torch.optim.Optimizer, parts: Parts, max_norm: float) -> float:
        if self.clear == "first":
            optimizer.zero_grad()
        shares, means = [], []
        for part in parts:
            if self.clear == "each":
                optimizer.zero_grad()
            whole = self.loss(model, part)
            loss = whole * self.share(parts, part[1])
            loss.backward()
            shares.append(loss.item())
            means.append(whole.item() / part[1].numel())
            if self.clip and self.clip_each_part:
                self.clip(model.parameters(), max_norm)
            if self.update == "each":
                optimizer.step()
        if self.clip and not self.clip_each_part and self.update != "each":
            self.clip(model.parameters(), max_norm)
        if self.update == "last":
            optimizer.step()
        if self.clear == "last":
            optimizer.zero_grad()
        return self.told(shares, means)


def not_divided(parts: Parts, labels: Tensor) -> float:
    return 1 / labels.numel()


def average(shares: list[float], means: list[float]) -> float:
    """The mean of the parts' mean losses."""
    return sum(means) / len(means)


def on(choose: Callable[[Parts], Parts]) -> Callable[..., float]:
    """The step on something else than the parts."""
    return lambda model, optimizer, parts, max_norm: Step()(model, optimizer, choose(parts), max_norm)


def joined(parts: Parts) -> Parts:
    if len({labels.shape[1] for _, labels in parts}) > 1:  # they cannot be joined
        return parts
    inputs, labels = (torch.cat(each) for each in zip(*parts, strict=True))
    return [(inputs, labels)]


def clipped_as_sum(model: nn.Module, optimizer: torch.optim.Optimizer, parts: Parts, max_norm: float) -> float:
    """Shortens the gradient of the sum, and divides what is left by the number of tokens."""
    optimizer.zero_grad()
    total = 0.0
    for part in parts:
        loss = summed(model, part)
        loss.backward()
        total += loss.item()
    clip_grad_norm_(model.parameters(), max_norm)
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= tokens(parts)
    optimizer.step()
    return total / tokens(parts)


def first_alone(parameters: Iterable[nn.Parameter], max_norm: float) -> None:
    """Shortens the gradient of the first parameter, which is an optimizer's group of its own."""
    clip_grad_norm_(next(iter(parameters)), max_norm)


def one_backward(model: nn.Module, optimizer: torch.optim.Optimizer, parts: Parts, max_norm: float) -> float:
    model.train()
    optimizer.zero_grad()
    loss = torch.stack([summed(model, part) for part in parts]).sum() / tokens(parts)
    loss.backward()
    clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


def shares_from_outside(model: nn.Module, optimizer: torch.optim.Optimizer, parts: Parts, max_norm: float) -> float:
    optimizer.zero_grad()
    total = 0.0
    for inputs, labels in parts:
        loss, share = F.cross_entropy(model(inputs).flatten(0, 1), labels.flatten()), labels.numel() / tokens(parts)
        loss.backward(torch.tensor(share))
        total += loss.item() * share
    clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return total


def weighted_means(model: nn.Module, optimizer: torch.optim.Optimizer, parts: Parts, max_norm: float) -> float:
    model.zero_grad(set_to_none=False)
    total = 0.0
    for inputs, labels in parts:
        loss = F.cross_entropy(model(inputs).transpose(1, 2), labels) * labels.numel() / tokens(parts)
        loss.backward()
        total += float(loss.detach())
    clip_grad_norm_([p for group in optimizer.param_groups for p in group["params"]], max_norm)
    optimizer.step()
    return total
