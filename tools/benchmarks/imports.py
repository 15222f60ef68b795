"""Import times, each in a fresh process: what a learner waits for before the first line runs.

python -m tools.benchmarks.imports
"""

from __future__ import annotations

from tools.benchmarks import fresh
from tools.benchmarks.report import alone
from tools.benchmarks.timing import Row

BARE = "import anatomy_utils"
MODELS = "from anatomy_utils import decoding, pretrained, zoo"
BESIDE = {
    BARE: {"torch": "import torch", "bertviz": "import bertviz"},
    MODELS: {
        "HF model classes": "from transformers import BertModel, LlamaForCausalLM",
        "x-transformers": "import x_transformers",
    },
}
HEAVY = {"torch", "matplotlib", "ipywidgets", "numpy"}


def run(quick: bool = False) -> list[Row]:
    """The package by itself, and its models beside what they replace.

    Raises:
        RuntimeError: importing the package brought something heavy.
    """
    scripts = {BARE: BARE, "torch": "import torch"}
    if not quick:
        scripts |= {MODELS: MODELS, **BESIDE[BARE], **BESIDE[MODELS]}
    found = fresh.interleaved(scripts, 1 if quick else 7)
    if heavy := HEAVY & found[BARE].modules:
        raise RuntimeError(f"`{BARE}` loaded {', '.join(sorted(heavy))}.")
    rows = []
    for work, limit in ((BARE, 0.1), (MODELS, None)):
        if work in found:
            peers = {name: found[name].seconds for name in BESIDE[work] if name in found}
            note = f"torch is {'' if 'torch' in found[work].modules else 'not '}loaded"
            rows.append(Row("imports", f"`{work}`", "seconds", found[work].seconds, peers, at_most=limit, note=note))
    return rows


if __name__ == "__main__":
    alone(run)
