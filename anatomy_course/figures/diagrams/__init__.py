"""The course's diagrams in one place: each function returns a `Picture` with alt text.

The transformer map comes from `transformer_layout`, which the clickable map uses too; diagrams of numbers take the
tensors they show, so that they cannot drift from the modules that computed them.
"""

from __future__ import annotations

from anatomy_course.figures.diagrams.attention import (
    cross_attention as cross_attention,
    dot_products as dot_products,
    multi_head as multi_head,
    self_attention as self_attention,
    sequence_to_sequence as sequence_to_sequence,
)
from anatomy_course.figures.diagrams.blocks import (
    block_lengths as block_lengths,
    decoder_block as decoder_block,
    encoder_block as encoder_block,
    encoder_stack as encoder_stack,
    norm_places as norm_places,
    transformer as transformer,
)
from anatomy_course.figures.diagrams.course import (
    course as course,
    family_tree as family_tree,
    part_grid as part_grid,
    three_branches as three_branches,
    where_are_we as where_are_we,
)
from anatomy_course.figures.diagrams.heads import (
    head_sharing as head_sharing,
    induction_circuit as induction_circuit,
    split_heads as split_heads,
)
from anatomy_course.figures.diagrams.numbers import masks as masks, positions as positions, six_steps as six_steps
from anatomy_course.figures.diagrams.rotation import rotated_pair as rotated_pair
from anatomy_course.figures.diagrams.side_by_side import side_by_side as side_by_side

transformer_map = transformer
