"""Eight bugs, each one wrong step of a `Pipeline`, and the right steps that fix them.

They raise no error, every shape is right, and none of them is made up: `cases` names a public report of each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from functools import partial

import torch
from torch import Tensor, nn

from anatomy_course.lab.debugging.pipeline import BATCH_SIZE, D_HEAD, NUM_HEADS, Datasets, new_model
from anatomy_course.lab.small_models.encoder_tasks import label_loss
from anatomy_course.lab.street.batches import Labeled
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_utils.functional.attention import scores, weighted_average
from anatomy_utils.functional.masks import Mask, and_causal
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.cache import KeyValueCache
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.nn.norm import RMSNorm
from anatomy_utils.tap import tap
from anatomy_utils.training.losses import IGNORE
from anatomy_utils.training.optimizers import adamw

# ---- loss


def loss_without_the_end_token(model: LanguageModel, batch: Labeled) -> Tensor:
    """Padding is the same token as the end of a text, so leaving padding out leaves out the end."""
    pad_id = street_vocabulary().eos_id  # "tokenizer.pad_token = tokenizer.eos_token"
    return label_loss(model, replace(batch, labels=batch.labels.masked_fill(batch.labels == pad_id, IGNORE)))


# ---- batches and evaluation


def few_sentences_repeated(datasets: Datasets) -> Sequence[Labeled]:
    """The same few sentences again and again."""
    few = [batch[:FEW_SENTENCES] for batch in datasets.training[: max(1, FEW_SENTENCES // BATCH_SIZE)]]
    return [few[step % len(few)] for step in range(len(datasets.training))]


def evaluation_on_training_sentences(datasets: Datasets) -> Labeled:
    """Sentences from the training file itself."""
    return datasets.training[0][:FEW_SENTENCES]


FEW_SENTENCES = 128
"""Different sentences."""

# ---- optimizer


def optimizer_of_the_tensors_in_the_file(model: LanguageModel) -> torch.optim.Optimizer:
    """A file holds a tied table once: only the token table is loaded and trained, the output matrix stays random."""
    optimizer = adamw(model)
    own = torch.empty_like(model.vocabulary.weight)
    nn.init.normal_(own, std=0.02, generator=torch.Generator().manual_seed(0))
    model.vocabulary.weight = nn.Parameter(own)
    return optimizer


# ---- deployment


model_with_dropout = partial(new_model, dropout=0.2)


def deploy_in_training_mode(model: LanguageModel) -> LanguageModel:
    """Nobody calls `model.eval()`."""
    return deepcopy(model).train()


def deploy_with_neighbors_rotated(model: LanguageModel) -> LanguageModel:
    """An engine that rotates neighboring features runs weights that were trained with rotated halves."""
    engine = new_model(torch.Generator(), layout="neighbors")
    engine.load_state_dict(model.state_dict())
    return engine.eval()


def deploy_with_rows_reordered(model: LanguageModel) -> LanguageModel:
    """As it should be: the rows of queries and keys are brought into the engine's order."""
    engine = deploy_with_neighbors_rotated(model)
    order = torch.arange(D_HEAD).view(2, -1).T.flatten()  # 0, d/2, 1, d/2 + 1, …
    rows = torch.cat([head * D_HEAD + order for head in range(NUM_HEADS)])
    for layer in engine.decoder.layers:
        for part in (layer.self_attention.to_query, layer.self_attention.to_key):
            part.weight.data = part.weight.data[rows]
    return engine


def deploy_with_bare_norm_weights(model: LanguageModel) -> LanguageModel:
    """The file holds by how much each weight of a norm is above 1; this engine multiplies by what is in the file."""
    engine = deepcopy(model)
    for part in engine.modules():
        if isinstance(part, RMSNorm):
            part.weight.data -= 1
    return engine.eval()


Positions = Callable[[int, int, Tensor], Tensor]
"""(tokens in the cache, new tokens, padding before each text) → the new tokens' positions (batch, new)."""


def emils_positions(length: int, count: int, padding: Tensor) -> Tensor:
    """The positions of the next `count` tokens; `length` tokens of each text are in the cache."""
    return torch.arange(count).expand(len(padding), count)


@dataclass(frozen=True)
class CountingCache(KeyValueCache):
    """A cache that counts positions by a given rule."""

    rule: Positions = emils_positions

    def positions(self, count: int) -> Tensor:
        padding = torch.zeros(self.batch, dtype=torch.long) if self.padding is None else self.padding
        return self.rule(self.length, count, padding)


class CountingModel(LanguageModel):
    """Generates with a cache that counts positions by a given rule."""

    rule: Positions

    def start(self, batch: int, capacity: int, *, attention_mask: Tensor | None = None) -> KeyValueCache:
        cache = super().start(batch, capacity, attention_mask=attention_mask)
        return CountingCache(**{part.name: getattr(cache, part.name) for part in fields(cache)}, rule=self.rule)


def deploy_with_positions(model: LanguageModel, rule: Positions = emils_positions) -> LanguageModel:
    """An engine that asks `rule` for the positions of new tokens."""
    engine = CountingModel(deepcopy(model.decoder), deepcopy(model.vocabulary))
    engine.rule = rule
    return engine.eval()


class UnguardedAttention(MultiHeadAttention):
    """Softmax over nothing but −∞: a query that may attend to nothing gets 0 / 0."""

    def _explicit(self, query: Tensor, key: Tensor, value: Tensor, mask: Mask | None, causal: bool) -> Tensor:
        matches = scores(query, key, self.scale)
        if causal:
            mask = and_causal(mask, query.shape[-2], query.device)
        if mask is not None:
            matches = matches.masked_fill(~mask, -torch.inf)
        return weighted_average(tap(self, "weights", matches.softmax(dim=-1)), value)

    _fused = _explicit


def deploy_with_unguarded_softmax(model: LanguageModel) -> LanguageModel:
    """An engine whose attention gives NaN for a query that may attend to nothing."""
    engine = deepcopy(model)
    for layer in engine.decoder.layers:
        attention = UnguardedAttention(layer.self_attention.to_query.in_features, NUM_HEADS, bias=False)
        attention.load_state_dict(layer.self_attention.state_dict())
        layer.self_attention = attention
    return engine.eval()
