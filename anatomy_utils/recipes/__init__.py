"""Recipes: models small enough to be trained on the street while somebody watches, one task a file.

Each `train_…` takes a seed, which decides weights, sentences and their order, and returns the model and the history of
its losses. Scenes for judging it come from `toy_language.sampling`, split "test": two nouns that were never together
before.

- `encoder_tasks`: a topic, tags, an answer's place; `predict`: what they say about a sentence that you type;
  `masked_language_model`: masked words, which is how encoders are pretrained (notebook 03)
- `small_gpt`: a small GPT; `sample_log`: what it writes while it learns (notebook 04)
- `translator`: both directions in one model; `text_to_text`: summaries and answers (notebook 05)
- `extractive_summarizer`: an encoder that sums up by picking a sentence; `recurrent_baselines`: what came before the
  Transformer, a recurrent translator and an ELMo (notebook 06)
- `metrics`: how good a model is
- `train`: how all of them learn
"""
