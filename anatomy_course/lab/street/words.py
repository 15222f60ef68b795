"""The words of the street, both languages in one row. To add one, add its line; nothing else needs to change.

`Noun`, `Adjective` and `Verb` say what each column means. *Le* or *la* or *l'*, *du*, *il* or *elle* and every
agreement follow from a noun's line. The one thing that French spelling does not tell is an h that behaves like a
consonant (*le hérisson*): add such a word to `CONSONANT_H` as well.

What *it* stands for follows from `fits` alone: *tired* fits animals, *wide* fits streets, so "The animal didn't cross
the street because it was too …" has one reading with each. *Old* fits a bus and a garage: with those two nouns the
sentence has two readings, and the street does not teach from it (see `scene`).

Verbs without a `past` appear with *didn't*, *couldn't* and *wouldn't*; verbs with one did happen ("avoided"). French
puts *didn't cross* and *avoided* into the passé composé (*n'a pas traversé*, *a évité*), and *couldn't* and *wouldn't*
into the imparfait with an infinitive (*ne pouvait pas traverser*).
"""

from __future__ import annotations

from dataclasses import dataclass

Language = str
"""One of `LANGUAGES`. Another word gets a `ValueError` from `check_language`."""

LANGUAGES = ("english", "french")

SUBJECT_KINDS = ("animal", "machine")
"""What can do something."""

OBJECT_KINDS = ("street", "water", "building", "food", "load")
"""What something can be done to. They are also the topics of the sentences."""

KINDS = SUBJECT_KINDS + OBJECT_KINDS

MOODS = ("didn't", "couldn't", "wouldn't")
"""How a scene may not happen. What did happen has the mood "did"."""


def kinds(names: str) -> frozenset[str]:
    """The kinds that a table names in one string, separated by spaces.

    Raises:
        ValueError: one of them is not a kind.

    >>> sorted(kinds("water street"))
    ['street', 'water']
    """
    chosen = frozenset(names.split())
    if unknown := chosen - set(KINDS):
        raise ValueError(f"Unknown kind {sorted(unknown)}; the kinds are {', '.join(KINDS)}.")
    return chosen


def check_language(language: Language) -> None:
    """Complain about a language that the street does not speak.

    Raises:
        ValueError: naming it, and those that it does.
    """
    if language not in LANGUAGES:
        raise ValueError(f"The street speaks {' and '.join(LANGUAGES)}, not {language!r}.")


@dataclass(frozen=True)
class Noun:
    """Something that acts or is acted upon.

    Attributes:
        english: the word; also the name by which a scene calls it.
        french: the French word.
        gender: "m" or "f", the gender of the French word.
        kind: one of `KINDS`.
    """

    english: str
    french: str
    gender: str
    kind: str


@dataclass(frozen=True)
class Adjective:
    """A property, of a noun ("the old animal") or as a reason ("because it was too tired").

    Attributes:
        english: the word; also the name by which a scene calls it.
        masculine: the French form for a masculine noun.
        feminine: the French form for a feminine noun.
        beside_noun: "before" or "after" where French puts it beside a noun; "" if it is only ever a reason.
        before_vowel: the masculine form before a vowel where it differs (*vieil animal*), else "".
        fits: the kinds of noun that can be too much of it; empty if it is never a reason.
    """

    english: str
    masculine: str
    feminine: str
    beside_noun: str = ""
    before_vowel: str = ""
    fits: frozenset[str] = frozenset()

    @property
    def french_forms(self) -> tuple[str, ...]:
        """All French forms, each once."""
        return tuple(dict.fromkeys(form for form in (self.masculine, self.before_vowel, self.feminine) if form))


@dataclass(frozen=True)
class Verb:
    """Something that happens to an object, or (far more often on this street) does not.

    Attributes:
        english: the base form; also the name by which a scene calls it.
        infinitive: the French infinitive, without *se*.
        participle: the French past participle, masculine; feminine adds -e.
        subjects: kinds of noun that can do it.
        objects: kinds of noun that it can be done to.
        english_preposition: the word between verb and object in English, or "".
        french_preposition: the word between verb and object in French, or "". *De* and *à* melt into *du* and *au*.
        auxiliary: "avoir", or "être" (then the participle agrees with the subject).
        reflexive: French says *s'approcher*.
        past: the English past form of a verb that does happen ("avoided"); "" for a verb that appears with "didn't".
        goal: what the summary says could not be done; "" if that is the verb itself.
    """

    english: str
    infinitive: str
    participle: str
    subjects: frozenset[str]
    objects: frozenset[str]
    english_preposition: str = ""
    french_preposition: str = ""
    auxiliary: str = "avoir"
    reflexive: bool = False
    past: str = ""
    goal: str = ""

    @property
    def moods(self) -> tuple[str, ...]:
        """The moods that this verb can have in a scene."""
        return ("did",) if self.past else MOODS


NOUNS = (
    Noun("animal", "animal", "m", "animal"),
    Noun("dog", "chien", "m", "animal"),
    Noun("cat", "chat", "m", "animal"),
    Noun("horse", "cheval", "m", "animal"),
    Noun("donkey", "âne", "m", "animal"),
    Noun("bird", "oiseau", "m", "animal"),
    Noun("hedgehog", "hérisson", "m", "animal"),
    Noun("monster", "monstre", "m", "animal"),
    Noun("cow", "vache", "f", "animal"),
    Noun("mouse", "souris", "f", "animal"),
    Noun("goat", "chèvre", "f", "animal"),
    Noun("turtle", "tortue", "f", "animal"),
    Noun("spider", "araignée", "f", "animal"),
    Noun("frog", "grenouille", "f", "animal"),
    Noun("bee", "abeille", "f", "animal"),
    Noun("creature", "créature", "f", "animal"),
    Noun("truck", "camion", "m", "machine"),
    Noun("bus", "bus", "m", "machine"),
    Noun("robot", "robot", "m", "machine"),
    Noun("tractor", "tracteur", "m", "machine"),
    Noun("car", "voiture", "f", "machine"),
    Noun("ambulance", "ambulance", "f", "machine"),
    Noun("motorbike", "moto", "f", "machine"),
    Noun("machine", "machine", "f", "machine"),
    Noun("street", "rue", "f", "street"),
    Noun("road", "route", "f", "street"),
    Noun("avenue", "avenue", "f", "street"),
    Noun("motorway", "autoroute", "f", "street"),
    Noun("bridge", "pont", "m", "street"),
    Noun("path", "chemin", "m", "street"),
    Noun("tunnel", "tunnel", "m", "street"),
    Noun("boulevard", "boulevard", "m", "street"),
    Noun("river", "rivière", "f", "water"),
    Noun("bay", "baie", "f", "water"),
    Noun("lagoon", "lagune", "f", "water"),
    Noun("lake", "lac", "m", "water"),
    Noun("pond", "étang", "m", "water"),
    Noun("stream", "ruisseau", "m", "water"),
    Noun("house", "maison", "f", "building"),
    Noun("station", "gare", "f", "building"),
    Noun("school", "école", "f", "building"),
    Noun("church", "église", "f", "building"),
    Noun("garage", "garage", "m", "building"),
    Noun("market", "marché", "m", "building"),
    Noun("hotel", "hôtel", "m", "building"),
    Noun("shed", "hangar", "m", "building"),
    Noun("soup", "soupe", "f", "food"),
    Noun("salad", "salade", "f", "food"),
    Noun("omelette", "omelette", "f", "food"),
    Noun("cake", "gâteau", "m", "food"),
    Noun("cheese", "fromage", "m", "food"),
    Noun("egg", "œuf", "m", "food"),
    Noun("crate", "caisse", "f", "load"),
    Noun("suitcase", "valise", "f", "load"),
    Noun("wardrobe", "armoire", "f", "load"),
    Noun("bag", "sac", "m", "load"),
    Noun("piano", "piano", "m", "load"),
    Noun("cart", "chariot", "m", "load"),
)

CONSONANT_H = ("hérisson", "hangar")
"""French words whose h keeps the article whole: *le hérisson*, but *l'hôtel*."""


ADJECTIVES = (
    # beside a noun, and some of them as a reason too
    Adjective("small", "petit", "petite", "before", fits=kinds("animal building")),
    Adjective("big", "grand", "grande", "before", fits=kinds("animal machine load")),
    Adjective("old", "vieux", "vieille", "before", "vieil", fits=kinds("animal machine building food")),
    Adjective("new", "nouveau", "nouvelle", "before", "nouvel"),
    Adjective("beautiful", "beau", "belle", "before", "bel"),
    Adjective("black", "noir", "noire", "after"),
    Adjective("white", "blanc", "blanche", "after"),
    Adjective("red", "rouge", "rouge", "after"),
    Adjective("green", "vert", "verte", "after"),
    Adjective("strange", "étrange", "étrange", "after"),
    # reasons why an animal or a machine does not
    Adjective("tired", "fatigué", "fatiguée", fits=kinds("animal")),
    Adjective("scared", "effrayé", "effrayée", fits=kinds("animal")),
    Adjective("sick", "malade", "malade", fits=kinds("animal")),
    Adjective("lazy", "paresseux", "paresseuse", fits=kinds("animal")),
    Adjective("nervous", "nerveux", "nerveuse", fits=kinds("animal")),
    Adjective("shy", "timide", "timide", fits=kinds("animal")),
    Adjective("young", "jeune", "jeune", fits=kinds("animal")),
    Adjective("weak", "faible", "faible", fits=kinds("animal machine")),
    Adjective("slow", "lent", "lente", fits=kinds("animal machine")),
    Adjective("rusty", "rouillé", "rouillée", fits=kinds("machine")),
    # reasons that lie with a street, a house, a soup or a piano
    Adjective("heavy", "lourd", "lourde", fits=kinds("machine load")),
    Adjective("wide", "large", "large", fits=kinds("machine street water load")),
    Adjective("long", "long", "longue", fits=kinds("machine street")),
    Adjective("narrow", "étroit", "étroite", fits=kinds("street building")),
    Adjective("busy", "fréquenté", "fréquentée", fits=kinds("street")),
    Adjective("steep", "raide", "raide", fits=kinds("street")),
    Adjective("slippery", "glissant", "glissante", fits=kinds("street load")),
    Adjective("dangerous", "dangereux", "dangereuse", fits=kinds("street water building")),
    Adjective("muddy", "boueux", "boueuse", fits=kinds("street water")),
    Adjective("deep", "profond", "profonde", fits=kinds("water")),
    Adjective("cold", "froid", "froide", fits=kinds("water food")),
    Adjective("dark", "sombre", "sombre", fits=kinds("street building")),
    Adjective("dirty", "sale", "sale", fits=kinds("water building load")),
    Adjective("noisy", "bruyant", "bruyante", fits=kinds("machine building")),
    Adjective("crowded", "bondé", "bondée", fits=kinds("building")),
    Adjective("hot", "chaud", "chaude", fits=kinds("food")),
    Adjective("salty", "salé", "salée", fits=kinds("food")),
    Adjective("spicy", "épicé", "épicée", fits=kinds("food")),
    Adjective("dry", "sec", "sèche", fits=kinds("food")),
    Adjective("fragile", "fragile", "fragile", fits=kinds("load")),
)


ALL = kinds("animal machine")
ANIMALS = kinds("animal")

VERBS = (
    Verb("cross", "traverser", "traversé", ALL, kinds("street water")),
    Verb("follow", "suivre", "suivi", ALL, kinds("street")),
    Verb(
        "approach",
        "approcher",
        "approché",
        ALL,
        kinds("water building"),
        french_preposition="de",
        auxiliary="être",
        reflexive=True,
    ),
    Verb("enter", "entrer", "entré", ALL, kinds("building"), french_preposition="dans", auxiliary="être"),
    Verb("go", "aller", "allé", ALL, kinds("building"), "to", "à", auxiliary="être"),
    Verb("eat", "manger", "mangé", ANIMALS, kinds("food")),
    Verb("finish", "finir", "fini", ANIMALS, kinds("food")),
    Verb("carry", "porter", "porté", ANIMALS, kinds("load")),
    Verb("push", "pousser", "poussé", ALL, kinds("load")),
    Verb("pull", "tirer", "tiré", ALL, kinds("load")),
    Verb("lift", "soulever", "soulevé", ALL, kinds("load")),
    Verb("avoid", "éviter", "évité", ALL, kinds("street water"), past="avoided", goal="cross"),
    Verb("leave", "quitter", "quitté", ALL, kinds("building"), past="left", goal="stay in"),
    Verb("refuse", "refuser", "refusé", ANIMALS, kinds("food"), past="refused", goal="eat"),
    Verb("drop", "lâcher", "lâché", ALL, kinds("load"), past="dropped", goal="carry"),
)
