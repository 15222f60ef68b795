"""Objectives: what a model is asked during pretraining. The same body learns other things from other questions.

Each module is one objective as pure functions over ids. What was drawn is an argument, so that a result can be checked
exactly, and a thin function beside it draws. Labels that do not count are `training.losses.IGNORE`.

- for encoders: `masked_tokens`, `whole_word_masking`, `replaced_tokens`, `sentence_pairs`, `permutation_lm`
- for decoders: `prefix_lm`; the plain next token is `training.teacher_forcing`
- for encoder–decoders: `span_corruption` (with `span_sampling`), `text_infilling`, `text_pairs`

The course shows each of them on a sentence: `anatomy_course.lab.objectives`.
"""

from __future__ import annotations

from anatomy_utils.objectives.masked_tokens import (
    Chances as Chances,
    MaskedWords as MaskedWords,
    draw_chances as draw_chances,
    mask_words as mask_words,
)
from anatomy_utils.objectives.permutation_lm import permutation_mask as permutation_mask
from anatomy_utils.objectives.prefix_lm import (
    PrefixLmBatch as PrefixLmBatch,
    PrefixMask as PrefixMask,
    prefix_lm_batch as prefix_lm_batch,
    prefix_mask as prefix_mask,
)
from anatomy_utils.objectives.replaced_tokens import (
    ReplacedTokens as ReplacedTokens,
    draw_samples as draw_samples,
    replace_tokens as replace_tokens,
)
from anatomy_utils.objectives.sentence_pairs import (
    LabeledPair as LabeledPair,
    SentencePair as SentencePair,
    join_pair as join_pair,
    next_sentence as next_sentence,
    sentence_order as sentence_order,
)
from anatomy_utils.objectives.span_corruption import (
    CorruptedSpans as CorruptedSpans,
    corrupt_spans as corrupt_spans,
    draw_spans as draw_spans,
)
from anatomy_utils.objectives.text_infilling import (
    draw_infilling_spans as draw_infilling_spans,
    infill as infill,
    permute_sentences as permute_sentences,
)
from anatomy_utils.objectives.text_pairs import DecoderText as DecoderText, decoder_text as decoder_text
from anatomy_utils.objectives.whole_word_masking import share_in_words as share_in_words, word_numbers as word_numbers
