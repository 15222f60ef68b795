"""Record what walkers of three seeds, and a GPT that writes Python, become under a judge: notebook 10 runs one of them.

Run it after a change of the street or of how they learn: `python docs/record_judged.py street python`, ten minutes. It
writes `lab/small_models/judged.json`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import torch
from torch import nn

from anatomy_course.content.workshop.advantages import advantages
from anatomy_course.content.workshop.decode import decode
from anatomy_course.content.workshop.gpt import GPT
from anatomy_course.content.workshop.judged_loss import judged_loss
from anatomy_course.content.workshop.learning_rate import learning_rate
from anatomy_course.content.workshop.next_id import next_id
from anatomy_course.content.workshop.parameter_groups import parameter_groups
from anatomy_course.content.workshop.random_windows import random_windows
from anatomy_course.content.workshop.training_step import training_step
from anatomy_course.lab import small_models, street
from anatomy_course.lab.small_models.judged import RECORDED
from anatomy_utils import training

MOST = 16
WORDS = street.street_vocabulary()
END = WORDS.bos_id
SIZE = small_models.gpt_size("cpu")
RUNS = {"rows, no leash": 0.0, "rows, leash 0.3": 0.3, "rows, dealt": 0.0}


def sentences(count: int, seed: int, split: str) -> list[list[int]]:
    scenes = street.sample_scenes(count, torch.Generator().manual_seed(seed), split)
    return [WORDS.ids(street.say(scene, "english").tokens) for scene in scenes]


def train(model: nn.Module, draw: Any, steps: int, peak: float, end: float, betas: tuple[float, float]) -> nn.Module:
    optimizer = torch.optim.AdamW(parameter_groups(model, 0.1), lr=peak, betas=betas)
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, steps, 50, peak, end)
        training_step(model, optimizer, [draw()], 1.0)
    return model


def drawn(source: torch.Generator, vocabulary: int) -> Callable[[torch.Tensor], int]:
    return lambda logits: next_id(logits, 1.0, vocabulary, source)


def record_street() -> dict[int, Any]:
    known = sentences(20_000, 0, "train")
    one_row = torch.tensor([id for sentence in known for id in (END, *sentence)])
    rows, held_out = (small_models.as_batch(some, most=MOST, end_id=END) for some in (known, sentences(400, 9, "test")))

    def measure(model: nn.Module) -> dict[str, Any]:
        pick = drawn(torch.Generator().manual_seed(5), len(WORDS))
        texts = small_models.write_texts(model, pick, 400, length=32, most=MOST, end_id=END)
        loss = small_models.loss_on_texts(model, held_out)
        found = small_models.judge([*map(WORDS.text, texts)], street.is_grammatical, loss)
        return {name: round(number, 3) for name, number in asdict(found).items()}

    kept: dict[int, Any] = {}
    for seed in range(3):
        walkers, kept[seed] = {}, {}
        for cut in ("windows", "rows"):
            source = torch.Generator().manual_seed(1 + seed)

            def draw(cut: str = cut, source: torch.Generator = source) -> Any:
                some = torch.randint(len(known), (64,), generator=source)
                if cut == "windows":
                    return random_windows(one_row, 32, 32, source)
                return rows.inputs[some], rows.ids[some]

            torch.manual_seed(seed)
            walkers[cut] = train(GPT(len(WORDS), 32, 64, 2, 4), draw, SIZE.steps // 4, 8e-3, 1e-4, (0.9, 0.999))
            kept[seed][cut] = measure(walkers[cut])
        for name, leash in RUNS.items():
            judged = small_models.learn_from_judgments(
                walkers["rows"],
                lambda text: float(street.is_grammatical(WORDS.text(text))),
                drawn(torch.Generator().manual_seed(1 + seed), len(WORDS)),
                advantages, judged_loss, leash=leash, steps=SIZE.steps // 16, length=32, most=MOST, end_id=END,
                shuffle=torch.Generator().manual_seed(seed) if name == "rows, dealt" else None,
            )  # fmt: skip
            kept[seed][name] = measure(judged)
        print(seed, kept[seed], flush=True)
    return kept


def record_python() -> dict[str, Any]:
    """A GPT like the notebook's, after 400 steps; then its functions of up to 40 tokens only have to parse."""
    functions = small_models.python_functions()
    known = [text for number, text in enumerate(functions) if number % 20]
    mark = small_models.python_code.END
    merges = training.train_byte_pairs(mark.join(known), SIZE.vocabulary_size)
    ids = torch.tensor(training.encode_words(mark + mark.join(known) + mark, merges))
    source = torch.Generator().manual_seed(1)
    torch.manual_seed(0)
    gpt = train(
        GPT(SIZE.vocabulary_size, SIZE.length, SIZE.d_model, SIZE.num_layers, SIZE.num_heads),
        lambda: random_windows(ids, SIZE.batch_size, SIZE.length, source),
        400, SIZE.peak, SIZE.peak / 10, (0.9, 0.99),
    )  # fmt: skip
    pages: list[dict[str, Any]] = []

    def note(means: list[float], texts: list[list[int]]) -> None:
        if len(means) in (1, 5, 10, 20, 40):
            told = [decode(text, merges) for text in texts]
            page = {"step": len(means), "accepted": round(means[-1], 3), "different": len(set(told))}
            page["tokens"] = round(sum(map(len, texts)) / len(texts), 1)
            pages.append({**page, "texts": told[:4]})
            print(pages[-1], flush=True)

    small_models.learn_from_judgments(
        gpt,
        lambda text: float(small_models.python_code.is_function(decode(text, merges))),
        drawn(source, SIZE.vocabulary_size),
        advantages, judged_loss, leash=0.0, steps=40, length=SIZE.length, most=40, group=32, rate=1e-3, on_step=note,
    )  # fmt: skip
    return {"pages": pages}


if __name__ == "__main__":
    torch.set_num_threads(1)
    record = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    for part in sys.argv[1:]:
        record[part] = {"street": record_street, "python": record_python}[part]()
        RECORDED.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
