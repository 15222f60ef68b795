"""Norm placement: how narrow encoders of growing depth learn, with the norm after or before each sub-layer.

Notebook 03 trains the same encoder, from the same seed, at several depths, with and without warm-up, and asks how alike
the words of a sentence are after each layer. After a post-norm layer the sum is cut back to one size, so a word's own
vector fades with every layer, while attention adds the mean of all words; with smaller branches it does not.
Xiong et al. 2020 (arXiv:2002.04745) and Liu et al. 2020 (arXiv:2004.08249) look at gradients and at the branches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.lab.small_models.encoder_tasks import label_loss
from anatomy_course.lab.street.batches import Labeled, in_batches, tagging
from anatomy_course.lab.street.labels import TAGS
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.encoder import Encoder, EncoderLayer
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.heads import TokenHead, WithHead
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import SinusoidalPositions
from anatomy_utils.tap import watch
from anatomy_utils.training.history import History
from anatomy_utils.training.loop import fit
from anatomy_utils.training.losses import IGNORE
from anatomy_utils.training.seeding import seeded
from anatomy_utils.training.threads import threads

NormPlacement = Literal["post", "pre"]
"""After each residual connection, as in 2017, or before each sub-layer."""

D_MODEL, NUM_HEADS, D_FF = 32, 2, 64
BATCH = 32
WARM_UP = 100
"""Steps on the way up, for runs that warm up."""
LEARNING_RATE = 2e-3
STEPS = 150
EVERY = 10
"""Steps between two looks at the words."""


@dataclass
class DepthRun:
    """What one encoder of a certain depth did while it learned; it grows while it runs.

    Attributes:
        depth: number of layers.
        norm: where the norms are.
        warmup: steps on which the learning rate rose in a line; 0 = the full rate from the first step.
        seed: of the weights and of the sentences.
        learning_rate: after warm-up.
        loss: cross-entropy of each step's batch, in nats.
        gradient_norms: (step, layer), the length of the gradient of all of a layer's parameters, before each step.
        alike: how alike the words of a sentence are at the top (`words_alike`), after every tenth step.
        stopped: why it ended before its time, as a sentence; None when it ran to the end.
    """

    depth: int
    norm: NormPlacement
    warmup: int
    seed: int
    learning_rate: float
    loss: list[float] = field(default_factory=list)
    gradient_norms: list[list[float]] = field(default_factory=list)
    alike: list[float] = field(default_factory=list)
    stopped: str | None = None

    @property
    def final_loss(self) -> float:
        """Mean loss of the last ten steps."""
        last = self.loss[-10:]
        return sum(last) / len(last)

    def __repr__(self) -> str:
        return (
            f"DepthRun({self.depth} layers, {self.norm}-norm, warm-up {self.warmup}, seed {self.seed}: "
            f"{len(self.loss)} steps" + (f", final loss {self.final_loss:.2f})" if self.loss else ")")
        )


def narrow_encoder(depth: int, norm: NormPlacement, generator: torch.Generator, *, branches: float = 1.0) -> WithHead:
    """An encoder that tags the words of the street, 32 features wide.

    Matrices start as in Glorot and Bengio 2010 (equation 16, "Xavier"), as in the 2017 Transformer's code.

    Args:
        depth: number of layers, at least 1.
        norm: `"post"`: after each residual connection; `"pre"`: before each sub-layer, and once at the end.
        generator: decides the weights: the same ones for both placements.
        branches: times what each sub-layer adds, at the start: a factor of the matrix at its end.

    Raises:
        ValueError: depth is below 1, or there is no such placement.
    """
    if depth < 1:
        raise ValueError(f"depth is {depth}, but an encoder needs at least 1 layer.")
    if norm not in get_args(NormPlacement):
        raise ValueError(f"norm is {norm!r}; choose 'post' (after each sub-layer) or 'pre' (before it).")
    with seeded(generator):
        layers = [
            EncoderLayer(
                MultiHeadAttention(D_MODEL, NUM_HEADS),
                FeedForward(D_MODEL, D_FF),
                self_attention_norms=_norms(norm),
                feed_forward_norms=_norms(norm),
            )
            for _ in range(depth)
        ]
        embeddings = Embeddings(len(street_vocabulary()), D_MODEL, SinusoidalPositions(D_MODEL))
        model = WithHead(
            Encoder(embeddings, layers, norm=LayerNorm(D_MODEL) if norm == "pre" else None),
            TokenHead(D_MODEL, len(TAGS)),
        )
        for module in model.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
        for name, parameter in model.body.named_parameters():
            if name.endswith(("to_output.weight", "contract.weight")):
                parameter.data.mul_(branches)
    return model


def depth_experiment(
    depth: int,
    norm: NormPlacement,
    warmup: int = 0,
    seed: int = 0,
    steps: int = STEPS,
    *,
    learning_rate: float = LEARNING_RATE,
    branches: float = 1.0,
    on_step: Callable[[DepthRun], object] | None = None,
) -> DepthRun:
    """Train a narrow encoder on the street's tags and note its loss and each layer's gradient at every step.

    Adam (AdamW as in `training.adamw`), nothing clipped, no dropout, a new batch of 32 sentences at each step.

    Args:
        depth: number of layers.
        norm: `"post"` or `"pre"`.
        warmup: steps on which the learning rate rises in a line; 0 for none.
        seed: decides weights and sentences: runs of one seed start from the same weights and read the same batches.
        steps: how many.
        learning_rate: after warm-up.
        branches: see `narrow_encoder`.
        on_step: called with the run after each step; a true answer ends it.

    Returns:
        The record. Stopped by the keyboard, it holds what there was until then.

    Raises:
        ValueError: see `narrow_encoder` and `training.fit`.
    """
    generator = torch.Generator().manual_seed(seed)
    model = narrow_encoder(depth, norm, generator, branches=branches)
    sentences = tagging(sample_scenes(steps * BATCH, generator))
    run = DepthRun(depth, norm, warmup, seed, learning_rate)
    stack: Any = model.body
    layers = [list(layer.parameters()) for layer in stack.layers]

    def note(history: History) -> object:
        run.loss.append(history.loss[-1])
        run.gradient_norms.append([_length(parameters) for parameters in layers])
        if len(run.loss) % EVERY == 0:
            run.alike.append(words_alike(model, sentences[:BATCH])[-1].item())
        return on_step is not None and on_step(run)

    with threads(1):
        history = fit(
            model,
            in_batches(sentences, BATCH),
            label_loss,
            learning_rate=lambda step: learning_rate * min(1.0, step / warmup) if warmup else learning_rate,
            clip=None,
            on_step=note,
            progress=False,
        )
    run.stopped = history.stopped
    return run


def words_alike(model: WithHead, batch: Labeled) -> Float[Tensor, " states"]:
    """How alike the words of a sentence are, before layer 0 and after each layer: the mean cosine similarity of two of
    them. At 1 they all have the same vector, and no head can tell one from the other.

    The mean of each vector's features is taken out first, as the norm at the top of a stack does.
    """
    stack: Any = model.body
    places = ["embeddings.output", *(f"layers.{layer}.output" for layer in range(len(stack.layers)))]
    with torch.no_grad(), watch(stack, *places) as seen:
        stack(batch.input_ids, batch.attention_mask)
    states = torch.stack([seen[place] for place in places])
    unit = F.normalize(states - states.mean(-1, keepdim=True), dim=-1)
    real = batch.attention_mask.bool()
    pairs = real[:, :, None] & real[:, None, :] & ~torch.eye(real.shape[1], dtype=torch.bool)
    return (unit @ unit.mT)[:, pairs].mean(-1)


def guessing_loss(seed: int = 0) -> float:
    """The loss of who knows how frequent each tag is and nothing of the words: the tags' entropy, in nats."""
    labels = tagging(sample_scenes(1000, torch.Generator().manual_seed(seed))).labels
    counts = labels[labels != IGNORE].bincount().float()
    shares = counts[counts > 0] / counts.sum()
    return -(shares * shares.log()).sum().item()


def _norms(placement: NormPlacement) -> NormPlaces:
    places: dict[str, Any] = {"after" if placement == "post" else "before": LayerNorm(D_MODEL)}
    return NormPlaces(**places)


def _length(parameters: list[nn.Parameter]) -> float:
    """Of the gradient of all these parameters together."""
    lengths = torch.stack([part.grad.norm() for part in parameters if part.grad is not None])
    return lengths.norm().item()
