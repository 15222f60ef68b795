"""The eight broken models. Each has one wrong step in its pipeline, and its team does not suspect it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from anatomy_course.lab.debugging import bugs
from anatomy_course.lab.debugging.pipeline import HEALTHY, Pipeline


@dataclass(frozen=True)
class PublicReport:
    """A public report of the same bug elsewhere.

    Attributes:
        repository: owner and name, on GitHub.
        kind: "issue" or "pull request".
        number: of the issue or pull request.
        title: as it is on GitHub.
        summary: what it is about, in a sentence.
    """

    repository: str
    kind: Literal["issue", "pull request"]
    number: int
    title: str
    summary: str

    @property
    def url(self) -> str:
        """Where it can be read."""
        return f"https://github.com/{self.repository}/{'issues' if self.kind == 'issue' else 'pull'}/{self.number}"


@dataclass(frozen=True)
class BugCase:
    """One broken model.

    Attributes:
        name: of the model.
        team_report: what its team says.
        pipeline: with the bug.
        fix: what was changed, in a sentence.
        telling_check: the name of the check that shows best that the bug is gone.
        public_report: of the same bug elsewhere.
        fixed_pipeline: the same with the bug fixed.
    """

    name: str
    team_report: str
    pipeline: Pipeline
    fix: str
    telling_check: str
    public_report: PublicReport
    fixed_pipeline: Pipeline = HEALTHY


ADA = BugCase(
    name="Ada",
    team_report="“The loss falls as it should, her sentences begin well, but nobody has ever seen her finish one. We "
    "cut her off after 24 words. Her tokenizer came without a padding token, so we chose one for her.”",
    pipeline=replace(HEALTHY, loss=bugs.loss_without_the_end_token),
    fix="Padding is left out by the attention mask and no longer by its id, so that she learns <eos> like a word.",
    telling_check="stops",
    public_report=PublicReport(
        "huggingface/trl",
        "issue",
        976,
        "DataCollatorForCompletionOnlyLM defaults can create a model that never generates `eos_token_id`",
        "With `pad_token = eos_token`, the collator gives every end of text the label of padding, −100, and a model "
        "fine-tuned this way never learns to stop.",
    ),
)

BORIS = BugCase(
    name="Boris",
    team_report="“He was trained with dropout, and it went well. But users say that he contradicts himself: ask twice "
    "and you get two answers, although we always take the likeliest word. Nor could we reproduce last week's results.”",
    pipeline=replace(HEALTHY, build=bugs.model_with_dropout, deploy=bugs.deploy_in_training_mode),
    fixed_pipeline=replace(HEALTHY, build=bugs.model_with_dropout),
    fix="`model.eval()` is called before he is used: dropout belongs to training.",
    telling_check="same answer twice",
    public_report=PublicReport(
        "huggingface/transformers",
        "issue",
        2627,
        "Why does the hidden state of the same input token change every time I call the same GPT2 model?",
        "A GPT-2 in training mode gives different hidden states at every call; the answer was `model.eval()`.",
    ),
)

CLARA = BugCase(
    name="Clara",
    team_report="“We copied her to a server that runs many models of her kind, and runs them well. The file was read "
    "to the last tensor, and no shape was refused. Her training was as good as any. There she says one word over and "
    "over.”",
    pipeline=replace(HEALTHY, deploy=bugs.deploy_with_bare_norm_weights),
    fix="The engine multiplies by 1 + weight: her file holds by how much each weight of a norm is above 1.",
    telling_check="which word it says",
    public_report=PublicReport(
        "linkedin/Liger-Kernel",
        "issue",
        74,
        "[bug fix] Gemma needs RMSNorm with 1.0 offset",
        "Gemma multiplies by 1 + weight, and a faster RMSNorm, put in its place, multiplied by the weight, as in "
        "Llama.",
    ),
)

DORA = BugCase(
    name="Dora",
    team_report="“In our tests she is perfect. On our server, which answers several users at once, most of them get "
    "nothing at all; only the one with the longest prompt is served. The weights are the ones that we tested.”",
    pipeline=replace(HEALTHY, deploy=bugs.deploy_with_unguarded_softmax),
    fix="Where a query may attend to nothing, its weights are 0 and not 0 / 0.",
    telling_check="batch equals single",
    public_report=PublicReport(
        "ml-explore/mlx",
        "pull request",
        2608,
        "Avoid producing NaN in attention",
        "When all keys of a row are masked, as happens in batches, attention gave NaN. Because 0 · NaN is NaN, it "
        "spreads even to queries that give these places no weight.",
    ),
)

EMIL = BugCase(
    name="Emil",
    team_report="“His test loss is as good as anybody's, and it was measured on the very weights that we deploy. But "
    "when he writes, he gets lost: fine for a few words, then in circles. It began when we made him faster.”",
    pipeline=replace(HEALTHY, deploy=bugs.deploy_with_positions),
    fix="New tokens are counted on from the length of the cache, not from 0 at every step.",
    telling_check="cached equals uncached",
    public_report=PublicReport(
        "huggingface/transformers",
        "pull request",
        15751,
        "[M2M100, XGLM] fix create_position_ids_from_inputs_embeds",
        "Positions were computed without the length of the cache, which went wrong in generation with "
        "`use_cache=True`.",
    ),
)

FRIDA = BugCase(
    name="Frida",
    team_report="“We moved her to a new engine. All tensors fitted, nothing was left over, no warning. She still puts "
    "words in a sensible order, but she repeats herself and loses the thread. On the old engine she did not.”",
    pipeline=replace(HEALTHY, deploy=bugs.deploy_with_neighbors_rotated),
    fixed_pipeline=replace(HEALTHY, deploy=bugs.deploy_with_rows_reordered),
    fix="The rows of her query and key weights are reordered for the engine, which rotates features 0 and 1 "
    "together: there it now finds what were features 0 and 8.",
    telling_check="as it was taught",
    public_report=PublicReport(
        "jzhang38/TinyLlama",
        "issue",
        24,
        "Getting gibberish output when running on llama.cpp",
        "The engine rotated pairs of neighboring features; the weights had been trained with features half a head "
        "apart. The output was gibberish.",
    ),
)

GUSTAV = BugCase(
    name="Gustav",
    team_report="“We wrote the model again, and he begins from the same file of first weights as everyone. Each tensor "
    "in it found its place, and we train what was loaded. He learns without complaint, but his loss stays above 4. We "
    "tried three learning rates.”",
    pipeline=replace(HEALTHY, optimizer=bugs.optimizer_of_the_tensors_in_the_file),
    fix="Output matrix and token table are one tensor again, so that both are loaded, and both learn.",
    telling_check="every part learns",
    public_report=PublicReport(
        "sgl-project/sglang",
        "pull request",
        1508,
        "Add support for tie_word_embeddings when loading weights + support for SmolLM",
        "SmolLM's file holds its token table once. The engine gave the output matrix a tensor of its own, into which "
        "nothing was loaded, and the model wrote gibberish.",
    ),
)

HANNA = BugCase(
    name="Hanna",
    team_report="“Our best ever! A test loss of 0.37, when others end near 1.2. Every sentence she writes is flawless. "
    "We collected the sentences ourselves and drew the test set from them at random.”",
    pipeline=replace(HEALTHY, batches=bugs.few_sentences_repeated, evaluate_on=bugs.evaluation_on_training_sentences),
    fix="She reads each sentence once, and the test sentences combine nouns that never occur together in training.",
    telling_check="right and new",
    public_report=PublicReport(
        "ai-forever/ru-gpts",
        "issue",
        23,
        "Training-test data contamination in the essay example",
        "A perplexity too good to be true: the training file contained the whole validation file.",
    ),
)

BUG_CASES = (ADA, BORIS, CLARA, DORA, EMIL, FRIDA, GUSTAV, HANNA)
"""In the order of notebook 09."""
