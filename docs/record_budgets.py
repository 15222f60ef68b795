"""Record what small GPTs of several widths and budgets reach on the street, and a larger one on a graphics card.

Run it after a change of the street or of the program of notebook 10: `python docs/record_budgets.py street`, about an
hour on one core and five minutes on sixteen; `python docs/record_budgets.py python`, five minutes on a graphics card.
It writes `lab/experiments/budgets.json`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import Namespace
from functools import cache
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import torch

from anatomy_course.capstone.program.given import main as program
from anatomy_course.content.workshop.decode import decode
from anatomy_course.content.workshop.gpt import GPT
from anatomy_course.content.workshop.learning_rate import learning_rate
from anatomy_course.content.workshop.next_id import next_id
from anatomy_course.content.workshop.parameter_groups import parameter_groups
from anatomy_course.content.workshop.random_windows import random_windows
from anatomy_course.content.workshop.resume_training import resume_training
from anatomy_course.content.workshop.training_step import training_step
from anatomy_course.lab import small_models, street
from anatomy_course.lab.experiments import budgets
from anatomy_utils import training

WIDTHS, STEPS, PEAKS, SEEDS = (8, 16, 32, 64, 128), (40, 80, 160, 320, 640, 1280, 2560), (0.03, 0.01, 0.003), range(3)
LARGER = {"d_model": 384, "num_layers": 6, "num_heads": 6, "length": 256, "batch": 64, "peak": 1e-3}


@cache
def text() -> torch.Tensor:
    scenes = budgets.drawn(120_000, torch.Generator().manual_seed(0))
    return torch.tensor([id for ids in budgets.as_ids(scenes) for id in ids])


def trial(job: tuple[int, int, float, int]) -> tuple[tuple[int, int, float, int], float]:
    width, steps, peak, seed = job
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    model, source = GPT(len(street.street_vocabulary()), 24, width, 2, 2), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(parameter_groups(model, 0.1), lr=peak, betas=(0.9, 0.99))
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, steps, steps // 10, peak, peak / 10)
        training_step(model, optimizer, [random_windows(text(), 16, 24, source)], 1.0)
    return job, budgets.above_the_floor(model, budgets.drawn(2000, torch.Generator().manual_seed(1)))


def record_street() -> dict[int, Any]:
    """Width → steps → the best of three peaks, and what three seeds reached with it."""
    jobs = sorted(product(WIDTHS, STEPS, PEAKS, SEEDS), key=lambda job: -job[0] * job[1])
    with get_context("spawn").Pool(max(1, (os.cpu_count() or 1) - 1)) as pool:
        found = dict(pool.imap_unordered(trial, jobs))
    kept: dict[int, Any] = {}
    for width, steps in product(WIDTHS, STEPS):
        runs = [(peak, [round(found[width, steps, peak, seed], 4) for seed in SEEDS]) for peak in PEAKS]
        peak, above = min(runs, key=lambda run: sum(run[1]))
        kept.setdefault(width, {})[steps] = {"peak": peak, "above": above}
    return kept


def record_python() -> list[dict[str, Any]]:
    """The small size, the larger one for 500 and for 3,000 steps: curves, and what they write."""
    runs: list[dict[str, Any]] = [{"steps": 1000}, LARGER | {"steps": 500}, LARGER | {"steps": 3000}]
    return [one_on_python(run) for run in runs]


def one_on_python(run: dict[str, Any]) -> dict[str, Any]:
    path, lines, began = Path(mkdtemp()) / "gpt.pt", list[str](), time.monotonic()
    options = program._parser().parse_args(["train", "--model", str(path)])
    program._show = lines.append  # type: ignore[assignment]
    losses = program.train(Namespace(**vars(options) | run))
    seconds = time.monotonic() - began
    numbers, merges = program.read_description(path.with_suffix(".vocabulary.json"))
    device = program.Processes().device
    model = program.new_gpt(numbers, device)
    resume_training(path, model, torch.optim.AdamW(parameter_groups(model, 0.1)), torch.Generator())
    known, held_out = program.in_training_and_out(program.read_texts(None))
    ids = torch.tensor(program.encode_words(held_out, merges, program.encode))
    source, chance = torch.Generator().manual_seed(5), torch.Generator().manual_seed(2)
    windows = [random_windows(ids, 32, numbers["length"], source) for _ in range(8)]
    loss = small_models.loss_on(model, windows)
    written = small_models.write_texts(
        model, lambda logits: next_id(logits, 0.6, 20, chance), 200, length=numbers["length"]
    )
    texts = [decode(each, merges) for each in written]
    unseen = [float(line.rpartition(" ")[2]) for line in lines if line.startswith("step ")]
    return {
        "parameters": sum(weight.numel() for weight in model.parameters()),
        "steps": run["steps"],
        "machine": torch.cuda.get_device_name() if device.type == "cuda" else "CPU",
        "seconds": round(seconds),
        "bits": round(training.bits_per_byte(loss, len(ids), len(held_out.encode())), 3),
        "parses": small_models.share_that_parses(texts),
        "copied": sum(text in known for text in texts) / len(texts),
        "curve": [round(each, 3) for each in losses[99::100]],
        "unseen": [round(each, 3) for each in unseen],
    }


if __name__ == "__main__":
    kept = budgets.recorded_budgets() if budgets.RECORDED.exists() else {}
    for name, record in {"street": record_street, "python": record_python}.items():
        if name in sys.argv[1:]:
            kept[name] = record()
    budgets.RECORDED.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
