"""Objectives: what a model is asked while it is pretrained. The same body learns other things from other questions.

Each file is one objective as pure functions over ids: what was drawn is an argument, so that a result can be checked
exactly, and a thin function beside it draws. Labels that are not asked for are `training.losses.IGNORE`.

- read in both directions: `masked_tokens`, `whole_word_masking`, `replaced_tokens`, `sentence_pairs`, `permutation_lm`
- write: `prefix_lm` (and `training.teacher_forcing` for the plain next token)
- read and write: `span_sampling`, `span_corruption`, `text_infilling`, `text_pairs`
- `registry`: all of them by name, each `shown` on a sentence of the street (`illustrate`, `illustrate_pairs`)
"""

from anatomy_utils.objectives.illustration import Shown
from anatomy_utils.objectives.registry import OBJECTIVES, Objective

__all__ = ["OBJECTIVES", "Objective", "Shown"]
