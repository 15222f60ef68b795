"""Tiny random reference models of every family and task: unequal sizes, no downloads."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import transformers

from anatomy_utils.zoo import checkpoint, loader

BERT = {
    "vocab_size": 53,
    "hidden_size": 30,
    "num_hidden_layers": 3,
    "num_attention_heads": 5,
    "intermediate_size": 41,
    "max_position_embeddings": 29,
}
BIG_BIRD = BERT | {"attention_type": "block_sparse"}
ALBERT = BERT | {"embedding_size": 14, "num_hidden_groups": 2, "classifier_dropout_prob": 0.0}
ELECTRA = BERT | {"embedding_size": 14, "summary_last_dropout": 0.0}
DISTILBERT = {
    "vocab_size": 53, "dim": 30, "n_layers": 3, "n_heads": 5, "hidden_dim": 41, "max_position_embeddings": 29,
}  # fmt: skip
GPT2 = {
    "vocab_size": 53, "n_embd": 30, "n_layer": 3, "n_head": 5, "n_positions": 29, "n_inner": 37,
    "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0,
}  # fmt: skip
GPT = {"vocab_size": 53, "n_embd": 30, "n_layer": 3, "n_head": 5, "n_positions": 29, "pad_token_id": 0}
CTRL = GPT | {"dff": 41}
GPT_NEO = {
    "vocab_size": 53, "hidden_size": 30, "num_layers": 3, "num_heads": 5, "intermediate_size": 41, "window_size": 4,
    "max_position_embeddings": 29, "attention_types": [[["global", "local"], 1], [["global"], 1]], "pad_token_id": 0,
}  # fmt: skip
GPTJ = {
    "vocab_size": 53, "n_embd": 30, "n_layer": 3, "n_head": 3, "rotary_dim": 4, "n_inner": 41, "n_positions": 29,
    "pad_token_id": 0,
}  # fmt: skip
LLAMA = {
    "vocab_size": 53, "hidden_size": 30, "num_hidden_layers": 3, "num_attention_heads": 6, "num_key_value_heads": 2,
    "head_dim": 10, "intermediate_size": 41, "max_position_embeddings": 64, "pad_token_id": 0,
}  # fmt: skip
LLAMA_LINE = {
    "Mistral": LLAMA | {"sliding_window": 5},
    "Qwen2": LLAMA | {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4}},
    "Qwen3": LLAMA,
    "Gemma": LLAMA | {"num_key_value_heads": 1},
}
T5 = {
    "vocab_size": 53, "d_model": 30, "d_kv": 7, "d_ff": 41, "num_layers": 3, "num_decoder_layers": 2, "num_heads": 5,
    "relative_attention_num_buckets": 8, "relative_attention_max_distance": 12, "decoder_start_token_id": 0,
}  # fmt: skip
BART = {
    "vocab_size": 53, "d_model": 30, "encoder_layers": 3, "decoder_layers": 2, "encoder_attention_heads": 5,
    "decoder_attention_heads": 6, "encoder_ffn_dim": 41, "decoder_ffn_dim": 37, "max_position_embeddings": 29,
    "scale_embedding": True,
}  # fmt: skip
M2M_100 = BART | {"encoder_layerdrop": 0.0, "decoder_layerdrop": 0.0}
DEBERTA = BERT | {
    "relative_attention": True, "position_biased_input": False, "pos_att_type": ["c2p", "p2c"],
    "max_relative_positions": 13,
}  # fmt: skip
DEBERTA_V2 = DEBERTA | {"position_buckets": 6, "share_att_key": True, "norm_rel_ebd": "layer_norm"}
DEBERTA_V2_CONVOLVED = {"conv_kernel_size": 3, "conv_act": "gelu"}
MODERNBERT = {
    "vocab_size": 53, "hidden_size": 30, "num_hidden_layers": 4, "num_attention_heads": 5, "intermediate_size": 41,
    "local_attention": 6, "pad_token_id": 0, "max_position_embeddings": 64,
}  # fmt: skip
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
        """How the model is called: text, choice (several texts), seq2seq (two texts), rewriter (ends in eos)."""
        if "MultipleChoice" in self.architecture:
            return "choice"
        if self.architecture in ("T5Model", "BartModel", "M2M100Model") or "ConditionalGeneration" in self.architecture:
            return "seq2seq"
        rewrites = self.architecture.startswith(("T5", "Bart")) and "Encoder" not in self.architecture
        return "rewriter" if rewrites and "Token" not in self.architecture else "text"

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
        return model.eval()


def ours(reference: Any, folder: Path) -> torch.nn.Module:
    """The reference saved as a folder and loaded into our modules."""
    reference.save_pretrained(folder)
    config, tensors = checkpoint.read_folder(folder)
    return loader(config["model_type"])(config, tensors)


COMMON = ("Model", "ForMaskedLM", "ForQuestionAnswering", "ForMultipleChoice")
CASES = [
    *(ZooCase(f"Bert{task}", BERT) for task in ("Model", "ForMaskedLM", "ForPreTraining", "ForNextSentencePrediction")),
    *(ZooCase(f"Bert{task}", BERT) for task in ("ForQuestionAnswering", "ForMultipleChoice")),
    *(ZooCase(f"BertFor{task}Classification", BERT, {"num_labels": 4}) for task in ("Sequence", "Token")),
    *(ZooCase(f"Roberta{task}", BERT) for task in COMMON),
    *(ZooCase(f"RobertaFor{task}Classification", BERT, {"num_labels": 4}) for task in ("Sequence", "Token")),
    *(ZooCase(f"BigBird{task}", BIG_BIRD) for task in ("Model", "ForMaskedLM", "ForPreTraining", "ForMultipleChoice")),
    *(ZooCase(f"BigBirdFor{task}Classification", BIG_BIRD, {"num_labels": 4}) for task in ("Sequence", "Token")),
    *(ZooCase(f"DistilBert{task}", DISTILBERT) for task in COMMON),
    *(ZooCase(f"DistilBertFor{task}Classification", DISTILBERT, {"num_labels": 4}) for task in ("Sequence", "Token")),
    *(ZooCase(f"Deberta{task}", DEBERTA) for task in ("Model", "ForMaskedLM", "ForQuestionAnswering")),
    ZooCase("DebertaForSequenceClassification", DEBERTA, {"num_labels": 4}),
    *(ZooCase(f"DebertaV2{task}", DEBERTA_V2) for task in COMMON),
    *(ZooCase(f"DebertaV2For{task}Classification", DEBERTA_V2, {"num_labels": 4}) for task in ("Sequence", "Token")),
    ZooCase("DebertaV2ForMaskedLM", DEBERTA_V2, {"legacy": False} | DEBERTA_V2_CONVOLVED),
    ZooCase("DebertaV2Model", DEBERTA, {"position_buckets": 6}),
    *(ZooCase(f"Albert{task}", ALBERT) for task in (*COMMON, "ForPreTraining")),
    *(ZooCase(f"AlbertFor{task}Classification", ALBERT, {"num_labels": 4}) for task in ("Sequence", "Token")),
    ZooCase("AlbertForMaskedLM", ALBERT, {"hidden_act": "gelu", "inner_group_num": 2}),
    *(ZooCase(f"Electra{task}", ELECTRA) for task in (*COMMON, "ForPreTraining")),
    *(ZooCase(f"ElectraFor{task}Classification", ELECTRA, {"num_labels": 4}) for task in ("Sequence", "Token")),
    ZooCase("ElectraModel", ELECTRA, {"embedding_size": 30}),
    *(ZooCase(f"XLMRoberta{task}", BERT) for task in COMMON),
    *(ZooCase(f"XLMRobertaFor{task}Classification", BERT, {"num_labels": 4}) for task in ("Sequence", "Token")),
    *(ZooCase(f"OpenAIGPT{task}", GPT) for task in ("Model", "LMHeadModel")),
    ZooCase("OpenAIGPTForSequenceClassification", GPT, {"num_labels": 4}),
    *(ZooCase(f"CTRL{task}", CTRL) for task in ("Model", "LMHeadModel")),
    ZooCase("CTRLForSequenceClassification", CTRL, {"num_labels": 4}),
    *(ZooCase(f"ModernBert{task}", MODERNBERT) for task in ("Model", "ForMaskedLM", "ForQuestionAnswering")),
    *(ZooCase(f"ModernBertFor{task}Classification", MODERNBERT, {"num_labels": 4}) for task in ("Sequence", "Token")),
    ZooCase("ModernBertForSequenceClassification", MODERNBERT, {"num_labels": 4, "classifier_pooling": "mean"}),
    ZooCase("ModernBertModel", MODERNBERT, {"global_attn_every_n_layers": 2, "local_attention": 9}),
    *(ZooCase(f"GPT2{task}", GPT2) for task in ("Model", "LMHeadModel", "ForQuestionAnswering")),
    *(ZooCase(f"GPT2For{task}Classification", GPT2, {"num_labels": 4}) for task in ("Sequence", "Token")),
    *(ZooCase(f"GPTNeo{task}", GPT_NEO) for task in ("Model", "ForCausalLM", "ForQuestionAnswering")),
    *(ZooCase(f"GPTNeoFor{task}Classification", GPT_NEO, {"num_labels": 4}) for task in ("Sequence", "Token")),
    *(ZooCase(f"GPTJ{task}", GPTJ) for task in ("Model", "ForCausalLM", "ForQuestionAnswering")),
    ZooCase("GPTJForSequenceClassification", GPTJ, {"num_labels": 4}),
    *(ZooCase(f"Llama{task}", LLAMA) for task in ("Model", "ForCausalLM", "ForQuestionAnswering")),
    ZooCase("LlamaForCausalLM", LLAMA, {"tie_word_embeddings": True, "attention_bias": True, "mlp_bias": True}),
    *(ZooCase(f"LlamaFor{task}Classification", LLAMA, {"num_labels": 4}) for task in ("Sequence", "Token")),
    *(ZooCase(f"{family}ForCausalLM", sizes) for family, sizes in LLAMA_LINE.items()),
    *(ZooCase(f"{family}ForQuestionAnswering", sizes) for family, sizes in LLAMA_LINE.items() if family != "Gemma"),
    *(
        ZooCase(f"{family}For{task}Classification", sizes, {"num_labels": 4})
        for family, sizes in LLAMA_LINE.items()
        for task in ("Sequence", "Token")
    ),
    ZooCase("MistralForCausalLM", LLAMA, {"sliding_window": None}),
    *(ZooCase(f"{family}ForCausalLM", LLAMA, {"tie_word_embeddings": True}) for family in ("Qwen2", "Qwen3")),
    ZooCase("T5ForConditionalGeneration", T5),
    ZooCase("T5ForConditionalGeneration", T5, {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}),
    *(ZooCase(f"T5{task}", T5) for task in ("Model", "EncoderModel", "ForQuestionAnswering")),
    *(ZooCase(f"T5For{task}Classification", T5, {"num_labels": 4}) for task in ("Sequence", "Token")),
    *(ZooCase(f"Bart{task}", BART) for task in ("Model", "ForConditionalGeneration", "ForQuestionAnswering")),
    ZooCase("BartForSequenceClassification", BART, {"num_labels": 4}),
    *(ZooCase(f"M2M100{task}", M2M_100) for task in ("Model", "ForConditionalGeneration")),
]


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
    wanted = [part for part in wanted.to_tuple() if isinstance(part, torch.Tensor)][: len(got)]
    if got[0].shape[:2] == attention_mask.shape and case.kind != "choice":
        real = attention_mask.bool()
        got, wanted = (
            [part[real] if part.shape[:2] == real.shape else part for part in side] for side in (got, wanted)
        )
    return got, wanted
