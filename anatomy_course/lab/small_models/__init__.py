"""Recipes: models small enough to be trained on the toy language in seconds, one task a module.

Each `train_…` takes a seed, which decides the weights, the sentences and their order, and returns the model and the
history of its losses. Sentences to judge it by come from `street.sampling`, split "test": their two nouns never
occur together in training.

- `encoder_tasks`: a small encoder that classifies, tags and finds answers (notebook 03); `predict`: its predictions for
  a typed sentence
- `masked_language_model`: predicting hidden words, as encoders are pretrained (notebook 03)
- `small_gpt`: a small GPT (notebook 04); `sample_log`: what it writes during training
- `translator`: English and French, both directions in one model; `text_to_text`: summaries and answers (notebook 05)
- `extractive_summarizer`: an encoder that picks the sentence that summarizes a report (notebook 06)
- `recurrent_baselines`: a recurrent translator and an ELMo (notebook 06)
- `python_code`: functions of Python's own library, and its parser as a judge of what is written (notebook 08)
- `metrics`: shares of right answers, and BLEU
- `train`: the training loop of all of them
"""

from anatomy_utils import open_room

__getattr__, __dir__ = open_room(__name__, __path__[0])
