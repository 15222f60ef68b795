"""BLEU: how much of a translation also stands in the reference, counted in runs of one to four words.

Papineni et al. 2002, and Post 2018 (arXiv:1804.08771) on why two people get two numbers: BLEU depends on what counts as
a word. So a library computes it, sacrebleu, and says with which settings. Notebook 05.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anatomy_utils.toy_language import tokenise

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU


def bleu(written: Sequence[str], references: Sequence[str]) -> float:
    """BLEU of translations as a whole corpus, from 0 to 100: 100 where every word is right.

    The geometric mean of the shares of runs of 1, 2, 3 and 4 words that also stand in the sentence's reference, times
    a penalty for texts that are shorter than the references together. One reference for each translation.

    Args:
        written: what the model wrote, at least one text.
        references: the right translations, in the same order.

    Raises:
        ValueError: there are no texts, or not one reference for each.
        ImportError: sacrebleu is not installed.
    """
    if not written or len(written) != len(references):
        raise ValueError(
            f"{len(written)} translations cannot be compared with {len(references)} references; give one for each."
        )
    in_words = [[" ".join(tokenise(text)) for text in texts] for texts in (written, references)]
    return float(_metric().corpus_score(in_words[0], [in_words[1]]).score)


def _metric() -> BLEU:
    """BLEU over the words of the street: cut as the model knows them (l' animal), and not cut once more.

    sacrebleu's own "13a" would leave *l'animal* one word, and one wrong noun would count for two words in English and
    for one in French. `force` only silences the advice against texts that are cut into words already.
    """
    try:
        from sacrebleu.metrics.bleu import BLEU
    except ImportError:
        raise ImportError("BLEU needs the package sacrebleu: pip install sacrebleu, then run this again.") from None
    return BLEU(tokenize="none", force=True)
