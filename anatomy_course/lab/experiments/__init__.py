"""Experiments: one measured claim a module. Each function trains or runs small models and returns the numbers.

- `lookup_task`: streets of colored things, on which one attention learns to look
- `attention_cost`: seconds and bytes of attention by length; `window_cost`: with a window or a sparse pattern instead
- `cache_cost`: what the key/value cache costs and saves; `generation_cost`: a text with a cache and without
- `manual_cache`: a decoder's step with its past in plain tensors, for a learner's function
- `norm_placement`: training deep stacks with the norm before or after each sub-layer
- `length_extrapolation`: position schemes on texts longer than those in training
- `copy_task`: copying over a distance, by a Transformer and by an LSTM
- `parts_of_2017`: a Llama's parts in the form of 2017; `part_swaps`: what each of them does to a trained model
- `pronoun_heads`: which heads of a translator decide between *il* and *elle*
- `attention_or_ablation`: the word that *it* attends to most, and the word that it needs most
- `decoder_only_translation`: an encoder–decoder and a decoder alone; `training_variants`: other schedules and losses
- `parity`: hidden states of the reference implementation
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
