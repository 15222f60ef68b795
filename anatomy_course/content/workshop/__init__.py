"""The exercises of notebook 10, in the notebook's order; its questions are in `questions.md`."""

from __future__ import annotations

TEXT = "count_pairs merge_pair encode decode".split()
BATCHES = ["random_windows"]
MODULES = "causal_self_attention feed_forward block gpt".split()
TRAINING = "parameter_groups adamw_step learning_rate training_step save_training resume_training next_id".split()
WEIGHTS = "grouped_attention llama_block own_name".split()
JUDGED = "advantages judged_loss".split()
ADAPTERS = "low_rank_adapter merged".split()
EXERCISES = [*TEXT, *BATCHES, *MODULES, *TRAINING, *WEIGHTS, *JUDGED, *ADAPTERS, "repair"]
