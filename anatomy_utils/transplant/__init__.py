"""Transplants: the learner's own functions in place of ours, inside any model of the zoo.

`with transplant(model, attention=my_attention):` runs published weights through a function from an exercise;
`reject(model, input_ids, attention=my_attention)` names the first module that does not accept it. The capstone,
notebook 07, puts a whole body together from such functions. Models know nothing of it and pay nothing.
"""

from anatomy_utils.transplant.organs import ORGANS, Organ
from anatomy_utils.transplant.rejection import Rejection
from anatomy_utils.transplant.transplant import organs_in, reject, transplant

__all__ = ["ORGANS", "Organ", "Rejection", "organs_in", "reject", "transplant"]
