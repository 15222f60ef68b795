"""Training: how a model's numbers are found. It knows torch and no model.

`teacher_forcing` makes inputs and labels of texts, `losses` compares logits with labels, `schedules` says how fast to
learn, `optimizers` changes the weights, `randomness` makes chance repeatable, and `fit` is the loop; it returns a
`history`.
"""

from anatomy_utils.training.fit import fit
from anatomy_utils.training.history import History
from anatomy_utils.training.losses import IGNORE, cross_entropy
from anatomy_utils.training.optimizers import adamw
from anatomy_utils.training.schedules import Schedule, cosine_schedule, linear_schedule, paper_schedule
from anatomy_utils.training.seeding import seeded
from anatomy_utils.training.teacher_forcing import labels_of, next_token_pair, shift_right

__all__ = [
    "IGNORE",
    "History",
    "Schedule",
    "adamw",
    "cosine_schedule",
    "cross_entropy",
    "fit",
    "labels_of",
    "linear_schedule",
    "next_token_pair",
    "paper_schedule",
    "seeded",
    "shift_right",
]
