"""The street: a small world in English and French around one sentence.

"The animal didn't cross the street because it was too tired." Every scene of this world can be said in both languages,
read back, tagged, classified, summarised and asked about, so one sentence serves every task of the course; and whatever
a model writes can be judged. Notebook 03 trains task heads on it, 04 a small GPT, 05 a translator.

How it is built, from the ground up:

- `nouns`, `adjectives`, `verbs`: the tables, one line a word (`words`: what the columns mean; `lexicon`: finding words)
- `scene`: what happens, and what *it* stands for
- `english`, `french` (with `agreement`): saying it; `parser`: reading it back, judging it, naming what is wrong
- `labels`, `questions`: tags, topic, answers, summary; `minimal_pairs`: *tired* ↔ *wide*
- `inventory`, `splits`: all scenes, and which of them are kept for the test
- `vocabulary`, `text`: words as numbers, and text as words
- `sampling`, `batches`, `reports` (several sentences under a headline): those that need torch; import them by name
"""

from anatomy_utils.toy_language.inventory import all_scenes, count_scenes
from anatomy_utils.toy_language.minimal_pairs import MinimalPair, flips, pronoun
from anatomy_utils.toy_language.parser import (
    explain,
    is_grammatical,
    language_of,
    parse,
    readings,
    say,
    share_grammatical,
)
from anatomy_utils.toy_language.questions import answer, ask, summary
from anatomy_utils.toy_language.scene import Scene
from anatomy_utils.toy_language.splits import split_of
from anatomy_utils.toy_language.text import detokenise, tokenise
from anatomy_utils.toy_language.vocabulary import Vocabulary, street_vocabulary

__all__ = [
    "MinimalPair",
    "Scene",
    "Vocabulary",
    "all_scenes",
    "answer",
    "ask",
    "count_scenes",
    "detokenise",
    "explain",
    "flips",
    "is_grammatical",
    "language_of",
    "parse",
    "pronoun",
    "readings",
    "say",
    "share_grammatical",
    "split_of",
    "street_vocabulary",
    "summary",
    "tokenise",
]
