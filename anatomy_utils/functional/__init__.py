"""Functional: the mathematics of the Transformer as pure functions of tensors. `nn` has the same as modules.

- `attention`: scores, softmax, weighted average; with a cache, over a memory, with disentangled positions
- `multi_head`: splitting and merging heads, attention in all of them; `masks`: causal, local, padding
- `window_attention`: attention within a window, and BigBird's sparse pattern
- `norm`, `feed_forward`, `embeddings`, `positions`: LayerNorm and RMSNorm, gates, tables, sinusoids and rotations
- `layers`: whole layers of all families; `heads`: logits of words and classes; `spans`: the best span of an answer
- `costs`: parameters and cache bytes by formula
- `comparison`: where two runs differ, and what leaving a word out changes

A function named like its module is in that module: `feed_forward.feed_forward`, `window_attention.window_attention`.
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
