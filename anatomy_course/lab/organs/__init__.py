"""Organs: what notebook 08 measures with. Each module trains or runs small models and returns the numbers.

- `facts`: facts learned by heart, by a mixture of experts and by dense networks
- `whereabouts`: things told early and asked for late, by layers with and without windows
- `nowhere`: a look-up whose thing may be missing, by a head with and without a sink
- `large_steps`: a small GPT trained with steps that are too large
"""

from __future__ import annotations

from anatomy_course.lab.organs.facts import (
    balancing_loss as balancing_loss,
    mixture as mixture,
    store_facts as store_facts,
)
from anatomy_course.lab.organs.large_steps import train_with as train_with
from anatomy_course.lab.organs.nowhere import look_up_or_not as look_up_or_not
from anatomy_course.lab.organs.whereabouts import recall as recall
