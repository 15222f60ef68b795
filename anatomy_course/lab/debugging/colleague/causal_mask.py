"""The case of notebook 05: a mask that lets every word see the one that it should guess.

All shapes are right, rows of weights sum to 1, and the loss is lower than that of any healthy model.
`symptoms_of_causal_mask` shows what one text tells; `writing_trial` what a model learns with it, and what it then
writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from anatomy_course.lab.debugging.colleague.symptoms import compared, yes
from anatomy_course.lab.small_models.small_gpt import new_small_gpt, sample_texts
from anatomy_course.lab.small_models.train import train_model
from anatomy_course.lab.street.batches import Labeled, language_modeling
from anatomy_course.lab.street.parser import share_grammatical
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.page.page import CellOutput
from anatomy_utils.decoding.filters import Filters
from anatomy_utils.functional.attention import masked_softmax
from anatomy_utils.functional.masks import causal_with_past
from anatomy_utils.nn.heads import LanguageModel
from anatomy_utils.training.history import History
from anatomy_utils.training.losses import cross_entropy

MaskBehind = Callable[[int, int], Tensor]
"""(past, new) → mask (new, past + new), True = may attend."""

BATCH, LEARNING_RATE = 32, 8e-3
TEXTS = 100
"""How many are written to be judged."""


def colleagues_causal_mask(past: int, new: int) -> Tensor:
    """The wrong one: what each of `new` positions after `past` others may attend to, as `causal_with_past` says it."""
    queries = torch.arange(past + 1, past + new + 1)[:, None]
    keys = torch.arange(past + new)
    return keys <= queries


SUSPECTS: dict[str, MaskBehind] = {
    "our mask": causal_with_past,
    "forbids nothing": lambda past, new: causal_with_past(past, new) | True,
    "sees one more": colleagues_causal_mask,
    "swapped": lambda past, new: ~causal_with_past(past, new),
    "not itself": lambda past, new: causal_with_past(past, new).tril(past - 1),
}
"""What could be wrong with a mask that is to be causal."""


def symptoms_of_suspects() -> CellOutput:
    """What the same tests tell of our mask and of four wrong ones."""
    return compared("six words, all scores equal", "test", SUSPECTS, _examine)


def symptoms_of_causal_mask() -> CellOutput:
    """Six tests: both masks on equal scores, for a text of six words and for one word after five."""
    masks = {"our mask": causal_with_past, "the colleague's": colleagues_causal_mask}
    return compared("six words, all scores equal", "tried on one text", masks, _examine)


def _examine(mask: MaskBehind) -> dict[str, str]:
    whole, single = mask(0, 6), mask(5, 1)
    weights = masked_softmax(torch.zeros(6, 6), whole)
    return {
        "shape of the mask": str(tuple(whole.shape)),
        "every row of weights sums to 1": yes(torch.allclose(weights.sum(-1), torch.ones(6))),
        "the second word sees": f"{int(whole[1].sum())} words",
        "the last word sees": f"{int(whole[5].sum())} words",
        "a single word after five sees": f"{int(single.sum())} words",
        "weight of the first word on itself": f"{weights[0, 0]:.2f}",
    }


@dataclass(frozen=True)
class WritingTrial:
    """How a model learnt, and what it writes.

    Attributes:
        history: the loss of each step.
        loss: on sentences with nouns that were never together before.
        grammatical: the share of grammatical texts among those that it wrote.
        texts: the first few of them.
    """

    history: History
    loss: float
    grammatical: float
    texts: tuple[str, ...]


def writing_trial(mask: MaskBehind, *, steps: int = 160, seed: int = 0) -> WritingTrial:
    """Train a small GPT on the street with the given mask, and let it write.

    While it writes there is no future that it could see: the last word is the last one.

    Args:
        mask: `causal_with_past`, `colleagues_causal_mask`, or your own.
        steps: of 32 sentences each.
        seed: of the weights, the sentences and what is drawn while it writes.
    """
    generator = torch.Generator().manual_seed(seed)
    model = new_small_gpt(generator)
    train, test = (
        language_modeling(sample_scenes(count, generator, split))
        for count, split in ((steps * BATCH, "train"), (256, "test"))
    )
    history = train_model(
        model,
        train,
        lambda model, batch: _loss(model, batch, mask),
        batch_size=BATCH,
        learning_rate=LEARNING_RATE,
        progress=False,
    )
    with torch.no_grad():
        loss = _loss(model, test, mask).item()
    texts = sample_texts(model, TEXTS, generator, filters=Filters(top_p=0.98))
    return WritingTrial(history, loss, share_grammatical(texts), tuple(texts[:5]))


def _loss(model: LanguageModel, batch: Labeled, mask: MaskBehind) -> Tensor:
    decoder, whole = model.decoder, mask(0, batch.input_ids.shape[1])
    states = decoder.run_layers(decoder.embeddings(batch.input_ids), whole, causal=False)
    return cross_entropy(model.vocabulary(states), batch.labels)
