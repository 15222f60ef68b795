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

from anatomy_utils import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "batches": "Batch Labeled Pointed TextToText answering classification language_modeling question_answering "
        "shuffled summarization tagging text_to_text to_translate translation",
        "english": "say_in_english",
        "french": "say_in_french",
        "inventory": "all_scenes count_scenes",
        "labels": "TAGS class_of tags",
        "minimal_pairs": "MinimalPair flips pronoun",
        "parser": "explain is_grammatical language_of parse readings say share_grammatical",
        "questions": "SceneQuestion answer ask summary",
        "reports": "Report sample_reports",
        "sampling": "draw_scenes sample_minimal_pairs sample_scenes",
        "scene": "Scene",
        "splits": "split_of",
        "text": "detokenize tokenize",
        "vocabulary": "Vocabulary street_vocabulary",
    },
)
