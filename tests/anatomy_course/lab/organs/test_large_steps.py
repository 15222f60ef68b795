from __future__ import annotations

from anatomy_course.lab.organs.large_steps import train_with


def test_the_organ_is_in_the_attention_and_its_scores_are_noted():
    plain, again, capped = (train_with(organ, 0.2, 1, steps=20) for organ in (dict, dict, lambda: {"score_cap": 0.5}))
    assert plain == again and len(plain.largest) == 20
    assert max(plain.largest) > 1
    assert max(capped.largest) <= 0.5 and capped.loss != plain.loss
