"""Spoken words: the sound arrives as it was given, a word is chosen and heard, and the wave tells which one."""

from __future__ import annotations

import io
import wave

import numpy as np
import pytest
from on_page import Show
from small import spoken_words

from anatomy_course import views
from anatomy_course.lab.experiments import listening


def test_the_sound_is_a_file_that_browsers_play() -> None:
    view = spoken_words()
    with wave.open(io.BytesIO(view.sound)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate(), file.getnframes()) == (1, 2, 16000, 8000)
        held = np.frombuffer(file.readframes(8000), "<i2") / 32767
    np.testing.assert_allclose(held, 0.5 * np.sin(np.arange(8000) / 10), atol=1e-4)
    peaks = np.frombuffer(view.peaks, "<f4").reshape(400, 2)
    assert (peaks[:, 0] <= peaks[:, 1]).all() and abs(peaks).max() == pytest.approx(0.5, abs=1e-3)
    looked = np.frombuffer(view.looked, np.uint8).reshape(2, 3)
    assert looked.tolist() == [[255, 128, 0], [0, 0, 255]]


def test_times_out_of_order_and_words_without_attention_are_refused() -> None:
    with pytest.raises(ValueError, match=r"begin at \[0\.4, 0\.25\]; give times in order, from 0 to 0\.5 seconds"):
        spoken_words(begins=[0.4, 0.25])
    with pytest.raises(ValueError, match="looked"):
        spoken_words(looked=[[0.1, 0.2]])


def test_what_was_heard_becomes_a_view() -> None:
    view = views.spoken_words(listening.heard(listening.clip()), listening.clip())
    assert (view.words[0], view.words[-1]) == ("The", "tired.")
    looked = np.frombuffer(view.looked, np.uint8).reshape(len(view.words), -1)
    peak = looked.argmax(axis=1) * view.seconds / looked.shape[1]
    nearest = np.abs(peak[1:] - np.array(view.begins[1:]))
    assert np.median(nearest) < 0.3, "a word's attention is strongest near its time"


def test_a_word_is_chosen_by_its_button_and_on_the_wave(show: Show) -> None:
    shown = show(spoken_words())
    chosen = shown.page.locator(".sw-words [aria-pressed=true]")
    assert chosen.inner_text() == "good" and "“good” from 0.00 to 0.25 seconds" in shown.text(".note")
    shown.page.get_by_role("button", name="day").click()
    shown.settle()
    assert shown.widget.word == 1 and chosen.inner_text() == "day"
    assert "“day” is heard from 0.25 to 0.50 seconds" in shown.page.locator(".sw-chart").get_attribute("aria-label")
    box = shown.page.locator(".sw-chart").bounding_box()
    shown.page.mouse.click(box["x"] + 20, box["y"] + 80)
    shown.settle()
    assert shown.widget.word == 0
    shades = shown.page.locator(".sw-look").evaluate_all("all => all.map(each => each.getAttribute('fill-opacity'))")
    assert [round(float(shade), 2) for shade in shades] == [1, 0.5, 0]


def test_played_whole_the_words_go_by(show: Show) -> None:
    shown = show(spoken_words(samples=np.zeros(64000), begins=[0.0, 2.0], word=1))
    chosen, play = shown.page.locator(".sw-words [aria-pressed=true]"), shown.page.get_by_role("button", name="Play")
    play.click()
    chosen.filter(has_text="good").wait_for()
    assert play.get_attribute("aria-pressed") == "true"
    chosen.filter(has_text="day").wait_for()
    play.click()
    assert play.get_attribute("aria-pressed") == "false"
