"""Experiments: one measured claim a module. Each function trains or runs small models and returns the numbers.

- `lookup_task`: streets of colored things, on which one attention learns to look
- `two_questions`: the street asked two questions at once, by one head and by two
- `which_heads`: heads ranked on some sentences and judged on others
- `attention_cost`: seconds and bytes of attention by length; `window_cost`: with a window or a sparse pattern instead
- `cache_cost`: what the key/value cache costs and saves, for a step and for a whole text
- `manual_cache`: a decoder's step with its past in plain tensors, for a learner's function
- `norm_placement`: training deep stacks with the norm before or after each sub-layer
- `length_extrapolation`: position schemes on texts longer than those in training
- `copy_task`: copying over a distance, by a Transformer and by an LSTM
- `part_swaps`: a Llama's parts in the form of 2017, and what each of them does to a trained model
- `head_look`: where the heads of a published encoder look, for a learner's experiment
- `pronoun_heads`: which heads of a translator decide between *il* and *elle*
- `pronoun_exchange`: which vectors carry it, found by exchanging them
- `attention_or_ablation`: the word that *it* attends to most, and the word that it needs most
- `decoder_only_translation`: an encoder–decoder and a decoder alone
- `listening`: what a published encoder–decoder hears, and when
- `scale`: a published translator beside the street's: words, fluency, and what *it* is
- `budgets`: by how much more steps and wider models lower the loss
- `taught`: what a published model answers before and after it has learned the street's summaries
- `parity`: hidden states of the reference implementation
"""

from __future__ import annotations

from anatomy_course.lab.experiments import (
    budgets as budgets,
    listening as listening,
    lookup_task as lookup_task,
    norm_placement as norm_placement,
    scale as scale,
    taught as taught,
    two_questions as two_questions,
    which_heads as which_heads,
    window_cost as window_cost,
)
from anatomy_course.lab.experiments.attention_cost import attention_costs as attention_costs
from anatomy_course.lab.experiments.attention_or_ablation import attended_and_needed_words as attended_and_needed_words
from anatomy_course.lab.experiments.cache_cost import (
    cache_entry_of as cache_entry_of,
    generate_with_and_without_cache as generate_with_and_without_cache,
    key_value_sharing as key_value_sharing,
    measure_cache_cost as measure_cache_cost,
    untrained_llama as untrained_llama,
)
from anatomy_course.lab.experiments.copy_task import (
    copying_experiment as copying_experiment,
    reading_times as reading_times,
)
from anatomy_course.lab.experiments.decoder_only_translation import (
    DESIGNS as DESIGNS,
    count_multiplications as count_multiplications,
    join_texts as join_texts,
    new_design as new_design,
    share_of_right_pronouns as share_of_right_pronouns,
    share_of_right_sentences as share_of_right_sentences,
    train_design as train_design,
)
from anatomy_course.lab.experiments.head_look import looks as looks
from anatomy_course.lab.experiments.length_extrapolation import (
    length_experiment as length_experiment,
    neighbor_rows as neighbor_rows,
    rotary_speeds as rotary_speeds,
    share_of_right_counts as share_of_right_counts,
    tiny_encoder as tiny_encoder,
    train_to_count as train_to_count,
)
from anatomy_course.lab.experiments.manual_cache import empty_pasts as empty_pasts, step_by_hand as step_by_hand
from anatomy_course.lab.experiments.norm_placement import (
    depth_experiment as depth_experiment,
    guessing_loss as guessing_loss,
    narrow_encoder as narrow_encoder,
    words_alike as words_alike,
)
from anatomy_course.lab.experiments.parity import reference_states as reference_states
from anatomy_course.lab.experiments.part_swaps import measure_swaps as measure_swaps
from anatomy_course.lab.experiments.pronoun_exchange import (
    Exchange as Exchange,
    exchange_pairs as exchange_pairs,
    judge_smallest_set as judge_smallest_set,
    measure_exchanges as measure_exchanges,
    probe as probe,
    recorded_exchanges as recorded_exchanges,
    source_words as source_words,
)
from anatomy_course.lab.experiments.pronoun_heads import (
    all_heads as all_heads,
    new_pronoun_test as new_pronoun_test,
    pronouns_right_in_translation as pronouns_right_in_translation,
)
from anatomy_course.lab.experiments.two_processes import train_in_two_processes as train_in_two_processes
from anatomy_course.lab.experiments.window_cost import (
    count_pairs as count_pairs,
    growth as growth,
    measure_window_costs as measure_window_costs,
)
