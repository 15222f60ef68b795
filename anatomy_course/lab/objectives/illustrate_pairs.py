"""The objectives of the encoder–decoders on one sentence of the street: a text to read and a text to write."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from anatomy_course.lab.objectives.illustration import Illustration, encoder_decoder_mask_rows
from anatomy_course.lab.street.batches import translation
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.questions import summary
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.vocabulary import MASK, Vocabulary, street_vocabulary
from anatomy_utils.objectives.span_corruption import corrupt_spans, draw_spans
from anatomy_utils.objectives.text_infilling import draw_infilling_spans, infill, permute_sentences
from anatomy_utils.objectives.text_pairs import decoder_text

SENTINELS = ("<X>", "<Y>", "<Z>", "<A>", "<B>", "<C>", "<D>", "<E>", "<F>", "<G>")
"""As the T5 paper writes them; a sentence of the street never has more spans."""
VOCABULARY = Vocabulary([*street_vocabulary().words, *SENTINELS])


def show_translation_pairs(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """The sentence in English to read, in French to write."""
    batch = translation([scene], "french")
    inputs, target = batch.input_ids[0], batch.labels[0][:-1]
    return _show(inputs, target, [False] * len(inputs), "No chance is involved: somebody translated the sentence.")


def show_span_corruption(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """The sentence with sentinels in the place of spans; only the spans are written."""
    ids = _ids(say(scene, "english").tokens)
    spans = draw_spans(len(ids), generator, rate=rate)
    corrupted = corrupt_spans(ids, spans, _ids(SENTINELS))
    stands_for = [name in SENTINELS for name in VOCABULARY.tokens(corrupted.input_ids)]
    hidden = sum(stop - start for start, stop in spans)
    note = f"{hidden} of {len(ids)} tokens are hidden, in {len(spans)} span{'s' * (len(spans) != 1)}."
    return _show(corrupted.input_ids, corrupted.target_ids, stands_for, note)


def show_text_infilling(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """The sentence with one mask in the place of each span; all of it is written."""
    ids, mask_id = _ids(say(scene, "english").tokens), int(_ids([MASK]))
    spans = draw_infilling_spans(len(ids), generator, rate=rate)
    damaged = infill(ids, spans, mask_id)
    lengths = ", ".join(str(stop - start) for start, stop in spans) or "none"
    note = f"The masks replace spans of these lengths: {lengths}. The model is not told the lengths."
    return _show(damaged, ids, (damaged == mask_id).tolist(), note)


def show_sentence_permutation(scene: Scene, generator: torch.Generator, rate: float) -> Illustration:
    """The sentence and its summary in an order drawn at random; both are written in their order."""
    ids = _ids((*say(scene, "english").tokens, *summary(scene)))
    order = torch.randperm(2, generator=generator).tolist()
    drawn = "kept" if order == [0, 1] else "swapped"
    note = f"The text has two sentences, the second a summary; their order was {drawn}."
    return _show(permute_sentences(ids, _ids(["."]), order), ids, [drawn == "swapped"] * len(ids), note)


def _show(inputs: Tensor, target: Tensor, altered: Sequence[bool], note: str) -> Illustration:
    written = decoder_text(target, VOCABULARY.bos_id, VOCABULARY.eos_id)
    asked = tuple(VOCABULARY.tokens(written.labels))
    return Illustration(
        inputs=tuple(VOCABULARY.tokens(inputs)),
        asked=asked,
        counts=(True,) * len(asked),
        altered=tuple(altered),
        mask_kind="encoder–decoder",
        mask=encoder_decoder_mask_rows(len(inputs), len(asked)),
        note=note,
        decoder_inputs=tuple(VOCABULARY.tokens(written.decoder_input_ids)),
    )


def _ids(words: Sequence[str]) -> Tensor:
    return torch.tensor(VOCABULARY.ids(words))
