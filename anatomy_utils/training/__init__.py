"""Training: losses, schedules, optimizers and the loop. It knows torch and no model.

- `teacher_forcing`: inputs and labels of texts; `windows`: the same from one long text
- `losses`: logits and labels → one number
- `schedules`: the learning rate of each step; `optimizers`: AdamW with and without weight decay
- `step`: one step; `loop`: the training loop, `fit`; `history`: what it returns; `checkpointing`: save and resume it
- `byte_pairs`: a vocabulary learned from a text, encoding and decoding with it
- `seeding`: repeatable randomness; `threads`: how many threads torch uses, and for how long; `parallel`: several
  trainings at once
"""

from __future__ import annotations

from anatomy_utils.training.byte_pairs import (
    count_pairs as count_pairs,
    decode as decode,
    encode as encode,
    encode_words as encode_words,
    merge_pair as merge_pair,
    numbered_merges as numbered_merges,
    published_tokenizer as published_tokenizer,
    split_as_published as split_as_published,
    split_words as split_words,
    token_bytes as token_bytes,
    train_byte_pairs as train_byte_pairs,
)
from anatomy_utils.training.checkpointing import resume_training as resume_training, save_training as save_training
from anatomy_utils.training.history import History as History
from anatomy_utils.training.loop import fit as fit
from anatomy_utils.training.losses import (
    IGNORE as IGNORE,
    bits_per_byte as bits_per_byte,
    cross_entropy as cross_entropy,
    perplexity as perplexity,
    soft_loss as soft_loss,
)
from anatomy_utils.training.optimizers import adamw as adamw, parameter_groups as parameter_groups
from anatomy_utils.training.parallel import side_by_side as side_by_side
from anatomy_utils.training.schedules import (
    cosine_schedule as cosine_schedule,
    learning_rate as learning_rate,
    linear_schedule as linear_schedule,
    paper_schedule as paper_schedule,
)
from anatomy_utils.training.seeding import seeded as seeded
from anatomy_utils.training.step import (
    training_step as training_step,
)
from anatomy_utils.training.teacher_forcing import (
    Twice as Twice,
    labels_of as labels_of,
    next_token_pair as next_token_pair,
    read_twice as read_twice,
    shift_right as shift_right,
)
from anatomy_utils.training.threads import seconds_computed as seconds_computed
from anatomy_utils.training.windows import random_windows as random_windows
