"""Experiments: one measured claim a module. Each function trains or runs small models and returns the numbers.

- `attention_cost`: seconds and bytes of attention by length; `window_cost`: with a window or a sparse pattern instead
- `cache_cost`: what the key/value cache costs and saves; `generation_cost`: a text with a cache and without
- `manual_cache`: a decoder's step with its past in plain tensors, for a learner's function
- `norm_placement`: training deep stacks with the norm before or after each sub-layer
- `length_extrapolation`: position schemes on texts longer than those in training
- `copy_task`: copying over a distance, by a Transformer and by an LSTM
- `parts_of_2017`: a Llama's parts in the form of 2017; `part_swaps`: what each of them does to a trained model
- `pronoun_heads`: which heads of a translator decide between *il* and *elle*
- `attention_or_ablation`: the word that *it* attends to most, and the word that it needs most
- `decoder_only_translation`: an encoder–decoder and a decoder alone; `training_variants`: other schedules and losses
- `parity`: hidden states of the reference implementation
"""

from anatomy_utils import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "attention_cost": "AttentionCost attention_costs largest_tensor",
        "attention_or_ablation": "AttendedAndNeeded attended_and_needed_words",
        "cache_cost": "CacheCost CacheEntry KeyValueSharing cache_entry_of count_operations key_value_sharing "
        "measure_cache_cost",
        "copy_task": "LSTMCopier TransformerCopier copying_experiment copying_rows new_copier reading_times",
        "decoder_only_translation": "DESIGNS AnyDesign DecoderOnlyTranslator JoinedTexts TargetPredictions "
        "count_multiplications design_loss join_texts milliseconds_per_step new_design predict_targets "
        "share_of_right_pronouns share_of_right_sentences texts_for_design train_design translate_with_design",
        "generation_cost": "GenerationCost generate_with_and_without_cache untrained_llama",
        "length_extrapolation": "POSITION_SCHEMES LengthRun length_experiment neighbor_rows tiny_encoder",
        "manual_cache": "empty_pasts step_by_hand",
        "norm_placement": "DepthRun NormPlacement depth_experiment guessing_loss narrow_encoder",
        "parity": "reference_states",
        "part_swaps": "SwapReport SwapResult measure_swap measure_swaps",
        "parts_of_2017": "PART_SWAPS PartSwap with_keys_for_each_head with_part_of_2017",
        "pronoun_heads": "AblationComparison AttentionHead HeadSearchStep PronounMeasure PronounScore PronounTest "
        "all_heads compare_with_random_heads new_pronoun_test pronoun_in_french pronoun_score "
        "pronouns_right_in_reference pronouns_right_in_translation random_heads search_pronoun_heads without_heads",
        "training_variants": "train_translator_variant unseen_translation_loss",
        "window_cost": "count_pairs measure_window_costs",
    },
)
