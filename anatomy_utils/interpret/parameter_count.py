"""Where a model's parameters sit: counted per part, tied ones once; and how many of them a token meets.

Notebook 03 counts MiniLM's.
"""

from __future__ import annotations

from torch import nn

from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.experts import MixtureOfExperts
from anatomy_utils.nn.feed_forward import FeedForward, GatedFeedForward
from anatomy_utils.nn.norm import LayerNorm, RMSNorm
from anatomy_utils.nn.signals import ImagePatches, SoundFrames

PARTS: dict[str, tuple[type[nn.Module], ...]] = {
    "norms": (LayerNorm, RMSNorm, nn.LayerNorm),
    "attention": (MultiHeadAttention,),
    "feed-forward": (FeedForward, GatedFeedForward, MixtureOfExperts),
    "embeddings": (Embeddings, ImagePatches, SoundFrames),
}
REST = "heads and the rest"


def parameters_by_part(model: nn.Module) -> dict[str, int]:
    """How many numbers each kind of part holds.

    A parameter belongs to the innermost part around it: the norm of the embeddings counts as a norm. One that two
    modules share is counted once, where the model has it first.

    Returns:
        "embeddings", "attention", "feed-forward", "norms" and what is left → number of parameters.

    >>> parameters_by_part(FeedForward(2, 8))  # 2 × 8 + 8 and 8 × 2 + 2
    {'embeddings': 0, 'attention': 0, 'feed-forward': 42, 'norms': 0, 'heads and the rest': 0}
    """
    counts = dict.fromkeys(("embeddings", "attention", "feed-forward", "norms", REST), 0)
    seen: set[int] = set()

    def count(module: nn.Module, part: str) -> None:
        part = next((name for name, kinds in PARTS.items() if isinstance(module, kinds)), part)
        for parameter in module.parameters(recurse=False):
            if id(parameter) not in seen:
                seen.add(id(parameter))
                counts[part] += parameter.numel()
        for child in module.children():
            count(child, part)

    count(model, REST)
    return counts


def active_parameters(model: nn.Module) -> int:
    """How many parameters one token meets: all but those of the experts that it does not pass.

    This is the second of the numbers that are published for a mixture of experts. The token table counts as a whole,
    though a token reads one row of it; gpt-oss is published without it.

    >>> from anatomy_utils.nn.experts import Experts, Router
    >>> active_parameters(MixtureOfExperts(Router(2, 5, per_token=1), Experts(2, 8, 5)))  # 2 × 5, and one of 3 × 2 × 8
    58
    """
    active = sum(parameter.numel() for parameter in model.parameters())
    for part in model.modules():
        if isinstance(part, MixtureOfExperts):
            held = sum(parameter.numel() for parameter in part.experts.parameters())
            active -= held // part.router.num_experts * (part.router.num_experts - part.router.per_token)
    return active
