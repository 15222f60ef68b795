"""Record what bodies learn from different questions, for notebook 07's table.

Run it after a change of the small encoder, the street or the training: `python docs/record_questions.py`, some ten
minutes on two cores. It writes `lab/objectives/compared.json`.
"""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor

import torch

from anatomy_course.lab.objectives.compared import QUESTIONS, RECORDED, SEEDS, trial


def _rounded(question: str, seed: int) -> list[float | None]:
    torch.set_num_threads(1)
    return [None if number is None else round(number, 4) for number in trial(question, seed)]


def main() -> None:
    """Train and judge every question with every seed."""
    pairs = [(question, seed) for question in QUESTIONS for seed in range(SEEDS)]
    with ProcessPoolExecutor(2) as pool:
        done = dict(zip(pairs, pool.map(_rounded, *zip(*pairs, strict=True)), strict=True))
    lines = [
        f"{json.dumps(question)}: {json.dumps([done[question, seed] for seed in range(SEEDS)])}"
        for question in QUESTIONS
    ]
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
