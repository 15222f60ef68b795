"""Training: losses, schedules, optimizers and the loop. It knows torch and no model.

- `teacher_forcing`: inputs and labels of texts
- `losses`: logits and labels → one number
- `schedules`: the learning rate of each step; `optimizers`: AdamW with and without weight decay
- `loop`: the training loop, `fit`; `history`: what it returns
- `seeding`: repeatable randomness; `threads`: how many threads torch uses
"""

from anatomy_utils import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "history": "History",
        "loop": "fit",
        "losses": "IGNORE cross_entropy perplexity soft_loss",
        "optimizers": "adamw",
        "schedules": "Schedule cosine_schedule linear_schedule paper_schedule",
        "seeding": "seeded",
        "teacher_forcing": "labels_of next_token_pair read_twice shift_right",
    },
)
