"""A colleague's functions, each with one bug: what to run to see it, and what models learn with it.

- `attention_scale`: attention with another scale (notebook 01)
- `head_splitting`: heads split by a view alone (notebook 02)
- `position_offset`: positions counted along another axis (notebook 04)
- `norm_placement`: the residual connection on the wrong side of the norm (notebook 03)
- `causal_mask`: a mask that shows the word to be predicted (notebook 05)
- `batch_mask`: a padding mask that depends on the other texts of the batch (notebook 06)
- `causal_tagger`: a tagger on a body that cannot look ahead (notebook 07)
- `training_program`: a step whose loss pairs each answer with another window's token (notebook 10)
- `symptoms`: what is tried, side by side; `tagging`: training and testing of the taggers of notebooks 02 and 03
"""

from __future__ import annotations

from anatomy_course.lab.debugging.colleague import (
    attention_scale as attention_scale,
    batch_mask as batch_mask,
    causal_mask as causal_mask,
    causal_tagger as causal_tagger,
    head_splitting as head_splitting,
    norm_placement as norm_placement,
    position_offset as position_offset,
    training_program as training_program,
)
