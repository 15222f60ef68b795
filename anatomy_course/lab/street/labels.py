"""What a scene is labelled with, what can be asked about it, and how it is said shortly.

Notebooks 03 and 04 train heads for the topic, the referent and the tags. An answer is a stretch of the English
sentence, so that an encoder can point at it; as a text, an encoder–decoder can write it (notebook 06). One of the
questions, and the summary, need to know what *it* stands for.
"""

from __future__ import annotations

from dataclasses import dataclass

from anatomy_course.lab.street.grammar import say_in_english
from anatomy_course.lab.street.lexicon import NOUN, VERB
from anatomy_course.lab.street.parser import parse
from anatomy_course.lab.street.scene import REFERENTS, Scene
from anatomy_course.lab.street.text import Sentence, Span, detokenize, tokenize
from anatomy_course.lab.street.words import KINDS, OBJECT_KINDS

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

    >>> from anatomy_course.lab.street.grammar import say_in_english
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


QUESTIONS = ("referent", "subject", "object", "reason")
"""What can be asked: what *it* is, who, what or where, and why."""


@dataclass(frozen=True)
class SceneQuestion:
    """A question and its answer.

    Attributes:
        tokens: the words of the question.
        answer: where in the scene's English sentence the answer stands.
        answer_tokens: the words of the answer.
    """

    tokens: tuple[str, ...]
    answer: Span
    answer_tokens: tuple[str, ...]

    def __str__(self) -> str:
        return detokenize(self.tokens)


def ask(scene: Scene, about: str) -> SceneQuestion:
    """Ask one of the four questions about a scene.

    Args:
        scene: the scene.
        about: "referent" (what was too tired?), "subject" (what didn't cross the street?), "object" (what didn't the
            animal cross?) or "reason" (why didn't the animal cross the street?).

    Raises:
        ValueError: another question is asked.

    >>> question = ask(Scene("animal", "cross", "street", "wide"), "referent")
    >>> str(question), " ".join(question.answer_tokens)
    ('What was too wide?', 'the street')
    """
    verb = VERB[scene.verb]
    base = [verb.english, verb.english_preposition] if verb.english_preposition else [verb.english]
    sentence = say_in_english(scene)
    subject, object = (Span(span.start - 1, span.stop) for span in (sentence.subject, sentence.object))
    match about:
        case "referent":
            words, answer = ["what", "was", "too", scene.reason], subject if scene.referent == "subject" else object
        case "subject":
            happened = [verb.past] if verb.past else [scene.mood, *base]
            words, answer = ["what", *happened, "the", scene.object], subject
        case "object":
            words, answer = ["what", scene.mood, "the", scene.subject, *base], object
        case "reason":
            words, answer = ["why", scene.mood, "the", scene.subject, *base, "the", scene.object], sentence.clause
        case _:
            raise ValueError(f"A question is about {', '.join(QUESTIONS)}, not {about!r}.")
    return SceneQuestion((*words, "?"), answer, sentence.words(answer))


def answer(question: str, sentence: str) -> str:
    """Answer a question about a sentence by looking its scene up.

    Raises:
        ValueError: the sentence cannot be read, or the question is none of the four that can be asked about it.

    >>> answer("What was too tired?", "The animal didn't cross the street because it was too tired.")
    'the animal'
    """
    scene = parse(sentence, "english")
    asked = [ask(scene, about) for about in QUESTIONS]
    for candidate in asked:
        if list(candidate.tokens) == tokenize(question):
            return " ".join(candidate.answer_tokens)
    raise ValueError(f"About this sentence the street understands: {' '.join(map(str, asked))}")


def summary(scene: Scene) -> tuple[str, ...]:
    """The words of a short summary, which names what *it* stands for.

    >>> detokenize(summary(Scene("animal", "cross", "street", "tired", object_adjective="old")))
    'The animal was too tired to cross the street.'
    >>> detokenize(summary(Scene("animal", "cross", "street", "wide", object_adjective="old")))
    'The street was too wide to cross.'
    """
    verb = VERB[scene.verb]
    goal = verb.goal.split() or [word for word in (verb.english, verb.english_preposition) if word]
    if scene.referent == "subject":
        goal += ["the", scene.object]
    return ("the", scene.referent_noun.english, "was", "too", scene.reason, "to", *goal, ".")
