"""Transplant: a learner's own functions in place of ours, inside any model of the zoo.

`with transplant(model, attention=my_attention):` runs published weights through a function from an exercise;
`reject(model, input_ids, attention=my_attention)` names the first module that does not accept it. Models know nothing
of it and pay nothing.

- `operations`: `transplant`, `reject` and `organs_in`
- `organs`: the functions that can be exchanged; `modules`, `layers`: which modules call them
- `families`: the same for what only some families have
- `rejection`: why and where a function was not accepted
- `saved`: an answer from the saved progress, with ours in reserve
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
