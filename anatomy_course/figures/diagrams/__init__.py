"""The course's diagrams in one place: each function returns a `Picture` with alt text.

The transformer map comes from `transformer_layout`, which the clickable map uses too; diagrams of numbers take the
tensors they show, so that they cannot drift from the modules that computed them.
"""

from __future__ import annotations

from anatomy_course.figures.diagrams.attention import cross_attention, multi_head, self_attention, sequence_to_sequence
from anatomy_course.figures.diagrams.blocks import (
    decoder_block,
    encoder_block,
    encoder_stack,
    norm_places,
    transformer,
)
from anatomy_course.figures.diagrams.course import course, family_tree, three_branches, where_are_we
from anatomy_course.figures.diagrams.heads import head_sharing, split_heads
from anatomy_course.figures.diagrams.numbers import masks, positions, six_steps
from anatomy_course.figures.diagrams.rotation import rotated_pair

__all__ = [
    "course",
    "cross_attention",
    "decoder_block",
    "encoder_block",
    "encoder_stack",
    "family_tree",
    "head_sharing",
    "masks",
    "multi_head",
    "norm_places",
    "positions",
    "rotated_pair",
    "self_attention",
    "sequence_to_sequence",
    "six_steps",
    "split_heads",
    "three_branches",
    "transformer",
    "transformer_map",
    "where_are_we",
]

transformer_map = transformer
