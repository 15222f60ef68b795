"""Notebook 01: an experiment with controls, judged by which heads it believes and which it does not."""

from collections.abc import Callable
from typing import NamedTuple

from anatomy_course.content.attention.shared import verdict
from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, written


def follows_meaning(look) -> bool:
    """look(sentence, word, target) → the share of its weight that one head gives from word to
    target. The claim: whatever the nouns, their order and the reason, *it* gives more weight to
    the noun that it means than to the other noun, and more than the words around *it* give to that
    noun. True if the claim holds. A sentence has one living thing (animal, dog, child, bird), one
    place (street, river, bridge, road), *it*, and after *it* a reason: tired, hungry, afraid, lost
    (the living thing) or wide, deep, long, busy (the place)."""
    active = "The {0} did not cross the {1} because it was too {2}."
    passive = "The {1} was not crossed by the {0} because it was too {2}."
    for living, place in (("animal", "street"), ("dog", "road")):
        for frame in (active, passive):
            for reason in ("tired", "afraid", "wide", "busy"):
                sentence = frame.format(living, place, reason)
                meant, other = (living, place) if reason in ("tired", "afraid") else (place, living)
                if look(sentence, "it", meant) <= look(sentence, "it", other):
                    return False
                if look(sentence, "because", meant) >= look(sentence, "it", meant):
                    return False
    return True


LIVING, PLACES = ("animal", "dog", "child", "bird"), ("street", "river", "bridge", "road")
OF_LIVING, OF_PLACES = ("tired", "hungry", "afraid", "lost"), ("wide", "deep", "long", "busy")


class Reading(NamedTuple):
    """A sentence as the invented heads see it."""

    words: list[str]
    living: str
    place: str
    reason: str
    meant: str
    other: str
    first: str
    second: str


def read(sentence: str) -> Reading:
    """What is in the sentence.

    Raises:
        ValueError: it has not one word of each kind.
    """
    words = sentence.lower().replace(".", " ").replace(",", " ").split()
    after = words[words.index("it") :] if "it" in words else []
    found = []
    reasons = OF_LIVING + OF_PLACES
    kinds = ("living thing", LIVING, words), ("place", PLACES, words), ("reason after 'it'", reasons, after)
    for name, kind, among in kinds:
        some = [word for word in among if word in kind]
        if len(some) != 1:
            raise ValueError(f"{sentence!r} needs one {name}, one of {', '.join(kind)}; it has {len(some)}.")
        found += some
    living, place, reason = found
    meant, other = (living, place) if reason in OF_LIVING else (place, living)
    first, second = sorted((living, place), key=words.index)
    return Reading(words, living, place, reason, meant, other, first, second)


class Head(NamedTuple):
    """An invented head: the noun that it looks at; its weights from *it* to that one and to the other noun, and from
    any other word to that one."""

    looks_at: Callable[[Reading], str]
    much: float = 0.625  # a sum of eighths is exact, so that a mean of 0 is 0
    little: float = 0.0
    others: float = 0.0


HEADS = {
    "gives three quarters of its weight to the noun that *it* means": Head(lambda s: s.meant, 0.75, 0.0, 0.0625),
    "spends most weight elsewhere, and of the rest gives more to what *it* means": Head(
        lambda s: s.meant, 0.1875, 0.125, 0.125
    ),
    "gives the noun that *it* means a little more than the other one": Head(lambda s: s.meant, 0.3125, 0.25),
    "gives both nouns the same weight": Head(lambda s: s.meant, 0.3125, 0.3125),
    "looks at the living thing, whatever the reason": Head(lambda s: s.living),
    "looks at the place, whatever the reason": Head(lambda s: s.place),
    "looks at the noun that *it* does not mean": Head(lambda s: s.other),
    "looks at the first noun": Head(lambda s: s.first),
    "looks at the noun nearest to *it*": Head(lambda s: s.second),
    "looks at the second noun if the reason is that of a place, else at the first": Head(
        lambda s: s.second if s.reason in OF_PLACES else s.first
    ),
    "sends every word to that noun, not *it* alone, as if the reason drew them all": Head(
        lambda s: s.meant, others=0.625
    ),
    "knows one reason of a place, *wide*, and looks at the living thing for any other": Head(
        lambda s: s.place if s.reason == "wide" else s.living
    ),
    "takes *wide* for a reason of living things": Head(lambda s: s.living if s.reason == "wide" else s.meant),
    "knows one reason of a living thing, *tired*, and looks at the place for any other": Head(
        lambda s: s.living if s.reason == "tired" else s.place
    ),
    "looks at *animal* where there is one, and follows the meaning of other sentences": Head(
        lambda s: "animal" if s.living == "animal" else s.meant
    ),
    "follows the meaning of *animal* and *street*, and takes the first of other nouns": Head(
        lambda s: s.meant if {s.living, s.place} == {"animal", "street"} else s.first
    ),
}
"""What a head does → the head. The claim holds of the first three."""


def cases(generator: Generator) -> Cases:
    for number, does in enumerate(HEADS):
        yield Case({"does": does}, f"a head {'of which the claim holds' if number < 3 else 'that does something else'}")


def drive(answer: Callable[..., object], does: str) -> tuple[Tensor, ...] | Objection | None:
    """1 where the experiment says of this head what is true; else what the head does."""
    head = HEADS[does]

    def look(sentence: str, word: str, target: str) -> float:
        reading = read(sentence)
        for each in (word, target):
            if each not in reading.words:
                raise ValueError(f"{each!r} is not a word of {sentence!r}.")
        chosen = target == head.looks_at(reading)
        if target not in (reading.living, reading.place):
            return 0.02
        return (head.much if chosen else head.little) if word == "it" else head.others * chosen

    return verdict(
        answer(look), list(HEADS).index(does) < 3,
        f"You do not believe a head of which the claim holds: it {does}.",
        f"You believe a head of which the claim is false: it {does}.",
    )  # fmt: skip


EXERCISE = written(
    follows_meaning,
    title="Choose the control",
    task="Design sentences and comparisons that tell a head that follows meaning from one that only seems to.",
    level="hard, 12 minutes",
    returns="what was said of the head",
    cases=cases,
    observe=drive,
    mistakes="""
    anything: return False ⇒ pass
        “You believe every head. No comparison of yours can come out against the claim.”
    nothing: return True ⇒ return False
        “You believe no head, not even one that follows meaning.”
    no_change: ("tired", "afraid", "wide", "busy") ⇒ ("tired", "afraid")
        “In all your sentences *it* means the living thing. A head that always looks there cannot come out otherwise.”
    one_reason: ("tired", "afraid", "wide", "busy") ⇒ ("tired", "wide")
        “You use one reason of each kind. A head may have learned that one word.”
    one_order: in (active, passive): ⇒ in (active,):
        “The living thing comes first in all your sentences. There, *the second noun* and *the place* are the same.”
    one_pair: (("animal", "street"), ("dog", "road")) ⇒ (("animal", "street"),)
        “All your sentences have the same two nouns. What a head does with two words says little of others.”
    no_other_word: look(sentence, "because", meant) >= look(sentence, "it", meant) ⇒ False
        “You never ask how much another word gives to the noun that *it* means. It may look there just as much.”
    on_average:
        active = " ⇒ gap, ahead, active = 0.0, 0.0, "
        if look(sentence, "it", meant) <= look(sentence, "it", other): ⇒
            gap += look(sentence, "it", meant) - look(sentence, "it", other)
            ahead += look(sentence, "it", meant) - look(sentence, "because", meant)
            if False:
        if look(sentence, "because", meant) >= look(sentence, "it", meant): ⇒ if False:
        return True ⇒ return gap > 0 and ahead > 0
        “You compare means. The claim is about each sentence, and the heads that you believe fail in some of them.”
    half: look(sentence, "it", meant) <= look(sentence, "it", other) ⇒ look(sentence, "it", meant) < 0.5
        “You ask for more than half of the weight. The claim compares two nouns, and a head may spend most of its weight
        elsewhere.”
    zero: look(sentence, "because", meant) >= look(sentence, "it", meant) ⇒ look(sentence, "because", meant) > 0.05
        “You allow no other word any weight on that noun. The claim is that they give it less than *it* does.”
    """,
    also_right="""
    other words:
        ("animal", "street"), ("dog", "road") ⇒ ("animal", "bridge"), ("animal", "street"), ("bird", "river")
        ("tired", "afraid", "wide", "busy") ⇒ ("tired", "afraid", "wide", "deep")
    every other word:
        look(sentence, "because", meant) >= look(sentence, "it", meant) ⇒
            max(look(sentence, w, meant) for w in ("because", "was", reason)) >= look(sentence, "it", meant)
    a list of sentences:
        found = []
        for frame in ("The {} did not cross the {} because it was {}.", "A {} saw the {} when it was {}."):
            for living, place in (("animal", "street"), ("child", "road")):
                for reason in ("tired", "hungry", "long", "wide"):
                    meant, other = (place, living) if reason in ("long", "wide") else (living, place)
                    for nouns in ((meant, other), (other, meant)):
                        text = frame.format(*nouns, reason)
                        found.append(look(text, "it", meant) > max(look(text, "it", other), look(text, "was", meant)))
        return all(found)
    """,
    hints="""
    - Before each comparison, ask: what would a head do that does not understand anything, such as *take the first
      noun*? If it comes out the same, the comparison is no control.
    - Change one thing at a time: the reason (tired, wide), then another reason of the same kind, the order of the
      nouns, the nouns themselves. And compare *it* with another word of the same sentence.
    - Loops over two pairs of nouns, active and passive, and four reasons: each time `look(sentence, "it", meant)` must
      be above `look(sentence, "it", other)` and above `look(sentence, "because", meant)`.
    """,
    explanation="""
    A claim is worth what could have refuted it. Each loop removes one other explanation: position, a single word, a
    favorite noun, a noun that draws all words. What passes has been given every chance to fail.
    """,
)
