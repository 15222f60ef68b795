"""Modules: the parts of a Transformer with their weights, built on the formulas of `functional`.

- `attention`: multi-head attention; `cache`: its keys and values of earlier positions
- `norm`: LayerNorm, RMSNorm and where they are placed; `dropout`; `feed_forward`, with a gate or without
- `embeddings`: tokens, positions and segments; `positions`, `relative_positions`: all ways to mark positions
- `layer`: what encoder and decoder layers share; `encoder`, `decoder`, `encoder_decoder`: layers and stacks of them
- `heads`: what is put on top of a stack for a task
- `adaptive_softmax`: input and output tables of unequal width; `segment_recurrence`: Transformer-XL's memories
- `fast_matmul`: a faster matrix product on some processors
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
