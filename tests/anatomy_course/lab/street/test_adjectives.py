"""The adjectives: what food can be too much of, as a French reader wrote it."""

from anatomy_course.lab.street.adjectives import ADJECTIVES


def test_the_adjectives_of_food_by_hand():
    food = [word for word in ADJECTIVES if "food" in word.fits]
    assert {word.english: (word.masculine, word.feminine, sorted(word.fits)) for word in food} == {
        "old": ("vieux", "vieille", ["animal", "building", "food", "machine"]),
        "cold": ("froid", "froide", ["food", "water"]),
        "hot": ("chaud", "chaude", ["food"]),
        "salty": ("salé", "salée", ["food"]),
        "spicy": ("épicé", "épicée", ["food"]),
        "dry": ("sec", "sèche", ["food"]),
    }
