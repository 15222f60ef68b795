"""What a scene is labelled with: a topic, a referent, and a tag for each word.

Notebook 03 trains a head for each of them.
"""

from __future__ import annotations

from anatomy_course.lab.street.lexicon import NOUN
from anatomy_course.lab.street.scene import REFERENTS, Scene
from anatomy_course.lab.street.sentence import Sentence
from anatomy_course.lab.street.word_types import KINDS, OBJECT_KINDS

TOPICS = OBJECT_KINDS
"""The topic of a scene is the kind of its object."""

CLASSES = {"topic": TOPICS, "referent": REFERENTS}
"""The two ways of sorting sentences into classes, and their classes. *referent* cannot be told from single words."""

TAGS = ("O", *(f"{position}-{kind.upper()}" for kind in KINDS for position in "BI"))
"""The tags of words: outside of any entity, or the beginning or the inside of one, and its kind (BIO scheme)."""


def class_of(scene: Scene, label: str) -> str:
    """The class of a scene, one of `CLASSES[label]`.

    Raises:
        ValueError: the label is neither "topic" nor "referent".
    """
    if label not in CLASSES:
        raise ValueError(f"Scenes are classified by {' or '.join(map(repr, CLASSES))}, not by {label!r}.")
    return scene.topic if label == "topic" else scene.referent


def tags(scene: Scene, sentence: Sentence) -> list[str]:
    """One tag for each word of a scene's sentence, in either language.

    An entity is a noun with its adjective, without the article. The pronoun is a mention of an entity too, and its
    kind is that of what it stands for: here a tagger has to understand.

    >>> from anatomy_course.lab.street.english import say_in_english
    >>> scene = Scene("animal", "cross", "street", "wide", subject_adjective="old")
    >>> [tag for tag in tags(scene, say_in_english(scene)) if tag != "O"]
    ['B-ANIMAL', 'I-ANIMAL', 'B-STREET', 'B-STREET']
    """
    found = ["O"] * len(sentence.tokens)
    for noun, span in ((NOUN[scene.subject], sentence.subject), (NOUN[scene.object], sentence.object)):
        found[span.start : span.stop] = [f"I-{noun.kind.upper()}"] * (span.stop - span.start)
        found[span.start] = f"B-{noun.kind.upper()}"
    found[sentence.clause.start] = f"B-{scene.referent_noun.kind.upper()}"
    return found
