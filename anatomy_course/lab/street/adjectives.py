"""The adjectives of the street. To add one, add its line: English, the French masculine and feminine, and its use.

`beside_noun` says that it may stand beside a noun, and where French puts it; `fits` lists the kinds of noun that can be
too much of it. What *it* stands for follows from `fits` alone: *tired* fits animals, *wide* fits streets, so "The
animal didn't cross the street because it was too …" has one reading with each. *Old* fits a bus and a garage: with
those two nouns the sentence has two readings, and the street does not teach from it (see `scene`).
"""

from __future__ import annotations

from anatomy_course.lab.street.word_types import Adjective, kinds

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
