"""Parts of recent models, and what each is for: one measurement a module. Notebook 08.

- `facts`: facts learned by heart, by a mixture of experts and by dense networks
- `whereabouts`: things told early and asked for late, by layers with and without windows
- `nowhere`: a look-up whose thing may be missing, by a head with and without a sink or a token that is always there
- `large_steps`: a small GPT trained with steps that are too large
- `other_weights`: a published model with some of its matrices replaced, squeezed or rounded
- `overwriting`: keys that get new values again and again, remembered by attention, by a state, and by the delta rule
- `rounding`: codes with a scale, or with a minimum too, compared where the weights have not been rounded before
- `filling`: an encoder's body that writes by filling in, and its causal twin
- `opened_mask`: a body that writes is made to read both sides
- `icons`: scenes of the street as small pictures; `pictures`: bodies that see them
"""

from __future__ import annotations

from anatomy_course.lab.organs.facts import (
    balancing_loss as balancing_loss,
    mixture as mixture,
    store_facts as store_facts,
)
from anatomy_course.lab.organs.filling import (
    LENGTH as LENGTH,
    MASK_ID as MASK_ID,
    Guesses as Guesses,
    filling_loss as filling_loss,
    train_twins as train_twins,
    write_on as write_on,
)
from anatomy_course.lab.organs.icons import draw as draw, drawn_scenes as drawn_scenes
from anatomy_course.lab.organs.large_steps import train_with as train_with
from anatomy_course.lab.organs.nowhere import look_up_or_not as look_up_or_not
from anatomy_course.lab.organs.opened_mask import (
    Opened as Opened,
    adapted as adapted,
    cures as cures,
    right_tags as right_tags,
)
from anatomy_course.lab.organs.other_weights import (
    best_directions as best_directions,
    keys_and_values as keys_and_values,
    other_weights as other_weights,
    perplexity as perplexity,
    squeezed as squeezed,
    unpack as unpack,
)
from anatomy_course.lab.organs.overwriting import (
    MEMORIES as MEMORIES,
    delta_rule as delta_rule,
    overwritten as overwritten,
    train_to_overwrite as train_to_overwrite,
)
from anatomy_course.lab.organs.pictures import (
    PATCH as PATCH,
    PictureWriter as PictureWriter,
    contrastive_loss as contrastive_loss,
    train_pair as train_pair,
    train_picture_writer as train_picture_writer,
)
from anatomy_course.lab.organs.rounding import compare_roundings as compare_roundings
from anatomy_course.lab.organs.whereabouts import recall as recall
