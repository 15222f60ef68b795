"""The family tree as data: every model is its parent plus a visible difference. Notebook 06 walks through it.

- `tree`: all models, and how to find one; `row`: what is noted of a model
- `encoders`, `decoders`, `llamas`, `encoder_decoders`: the rows
- `build`: a model with its published sizes, without memory; a small version that runs
- `describe`: the parts of a built model, and the differences between two
- `attributes`, `structure`, `recurrent`: how each part is read off a model; `block_diagram`: its layers as boxes
- `costs`: parameters, work per token and cache bytes; `scaling`: numbers that grow with the text

`make tables` writes the tree to `docs/models.md`. The functions `build` and `describe` are in the modules of that name.
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
