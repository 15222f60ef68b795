"""The exercises of notebook 03, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

EXERCISES = """
    embed feed_forward firing_input layer_norm encoder_layer run_layers classifier_head train_step is_pre_norm
""".split()
