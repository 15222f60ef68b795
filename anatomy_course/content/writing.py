"""What the file of an exercise is written with: its cases, what they draw from, and the form."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Generator as Generator, Tensor as Tensor

from anatomy_course.content.draw import Draw as Draw
from anatomy_course.content.sizes import (
    and_large as and_large,
    and_short as and_short,
    normal as normal,
    primes as primes,
    real_words as real_words,
)
from anatomy_course.judge.definition import Case as Case, Objection as Objection, Output as Output
from anatomy_course.judge.effects.module import ModuleDrive as ModuleDrive
from anatomy_course.judge.form import written as written

Cases = Iterable[Case]
"""What `cases` yields."""
