"""A toy language: a small world in English and French around one sentence.

"The animal didn't cross the street because it was too tired." Every scene of this world can be said in both languages,
parsed, tagged, classified, summarized and asked about, so one sentence serves every task of the course; and whatever a
model writes can be judged. Notebooks 03 and 04 train task heads on it, 05 a small GPT, 06 a translator.

From the ground up:

- `words`: the tables, one line a word, and what their columns mean; `lexicon`: look-up
- `scene`: what happens, and what *it* refers to
- `text`: text as words, and a sentence whose parts are known; `grammar`: a scene as a sentence
- `parser`: a sentence as a scene, or what is wrong with it, or the nearest one
- `labels`: tags, topic, questions, answers, summary
- `inventory`: all scenes, minimal pairs (*tired* ↔ *wide*), and which scenes are kept for the test
- `vocabulary`: words as numbers
- `sampling` (and reports: several sentences under a headline), `batches`: these need torch, and load when first used
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from anatomy_course.lab.street import labels as labels, text as text, vocabulary as vocabulary
from anatomy_course.lab.street.grammar import say_in_english as say_in_english, say_in_french as say_in_french
from anatomy_course.lab.street.inventory import (
    MinimalPair as MinimalPair,
    flips as flips,
    pronoun as pronoun,
    split_of as split_of,
)
from anatomy_course.lab.street.labels import (
    TAGS as TAGS,
    answer as answer,
    ask as ask,
    summary as summary,
    tags as tags,
)
from anatomy_course.lab.street.parser import (
    explain as explain,
    is_grammatical as is_grammatical,
    language_of as language_of,
    parse as parse,
    readings as readings,
    say as say,
    share_grammatical as share_grammatical,
)
from anatomy_course.lab.street.scene import Scene as Scene
from anatomy_course.lab.street.text import Sentence as Sentence, detokenize as detokenize, tokenize as tokenize
from anatomy_course.lab.street.vocabulary import Vocabulary as Vocabulary, street_vocabulary as street_vocabulary

if TYPE_CHECKING:
    from anatomy_course.lab.street import batches as batches, sampling as sampling
    from anatomy_course.lab.street.batches import (
        classification as classification,
        language_modeling as language_modeling,
        question_answering as question_answering,
        tagging as tagging,
        to_translate as to_translate,
        translation as translation,
    )
    from anatomy_course.lab.street.sampling import (
        sample_minimal_pairs as sample_minimal_pairs,
        sample_reports as sample_reports,
        sample_scenes as sample_scenes,
    )

_LATE = {
    "batches": "classification language_modeling question_answering tagging to_translate translation".split(),
    "sampling": ["sample_minimal_pairs", "sample_reports", "sample_scenes"],
}
"""Module → its names; these load torch, which the grammar does not need."""


def __getattr__(name: str) -> object:
    for module, names in _LATE.items():
        if name == module or name in names:
            found = import_module(f"{__name__}.{module}")
            return found if name == module else getattr(found, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE, *(name for names in _LATE.values() for name in names)})
