"""Plots of a model: its loss curve, and the weights of one head on a sentence.

The sentence is read as in generation: first a part of it as a prompt, padded on the left because another prompt in the
batch is longer, and then word by word with the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from anatomy_course.lab.street.text import tokenize
from anatomy_course.lab.street.vocabulary import BOS, PAD, street_vocabulary
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.tap import watch

if TYPE_CHECKING:
    from anatomy_course.figures.picture import Picture

SENTENCE = "The animal didn't cross the street because it was too tired."
PADDING, PROMPT = 2, 5
"""Positions of padding, and tokens of the prompt after them."""


@dataclass(frozen=True)
class HeadMap:
    """The weights of one head, and those of the same head of the healthy baseline.

    Attributes:
        tokens: of the sentence, padding included.
        layer, head: which one.
        weights: (query, key); NaN where the model gave none.
        baseline: the same.
    """

    tokens: tuple[str, ...]
    layer: int
    head: int
    weights: Tensor
    baseline: Tensor


def all_attention_weights(model: LanguageModel) -> Tensor:
    """(layer, head, query, key): every head's weights on the sentence."""
    vocabulary = street_vocabulary()
    ids = vocabulary.ids(sentence_tokens())
    prompts = torch.tensor([ids[: PADDING + PROMPT], ids[PADDING : 2 * PADDING + PROMPT]])
    mask = (prompts != vocabulary.pad_id).long()
    cache = model.start(2, len(ids), attention_mask=mask)
    with watch(model, "decoder.layers.*.self_attention.weights") as seen:
        _, cache = model.step(prompts, cache)
        for token in ids[PADDING + PROMPT :]:
            _, cache = model.step(torch.tensor([[token], [token]]), cache)
    layers = []
    for name in seen:
        calls = [call[0] for call in seen.all(name)]  # the padded text alone: heads query key
        rows = [torch.nn.functional.pad(call, (0, len(ids) - call.shape[-1])) for call in calls]
        layers.append(torch.cat(rows, dim=1))
    return torch.stack(layers)


def sentence_tokens() -> tuple[str, ...]:
    """Padding, then the sentence."""
    return (*[PAD] * PADDING, BOS, *tokenize(SENTENCE))


def most_different_head(weights: Tensor, baseline: Tensor) -> HeadMap:
    """The head whose weights differ most from the baseline's; see `all_attention_weights`."""
    apart = (weights - baseline).abs().nan_to_num(nan=1.0).mean(dim=(-2, -1))
    layer, head = divmod(int(apart.argmax()), apart.shape[1])
    return HeadMap(sentence_tokens(), layer, head, weights[layer, head], baseline[layer, head])


def loss_curve(name: str, loss: Sequence[float], baseline: Sequence[float]) -> Picture:
    """Two losses over the steps of training."""
    from anatomy_course.figures import plots

    steps = range(1, len(loss) + 1)
    return plots.lines(list(steps), {name: loss, "healthy twin": baseline}, xlabel="step", ylabel="loss", title=name)


def attention_map(name: str, found: HeadMap) -> Picture:
    """A head's weights beside those of the baseline."""
    from anatomy_course.figures import plots

    maps = [(name, found.weights), ("healthy twin", found.baseline)]
    title = f"Layer {found.layer}, head {found.head}: where the two differ most"
    return plots.heatmaps(maps, found.tokens, found.tokens, title=title)
