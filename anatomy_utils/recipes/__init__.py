"""Recipes: models small enough to be trained on the street while somebody watches, one task a file.

Each `train_…` takes a seed, which decides weights, sentences and their order, and returns the model and the history of
its losses. Scenes for judging it come from `street.sampling`, split "test": two nouns that were never together before.

- `readers`: a topic, tags, an answer's place (notebook 03); `reading`: what they say about a sentence that you type
- `gaps`: masked words, which is how encoders are pretrained (notebook 03); `distilling`: a student of half the depth
  (notebook 06)
- `writer`: a small GPT (notebook 04); `diary`: what it writes while it learns
- `translator`: both directions in one model, judged by `bleu`; `schooling`: taught in other ways; `text_to_text`:
  summaries and answers (notebook 05)
- `rivals`: one translation by an encoder–decoder and by a decoder alone; `picker`: an encoder that sums up by picking a
  sentence (notebook 06)
- `roots`: what came before the Transformer, a recurrent translator and an ELMo (notebook 06)
- `measures`: how good a reader is
- `practice`: how all of them learn
"""
