"""Recipes: models small enough to be trained on the toy language in seconds, one task a module.

Each `train_…` takes a seed, which decides the weights, the sentences and their order, and returns the model and the
history of its losses. Sentences to judge it by come from `toy_language.sampling`, split "test": their two nouns never
occur together in training.

- `encoder_tasks`: a small encoder that classifies, tags and finds answers (notebook 03); `predict`: its predictions for
  a typed sentence
- `masked_language_model`: predicting hidden words, as encoders are pretrained (notebook 03)
- `small_gpt`: a small GPT (notebook 04); `sample_log`: what it writes during training
- `translator`: English and French, both directions in one model; `text_to_text`: summaries and answers (notebook 05)
- `extractive_summarizer`: an encoder that picks the sentence that summarizes a report (notebook 06)
- `recurrent_baselines`: a recurrent translator and an ELMo (notebook 06)
- `metrics`: shares of right answers, and BLEU
- `train`: the training loop of all of them
"""

from anatomy_utils import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "encoder_tasks": "label_loss small_encoder span_loss train_classifier train_question_answerer train_tagger",
        "extractive_summarizer": "ReportBatch report_batch sentence_probabilities sentence_scores "
        "share_of_right_summaries summarizer_loss summary_baselines train_extractive_summarizer words_to_score",
        "masked_language_model": "hide_words mask_one_word_each share_of_sensible_words train_masked_language_model",
        "metrics": "bleu predictions share_of_right_labels share_of_right_texts targets texts_all_right",
        "predict": "answer_question classify_sentence fill_mask tag_words",
        "recurrent_baselines": "TranslationWithWeights bidirectional_loss elmo_word_vectors train_elmo "
        "train_recurrent_translator translate_with_weights",
        "sample_log": "LoggedSamples SampleLog",
        "small_gpt": "new_small_gpt sample_texts train_small_gpt",
        "text_to_text": "interleave task_examples text_to_text_exact_match train_text_to_text write_for_task",
        "train": "OnStep train_model",
        "translator": "AnyTranslator in_both_directions small_transformer train_translator translate "
        "translation_exact_match translation_loss",
    },
)
