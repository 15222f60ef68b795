"""A toy language: a small world in English and French around one sentence.

"The animal didn't cross the street because it was too tired." Every scene of this world can be said in both languages,
parsed, tagged, classified, summarized and asked about, so one sentence serves every task of the course; and whatever a
model writes can be judged. Notebook 03 trains task heads on it, 04 a small GPT, 05 a translator.

From the ground up:

- `nouns`, `adjectives`, `verbs`: the tables, one line a word (`word_types`: what the columns mean; `lexicon`: look-up)
- `scene`: what happens, and what *it* refers to
- `sentence`: words and where each part is; `english`, `french` (with `agreement`): a scene as a sentence
- `parser`: a sentence as a scene, or what is wrong with it
- `labels`, `questions`: tags, topic, answers, summary; `minimal_pairs`: *tired* ↔ *wide*
- `inventory`, `splits`: all scenes, and which of them are kept for the test
- `vocabulary`, `text`: words as numbers, and text as words
- `sampling`, `batches`, `reports` (several sentences under a headline): these need torch
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
