"""What modules were called before version 1.0, for a learner who opens an old copy of a notebook.

`anatomy_utils` asks for a sentence when a module of its own is not found.
"""

from __future__ import annotations

_NOW = """
attention functional.attention nn.attention
bertviz_views views.bertviz
cache_by_hand experiments.manual_cache
cache_lab experiments.cache_cost
copying experiments.copy_task
culprit_heads experiments.pronoun_heads
decoder_functions decoding.by_hand functional.attention functional.heads functional.masks training.losses
depth experiments.norm_placement
embeddings functional.embeddings nn.embeddings
encoder_functions functional.embeddings functional.heads functional.layers functional.positions
exercises.assembly exercises.capstone.body
exercises.cases debugging.colleague
exercises.cases.attention debugging.colleague.attention_scale
exercises.cases.company debugging.colleague.batch_mask
exercises.cases.future debugging.colleague.causal_mask
exercises.cases.multi_head debugging.colleague.head_splitting
exercises.cases.norms debugging.colleague.norm_placement
exercises.cases.positions debugging.colleague.position_offset
exercises.cases.tagger debugging.colleague.causal_tagger
exercises.certificate exercises.capstone.certificate
exercises.ward_round exercises.capstone.debugging_lab
explanations interpret.attention_as_explanation
favourites experiments.attention_or_ablation
feed_forward functional.feed_forward nn.feed_forward
head_axes functional.multi_head
head_experiments interpret.head_ablation
head_measures interpret.attention_patterns
head_sharing experiments.cache_cost
lengths experiments.length_extrapolation
logit_lens interpret.logit_lens
masks functional.masks
measure experiments.attention_cost
multi_head functional.multi_head
organ_swaps experiments.part_swaps
parameters interpret.parameter_count
parity experiments.parity
positions functional.positions nn.positions
probe interpret.activations
small_models.bleu small_models.metrics
small_models.diary small_models.sample_log
small_models.gaps small_models.masked_language_model
small_models.measures small_models.metrics
small_models.picker small_models.extractive_summarizer
small_models.readers small_models.encoder_tasks
small_models.reading small_models.predict
small_models.rivals experiments.decoder_only_translation
small_models.roots small_models.recurrent_baselines
small_models.schooling experiments.training_variants
small_models.writer small_models.small_gpt
recurrence interpret.influence nn.segment_recurrence
setup_check notebook.setup_check
show notebook.source
street toy_language
street.batches street.batches
street.labels street.labels
street.reports street.reports
street.sampling street.sampling
taxonomy.changes taxonomy.describe
views_culprits views
views_decoder views
views_decoding views
views_encoder views
views_objectives views
views_positions views
views_taxonomy views
views_translation views
ward debugging
window_attention functional.window_attention
window_costs experiments.window_cost
writing_costs experiments.generation_cost
"""
EARLIER = {old: now for old, *now in (line.split() for line in _NOW.strip().splitlines())}
"""A module's earlier name → where its contents are now; both without the package's name."""


def sentence(module: str) -> str | None:
    """What to tell somebody who imports `anatomy_utils.<module>`; None when it never had that name.

    >>> sentence("masks")
    "`anatomy_utils.masks` is now `anatomy_utils.functional.masks`: this notebook is an earlier copy. Open ...
    >>> sentence("nonsense")
    """
    if module not in EARLIER:
        return None
    now = " and ".join(f"`anatomy_utils.{name}`" for name in EARLIER[module])
    return (
        f"`anatomy_utils.{module}` is now {now}: this notebook is an earlier copy. "
        "Open the current one from the course's notebooks folder; your progress is kept."
    )
