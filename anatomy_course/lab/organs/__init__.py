"""Parts of recent models, and what each is for: one measurement a module. Notebook 08.

- `filling`: an encoder's body that writes by filling in, and its causal twin
- `opened_mask`: a body that writes is made to read both sides
- `icons`: scenes of the street as small pictures; `pictures`: bodies that see them
"""

from __future__ import annotations

from anatomy_course.lab.organs.filling import (
    LENGTH as LENGTH,
    MASK_ID as MASK_ID,
    Guesses as Guesses,
    filling_loss as filling_loss,
    train_twins as train_twins,
    write_on as write_on,
)
from anatomy_course.lab.organs.icons import draw as draw, drawn_scenes as drawn_scenes
from anatomy_course.lab.organs.opened_mask import (
    Opened as Opened,
    adapted as adapted,
    cures as cures,
    right_tags as right_tags,
)
from anatomy_course.lab.organs.pictures import (
    PATCH as PATCH,
    PictureWriter as PictureWriter,
    contrastive_loss as contrastive_loss,
    train_pair as train_pair,
    train_picture_writer as train_picture_writer,
)
