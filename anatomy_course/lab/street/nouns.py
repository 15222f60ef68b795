"""The nouns of the street. To add one, add its line: English, French, gender, kind. Nothing else needs to change.

*Le* or *la* or *l'*, *du*, *il* or *elle* and every agreement follow from the line. The one thing that French spelling
does not tell is an h that behaves like a consonant (*le hérisson*): add such a word to `CONSONANT_H` as well.
"""

from __future__ import annotations

from anatomy_course.lab.street.word_types import Noun

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
