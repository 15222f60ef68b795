"""Transplant: a learner's own functions in place of ours, inside any model of the zoo.

`with transplant(model, attention=my_attention):` runs published weights through a function from an exercise;
`reject(model, input_ids, attention=my_attention)` names the first module that does not accept it. Models know nothing
of it and pay nothing.

- `operations`: `transplant`, `reject` and `organs_in`
- `replaceable`: the functions that can be exchanged; `modules`: which modules call them
- `rejection`: why and where a function was not accepted
- `saved`: an answer from the saved progress, with ours in reserve
"""

from __future__ import annotations

from anatomy_course.lab.transplant.operations import organs_in as organs_in, reject as reject, transplant as transplant
from anatomy_course.lab.transplant.rejection import Rejection as Rejection, RejectionError as RejectionError
from anatomy_course.lab.transplant.replaceable import ORGANS as ORGANS
