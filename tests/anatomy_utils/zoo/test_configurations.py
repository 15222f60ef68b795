"""Every entry of a configuration changed: the model answers as the reference does, or one sentence refuses it.

Each entry that the reference's configuration class writes takes other values, one at a time; those that all classes
have in a family of each kind. By turns a model that writes and one with another head is asked; EVERY_CONFIGURATION=1
asks the models of all tasks for all entries (minutes).
"""

import os
import warnings
from collections import Counter
from dataclasses import replace
from itertools import cycle

import pytest
from unchecked import unchecked
from zoo_cases import CASES
from zoo_configurations import COMMON, NAMES, other_values, outcome, quiet

EVERY = bool(os.environ.get("EVERY_CONFIGURATION"))
OF_EACH_KIND = ("bert", "gpt2", "t5")
LABELS = ("classifier", "id2label", "pooler", "problem_type", "summary")
"""How entries begin that only a classifier reads."""


def changed(family):
    """The family's cases, each with one entry changed."""
    cases = list({case.architecture: case for case in reversed(CASES[family])}.values())
    writers = [case for case in cases if case.architecture.endswith(("LM", "LMHeadModel", "Generation"))] or cases[:1]
    labelled = [case for case in cases if "SequenceClassification" in case.architecture]
    others = cycle([case for case in cases if case not in writers[:1]] or cases)
    left_out = NAMES if EVERY or family in OF_EACH_KIND else NAMES | COMMON
    for name, value in writers[0].configuration().to_dict().items():
        for number, other in enumerate(other_values(name, value) if name not in left_out else ()):
            one = next(others) if number % 2 else writers[0]
            if labelled and name.startswith(LABELS):
                one = labelled[0]
            for case in cases if EVERY else [one]:
                yield name, other, replace(case, more={"use_cache": False} | case.more | {name: other})


@pytest.mark.parametrize("family", CASES)
def test_other_configurations_are_computed_as_published_or_refused(family, tmp_path):
    found, wrong = Counter(), []
    with unchecked(), warnings.catch_warnings(action="ignore"):
        quiet()
        for name, other, case in changed(family):
            answer = outcome(case, tmp_path)
            found[answer] += 1
            if answer not in ("equal", "refused", "no reference"):
                wrong.append(f"{case.architecture} with {name} = {other!r}: {answer}")
    assert not wrong, "\n".join(wrong)
    assert found["equal"] > 10 and found["refused"] > 1, found  # else nothing was asked
