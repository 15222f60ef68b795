"""Debugging: models and functions with one bug each, and the checks that find it. No bug raises an error.

Notebook 07 has eight broken models, trained beside a healthy baseline of the same architecture:

- `model`: the architecture; `pipeline`: how a model is built, trained, evaluated and deployed
- `bugs`: the wrong steps; `case`: what is known of a broken model; `cases`: all eight, with public reports of each bug
- `checks`: what can be measured; `samples`: what a model writes; `inspect_plots`: its loss curve and attention
- `broken_model`: one of the models; `overview`: all of them, and the table of their checks

Notebooks 01 to 06 each have a function that a colleague got wrong:

- `colleague`: these functions, what to run to see the bug, and what models learn with it
"""

from __future__ import annotations

from anatomy_course.lab.debugging import (
    broken_model as broken_model,
    bugs as bugs,
    case as case,
    cases as cases,
    checks as checks,
    colleague as colleague,
    inspect_plots as inspect_plots,
    model as model,
    overview as overview,
    pipeline as pipeline,
    samples as samples,
)
from anatomy_course.lab.debugging.broken_model import (
    BrokenModel as BrokenModel,
    CheckResult as CheckResult,
    Samples as Samples,
)
from anatomy_course.lab.debugging.bugs import (
    CountingCache as CountingCache,
    CountingModel as CountingModel,
    UnguardedAttention as UnguardedAttention,
    deploy_in_training_mode as deploy_in_training_mode,
    deploy_with_neighbors_rotated as deploy_with_neighbors_rotated,
    deploy_with_positions as deploy_with_positions,
    deploy_with_rows_reordered as deploy_with_rows_reordered,
    deploy_with_unguarded_softmax as deploy_with_unguarded_softmax,
    emils_positions as emils_positions,
    evaluation_on_training_sentences as evaluation_on_training_sentences,
    few_sentences_repeated as few_sentences_repeated,
    loss_with_labels_shifted_twice as loss_with_labels_shifted_twice,
    loss_without_the_end_token as loss_without_the_end_token,
    model_with_small_vocabulary as model_with_small_vocabulary,
    optimizer_after_resizing as optimizer_after_resizing,
    optimizer_before_resizing as optimizer_before_resizing,
    resize_vocabulary as resize_vocabulary,
)
from anatomy_course.lab.debugging.case import BugCase as BugCase, PublicReport as PublicReport
from anatomy_course.lab.debugging.checks import CHECKS as CHECKS, Check as Check, CheckedModel as CheckedModel
from anatomy_course.lab.debugging.inspect_plots import (
    HeadMap as HeadMap,
    all_attention_weights as all_attention_weights,
    attention_map as attention_map,
    loss_curve as loss_curve,
    most_different_head as most_different_head,
    sentence_tokens as sentence_tokens,
)
from anatomy_course.lab.debugging.model import new_model as new_model
from anatomy_course.lab.debugging.overview import (
    BrokenModels as BrokenModels,
    CheckTable as CheckTable,
    train_broken_models as train_broken_models,
)
from anatomy_course.lab.debugging.pipeline import (
    Datasets as Datasets,
    Pipeline as Pipeline,
    TrainedModel as TrainedModel,
    Trainer as Trainer,
    all_batches as all_batches,
    sample_datasets as sample_datasets,
    unseen_sentences as unseen_sentences,
)
from anatomy_course.lab.debugging.samples import (
    complete_prompts as complete_prompts,
    padded_prompts as padded_prompts,
    sample_texts as sample_texts,
)
