"""Attention by length: forward time and peak memory of one layer with 8 heads, as the number of positions grows.

Our module, torch.nn.MultiheadAttention, Hugging Face's and x-transformers' attention with the fused kernel. The first
three hold the same weights and answer alike. Beside them stands our written-out mathematics, which is what runs
whenever somebody watches.

    python -m tools.benchmarks.attention_by_length
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import transformers
import x_transformers
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile
from transformers.models.bart.modeling_bart import BartAttention

from anatomy_utils import tap
from anatomy_utils.nn.attention import MultiHeadAttention
from tools.benchmarks.report import alone, figure
from tools.benchmarks.timing import OURS, Call, Row, interleaved, medians, same_size

BATCH, NUM_HEADS, D_HEAD = 4, 8, 64
D_MODEL = NUM_HEADS * D_HEAD
LENGTHS = (32, 128, 512, 1024)
WRITTEN_OUT = "written out"


def run(quick: bool = False) -> list[Row]:
    """A row for the time and one for the memory at each length."""
    torch.manual_seed(0)
    modules = _modules()
    note = same_size({name: module for name, (module, _) in modules.items()})
    rows = []
    with torch.no_grad():
        for length in (5,) if quick else LENGTHS:
            hidden_states = torch.randn(BATCH, length, D_MODEL)
            calls = {name: _call(call, hidden_states) for name, (_, call) in modules.items()}
            calls[WRITTEN_OUT] = _watched(modules[OURS][0], hidden_states)
            _check({name: call() for name, call in calls.items()})
            seconds = medians(interleaved(calls, 2 if quick else 31))
            memory = {name: float(peak_memory(call)) for name, call in calls.items()}
            for what, unit, found in (("time", "seconds", seconds), ("peak memory", "bytes", memory)):
                work = f"attention forward, {length} positions: {what}"
                told = f"{note}; written out {figure(found.pop(WRITTEN_OUT), unit)}"
                rows.append(Row("attention", work, unit, found.pop(OURS), found, note=told))
    return rows


def _modules() -> dict[str, tuple[nn.Module, Callable[[Tensor], Tensor]]]:
    """Every attention layer, and how it is asked."""
    ours = MultiHeadAttention(D_MODEL, NUM_HEADS)
    torchs = nn.MultiheadAttention(D_MODEL, NUM_HEADS, batch_first=True)
    config = transformers.BartConfig(attn_implementation="sdpa")
    bart = BartAttention(D_MODEL, NUM_HEADS, config=config)
    other = x_transformers.Attention(D_MODEL, dim_head=D_HEAD, heads=NUM_HEADS, flash=True)
    own = [ours.to_query, ours.to_key, ours.to_value]
    for layer in (*own, ours.to_output):
        nn.init.normal_(layer.bias, std=0.1)
    torchs.in_proj_weight.data = torch.cat([layer.weight for layer in own]).detach()
    torchs.in_proj_bias.data = torch.cat([layer.bias for layer in own]).detach()
    torchs.out_proj.load_state_dict(ours.to_output.state_dict())
    for theirs, layer in zip(("q_proj", "k_proj", "v_proj", "out_proj"), (*own, ours.to_output), strict=True):
        getattr(bart, theirs).load_state_dict(layer.state_dict())
    return {
        OURS: (ours.eval(), ours),
        "nn.MultiheadAttention": (torchs.eval(), lambda x: torchs(x, x, x, need_weights=False)[0]),
        "HF BART": (bart.eval(), lambda x: bart(x)[0]),
        "x-transformers": (other.eval(), other),
    }


def _call(call: Callable[[Tensor], Tensor], hidden_states: Tensor) -> Callable[[], Tensor]:
    return lambda: call(hidden_states)


def _watched(module: nn.Module, hidden_states: Tensor) -> Callable[[], Tensor]:
    def call() -> Tensor:
        with tap.watch(module, "weights"):
            return module(hidden_states)

    return call


def _check(answers: dict[str, Tensor]) -> None:
    for name, answer in answers.items():
        if name != "x-transformers":
            torch.testing.assert_close(answer, answers[OURS], atol=1e-5, rtol=0, msg=f"{name} answers differently.")
        elif answer.shape != answers[OURS].shape:
            raise RuntimeError(f"{name} answers in the shape {tuple(answer.shape)}.")


def peak_memory(call: Call) -> int:
    """The most bytes that torch held at once during a call, what its kernels take for themselves included."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiled:
        call()
    events = [event for event in profiled.profiler.kineto_results.events() if event.name() == "[memory]"]
    held = most = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        held += event.nbytes()
        most = max(most, held)
    return most


if __name__ == "__main__":
    alone(run)
