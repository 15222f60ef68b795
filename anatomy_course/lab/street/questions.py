"""Asking about a scene and answering, and saying it shortly. In English.

An answer is a stretch of the sentence, so that an encoder can point at it (notebook 03); as a text, an encoder–decoder
can write it (notebook 05). One of the questions, and the summary, need to know what *it* stands for.
"""

from __future__ import annotations

from dataclasses import dataclass

from anatomy_course.lab.street.english import say_in_english
from anatomy_course.lab.street.lexicon import VERB
from anatomy_course.lab.street.parser import parse
from anatomy_course.lab.street.scene import Scene
from anatomy_course.lab.street.sentence import Span
from anatomy_course.lab.street.text import detokenize, tokenize

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
