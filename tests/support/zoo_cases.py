"""Tiny random reference models of every family and task: unequal sizes, no downloads.

`CASES` is the table: what each file of a family is compared with.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch

from anatomy_utils.zoo import checkpoint, loader

transformers = pytest.importorskip("transformers", reason="the reference implementation is not installed")

SEQ2SEQ = ("T5Model", "BartModel", "M2M100Model", "T5GemmaModel", "WhisperModel")
DROPOUTS = (
    "hidden_dropout_prob attention_probs_dropout_prob dropout attention_dropout seq_classif_dropout qa_dropout "
    "embd_pdrop resid_pdrop attn_pdrop dropout_rate activation_dropout summary_first_dropout classifier_dropout"
)
NO_DROPOUT = dict.fromkeys(DROPOUTS.split(), 0.0)


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
        """How the model is called: text, choice (several texts), seq2seq (two texts), rewriter (ends in eos), image, or
        towers (texts and images)."""
        for family, kind in {"ViT": "image", "CLIP": "towers"}.items():
            if self.architecture.startswith(family):
                return kind
        if "MultipleChoice" in self.architecture:
            return "choice"
        if self.architecture in SEQ2SEQ or "ConditionalGeneration" in self.architecture:
            return "seq2seq"
        rewrites = self.architecture.startswith(("T5", "Bart")) and "Encoder" not in self.architecture
        return "rewriter" if rewrites and "Token" not in self.architecture else "text"

    @property
    def writes(self) -> bool:
        """Whether it is the plain case of a language model, or any encoder–decoder."""
        plain = self.architecture.endswith(("LMHeadModel", "CausalLM")) and not self.more
        return plain or self.kind == "seq2seq"

    @property
    def family(self) -> str:
        return self.architecture.split("For")[0].removesuffix("Model").removesuffix("LMHead").removesuffix("Encoder")

    def source(self):
        """What an encoder–decoder reads, and its attention mask; a sound of 9 positions has none."""
        if self.family == "Whisper":
            return torch.randn(2, 7, 18, generator=torch.Generator().manual_seed(4)), None
        return batch()[:2]

    def configuration(self) -> Any:
        """The reference's configuration object."""
        settings = {**self.sizes, **NO_DROPOUT, **self.more}
        plain = {"attn_implementation": "eager", "experts_implementation": "eager"}
        return getattr(transformers, self.architecture).config_class(**settings, **plain)

    def published(self) -> dict[str, Any]:
        """All entries of the `config.json` that the reference would be published with."""
        entries = json.loads(self.configuration().to_json_string(use_diff=False))
        return entries | {"architectures": [self.architecture]}

    def reference(self, seed: int = 0) -> Any:
        """The reference model with random weights large enough for differences to show."""
        torch.manual_seed(seed)
        model = getattr(transformers, self.architecture)(self.configuration())
        added = any(name in self.family for name in ("Gemma", "Qwen3Next"))  # their norms add 1 by themselves
        centre = 0 if added else 1  # of norms
        with torch.no_grad():
            for parameter in (each for each in model.parameters() if each.requires_grad):
                spread = 0.2 if parameter.dim() < 2 else 1.5 / parameter.shape[-1] ** 0.5
                parameter.copy_(torch.randn_like(parameter) * spread + centre * (parameter.dim() < 2))
            for name, buffer in model.named_buffers():
                if name == "final_logits_bias":
                    buffer.normal_()
                elif name.endswith("correction_bias"):
                    buffer.normal_(std=0.1)
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


BERT = {
    "vocab_size": 53, "hidden_size": 30, "num_hidden_layers": 3, "num_attention_heads": 5, "intermediate_size": 41,
    "max_position_embeddings": 29,
}  # fmt: skip
GPT = {"vocab_size": 53, "n_embd": 30, "n_layer": 3, "n_head": 5, "n_positions": 29, "pad_token_id": 0}
GPT_NEO = {
    "vocab_size": 53, "hidden_size": 30, "num_layers": 3, "num_heads": 5, "intermediate_size": 41, "window_size": 4,
    "max_position_embeddings": 29, "attention_types": [[["global", "local"], 1], [["global"], 1]], "pad_token_id": 0,
}  # fmt: skip
LLAMA = {
    "vocab_size": 53, "hidden_size": 30, "num_hidden_layers": 3, "num_attention_heads": 6, "num_key_value_heads": 2,
    "head_dim": 10, "intermediate_size": 41, "max_position_embeddings": 64, "pad_token_id": 0,
}  # fmt: skip
BART = {
    "vocab_size": 53, "d_model": 30, "encoder_layers": 3, "decoder_layers": 2, "encoder_attention_heads": 5,
    "decoder_attention_heads": 6, "encoder_ffn_dim": 41, "decoder_ffn_dim": 37, "max_position_embeddings": 29,
    "scale_embedding": True,
}  # fmt: skip
T5 = {
    "vocab_size": 53, "d_model": 30, "d_kv": 7, "d_ff": 41, "num_layers": 3, "num_decoder_layers": 2, "num_heads": 5,
    "relative_attention_num_buckets": 8, "relative_attention_max_distance": 12, "decoder_start_token_id": 0,
}  # fmt: skip
ALBERT = BERT | {"embedding_size": 14, "num_hidden_groups": 2, "classifier_dropout_prob": 0.0}
BIG_BIRD = BERT | {"attention_type": "block_sparse"}
DEEPSEEK_V3 = {
    "vocab_size": 53, "hidden_size": 30, "num_hidden_layers": 3, "num_attention_heads": 5, "num_key_value_heads": 5,
    "intermediate_size": 41, "pad_token_id": 0, "q_lora_rank": 14, "kv_lora_rank": 12, "qk_nope_head_dim": 6,
    "qk_rope_head_dim": 4, "v_head_dim": 9, "first_k_dense_replace": 1, "moe_intermediate_size": 13,
    "n_routed_experts": 12, "num_experts_per_tok": 3, "n_group": 4, "topk_group": 2,
}  # fmt: skip
DEEPSEEK_YARN = {
    "rope_type": "yarn", "rope_theta": 77.0, "factor": 4.0, "original_max_position_embeddings": 300, "beta_fast": 8.0,
    "mscale": 0.7, "mscale_all_dim": 1.0,
}  # fmt: skip
DEBERTA = BERT | {
    "relative_attention": True, "position_biased_input": False, "pos_att_type": ["c2p", "p2c"],
    "max_relative_positions": 13,
}  # fmt: skip
DEBERTA_V2 = DEBERTA | {"position_buckets": 6, "share_att_key": True, "norm_rel_ebd": "layer_norm"}
DISTILBERT = {"dim": 30, "n_layers": 3, "n_heads": 5, "hidden_dim": 41, "vocab_size": 53, "max_position_embeddings": 29}
ELECTRA = BERT | {"embedding_size": 14, "summary_last_dropout": 0.0}
GEMMA2 = LLAMA | {"sliding_window": 5, "query_pre_attn_scalar": 7, "attn_logit_softcapping": 2.0,
                  "final_logit_softcapping": 3.0}  # fmt: skip
GEMMA3 = LLAMA | {"sliding_window": 5, "query_pre_attn_scalar": 7, "num_hidden_layers": 4, "layer_types": [
                  "sliding_attention", "full_attention"] * 2, "final_logit_softcapping": 3.0}  # fmt: skip
GPT2 = GPT | {"n_inner": 37, "bos_token_id": 1, "eos_token_id": 2}
GPT_OSS = LLAMA | {
    "num_local_experts": 5, "num_experts_per_tok": 2, "sliding_window": 5, "swiglu_limit": 0.7,
    "rope_parameters": {
        "rope_type": "yarn", "rope_theta": 77.0, "factor": 4.0, "beta_fast": 8.0, "truncate": False,
        "original_max_position_embeddings": 300,
    },
}  # fmt: skip
GPTJ = GPT | {"n_head": 3, "rotary_dim": 4, "n_inner": 41}
M2M_100 = BART | {"encoder_layerdrop": 0.0, "decoder_layerdrop": 0.0}
MISTRAL = LLAMA | {"sliding_window": 5}
MODERNBERT = {
    "vocab_size": 53, "hidden_size": 30, "num_hidden_layers": 4, "num_attention_heads": 5, "intermediate_size": 41,
    "local_attention": 6, "pad_token_id": 0, "max_position_embeddings": 64,
}  # fmt: skip
MIXTRAL = LLAMA | {"num_local_experts": 5}
QWEN2 = LLAMA | {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}
QWEN3_MOE = LLAMA | {"num_experts": 7, "moe_intermediate_size": 13, "num_experts_per_tok": 3, "mlp_only_layers": [1]}
T5GEMMA = {
    "encoder": GEMMA2 | {"hidden_size": 24, "num_hidden_layers": 4, "num_key_value_heads": 3, "sliding_window": 3},
    "decoder": GEMMA2,
}
_UNCAPPED = LLAMA | {"attn_logit_softcapping": None, "final_logit_softcapping": None, "sliding_window": 4}
VIT = {
    "hidden_size": 30, "num_hidden_layers": 3, "num_attention_heads": 5, "intermediate_size": 41, "image_size": 8,
    "patch_size": 4,
}  # fmt: skip
_TEXT = {"vocab_size": 53, "hidden_size": 28, "num_hidden_layers": 2, "num_attention_heads": 7,
         "intermediate_size": 37, "max_position_embeddings": 19}  # fmt: skip
CLIP = {"vision_config": VIT, "text_config": _TEXT | {"eos_token_id": 2}, "projection_dim": 11}
CLIP_OF_GELU = {"vision_config": VIT | {"hidden_act": "gelu"}, "text_config": _TEXT | {"eos_token_id": 31}}
WHISPER = BART | {
    "num_mel_bins": 7, "max_source_positions": 9, "max_target_positions": 29, "pad_token_id": 0, "bos_token_id": 1,
    "eos_token_id": 2, "decoder_start_token_id": 1, "encoder_layerdrop": 0.0,
}  # fmt: skip
QWEN3_NEXT = LLAMA | {
    "layer_types": ["linear_attention", "full_attention", "linear_attention"],
    "head_dim": 16, "num_experts": 7, "moe_intermediate_size": 13, "num_experts_per_tok": 3, "mlp_only_layers": [1],
    "shared_expert_intermediate_size": 11, "linear_num_key_heads": 2, "linear_num_value_heads": 6,
    "linear_key_head_dim": 5, "linear_value_head_dim": 9, "linear_conv_kernel_dim": 3,
    "rms_norm_eps": 0.1,  # a key of five features may find next to nothing, and a norm would enlarge its rounding
}  # fmt: skip
TIED = {"tie_word_embeddings": True}

LABELS = "ForSequenceClassification ForTokenClassification"
READS = f"Model ForMaskedLM ForMultipleChoice {LABELS}"
WRITES = f"ForCausalLM ForQuestionAnswering {LABELS}"
CASES = {
    "albert": [
        *cases_of("Albert", f"{READS} ForQuestionAnswering ForPreTraining", ALBERT),
        ZooCase("AlbertForMaskedLM", ALBERT, {"hidden_act": "gelu", "inner_group_num": 2}),
    ],
    "bart": cases_of("Bart", "Model ForConditionalGeneration ForQuestionAnswering ForSequenceClassification", BART),
    "bert": cases_of("Bert", f"{READS} ForQuestionAnswering ForPreTraining ForNextSentencePrediction", BERT),
    "big_bird": cases_of("BigBird", f"{READS} ForPreTraining", BIG_BIRD),
    "clip": [*cases_of("CLIP", "Model", CLIP), ZooCase("CLIPModel", CLIP_OF_GELU, {"projection_dim": 13})],
    "ctrl": cases_of("CTRL", "Model LMHeadModel ForSequenceClassification", GPT | {"dff": 41}),
    "deberta": cases_of("Deberta", "Model ForMaskedLM ForQuestionAnswering ForSequenceClassification", DEBERTA),
    "deberta_v2": [
        *cases_of("DebertaV2", f"{READS} ForQuestionAnswering", DEBERTA_V2),
        ZooCase("DebertaV2ForMaskedLM", DEBERTA_V2, {"legacy": False, "conv_kernel_size": 3, "conv_act": "gelu"}),
        ZooCase("DebertaV2Model", DEBERTA, {"position_buckets": 6}),
    ],
    "deepseek_v3": [
        *cases_of("DeepseekV3", f"ForCausalLM {LABELS}", DEEPSEEK_V3),
        ZooCase(
            "DeepseekV3ForCausalLM",
            DEEPSEEK_V3,
            TIED
            | {
                "q_lora_rank": None,
                "rope_interleave": False,
                "n_shared_experts": 2,
                "norm_topk_prob": False,
                "rope_parameters": DEEPSEEK_YARN,
            },
        ),
    ],
    "distilbert": cases_of("DistilBert", f"{READS} ForQuestionAnswering", DISTILBERT),
    "electra": [
        *cases_of("Electra", f"{READS} ForQuestionAnswering ForPreTraining", ELECTRA),
        ZooCase("ElectraModel", ELECTRA, {"embedding_size": 30}),
    ],
    "gemma": cases_of("Gemma", f"ForCausalLM {LABELS}", LLAMA | {"num_key_value_heads": 1}),
    "gemma2": [
        *cases_of("Gemma2", f"Model ForCausalLM {LABELS}", GEMMA2),
        ZooCase("Gemma2ForCausalLM", LLAMA, {"attn_logit_softcapping": None, "final_logit_softcapping": None}),
    ],
    "gemma3_text": [
        *cases_of("Gemma3", "ForCausalLM TextModel", GEMMA3),
        ZooCase("Gemma3ForCausalLM", LLAMA, {"sliding_window_pattern": 2, "tie_word_embeddings": False}),
        ZooCase("Gemma3TextModel", GEMMA3, {"use_bidirectional_attention": True}),
    ],
    "gpt2": cases_of("GPT2", f"Model LMHeadModel ForQuestionAnswering {LABELS}", GPT2),
    "gpt_neo": cases_of("GPTNeo", f"Model {WRITES}", GPT_NEO),
    "gpt_oss": [
        *cases_of("GptOss", f"ForCausalLM {LABELS}", GPT_OSS),
        ZooCase("GptOssForCausalLM", GPT_OSS, TIED | {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}}),
    ],
    "gptj": cases_of("GPTJ", "Model ForCausalLM ForQuestionAnswering ForSequenceClassification", GPTJ),
    "llama": [
        *cases_of("Llama", f"Model {WRITES}", LLAMA),
        ZooCase("LlamaForCausalLM", LLAMA, TIED | {"attention_bias": True, "mlp_bias": True}),
    ],
    "m2m_100": cases_of("M2M100", "Model ForConditionalGeneration", M2M_100),
    "mistral": [
        *cases_of("Mistral", WRITES, MISTRAL),
        ZooCase("MistralForCausalLM", LLAMA, {"sliding_window": None}),
    ],
    "mixtral": [
        *cases_of("Mixtral", WRITES, MIXTRAL),
        ZooCase("MixtralForCausalLM", MIXTRAL, TIED | {"sliding_window": 5, "num_experts_per_tok": 3}),
    ],
    "modernbert": [
        *cases_of("ModernBert", f"Model ForMaskedLM ForQuestionAnswering {LABELS}", MODERNBERT),
        ZooCase("ModernBertForSequenceClassification", MODERNBERT, {"num_labels": 4, "classifier_pooling": "mean"}),
        ZooCase("ModernBertModel", MODERNBERT, {"global_attn_every_n_layers": 2, "local_attention": 9}),
    ],
    "olmo2": [
        *cases_of("Olmo2", "Model ForCausalLM ForSequenceClassification", LLAMA),
        ZooCase("Olmo2ForCausalLM", LLAMA, TIED | {"num_key_value_heads": 6}),
    ],
    "openai_gpt": cases_of("OpenAIGPT", "Model LMHeadModel ForSequenceClassification", GPT),
    "qwen2": [*cases_of("Qwen2", WRITES, QWEN2), ZooCase("Qwen2ForCausalLM", LLAMA, TIED)],
    "qwen3": [*cases_of("Qwen3", WRITES, LLAMA), ZooCase("Qwen3ForCausalLM", LLAMA, TIED)],
    "qwen3_moe": [
        *cases_of("Qwen3Moe", WRITES, QWEN3_MOE),
        ZooCase("Qwen3MoeForCausalLM", QWEN3_MOE, TIED | {"norm_topk_prob": True, "decoder_sparse_step": 2}),
    ],
    "qwen3_next": [
        *cases_of("Qwen3Next", WRITES, QWEN3_NEXT),
        ZooCase("Qwen3NextForCausalLM", QWEN3_NEXT, TIED | {"attention_bias": True, "norm_topk_prob": False}),
    ],
    "roberta": cases_of("Roberta", f"{READS} ForQuestionAnswering", BERT),
    "smollm3": [
        *cases_of("SmolLM3", f"Model {WRITES}", LLAMA | {"no_rope_layer_interval": 2}),
        ZooCase("SmolLM3ForCausalLM", LLAMA, {"no_rope_layers": [0, 1, 0], "tie_word_embeddings": False}),
    ],
    "t5": [
        ZooCase("T5ForConditionalGeneration", T5),
        ZooCase("T5ForConditionalGeneration", T5, {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}),
        *cases_of("T5", f"Model EncoderModel ForQuestionAnswering {LABELS}", T5),
    ],
    "t5gemma": [
        *cases_of("T5Gemma", "Model ForConditionalGeneration", T5GEMMA),
        ZooCase("T5GemmaForConditionalGeneration", T5GEMMA | {"decoder": _UNCAPPED}, {"tie_word_embeddings": False}),
    ],
    "vit": cases_of("ViT", "Model ForImageClassification", VIT),
    "whisper": cases_of("Whisper", "Model ForConditionalGeneration", WHISPER),
    "xlm_roberta": cases_of("XLMRoberta", f"{READS} ForQuestionAnswering", BERT),
}
"""File of a family → reference classes with their configurations; Hugging Face no longer has a Transformer-XL."""


def reference_case(family: str, architecture: str | None = None) -> ZooCase:
    """The first case of a family, with this reference class where one is given."""
    return next(case for case in CASES[family] if architecture in (None, case.architecture))


def batch(padded: bool = True):
    generator = torch.Generator().manual_seed(1)
    input_ids = torch.randint(3, 53, (2, 17), generator=generator)
    attention_mask = torch.ones_like(input_ids)
    if padded:
        attention_mask[1, 11:] = 0
    return input_ids, attention_mask, torch.randint(3, 53, (2, 9), generator=generator)


def images():
    """Of three channels, each of two rows of two patches of four pixels."""
    return torch.randn(2, 3, 8, 8, generator=torch.Generator().manual_seed(3))


def first_gradients(reference, model):
    """Of what turns ids or pixels into vectors."""
    names = ("tokens.weight", "patches.weight")
    mine = next(each for name, each in model.named_parameters() if name.endswith(names))
    table = getattr(reference, "text_model", reference).get_input_embeddings()
    return mine.grad, getattr(table, "projection", table).weight.grad.view_as(mine)  # patches': of a convolution


def both_answers(case, reference, model, padded=True):
    """The same question put to both: lists of tensors, real positions only."""
    if case.kind == "image":
        return [model(images())], [reference(pixel_values=images())[0]]
    input_ids, attention_mask, target_ids = batch(padded)
    if case.kind == "towers":
        given = {"input_ids": input_ids, "attention_mask": attention_mask, "pixel_values": images()[:1]}
        got = list(model(input_ids, images()[:1], attention_mask))
        return got, list(reference(**given).to_tuple()[: len(got)])
    if case.family == "Whisper":
        wanted = reference(input_features=case.source()[0], decoder_input_ids=target_ids)
        return [model(case.source()[0], target_ids)], [wanted[0]]
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
    # A loss, which has no axes, is no answer.
    wanted = [part for part in parts if isinstance(part, torch.Tensor) and part.dim()][: len(got)]
    if got[0].shape[:2] == attention_mask.shape and case.kind != "choice":
        real = attention_mask.bool()
        got, wanted = (
            [part[real] if part.shape[:2] == real.shape else part for part in side] for side in (got, wanted)
        )
    return got, wanted
