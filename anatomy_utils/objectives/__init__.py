"""Objectives: what a model is asked during pretraining. The same body learns other things from other questions.

Each module is one objective as pure functions over ids. What was drawn is an argument, so that a result can be checked
exactly, and a thin function beside it draws. Labels that do not count are `training.losses.IGNORE`.

- for encoders: `masked_tokens`, `whole_word_masking`, `replaced_tokens`, `sentence_pairs`, `permutation_lm`
- for decoders: `prefix_lm`; the plain next token is `training.teacher_forcing`
- for encoder–decoders: `span_corruption` (with `span_sampling`), `text_infilling`, `text_pairs`
- `registry`: all of them by name
- `illustration`: one objective shown on one text; `illustrate`, `illustrate_pairs`: every objective on a sentence
"""

from anatomy_utils import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "illustration": "Illustration",
        "masked_tokens": "MaskedWords draw_chances mask_words",
        "permutation_lm": "permutation_mask",
        "prefix_lm": "PrefixLmBatch prefix_lm_batch prefix_mask",
        "registry": "OBJECTIVES Objective",
        "replaced_tokens": "ReplacedTokens draw_samples replace_tokens",
        "sentence_pairs": "LabeledPair SentencePair join_pair next_sentence sentence_order",
        "span_corruption": "CorruptedSpans corrupt_spans draw_spans restore_spans",
        "text_infilling": "draw_infilling_spans infill permute_sentences",
        "text_pairs": "DecoderText decoder_text",
        "whole_word_masking": "share_in_words word_numbers",
    },
)
