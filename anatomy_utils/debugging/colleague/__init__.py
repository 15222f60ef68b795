"""A colleague's functions, each with one bug: what to run to see it, and what models learn with it.

- `attention_scale`: attention with another scale (notebook 01)
- `head_splitting`: heads split by a view alone (notebook 02)
- `position_offset`: positions counted along another axis (notebook 03)
- `norm_placement`: the residual connection on the wrong side of the norm (notebook 03)
- `causal_mask`: a mask that shows the word to be predicted (notebook 04)
- `batch_mask`: a padding mask that depends on the other texts of the batch (notebook 05)
- `causal_tagger`: a tagger on a body that cannot look ahead (notebook 06)
- `tagging`: training and testing of the taggers of notebooks 02 and 03
"""

from anatomy_utils import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "attention_scale": "almost_right_attention symptoms_of_attention_scale",
        "batch_mask": "AloneAndInBatch colleagues_padding_mask symptoms_of_batch_mask train_on_equal_lengths "
        "translate_alone_and_in_batch translate_with_mask",
        "causal_mask": "WritingTrial colleagues_causal_mask symptoms_of_causal_mask writing_trial",
        "causal_tagger": "Tagger best_guess_from_words_before colleagues_body colleagues_tagger healthy_body "
        "healthy_tagger right_by_kind symptoms_of_causal_tagger words_that_change",
        "head_splitting": "colleagues_heads symptoms_of_head_splitting tagging_example tagging_trial_with_heads",
        "norm_placement": "colleagues_layer depth_trial symptoms_of_norm_placement",
        "position_offset": "colleagues_embedding symptoms_of_position_offset tagging_trial_with_embedding",
        "tagging": "TaggingTrial train_and_test_tagger",
    },
)
