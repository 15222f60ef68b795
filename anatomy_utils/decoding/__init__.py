"""Decoding: from a model's logits to text. It takes a step function and knows no model.

- `steps`: what a step function is, with a cache or without
- `filters`: temperature, top-k, top-p and others change the logits; `sampling`: the choice of a token
- `generation`: the loop, `generate`
- `beams`: beam search (`beam_step`: one step of it)
- `stepper`: one token at a time, and back again
- `by_hand`: the same loops, as short as learners write them
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
