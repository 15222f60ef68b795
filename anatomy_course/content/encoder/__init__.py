"""The exercises of notebook 03, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

EXERCISES = """
    embed feed_forward firing_input layer_norm encoder_layer run_layers classifier_head train_step
    sinusoids rotary scheme stretch best_span mask_words repair_positions is_pre_norm
""".split()
