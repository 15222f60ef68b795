"""Tiny random reference models of every family and task: unequal sizes, no downloads.

The cases of a family are in `tests/zoo/test_<file of the family>.py`; the sizes that several families share are here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
import torch

from anatomy_utils import zoo
from anatomy_utils.zoo import checkpoint, loader

transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")

BERT = {
    "vocab_size": 53,
    "hidden_size": 30,
    "num_hidden_layers": 3,
    "num_attention_heads": 5,
    "intermediate_size": 41,
    "max_position_embeddings": 29,
}
GPT = {"vocab_size": 53, "n_embd": 30, "n_layer": 3, "n_head": 5, "n_positions": 29, "pad_token_id": 0}
LLAMA = {
    "vocab_size": 53, "hidden_size": 30, "num_hidden_layers": 3, "num_attention_heads": 6, "num_key_value_heads": 2,
    "head_dim": 10, "intermediate_size": 41, "max_position_embeddings": 64, "pad_token_id": 0,
}  # fmt: skip
BART = {
    "vocab_size": 53, "d_model": 30, "encoder_layers": 3, "decoder_layers": 2, "encoder_attention_heads": 5,
    "decoder_attention_heads": 6, "encoder_ffn_dim": 41, "decoder_ffn_dim": 37, "max_position_embeddings": 29,
    "scale_embedding": True,
}  # fmt: skip
DEBERTA = BERT | {
    "relative_attention": True, "position_biased_input": False, "pos_att_type": ["c2p", "p2c"],
    "max_relative_positions": 13,
}  # fmt: skip
DROPOUTS = (
    "hidden_dropout_prob attention_probs_dropout_prob dropout attention_dropout seq_classif_dropout qa_dropout "
    "embd_pdrop resid_pdrop attn_pdrop dropout_rate activation_dropout summary_first_dropout classifier_dropout"
)
NO_DROPOUT = dict.fromkeys(DROPOUTS.split(), 0.0)
FILES = {path.stem for path in Path(zoo.__file__).parent.glob("*.py")}
FAMILIES = sorted(name for name in FILES - {"transfo_xl"} if (family := zoo.find(name)) and family.tasks)
"""All that can be loaded; the reference library no longer has a Transformer-XL."""


@dataclass(frozen=True)
class ZooCase:
    """One reference class and its configuration."""

    architecture: str
    sizes: dict[str, Any]
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return "-".join([self.architecture, *(f"{name}={value}" for name, value in self.more.items())])

    @property
    def kind(self) -> str:
        """How the model is called: text, choice (several texts), seq2seq (two texts), rewriter (ends in eos)."""
        if "MultipleChoice" in self.architecture:
            return "choice"
        if self.architecture in ("T5Model", "BartModel", "M2M100Model") or "ConditionalGeneration" in self.architecture:
            return "seq2seq"
        rewrites = self.architecture.startswith(("T5", "Bart")) and "Encoder" not in self.architecture
        return "rewriter" if rewrites and "Token" not in self.architecture else "text"

    @property
    def writes(self) -> bool:
        """Whether it is the plain case of a language model, or any encoder–decoder."""
        plain = self.architecture.endswith(("LMHeadModel", "CausalLM")) and not self.more
        return plain or self.kind == "seq2seq"

    def reference(self, seed: int = 0) -> Any:
        """The reference model with random weights large enough for differences to show."""
        family = self.architecture.split("For")[0].removesuffix("Model").removesuffix("LMHead").removesuffix("Encoder")
        settings = {**self.sizes, **NO_DROPOUT, **self.more}
        config = getattr(transformers, f"{family}Config")(**settings, attn_implementation="eager")
        torch.manual_seed(seed)
        model = getattr(transformers, self.architecture)(config)
        centre = 0 if family == "Gemma" else 1  # of norms; Gemma's add 1 by themselves
        with torch.no_grad():
            for parameter in model.parameters():
                spread = 0.2 if parameter.dim() < 2 else 1.5 / parameter.shape[-1] ** 0.5
                parameter.copy_(torch.randn_like(parameter) * spread + centre * (parameter.dim() < 2))
            for name, buffer in model.named_buffers():
                if name == "final_logits_bias":
                    buffer.normal_()
        return model.eval()


def ours(reference: Any, folder: Path) -> torch.nn.Module:
    """The reference saved as a folder and loaded into our modules."""
    reference.save_pretrained(folder)
    config, tensors = checkpoint.read_folder(folder)
    return loader(config["model_type"])(config, tensors)


def cases_of(family: str, tasks: str, sizes: dict[str, Any]) -> list[ZooCase]:
    """A case for each task, named as the reference's classes are: "Model ForMaskedLM". Classifiers have 4 labels."""
    labels = {True: {"num_labels": 4}, False: {}}
    return [ZooCase(family + task, sizes, labels[task.endswith("Classification")]) for task in tasks.split()]


def cases_in(family: str) -> list[ZooCase]:
    """The cases of a family, found in its test file."""
    path = Path(__file__).parents[1] / "anatomy_utils" / "zoo" / f"test_{family}.py"
    found = spec_from_file_location(path.stem, path)
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return list(module.CASES)


def reference_case(family: str, architecture: str | None = None) -> ZooCase:
    """The first case of a family, with this reference class where one is given."""
    return next(case for case in cases_in(family) if architecture in (None, case.architecture))


def batch(padded: bool):
    generator = torch.Generator().manual_seed(1)
    input_ids = torch.randint(3, 53, (2, 17), generator=generator)
    attention_mask = torch.ones_like(input_ids)
    if padded:
        attention_mask[1, 11:] = 0
    return input_ids, attention_mask, torch.randint(3, 53, (2, 9), generator=generator)


def both_answers(case, reference, model, padded):
    """The same question put to both: lists of tensors, real positions only."""
    input_ids, attention_mask, target_ids = batch(padded)
    # What stands at padding must not matter, but RoBERTa counts positions by it and GPT-2 finds its last token by it.
    pad_id = reference.config.pad_token_id or 0
    input_ids = input_ids.masked_fill(attention_mask == 0, pad_id)
    if case.kind == "seq2seq":
        wanted = reference(input_ids=input_ids, attention_mask=attention_mask, decoder_input_ids=target_ids)
        return [model(input_ids, target_ids, attention_mask)], [wanted[0]]
    if case.kind == "rewriter":  # the reference reads a label at </s>
        input_ids = input_ids.scatter(1, attention_mask.sum(1, keepdim=True) - 1, reference.config.eos_token_id)
    if case.kind == "choice":
        input_ids, attention_mask = input_ids[None], attention_mask[None]
    wanted = reference(input_ids=input_ids, attention_mask=attention_mask)
    got = model(input_ids, attention_mask)
    got = list(got) if isinstance(got, tuple) else [got]
    parts = wanted if isinstance(wanted, tuple) else wanted.to_tuple()
    wanted = [part for part in parts if isinstance(part, torch.Tensor)][: len(got)]
    if got[0].shape[:2] == attention_mask.shape and case.kind != "choice":
        real = attention_mask.bool()
        got, wanted = (
            [part[real] if part.shape[:2] == real.shape else part for part in side] for side in (got, wanted)
        )
    return got, wanted
