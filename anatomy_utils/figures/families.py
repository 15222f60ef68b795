"""The families of the taxonomy as a small list: each is its parent plus what changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Branch = Literal["encoder", "decoder", "encoder–decoder"]


@dataclass(frozen=True)
class Family:
    """A published family, the one it came from, and the change in a few words."""

    name: str
    year: int
    parent: str
    branch: Branch
    change: str


FAMILIES = (
    Family("BERT", 2018, "Transformer", "encoder", "masked tokens, both directions"),
    Family("RoBERTa", 2019, "BERT", "encoder", "more data, no next sentence"),
    Family("XLM-R", 2019, "RoBERTa", "encoder", "one hundred languages"),
    Family("BigBird", 2020, "RoBERTa", "encoder", "sparse attention pattern"),
    Family("DeBERTa", 2020, "RoBERTa", "encoder", "content and place kept apart"),
    Family("DistilBERT", 2019, "BERT", "encoder", "half the layers, distilled"),
    Family("ALBERT", 2019, "BERT", "encoder", "all layers share weights"),
    Family("ELECTRA", 2020, "BERT", "encoder", "finds replaced tokens"),
    Family("ModernBERT", 2024, "BERT", "encoder", "rotary, pre-norm, gated"),
    Family("GPT", 2018, "Transformer", "decoder", "next token, no encoder"),
    Family("GPT-2", 2019, "GPT", "decoder", "pre-norm, larger"),
    Family("GPT-3", 2020, "GPT-2", "decoder", "a hundred times larger"),
    Family("GPT-Neo", 2021, "GPT-3", "decoder", "every other layer local"),
    Family("GPT-J", 2021, "GPT-3", "decoder", "rotary, parallel layers"),
    Family("Llama", 2023, "GPT-3", "decoder", "RMSNorm, rotary, SwiGLU"),
    Family("CTRL", 2019, "Transformer", "decoder", "control codes"),
    Family("Transformer-XL", 2019, "Transformer", "decoder", "recurrence over segments"),
    Family("BART", 2019, "Transformer", "encoder–decoder", "mends damaged text"),
    Family("T5", 2019, "Transformer", "encoder–decoder", "text to text, relative bias"),
    Family("M2M-100", 2020, "Transformer", "encoder–decoder", "any of 100 languages to any"),
)
