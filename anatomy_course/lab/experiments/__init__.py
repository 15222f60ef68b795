"""Experiments: one measured claim a module. Each function trains or runs small models and returns the numbers.

- `lookup_task`: streets of colored things, on which one attention learns to look
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

from __future__ import annotations

from anatomy_course.lab.experiments import (
    attention_cost as attention_cost,
    attention_or_ablation as attention_or_ablation,
    cache_cost as cache_cost,
    copy_task as copy_task,
    decoder_only_translation as decoder_only_translation,
    generation_cost as generation_cost,
    length_extrapolation as length_extrapolation,
    lookup_task as lookup_task,
    manual_cache as manual_cache,
    norm_placement as norm_placement,
    parity as parity,
    part_swaps as part_swaps,
    parts_of_2017 as parts_of_2017,
    pronoun_heads as pronoun_heads,
    training_variants as training_variants,
    two_processes as two_processes,
    window_cost as window_cost,
)
from anatomy_course.lab.experiments.attention_cost import (
    AttentionCost as AttentionCost,
    attention_costs as attention_costs,
    largest_tensor as largest_tensor,
)
from anatomy_course.lab.experiments.attention_or_ablation import (
    AttendedAndNeeded as AttendedAndNeeded,
    attended_and_needed_words as attended_and_needed_words,
)
from anatomy_course.lab.experiments.cache_cost import (
    CacheCost as CacheCost,
    CacheEntry as CacheEntry,
    KeyValueSharing as KeyValueSharing,
    cache_entry_of as cache_entry_of,
    count_operations as count_operations,
    key_value_sharing as key_value_sharing,
    measure_cache_cost as measure_cache_cost,
)
from anatomy_course.lab.experiments.copy_task import (
    LSTMCopier as LSTMCopier,
    TransformerCopier as TransformerCopier,
    copying_experiment as copying_experiment,
    copying_rows as copying_rows,
    new_copier as new_copier,
    reading_times as reading_times,
)
from anatomy_course.lab.experiments.decoder_only_translation import (
    DESIGNS as DESIGNS,
    DecoderOnlyTranslator as DecoderOnlyTranslator,
    JoinedTexts as JoinedTexts,
    TargetPredictions as TargetPredictions,
    count_multiplications as count_multiplications,
    design_loss as design_loss,
    join_texts as join_texts,
    milliseconds_per_step as milliseconds_per_step,
    new_design as new_design,
    predict_targets as predict_targets,
    share_of_right_pronouns as share_of_right_pronouns,
    share_of_right_sentences as share_of_right_sentences,
    texts_for_design as texts_for_design,
    train_design as train_design,
    translate_with_design as translate_with_design,
)
from anatomy_course.lab.experiments.generation_cost import (
    GenerationCost as GenerationCost,
    generate_with_and_without_cache as generate_with_and_without_cache,
    untrained_llama as untrained_llama,
)
from anatomy_course.lab.experiments.length_extrapolation import (
    LengthRun as LengthRun,
    length_experiment as length_experiment,
    neighbor_rows as neighbor_rows,
    tiny_encoder as tiny_encoder,
)
from anatomy_course.lab.experiments.lookup_task import LookupBatch as LookupBatch, LookupTask as LookupTask
from anatomy_course.lab.experiments.manual_cache import empty_pasts as empty_pasts, step_by_hand as step_by_hand
from anatomy_course.lab.experiments.norm_placement import (
    DepthRun as DepthRun,
    depth_experiment as depth_experiment,
    guessing_loss as guessing_loss,
    narrow_encoder as narrow_encoder,
)
from anatomy_course.lab.experiments.parity import reference_states as reference_states
from anatomy_course.lab.experiments.part_swaps import (
    SwapReport as SwapReport,
    SwapResult as SwapResult,
    measure_swap as measure_swap,
    measure_swaps as measure_swaps,
)
from anatomy_course.lab.experiments.parts_of_2017 import (
    PartSwap as PartSwap,
    with_keys_for_each_head as with_keys_for_each_head,
    with_part_of_2017 as with_part_of_2017,
)
from anatomy_course.lab.experiments.pronoun_heads import (
    AblationComparison as AblationComparison,
    AttentionHead as AttentionHead,
    HeadSearchStep as HeadSearchStep,
    PronounScore as PronounScore,
    PronounTest as PronounTest,
    all_heads as all_heads,
    compare_with_random_heads as compare_with_random_heads,
    new_pronoun_test as new_pronoun_test,
    pronoun_in_french as pronoun_in_french,
    pronoun_score as pronoun_score,
    pronouns_right_in_reference as pronouns_right_in_reference,
    pronouns_right_in_translation as pronouns_right_in_translation,
    random_heads as random_heads,
    search_pronoun_heads as search_pronoun_heads,
    without_heads as without_heads,
)
from anatomy_course.lab.experiments.training_variants import (
    train_translator_variant as train_translator_variant,
    unseen_translation_loss as unseen_translation_loss,
)
from anatomy_course.lab.experiments.two_processes import (
    TwoProcesses as TwoProcesses,
    train_in_two_processes as train_in_two_processes,
    work as work,
)
from anatomy_course.lab.experiments.window_cost import (
    count_pairs as count_pairs,
    growth as growth,
    measure_window_costs as measure_window_costs,
)
