"""Healthy models broken on purpose, to test a probe: the nine see four of the faults, and five they do not see.

The models are those of the debugging lab with random weights: a probe that compares a model with itself needs no
training. Testing tests by planted faults is called mutation testing. Notebook 09.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor, nn

from anatomy_course.lab.debugging.bugs import deploy_with_positions, deploy_with_unguarded_softmax
from anatomy_course.lab.debugging.pipeline import new_model
from anatomy_utils.functional import masks
from anatomy_utils.functional.masks import Mask
from anatomy_utils.functional.positions import Layout
from anatomy_utils.nn.cache import KeyValueCache
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.training.seeding import seeded

FAR = 32
"""The nine probes read no text that is longer, padding included."""


class LooksAhead(LanguageModel):
    """From a position on, reading a whole text shows each word those after it."""

    since: int

    def forward(self, input_ids: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        late = torch.arange(input_ids.shape[1]) >= self.since
        mask = masks.causal(len(late)) | (late & late[:, None])
        if attention_mask is not None:
            mask = mask & masks.padding(attention_mask)
        vectors = self.decoder.embeddings(input_ids)
        logits: Tensor = self.vocabulary(self.decoder.run_layers(vectors, mask, causal=False))
        return logits


def looks_ahead(model: LanguageModel, since: int) -> LanguageModel:
    """The same weights in an engine whose mask is open from a position on."""
    engine = LooksAhead(deepcopy(model.decoder), deepcopy(model.vocabulary))
    engine.since = since
    return engine.eval()


class ForgetsPadding(KeyValueCache):
    """A cache that knows where the padding is until the prompts are read."""

    def advanced(self, count: int) -> KeyValueCache:
        return replace(super().advanced(count), padding=None)


class OnePieceOnly(KeyValueCache):
    """A cache that masks several new tokens as if nothing were before them."""

    def mask(self, count: int) -> Mask | None:
        return None if self.padding is None else super().mask(count)


class WithCache(LanguageModel):
    """Starts another kind of cache."""

    kind: type[KeyValueCache]

    def start(self, batch: int, capacity: int, *, attention_mask: Tensor | None = None) -> KeyValueCache:
        cache = super().start(batch, capacity, attention_mask=attention_mask)
        return self.kind(**{part.name: getattr(cache, part.name) for part in fields(cache)})


def with_cache(model: LanguageModel, kind: type[KeyValueCache]) -> LanguageModel:
    """The same weights in an engine with another kind of cache."""
    engine = WithCache(deepcopy(model.decoder), deepcopy(model.vocabulary))
    engine.kind = kind
    return engine.eval()


def forgets(model: LanguageModel, window: int) -> LanguageModel:
    """A window in all layers of a model that was trained without: what is far back leaves no trace in the end."""
    engine = deepcopy(model)
    for layer in engine.decoder.layers:
        layer.window = window // len(engine.decoder.layers)
    return engine.eval()


def same_rows(model: LanguageModel, count: int) -> LanguageModel:
    """The last rows of the token table are one and the same."""
    engine = deepcopy(model)
    table = engine.decoder.embeddings.tokens.weight.data
    table[-count:] = table[-count].clone()
    return engine.eval()


def with_dropout(model: LanguageModel) -> LanguageModel:
    """A model with dropout that was left in training mode."""
    engine = deepcopy(model)
    for layer in engine.decoder.layers:
        layer.dropout = nn.Dropout(0.2)
    return engine.train()


@dataclass(frozen=True)
class Mutant:
    """A fault that is planted in a model.

    Attributes:
        fault: in words, as the end of "a model that …".
        seen_by: the name of a probe of the nine that sees it; None where none does.
        change: (model, a number below 8 that varies the fault) → the model with the fault.
    """

    fault: str
    seen_by: str | None
    change: Callable[[LanguageModel, int], LanguageModel]


MUTANTS = (
    Mutant("has dropout on", "same answer twice", lambda model, vary: with_dropout(model)),
    Mutant(
        "counts positions from 0 at every step",
        "cached equals uncached",
        lambda model, vary: deploy_with_positions(model),
    ),
    Mutant("looks ahead", "cached equals uncached", lambda model, vary: looks_ahead(model, 0)),
    Mutant("gives NaN after padding", "batch equals single", lambda model, vary: deploy_with_unguarded_softmax(model)),
    Mutant("looks ahead in long texts", None, lambda model, vary: looks_ahead(model, FAR + vary // 2)),
    Mutant("forgets what is far back", None, lambda model, vary: forgets(model, FAR + 2 * vary)),
    Mutant("forgets, after the prompts, which tokens are padding", None, lambda m, vary: with_cache(m, ForgetsPadding)),
    Mutant(
        "masks the second of two pieces of a prompt as if it were the first",
        None,
        lambda m, vary: with_cache(m, OnePieceOnly),
    ),
    Mutant("gives the last words of its vocabulary one row", None, lambda model, vary: same_rows(model, 2 + vary)),
)
"""Four that the nine probes see, and five that they do not."""

Probe = Callable[[LanguageModel], object]
HEALTHY_ONES = 5


def random_models(seed: int) -> list[tuple[Mutant | None, LanguageModel]]:
    """Some healthy models (None) with random weights, and one with each fault, made from these.

    Args:
        seed: of the weights, and of how a fault is varied.
    """
    generator = torch.Generator().manual_seed(seed)
    healthy = [_random_model(generator, "neighbors" if number % 2 else "halves") for number in range(HEALTHY_ONES)]
    made: list[tuple[Mutant | None, LanguageModel]] = [(None, model) for model in healthy]
    for number, mutant in enumerate(MUTANTS):
        vary = int(torch.randint(8, (), generator=generator))
        made.append((mutant, mutant.change(healthy[number % HEALTHY_ONES], vary)))
    return made


def _random_model(generator: torch.Generator, layout: Layout) -> LanguageModel:
    model = new_model(generator, layout=layout).eval()
    for weight in model.parameters():
        if weight.dim() > 1:
            nn.init.normal_(weight, std=0.2, generator=generator)
    return model


def alarms(probe: Probe, seed: int) -> list[tuple[Mutant | None, object]]:
    """What a probe says of each of `random_models`."""
    found = []
    for mutant, model in random_models(seed):
        with torch.no_grad(), seeded(torch.Generator().manual_seed(seed)):
            found.append((mutant, probe(model)))
    return found


def caught_by(probe: Probe, *, seeds: int = 2) -> list[list[str]]:
    """A row for each fault: the fault, which of the nine probes sees it, and in how many models this one does.

    Args:
        probe: model → whether it is broken.
        seeds: how many models have each fault.
    """
    said = [alarms(probe, seed) for seed in range(seeds)]
    rows = []
    for number, (mutant, _) in enumerate(said[0]):
        if mutant is not None:
            count = sum(bool(one[number][1]) for one in said)
            rows.append([mutant.fault, mutant.seen_by or "none of them", f"{count} of {seeds}"])
    healthy = sum(bool(answer) for one in said for mutant, answer in one if mutant is None)
    return [*rows, ["nothing: it is healthy", "none of them", f"{healthy} of {seeds * HEALTHY_ONES}"]]
