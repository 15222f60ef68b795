"""Spoken words: a sound as a wave, when each of its words was heard, and where cross-attention looked for it.

Press a word to hear it, or play the whole sound and see the words go by. Everything is in the page: no question goes to
Python. The class knows no model. Notebook 06.
"""

from __future__ import annotations

import io
import wave
from collections.abc import Sequence
from typing import Any

import numpy as np
import traitlets

from anatomy_course.figures import plots
from anatomy_course.figures.picture import Picture
from anatomy_course.lab.experiments.listening import Heard
from anatomy_course.views._kit.base import AnatomyWidget, buffer_trait, float_bytes, weight_bytes
from anatomy_course.views._kit.checks import Whole, numbers, word_list
from anatomy_utils.zoo.sound import RATE

COLUMNS = 400
"""Of the wave: the least and the largest sample of each are drawn."""
SHOWN = 40
"""Columns of the still picture."""


class SpokenWords(AnatomyWidget):
    """A sound and its words.

    Args:
        samples: (sample): 16,000 a second, from −1 to 1.
        words: what was heard.
        begins: when each word begins, in seconds, in order.
        looked: (word, moment): how much of a word's attention was on each moment of the sound, 0 to 1; as long as the
            sound.

    Raises:
        ValueError: numbers that do not fit together, or a word that begins before the one in front of it.
    """

    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    begins = traitlets.List(traitlets.Float()).tag(sync=True)
    seconds = traitlets.Float().tag(sync=True)
    sound = buffer_trait()
    """The sound as a .wav file."""
    peaks = buffer_trait()
    """(column, 2): the least and the largest sample of each column."""
    looked = buffer_trait()
    """(word, moment) as one byte each, 255 where a word's attention was strongest."""
    word = Whole("words").tag(sync=True)

    def __init__(
        self,
        samples: Any,
        words: Sequence[str],
        begins: Sequence[float],
        looked: Any,
        *,
        word: int = 0,
        label: str = "When was it said?",
    ) -> None:
        heard = word_list(words, "words", at_most=200)
        found = numbers(samples, "samples", "sample")
        times = numbers(begins, "begins", "word", word=len(heard))
        shares = numbers(looked, "looked", "word moment", word=len(heard))
        seconds = len(found) / RATE
        if (np.diff(times) < 0).any() or times[0] < 0 or times[-1] > seconds:
            raise ValueError(
                f"The words begin at {times.tolist()}; give times in order, from 0 to {seconds:.1f} seconds."
            )
        columns = [(part.min(), part.max()) for part in np.array_split(found, min(COLUMNS, len(found)))]
        strongest = np.maximum(shares.max(axis=1, keepdims=True), 1e-9)
        super().__init__(
            words=heard, begins=times.tolist(), seconds=seconds, sound=_wav(found), peaks=float_bytes(columns),
            looked=weight_bytes(shares / strongest), word=word, label=label,
        )  # fmt: skip

    def still_picture(self) -> Picture:
        """Where each word's attention was, over the time of the sound."""
        shares = np.frombuffer(self.looked, np.uint8).reshape(len(self.words), -1) / 255
        parts = np.array_split(shares, min(SHOWN, shares.shape[1]), axis=1)
        strongest = np.stack([part.max(axis=1) for part in parts], axis=1)
        begins = [f"{i * self.seconds / len(parts):.1f}" for i in range(len(parts))]
        told = "; ".join(f"{word} at {begin:.2f}" for word, begin in zip(self.words, self.begins, strict=True))
        return plots.heatmap(
            strongest, self.words, begins, title=f"{self.label} Attention", axes=("word", "second"), values=False,
            alt=f"A sound of {self.seconds:.1f} seconds; heard, in seconds: {told}.",
        )  # fmt: skip


def spoken_words(heard: Heard, samples: Any) -> SpokenWords:
    """What a listener heard in a sound (`experiments.listening.heard`)."""
    return SpokenWords(samples, heard.words, heard.seconds, heard.looked)


def _wav(samples: Any) -> bytes:
    """The samples in 16 bits, as every browser plays them."""
    held = io.BytesIO()
    with wave.open(held, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return held.getvalue()
