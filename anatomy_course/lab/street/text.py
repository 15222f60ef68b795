"""From text to words and back: "L'animal n'a …" ↔ l' animal n' a …

Words are written small; the first letter of a sentence becomes a capital again on the way back. A French word that lost
its vowel keeps its apostrophe and stands alone (l', n', s', qu'); English *didn't* is one word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_WORD = re.compile(r"<\w+>|\w+n't\b|\w+'|\w+|[^\w\s]")


def tokenize(text: str) -> list[str]:
    """Cut a sentence of either language into words and punctuation marks, all in small letters.

    >>> tokenize("L’animal n'a pas traversé la rue.")
    ["l'", 'animal', "n'", 'a', 'pas', 'traversé', 'la', 'rue', '.']
    >>> tokenize("It didn't.")
    ['it', "didn't", '.']

    Raises:
        ValueError: it is no text.
    """
    if not isinstance(text, str):
        raise ValueError(f"Give one sentence, such as 'the cat sleeps.', not {text!r:.60}.")
    text = unicodedata.normalize("NFC", text).replace("’", "'").lower()
    return _WORD.findall(text)


def detokenize(tokens: Sequence[str]) -> str:
    """Write words as a sentence: spaces, apostrophes and the capital letter where they belong.

    >>> detokenize(["l'", "animal", "n'", "a", "pas", "mangé", "."])
    "L'animal n'a pas mangé."
    """
    text = ""
    for token in tokens:
        closes_up = not text or text.endswith("'") or token in (".", "?", "!", ",")
        text += token if closes_up else " " + token
    return text[:1].upper() + text[1:]
