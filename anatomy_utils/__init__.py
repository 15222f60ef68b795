"""The transformer's parts, each small enough to read and proven equal to its reference.

- `functional`: the mathematics as pure functions; `nn`: the same as modules with weights
- `zoo`: families of published models, checkpoints, tokenizers; `pretrained`: `load("minilm")`, `load("smollm2")`
- `objectives`: what models are pretrained on; `training`: losses, schedules, byte pairs, the loop
- `decoding`: from logits to text; `interpret`: what a trained model does; `taxonomy`: the family tree as data
- `tap`: look at or change any tensor of a model by its name

It needs torch, but neither Jupyter nor matplotlib. What makes the notebooks answer is the package beside it,
`anatomy_course`. Importing this one loads nothing else; torch comes with the first part that is used.
"""

__version__ = "1.0.0"
