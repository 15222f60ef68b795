"""The verbs of the street. To add one, add its line; `Verb` says what each column means.

Verbs without a `past` appear with *didn't*, *couldn't* and *wouldn't*; verbs with one did happen ("avoided"). French
puts *didn't cross* and *avoided* into the passé composé (*n'a pas traversé*, *a évité*), and *couldn't* and *wouldn't*
into the imparfait with an infinitive (*ne pouvait pas traverser*).
"""

from __future__ import annotations

from anatomy_course.lab.street.word_types import Verb, kinds

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
