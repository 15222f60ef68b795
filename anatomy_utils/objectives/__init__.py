"""Objectives: what a model is asked during pretraining. The same body learns other things from other questions.

Each module is one objective as pure functions over ids. What was drawn is an argument, so that a result can be checked
exactly, and a thin function beside it draws. Labels that do not count are `training.losses.IGNORE`.

- for encoders: `masked_tokens`, `whole_word_masking`, `replaced_tokens`, `sentence_pairs`, `permutation_lm`
- for decoders: `prefix_lm`; the plain next token is `training.teacher_forcing`
- for encoder–decoders: `span_corruption` (with `span_sampling`), `text_infilling`, `text_pairs`
- `registry`: all of them by name
- `illustration`: one objective shown on one text; `illustrate`, `illustrate_pairs`: every objective on a sentence
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
