"""Transplant: a learner's own functions in place of ours, inside any model of the zoo.

`with transplant(model, attention=my_attention):` runs published weights through a function from an exercise;
`reject(model, input_ids, attention=my_attention)` names the first module that does not accept it. Models know nothing
of it and pay nothing.

- `operations`: `transplant`, `reject` and `organs_in`
- `replaceable`: the functions that can be exchanged; `modules`, `layers`: which modules call them
- `families`: the same for what only some families have
- `rejection`: why and where a function was not accepted
- `saved`: an answer from the saved progress, with ours in reserve
"""

from __future__ import annotations

from anatomy_course.lab.transplant import (
    families as families,
    layers as layers,
    modules as modules,
    operations as operations,
    rejection as rejection,
    replaceable as replaceable,
    saved as saved,
)
from anatomy_course.lab.transplant.families import (
    in_disentangled as in_disentangled,
    in_parallel_layer as in_parallel_layer,
    in_prefix_mask as in_prefix_mask,
)
from anatomy_course.lab.transplant.layers import (
    held_by as held_by,
    in_cross_attention as in_cross_attention,
    in_residual_connections as in_residual_connections,
    in_whole_layer as in_whole_layer,
    placements as placements,
)
from anatomy_course.lab.transplant.modules import (
    Host as Host,
    in_attention as in_attention,
    in_cached_projections as in_cached_projections,
    in_feed_forward as in_feed_forward,
    in_gated_feed_forward as in_gated_feed_forward,
    in_layer_norm as in_layer_norm,
    in_linear as in_linear,
    in_rms_norm as in_rms_norm,
    in_rotary as in_rotary,
    in_sinusoids as in_sinusoids,
    in_table as in_table,
)
from anatomy_course.lab.transplant.operations import organs_in as organs_in, reject as reject, transplant as transplant
from anatomy_course.lab.transplant.rejection import (
    Rejection as Rejection,
    RejectionError as RejectionError,
    Site as Site,
)
from anatomy_course.lab.transplant.replaceable import (
    ORGANS as ORGANS,
    Replaceable as Replaceable,
    find as find,
    new_organ as new_organ,
)
from anatomy_course.lab.transplant.saved import SavedAnswer as SavedAnswer, in_use as in_use
