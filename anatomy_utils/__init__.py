"""Transformer Anatomy: the transformer's parts, each small enough to read and proven equal to its reference.

A map of the rooms, from the ground floor up. A room imports only from the floors below it.

- `tap`: look at or change any tensor of a model by its name
- `decoding`: from logits to text; `training`: losses, schedules, optimizers, the loop; `figures`: plots and diagrams
- `functional`: the mathematics as pure functions; `toy_language`: the street, a grammar in English and French;
  `widgets`: the live views
- `nn`: the same mathematics as modules; `objectives`: what models are pretrained on; `notebook`: pages, tables, sources
- `zoo`: families of published models, checkpoints and tokenizers; `transplant`: a learner's function inside a model
- `pretrained`: `load("minilm")`; `recipes`: small models, trained in seconds; `interpret`: what a trained model does
- `experiments`: one measured claim a file; `taxonomy`: the family tree as data
- `debugging`: broken models and how to find the bug; `views`: a model's tensors in a live view
- `exercises`: tasks, the judge of answers, and progress

Importing this package loads nothing else; torch, matplotlib and ipywidgets come with the room that needs them.
"""

__version__ = "0.1.0"
