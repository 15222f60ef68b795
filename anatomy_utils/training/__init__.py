"""Training: losses, schedules, optimizers and the loop. It knows torch and no model.

- `teacher_forcing`: inputs and labels of texts; `windows`: the same from one long text
- `losses`: logits and labels → one number
- `schedules`: the learning rate of each step; `optimizers`: AdamW with and without weight decay
- `step`: one step; `loop`: the training loop, `fit`; `history`: what it returns; `checkpointing`: save and resume it
- `byte_pairs`: a vocabulary learned from a text, encoding and decoding with it
- `seeding`: repeatable randomness; `threads`: how many threads torch uses, and for how long; `parallel`: several
  trainings at once
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
