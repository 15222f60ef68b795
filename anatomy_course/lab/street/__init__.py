"""A toy language: a small world in English and French around one sentence.

"The animal didn't cross the street because it was too tired." Every scene of this world can be said in both languages,
parsed, tagged, classified, summarized and asked about, so one sentence serves every task of the course; and whatever a
model writes can be judged. Notebook 03 trains task heads on it, 04 a small GPT, 05 a translator.

From the ground up:

- `nouns`, `adjectives`, `verbs`: the tables, one line a word (`word_types`: what the columns mean; `lexicon`: look-up)
- `scene`: what happens, and what *it* refers to
- `sentence`: words and where each part is; `english`, `french` (with `agreement`): a scene as a sentence
- `parser`: a sentence as a scene, or what is wrong with it
- `labels`, `questions`: tags, topic, answers, summary; `minimal_pairs`: *tired* ↔ *wide*
- `inventory`, `splits`: all scenes, and which of them are kept for the test
- `vocabulary`, `text`: words as numbers, and text as words
- `sampling`, `batches`, `reports` (several sentences under a headline): these need torch, and load when first used
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from anatomy_course.lab.street import (
    adjectives as adjectives,
    agreement as agreement,
    english as english,
    french as french,
    inventory as inventory,
    labels as labels,
    lexicon as lexicon,
    minimal_pairs as minimal_pairs,
    nearest as nearest,
    nouns as nouns,
    parser as parser,
    questions as questions,
    scene as scene,
    sentence as sentence,
    splits as splits,
    text as text,
    verbs as verbs,
    vocabulary as vocabulary,
    word_types as word_types,
)
from anatomy_course.lab.street.agreement import (
    agree as agree,
    article as article,
    begins_with_vowel as begins_with_vowel,
    elide as elide,
    noun_phrase as noun_phrase,
)
from anatomy_course.lab.street.english import say_in_english as say_in_english
from anatomy_course.lab.street.french import say_in_french as say_in_french
from anatomy_course.lab.street.inventory import (
    all_scenes as all_scenes,
    bare_scenes as bare_scenes,
    count_scenes as count_scenes,
    nouns_of as nouns_of,
    scene_from_number as scene_from_number,
    verbs_for as verbs_for,
)
from anatomy_course.lab.street.labels import TAGS as TAGS, class_of as class_of, tags as tags
from anatomy_course.lab.street.lexicon import (
    english_words as english_words,
    french_words as french_words,
    look_up as look_up,
    meanings as meanings,
    name_unknown as name_unknown,
    nearest_words as nearest_words,
    unknown_words as unknown_words,
    words_of as words_of,
)
from anatomy_course.lab.street.minimal_pairs import (
    MinimalPair as MinimalPair,
    flips as flips,
    pair_with as pair_with,
    pronoun as pronoun,
)
from anatomy_course.lab.street.nearest import nearest_scene as nearest_scene
from anatomy_course.lab.street.parser import (
    explain as explain,
    is_grammatical as is_grammatical,
    language_of as language_of,
    parse as parse,
    readings as readings,
    say as say,
    share_grammatical as share_grammatical,
)
from anatomy_course.lab.street.questions import (
    SceneQuestion as SceneQuestion,
    answer as answer,
    ask as ask,
    summary as summary,
)
from anatomy_course.lab.street.scene import Scene as Scene, clear_reasons as clear_reasons, referents as referents
from anatomy_course.lab.street.sentence import Sentence as Sentence, Span as Span, Writer as Writer
from anatomy_course.lab.street.splits import split_of as split_of
from anatomy_course.lab.street.text import detokenize as detokenize, tokenize as tokenize
from anatomy_course.lab.street.vocabulary import Vocabulary as Vocabulary, street_vocabulary as street_vocabulary
from anatomy_course.lab.street.word_types import (
    Adjective as Adjective,
    Noun as Noun,
    Verb as Verb,
    check_language as check_language,
    kinds as kinds,
)

if TYPE_CHECKING:
    from anatomy_course.lab.street import batches as batches, reports as reports, sampling as sampling
    from anatomy_course.lab.street.batches import (
        Batch as Batch,
        Labeled as Labeled,
        Pointed as Pointed,
        TextToText as TextToText,
        answering as answering,
        classification as classification,
        language_modeling as language_modeling,
        question_answering as question_answering,
        shuffled as shuffled,
        summarization as summarization,
        tagging as tagging,
        text_to_text as text_to_text,
        to_translate as to_translate,
        translation as translation,
    )
    from anatomy_course.lab.street.reports import Report as Report, sample_reports as sample_reports
    from anatomy_course.lab.street.sampling import (
        draw_scenes as draw_scenes,
        sample_minimal_pairs as sample_minimal_pairs,
        sample_scenes as sample_scenes,
    )

_LATE = {
    "batches": (
        "Batch Labeled Pointed TextToText answering classification language_modeling question_answering shuffled "
        "summarization tagging text_to_text to_translate translation"
    ).split(),
    "reports": ["Report", "sample_reports"],
    "sampling": ["draw_scenes", "sample_minimal_pairs", "sample_scenes"],
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
