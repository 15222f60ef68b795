"""The eight broken models. Each has one wrong step in its pipeline, and its team does not suspect it."""

from __future__ import annotations

from dataclasses import replace

from anatomy_utils.debugging import bugs
from anatomy_utils.debugging.case import BugCase, PublicReport
from anatomy_utils.debugging.pipeline import HEALTHY

ADA = BugCase(
    name="Ada",
    team_report="“The loss falls as it should, the sentences begin well, but nobody has ever heard her finish one. We "
    "cut her off after 24 words. Her tokenizer came without a padding token, so we chose one for her.”",
    pipeline=replace(HEALTHY, loss=bugs.loss_without_the_end_token),
    fixed_pipeline=HEALTHY,
    fix="Padding is left out by the attention mask and no longer by its id, so that <eos> is learnt like a word.",
    telling_check="stops",
    public_report=PublicReport(
        "huggingface/trl",
        "issue",
        976,
        "DataCollatorForCompletionOnlyLM defaults can create a model that never generates `eos_token_id`",
        "With `pad_token = eos_token`, the collator gives every end of text the label of padding, −100, and the model "
        "that is fine-tuned so never learns to stop.",
    ),
)

BORIS = BugCase(
    name="Boris",
    team_report="“He learnt with dropout and he learnt well. Users say that he contradicts himself: who asks twice "
    "gets two answers, though we always take the likeliest word. We could not reproduce last week's figures either.”",
    pipeline=replace(HEALTHY, build=bugs.model_with_dropout, deploy=bugs.deploy_in_training_mode),
    fixed_pipeline=replace(HEALTHY, build=bugs.model_with_dropout),
    fix="`model.eval()` is called before he is used: dropout belongs to training.",
    telling_check="same answer twice",
    public_report=PublicReport(
        "huggingface/transformers",
        "issue",
        2627,
        "Why does the hidden state of the same input token change every time I call the same GPT2 model?",
        "A GPT-2 in training mode gives other hidden states at every call; the answer was `model.eval()`.",
    ),
)

CLARA = BugCase(
    name="Clara",
    team_report="“Her loss came down from 5.8 to 1.4, a little higher than usual. Yet what she writes is a heap of "
    "words. We wrote the data loader ourselves; the loss comes from the library.”",
    pipeline=replace(HEALTHY, loss=bugs.loss_with_labels_shifted_twice),
    fixed_pipeline=HEALTHY,
    fix="The labels are moved by one place once, and no longer both in the data loader and in the loss.",
    telling_check="which word it says",
    public_report=PublicReport(
        "huggingface/transformers",
        "issue",
        47394,
        "GitForCausalLM double-shifts the training loss and leaks targets across batch rows (regression from #35875)",
        "The model moved the labels by one and handed them to a loss that moved them again: it was trained to say the "
        "word after next.",
    ),
)

DORA = BugCase(
    name="Dora",
    team_report="“In the laboratory she is perfect. On our server, which answers several users at once, most of them "
    "get nothing at all, only the one with the longest prompt is served. The weights are the laboratory's.”",
    pipeline=replace(HEALTHY, deploy=bugs.deploy_with_unguarded_softmax),
    fixed_pipeline=HEALTHY,
    fix="Where a query may attend to nothing, its weights are 0 and not 0 / 0.",
    telling_check="batch equals single",
    public_report=PublicReport(
        "ml-explore/mlx",
        "pull request",
        2608,
        "Avoid producing NaN in attention",
        "When all keys of a row are masked, as happens in batches, attention gave NaN; and as 0 · NaN is NaN, it "
        "spreads even to those who give these places no weight.",
    ),
)

EMIL = BugCase(
    name="Emil",
    team_report="“His exam is as good as anybody's, and the exam was taken with the very weights that we serve. But "
    "when he writes, he gets lost: good for some words, then in circles. He became so when we made him faster.”",
    pipeline=replace(HEALTHY, deploy=bugs.deploy_with_restarting_cache),
    fixed_pipeline=HEALTHY,
    fix="New tokens are counted on from the length of the cache, not from 0 at every step.",
    telling_check="cached equals uncached",
    public_report=PublicReport(
        "huggingface/transformers",
        "pull request",
        15751,
        "[M2M100, XGLM] fix create_position_ids_from_inputs_embeds",
        "Positions were made without the length of what is in the cache, which went wrong in generation with "
        "`use_cache=True`.",
    ),
)

FRIDA = BugCase(
    name="Frida",
    team_report="“We moved her to a new engine. All tensors fitted, nothing was left over, no warning. She still "
    "forms words in a sensible order, but she repeats herself and loses the thread. On the old engine she did not.”",
    pipeline=replace(HEALTHY, deploy=bugs.deploy_with_neighbors_rotated),
    fixed_pipeline=replace(HEALTHY, deploy=bugs.deploy_with_rows_reordered),
    fix="The rows of her queries and keys are sorted on the way, so that the engine, which turns features 0 and "
    "1 together, finds there what was features 0 and 8.",
    telling_check="as it was taught",
    public_report=PublicReport(
        "jzhang38/TinyLlama",
        "issue",
        24,
        "Getting gibberish output when running on llama.cpp",
        "The engine turned pairs of neighbouring features, the weights had learnt with halves; what came out was no "
        "language.",
    ),
)

GUSTAV = BugCase(
    name="Gustav",
    team_report="“He began with a small vocabulary. When we found words missing we gave him a larger table, and he "
    "trained without complaint. His loss stays above 4. We tried three learning rates.”",
    pipeline=replace(HEALTHY, build=bugs.model_with_small_vocabulary, optimizer=bugs.optimizer_before_resizing),
    fixed_pipeline=replace(HEALTHY, build=bugs.model_with_small_vocabulary, optimizer=bugs.optimizer_after_resizing),
    fix="The optimizer is made after the table has been enlarged, so that it holds the table that is in use.",
    telling_check="every organ learns",
    public_report=PublicReport(
        "huggingface/transformers",
        "pull request",
        3532,
        "Resizing embedding matrix before sending it to the optimizer.",
        "The table was resized after the optimizer had been given the parameters, so the new one was never updated.",
    ),
)

HANNA = BugCase(
    name="Hanna",
    team_report="“Our best ever! A loss of 0.37 on the exam, when others end near 1.2. Every sentence she writes is "
    "flawless. We collected the sentences ourselves and drew the exam from them at random.”",
    pipeline=replace(HEALTHY, batches=bugs.few_sentences_repeated, evaluate_on=bugs.evaluation_on_training_sentences),
    fixed_pipeline=HEALTHY,
    fix="She reads each sentence once, and the exam consists of nouns that were never together in a lesson.",
    telling_check="right and new",
    public_report=PublicReport(
        "ai-forever/ru-gpts",
        "issue",
        23,
        "Training-test data contamination in the essay example",
        "A perplexity too good to be true: the training file held the whole validation file.",
    ),
)

BUG_CASES = (ADA, BORIS, CLARA, DORA, EMIL, FRIDA, GUSTAV, HANNA)
"""In the order of notebook 07."""
