"""The case of notebook 06: a translator whose answer depends on who else is in the batch.

Its weights are good: they learned from batches of equal length, in which there is nothing to mask. In use, texts of
unequal length are filled up with padding, and the mask that should hide it has a fault. `train_on_equal_lengths` trains
it, `translate_alone_and_in_batch` translates sentences one by one and together, and `symptoms_of_batch_mask` shows
what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from anatomy_course.lab.debugging.colleague.symptoms import compared, yes
from anatomy_course.lab.small_models.train import train_batches
from anatomy_course.lab.small_models.translator import LONGEST, small_transformer, translation_loss
from anatomy_course.lab.street.batches import Batch, TextToText, text_to_text, translation
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_course.page.page import CellOutput
from anatomy_utils.decoding.generation import generate
from anatomy_utils.functional.masks import padding
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.training.history import History

MemoryMask = Callable[[Tensor], Tensor]
"""attention_mask (batch, key), 1 = real token → mask (batch, 1, 1, key), True = may attend."""

BATCH, LEARNING_RATE = 32, 8e-3
SENTENCES = 64
"""How many the symptoms are counted on."""


def colleagues_padding_mask(attention_mask: Tensor) -> Tensor:
    """The faulty mask: which positions of the memory the decoder may attend to, as `masks.padding` says it."""
    lengths = attention_mask.sum(dim=1)
    positions = torch.arange(attention_mask.shape[1])
    mask = positions < lengths.max()
    return mask[None, None, None, :].expand(len(attention_mask), 1, 1, -1)


def train_on_equal_lengths(*, steps: int = 240, seed: int = 0) -> tuple[EncoderDecoder, History]:
    """A translator of 1 + 1 layers from English to French, trained on batches in which all sentences are equally long.

    Args:
        steps: of 32 sentences each; a few less, since each length has a batch that is not full.
        seed: of the weights and the sentences.
    """
    generator = torch.Generator().manual_seed(seed)
    model = small_transformer(generator, num_layers=1, d_ff=128)
    batches = equally_long(translation(sample_scenes(steps * BATCH, generator, "train"), "french"), generator)
    return model, train_batches(model, batches, translation_loss, learning_rate=LEARNING_RATE, progress=False)


def equally_long(texts: TextToText, generator: torch.Generator) -> list[TextToText]:
    """Batches without padding in the source, in random order; what does not fill a batch is left out."""
    lengths = texts.attention_mask.sum(dim=1)
    batches = []
    for length in lengths.unique().tolist():
        rows = (lengths == length).nonzero()[:, 0]
        for start in range(0, len(rows) - BATCH + 1, BATCH):
            batch = texts[rows[start : start + BATCH]]
            ids, mask = (part[:, :length] for part in (batch.input_ids, batch.attention_mask))
            batches.append(replace(batch, input_ids=ids, attention_mask=mask))
    return [batches[place] for place in torch.randperm(len(batches), generator=generator).tolist()]


@torch.no_grad()
def translate_with_mask(model: EncoderDecoder, texts: Batch, mask: MemoryMask) -> list[str]:
    """French for all texts of one batch, always the likeliest word.

    Args:
        model: from `train_on_equal_lengths`.
        texts: what to translate, together.
        mask: `colleagues_padding_mask`, `masks.padding`, or your own.
    """
    vocabulary = street_vocabulary()
    memory = model.encoder(texts.input_ids, texts.attention_mask)
    cache = model.decoder.start(len(texts), 1 + LONGEST, memory=memory, memory_mask=mask(texts.attention_mask))
    start = torch.full((len(texts), 1), vocabulary.bos_id)
    written = generate(model.step, cache, start, max_new_tokens=LONGEST, stop_ids=[vocabulary.eos_id])
    return [vocabulary.text(row) for row in written.rows()]


@dataclass(frozen=True)
class AloneAndInBatch:
    """The same sentences in two surroundings.

    Attributes:
        right: their translations as they should be.
        alone: what was written when each came by itself.
        together: what was written when all came in one batch, with a text twice as long.
    """

    right: tuple[str, ...]
    alone: tuple[str, ...]
    together: tuple[str, ...]

    @property
    def changed(self) -> int:
        """How many translations are not the same in both."""
        return len(self.right) - _equal(self.alone, self.together)

    @property
    def right_alone(self) -> int:
        """How many are right when they come by themselves."""
        return _equal(self.alone, self.right)

    @property
    def right_together(self) -> int:
        """How many are right in company."""
        return _equal(self.together, self.right)


def _equal(one: Sequence[str], other: Sequence[str]) -> int:
    return sum(map(str.__eq__, one, other))


def translate_alone_and_in_batch(
    model: EncoderDecoder, mask: MemoryMask, *, count: int = SENTENCES, seed: int = 0
) -> AloneAndInBatch:
    """Translate sentences that the model has not seen one by one, and then together with a long text.

    Args:
        model: from `train_on_equal_lengths`.
        mask: `colleagues_padding_mask`, `masks.padding`, or your own.
        count: of sentences, at least two.
        seed: of the sentences.
    """
    scenes = sample_scenes(count, torch.Generator().manual_seed(seed), "test")
    sources = [["<french>", *say(scene, "english").tokens] for scene in scenes]
    long = [*sources[-1], *sources[-2][1:]]  # two sentences, one after the other

    def batch(texts: list[list[str]]) -> Batch:
        return text_to_text(texts, [[] for _ in texts])

    alone = (translate_with_mask(model, batch([source]), mask)[0] for source in sources)
    together = translate_with_mask(model, batch([*sources, long]), mask)[:-1]
    return AloneAndInBatch(tuple(str(say(scene, "french")) for scene in scenes), tuple(alone), tuple(together))


def symptoms_of_batch_mask(model: EncoderDecoder) -> CellOutput:
    """Both masks side by side: their shapes, what they let through, and whether translations change in company.

    Args:
        model: from `train_on_equal_lengths`.
    """
    masks = {"right mask": padding, "colleague's": colleagues_padding_mask}
    return compared(f"{SENTENCES} sentences", "with the same weights", masks, lambda mask: _examine(model, mask))


def _examine(model: EncoderDecoder, mask: MemoryMask) -> dict[str, str]:
    found, equal = translate_alone_and_in_batch(model, mask), torch.ones(3, 5, dtype=torch.long)
    unequal = (torch.arange(5) < torch.tensor([[5], [3], [2]])).long()
    return {
        "shape of the mask for 3 texts of 5 tokens": str(tuple(mask(equal).shape)),
        "all of these tokens may be seen": yes(mask(equal).all()),
        "positions seen of 3 texts of 5, 3 and 2 tokens": str(int(mask(unequal).sum())),
        "translations change in company": yes(found.changed),
    }
