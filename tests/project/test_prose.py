"""What learners read is plain American English: phrases that readers of the course stumbled over do not come back.

Each pattern names one of them and what to say in its place. What is right English in spite of a pattern is written
into the pattern, with an example in `RIGHT`; so a sentence that is refused is worth a second look.
"""

from __future__ import annotations

import re

import pytest
from prose import PAGES, Text, plain, texts

from anatomy_course.page.notebooks import NOTEBOOKS

INSTEAD = {
    r"(?<!fall )(?<!falls )(?<!fell )(?<!left )(?<!lags )(?<!idea )(?<!ideas )(?<!reasoning )\bbehind\b": "after",
    r"\b(?:stand|stands|stood|standing)\b(?! (?:for|out|in for|by itself)\b| in[,.;)]|-in\b)": "is, comes",
    r"\b(?:hang|hangs|hung|hanging) (?:up)?on\b": "depends on",
    r"\b(?:bring|brings|brought|bringing) forth\b": "produces",
    r"\ba hair (?:ahead|better|behind|more|less)\b": "slightly, or the number",
    r"\bso much (?:was|is|has been) (?:measured|shown|said)\b": "this is what we measured",
    r"\bwhat (?:it|he|she|one) has of\b": "say it directly",
    r"\bby hand of\b": "using",
    r"\banew\b": "again",
    r"\blaid\b(?! out\b)": "put, joined",
    r"(?<!some )(?<!most )(?<!all )(?<!none )(?<!one )(?<!both )(?<!half )(?<!many )(?<!each )\bof which\b": "whose",
    r"\b(?:by|for|from|in|of|on|to|with) which(?=[.?!;:])": "put the preposition where English puts it",
    r"\bWhat has (?:it|he|she|one|this)\b": "normal word order: what does it have",
    r"\b(?:third|fourth|fifth|sixth|seventh) layers?\b": "layer 3, counted from 0",
}
"""Phrase → what to write in its place."""

AMERICAN = {
    r"\w*(?:behavi|col|fav|flav|harb|hon|hum|lab|neighb|rum|sav|vap)our\w*": "-or",
    r"\b\w*(?:author|apolog|categor|central|character|contextual|critic|custom|emphas|equal|factor|final|general|"
    r"initial|item|linear|local|maxim|memor|minim|neutral|normal|optim|organ|parallel|penal|priorit|quant|random|"
    r"real|recogn|regular|serial|special|stabil|standard|summar|symbol|token|util|vector|visual)"
    r"is(?:able|e|ed|er|ers|es|ing|ation|ations)\b": "-ize",
    r"\b(?:analys|paralys|catalys)(?:e|ed|ing)\b": "-yze",
    r"\b(?:learnt|spelt|burnt|dreamt|leant|spoilt)\b": "-ed",
    r"\b(?:centre[ds]?|centring|fibres?|litres?|metres?|theatres?)\b": "-er",
    r"\b\w*(?:cancel|channel|label|level|model|signal|travel|tunnel)l(?:ed|er|ers|ing)\b": "one l",
    r"\b(?:defence|licence|offence|practise[ds]?|practising|grey|catalogues?|programmes?|judgements?|artefacts?|mould|"
    r"ageing|fulfil|fulfils|skilful|whilst|amongst|sceptic\w*|maths)\b": "the American spelling",
}
"""British spelling → the American one."""

ELSEWHERE = {r"(?<!recent )\borgans?\b(?!\.\w)": "part or module: only notebooks 08, 09 and 10 call them organs"}
"""Words of one notebook only."""

WRONG = (
    "The norm comes behind the sum.",
    "It stands in row 3.",
    "What stands there?",
    "Where two words stand",
    "Everything hangs on the mask.",
    "The stack must bring forth a vector.",
    "travels is a hair ahead",
    "So much was measured, and no more.",
    "what it has of the source",
    "by hand of the table",
    "She wrote the norm anew.",
    "results laid end to end",
    "a table, of which only two rows count",
    "the matrix that it is multiplied with which.",
    "What has it at temperature 0.5?",
    "the third layer",
    "colours and neighbours",
    "recognised, normalisation, tokeniser",
    "We analysed it.",
    "It learnt.",
    "in the centre",
    "labelled, modelling",
    "a grey cell",
)  # fmt: skip
RIGHT = (
    "The LSTM falls behind.",
    "The idea behind it is old.",
    "d stands for the width, and head 11 stands out.",
    "It understands.",
    "The course's own part stands in, as a stand-in does.",
    "two models, one of which writes",
    "It is laid out in columns.",
    "the weights with which it sums",
    "our hours, your four colors, honest labor",
    "exercise, otherwise, precise, noise, raised, promise",
    "analyses, labeled, modeling, learned, center",
    "layer 3, counted from 0",
)

OWNERS = [*(notebook.file for notebook in NOTEBOOKS), *PAGES]


@pytest.fixture(scope="module")
def read_by_learners() -> list[Text]:
    return texts()


def objections(text: Text) -> list[str]:
    """What of the lists occurs in a text, with a few words around it."""
    own = {} if text.owner in ("08_recent_organs", "09_capstone", "10_workshop") else ELSEWHERE
    return [
        f"{text.place}: “{text.words[max(0, found.start() - 30) : found.end() + 30]}” → {instead}"
        for pattern, instead in {**INSTEAD, **AMERICAN, **own}.items()
        for found in re.finditer(pattern, text.words, re.IGNORECASE)
    ]


@pytest.mark.parametrize("owner", OWNERS)
def test_no_phrase_that_readers_stumbled_over(owner: str, read_by_learners: list[Text]) -> None:
    found = [line for text in read_by_learners if text.owner == owner for line in objections(text)]
    assert found == [], "\n".join([f"{len(found)} places:", *found])


@pytest.mark.parametrize("words", WRONG)
def test_each_phrase_would_be_found(words: str) -> None:
    assert objections(Text("01_attention", "made up", plain(words)))


@pytest.mark.parametrize("words", RIGHT)
def test_right_english_is_left_alone(words: str) -> None:
    assert objections(Text("01_attention", "made up", plain(words))) == []


def test_every_pattern_has_its_example() -> None:
    unused = [
        pattern
        for pattern in {**INSTEAD, **AMERICAN}
        if not any(re.search(pattern, words, re.IGNORECASE) for words in WRONG)
    ]
    assert unused == []


def test_every_notebook_exercise_question_and_page_is_read(read_by_learners: list[Text]) -> None:
    assert {text.owner for text in read_by_learners} == set(OWNERS)
    cells = {text.place for text in read_by_learners if text.owner == "05_decoder"}
    assert {"cell 04-000", "decoder.top_p"} <= cells
    assert plain("a `behind` b $x_{behind}$ c [d](behind.md)\n```\nbehind\n```") == "a b c [d"


def test_organs_live_in_two_notebooks_and_in_a_title() -> None:
    assert objections(Text("03_encoder", "made up", "with your organs"))
    assert objections(Text("03_encoder", "made up", "notebook 08, Recent organs, and its organs.route")) == []
    for owner in ("08_recent_organs", "09_capstone"):
        assert objections(Text(owner, "made up", "with your organs")) == []
