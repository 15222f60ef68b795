"""Recipes: models small enough to be trained on the toy language in seconds, one task a module.

Each `train_…` takes a seed, which decides the weights, the sentences and their order, and returns the model and the
history of its losses. Sentences to judge it by come from `street.sampling`, split "test": their two nouns never
occur together in training.

- `encoder_tasks`: a small encoder that classifies, tags and finds answers (notebooks 03 and 04); `predict`: its
  predictions for a typed sentence
- `masked_language_model`: predicting hidden words, as encoders are pretrained (notebook 04)
- `small_gpt`: a small GPT (notebook 05); `sample_log`: what it writes during training
- `translator`: English and French, both directions in one model; `text_to_text`: summaries and answers (notebook 06)
- `extractive_summarizer`: an encoder that picks the sentence that summarizes a report (notebook 07)
- `recurrent_baselines`: an ELMo (notebook 07)
- `python_code`: functions of Python's own library, and its parser as a judge of what is written (notebook 10)
- `judged`: a small GPT learns from what a judge says of its texts (notebook 10)
- `text_sorting`: real texts sorted by a pretrained encoder, and by counted words (notebook 04)
- `metrics`: shares of right answers, and BLEU
- `train`: the training loop of all of them
"""

from __future__ import annotations

from anatomy_course.lab.small_models import metrics as metrics, python_code as python_code, translator as translator
from anatomy_course.lab.small_models.encoder_tasks import (
    small_encoder as small_encoder,
    train_classifier as train_classifier,
    train_question_answerer as train_question_answerer,
    train_tagger as train_tagger,
)
from anatomy_course.lab.small_models.extractive_summarizer import (
    share_of_right_summaries as share_of_right_summaries,
    summary_baselines as summary_baselines,
    train_extractive_summarizer as train_extractive_summarizer,
    turned_reports as turned_reports,
    words_to_score as words_to_score,
)
from anatomy_course.lab.small_models.judged import (
    as_batch as as_batch,
    judge as judge,
    learn_from_judgments as learn_from_judgments,
    loss_on_texts as loss_on_texts,
    recorded_judgments as recorded_judgments,
)
from anatomy_course.lab.small_models.masked_language_model import (
    mask_one_word_each as mask_one_word_each,
    share_of_sensible_words as share_of_sensible_words,
    train_masked_language_model as train_masked_language_model,
)
from anatomy_course.lab.small_models.metrics import (
    bleu as bleu,
    predictions as predictions,
    share_of_right_labels as share_of_right_labels,
    share_of_right_texts as share_of_right_texts,
    targets as targets,
    texts_all_right as texts_all_right,
)
from anatomy_course.lab.small_models.predict import (
    answer_question as answer_question,
    classify_sentence as classify_sentence,
    fill_mask as fill_mask,
    tag_words as tag_words,
)
from anatomy_course.lab.small_models.python_code import (
    BigramTable as BigramTable,
    python_docstrings as python_docstrings,
    python_functions as python_functions,
    share_that_parses as share_that_parses,
)
from anatomy_course.lab.small_models.recurrent_baselines import (
    elmo_word_vectors as elmo_word_vectors,
    train_elmo as train_elmo,
)
from anatomy_course.lab.small_models.sample_log import SampleLog as SampleLog
from anatomy_course.lab.small_models.small_gpt import (
    new_small_gpt as new_small_gpt,
    sample_texts as sample_texts,
    train_small_gpt as train_small_gpt,
)
from anatomy_course.lab.small_models.text_sorting import (
    MeanHead as MeanHead,
    labeled_texts as labeled_texts,
    linear_classifier as linear_classifier,
    text_vectors as text_vectors,
    word_counts as word_counts,
)
from anatomy_course.lab.small_models.text_to_text import (
    task_examples as task_examples,
    text_to_text_exact_match as text_to_text_exact_match,
    train_text_to_text as train_text_to_text,
    write_for_task as write_for_task,
)
from anatomy_course.lab.small_models.translator import (
    small_transformer as small_transformer,
    train_translator as train_translator,
    translate as translate,
    translation_exact_match as translation_exact_match,
)
from anatomy_course.lab.small_models.workshop import (
    gpt_size as gpt_size,
    loss_on as loss_on,
    write_texts as write_texts,
)
