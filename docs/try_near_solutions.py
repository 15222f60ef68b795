"""Tries every program near an exercise's solution, and keeps the figures for `docs/exercises.md` (`make near`)."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "support"))

from near_solutions import near_solutions, try_all  # noqa: E402

from anatomy_course.judge import find_exercise, ids  # noqa: E402

FIGURES = HERE / "near_solutions.json"
SLOW = """
    repair random_windows training_step resume_training next_id causal_self_attention block gpt llama_block
    low_rank_adapter
"""
HIDDEN = """
    attention.accepts multi_head.disguise multi_head.pick_heads positions.scheme decoder.whose_prompt decoder.induction
    decoder.induction_heads capstone.tenth_probe
""".split()
SAMPLED = frozenset([*HIDDEN, "organs.fill_in", *(f"workshop.{name}" for name in ("grouped_attention", *SLOW.split()))])
"""Exercises whose programs take long to judge: a sample of the small edits, always the same one."""
FEWER = {"singles": 80, "pairs": 20}


def main(wanted: list[str]) -> int:
    """Try the programs near the wanted exercises' solutions, all when none is named; 1 when one is unexplained."""
    os.nice(10)
    torch.set_num_threads(1)
    known = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    wrong = 0
    for id in wanted or ids():
        exercise = find_exercise(id)
        tried = try_all(exercise, near_solutions(exercise, **(FEWER if id in SAMPLED else {})))
        counts = f"{tried.count} tried, {len(tried.passed)} passed, {len(tried.unexplained)} of them wrong"
        print(f"{id}: {counts}", flush=True)
        for text, shown_by in tried.unexplained.items():
            print(f"unexplained, wrong for {shown_by}:\n{text}\n", flush=True)
        wrong += len(tried.unexplained)
        known[id] = {"tried": tried.count, "passed": len(tried.passed), "unexplained": len(tried.unexplained)}
        kept = {each: known[each] for each in ids() if each in known}
        FIGURES.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
