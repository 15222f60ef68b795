"""Interpret: what a trained model does inside, read off its activations or tested by changing them.

- `activations`: every named tensor of one text, and a word's vectors layer by layer
- `attention_patterns`: what a head attends to, as one number a head
- `head_ablation`: heads switched off or split the wrong way, and how much each one matters
- `attention_as_explanation`: whether attention weights agree with the effects of leaving words out
- `influence`: how much each token affects the last position
- `logit_lens`: what a decoder would predict after each layer
- `parameter_count`: how a model's parameters are divided among its parts
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
