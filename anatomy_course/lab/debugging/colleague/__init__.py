"""A colleague's functions, each with one bug: what to run to see it, and what models learn with it.

- `attention_scale`: attention with another scale (notebook 01)
- `head_splitting`: heads split by a view alone (notebook 02)
- `position_offset`: positions counted along another axis (notebook 03)
- `norm_placement`: the residual connection on the wrong side of the norm (notebook 03)
- `causal_mask`: a mask that shows the word to be predicted (notebook 04)
- `batch_mask`: a padding mask that depends on the other texts of the batch (notebook 05)
- `causal_tagger`: a tagger on a body that cannot look ahead (notebook 06)
- `training_program`: a step whose loss pairs each answer with another window's token (notebook 08)
- `tagging`: training and testing of the taggers of notebooks 02 and 03
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
    tagging as tagging,
    training_program as training_program,
)
from anatomy_course.lab.debugging.colleague.attention_scale import (
    almost_right_attention as almost_right_attention,
    symptoms_of_attention_scale as symptoms_of_attention_scale,
)
from anatomy_course.lab.debugging.colleague.batch_mask import (
    AloneAndInBatch as AloneAndInBatch,
    colleagues_padding_mask as colleagues_padding_mask,
    equally_long as equally_long,
    symptoms_of_batch_mask as symptoms_of_batch_mask,
    train_on_equal_lengths as train_on_equal_lengths,
    translate_alone_and_in_batch as translate_alone_and_in_batch,
    translate_with_mask as translate_with_mask,
)
from anatomy_course.lab.debugging.colleague.causal_mask import (
    WritingTrial as WritingTrial,
    colleagues_causal_mask as colleagues_causal_mask,
    symptoms_of_causal_mask as symptoms_of_causal_mask,
    writing_trial as writing_trial,
)
from anatomy_course.lab.debugging.colleague.causal_tagger import (
    Tagger as Tagger,
    best_guess_from_words_before as best_guess_from_words_before,
    colleagues_body as colleagues_body,
    colleagues_tagger as colleagues_tagger,
    healthy_body as healthy_body,
    healthy_tagger as healthy_tagger,
    right_by_kind as right_by_kind,
    symptoms_of_causal_tagger as symptoms_of_causal_tagger,
    words_that_change as words_that_change,
)
from anatomy_course.lab.debugging.colleague.head_splitting import (
    TaggerWithHeads as TaggerWithHeads,
    colleagues_heads as colleagues_heads,
    symptoms_of_head_splitting as symptoms_of_head_splitting,
    tagging_example as tagging_example,
    tagging_trial_with_heads as tagging_trial_with_heads,
)
from anatomy_course.lab.debugging.colleague.norm_placement import (
    colleagues_layer as colleagues_layer,
    depth_trial as depth_trial,
    symptoms_of_norm_placement as symptoms_of_norm_placement,
)
from anatomy_course.lab.debugging.colleague.position_offset import (
    TaggerWithEmbedding as TaggerWithEmbedding,
    colleagues_embedding as colleagues_embedding,
    symptoms_of_position_offset as symptoms_of_position_offset,
    tagging_trial_with_embedding as tagging_trial_with_embedding,
)
from anatomy_course.lab.debugging.colleague.tagging import (
    TaggingTrial as TaggingTrial,
    train_and_test_tagger as train_and_test_tagger,
)
from anatomy_course.lab.debugging.colleague.training_program import (
    ColleaguesGpt as ColleaguesGpt,
    OneBatch as OneBatch,
    colleagues_step as colleagues_step,
    healthy_step as healthy_step,
    overfit_one_batch as overfit_one_batch,
    street_text as street_text,
    symptoms_of_training_program as symptoms_of_training_program,
    training_trial as training_trial,
)
