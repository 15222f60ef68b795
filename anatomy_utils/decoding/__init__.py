"""Decoding: from a model's logits to text. It takes a step function and knows no model.

- `steps`: what a step function is, with a cache or without
- `filters`: temperature, top-k, top-p and others change the logits; `sampling`: the choice of a token
- `generation`: the loop, `generate`
- `beams`: beam search (`beam_step`: one step of it)
- `stepper`: one token at a time, and back again
- `by_hand`: the same loops, as short as learners write them
"""

from __future__ import annotations

from anatomy_utils.decoding.beams import (
    Beams as Beams,
    Hypothesis as Hypothesis,
    beam_search as beam_search,
    beam_steps as beam_steps,
)
from anatomy_utils.decoding.filters import (
    Filters as Filters,
    min_p as min_p,
    repetition_penalty as repetition_penalty,
    temperature as temperature,
    top_k as top_k,
    top_p as top_p,
)
from anatomy_utils.decoding.generation import Generated as Generated, generate as generate
from anatomy_utils.decoding.sampling import greedy as greedy, next_id as next_id, sampled as sampled
from anatomy_utils.decoding.stepper import (
    Candidate as Candidate,
    Chosen as Chosen,
    Stepper as Stepper,
    stream as stream,
)
from anatomy_utils.decoding.steps import Reorderable as Reorderable, SeenIds as SeenIds, uncached as uncached
