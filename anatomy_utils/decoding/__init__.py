"""Decoding: from a model's logits to text. It takes a step function and knows no model.

- `steps`: what a step function is, with a cache or without
- `filters`: temperature, top-k, top-p and others change the logits; `sampling`: the choice of a token
- `generation`: the loop, `generate`
- `beams`: beam search (`beam_step`: one step of it)
- `stepper`: one token at a time, and back again
- `by_hand`: the same loops, as short as learners write them
"""

from anatomy_utils import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "beams": "Beams Hypothesis beam_search beam_steps",
        "filters": "Filters min_p repetition_penalty temperature top_k top_p",
        "generation": "Generated generate",
        "sampling": "greedy sampled",
        "stepper": "Candidate Chosen Stepper stream",
        "steps": "SeenIds uncached",
    },
)
