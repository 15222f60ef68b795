"""Decoding: from a model's logits to text. It takes a step function and knows no model.

`filters` change the logits, `choice` picks a token, `generate` is the loop, `beams` (with `search`) keeps several texts
at once, `stepper` goes one token at a time and back again, and `steps` says what a step function is.
"""

from anatomy_utils.decoding.beams import Beams, Hypothesis, beam_search, beam_steps
from anatomy_utils.decoding.filters import Filters
from anatomy_utils.decoding.generate import Generated, generate
from anatomy_utils.decoding.stepper import Candidate, Chosen, Stepper, stream
from anatomy_utils.decoding.steps import SeenIds, uncached

__all__ = [
    "Beams",
    "Candidate",
    "Chosen",
    "Filters",
    "Generated",
    "Hypothesis",
    "SeenIds",
    "Stepper",
    "beam_search",
    "beam_steps",
    "generate",
    "stream",
    "uncached",
]
