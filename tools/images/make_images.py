"""Draws every diagram in `images/` again: SVG, PNG and the list of alt texts (`make images`).

Where a diagram shows numbers they are computed here by the package's own functions, so that a picture cannot say
anything the code does not.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from anatomy_course.figures import diagrams
from anatomy_course.figures.picture import Picture
from anatomy_utils.functional import attention, masks
from anatomy_utils.taxonomy import TREE

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "images"
sys.path.insert(0, str(ROOT))  # the benchmarks are no installed package
LIST = "alt.json"
WORDS = ("time", "flies", "like", "an", "arrow")
D_MODEL, D_HEAD = 6, 4


def six_steps() -> Picture:
    """Five words in a body of six numbers, projected to four, with fixed random weights."""
    chance = torch.Generator().manual_seed(17)
    hidden_states = torch.randn(len(WORDS), D_MODEL, generator=chance, dtype=torch.float64)
    weight = torch.randn(3, D_MODEL, D_HEAD, generator=chance, dtype=torch.float64) / 2
    query, key, value = (attention.project(hidden_states, part) for part in weight)
    attended = attention.scaled_dot_product_attention(query, key, value)
    steps = {"query": query, "key": key, "value": value, "scores": attention.scores(query, key),
             "weights": attended.weights, "context": attended.context}  # fmt: skip
    return diagrams.six_steps(WORDS, steps, query=1)


def four_masks() -> Picture:
    """The same scores with no mask, padding, causal, and both, each through the package's own masks."""
    words = (*WORDS, "[PAD]", "[PAD]")
    chance = torch.Generator().manual_seed(5)
    scores = 1.4 * torch.randn(len(words), len(words), generator=chance, dtype=torch.float64)
    real = torch.tensor([[1] * len(WORDS) + [0, 0]])
    padding = masks.padding(real)[0, 0].expand(len(words), len(words))
    causal = masks.causal(len(words))
    both = masks.combine(padding, causal)
    chosen = (("no mask", torch.ones_like(causal)), ("padding", padding), ("causal", causal), ("both", both))
    return diagrams.masks(words, [(name, mask, attention.masked_softmax(scores, mask)) for name, mask in chosen])


def positions() -> Picture:
    """Sinusoidal position vectors, 64 places of 64 numbers (Vaswani et al. 2017, section 3.5, arXiv:1706.03762)."""
    place, pair = np.arange(64)[:, None], np.arange(32)[None]
    angle = place / 10000 ** (2 * pair / 64)
    return diagrams.positions([("sinusoidal", np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(64, 64))])


def benchmarks() -> Picture:
    """What `make bench` measured last."""
    from tools.benchmarks import picture, report

    return picture.draw(report.load())


PICTURES: dict[str, Callable[[], Picture]] = {
    "course": diagrams.course,
    "transformer": diagrams.transformer,
    "sequence_to_sequence": diagrams.sequence_to_sequence,
    "self_attention": diagrams.self_attention,
    "six_steps": six_steps,
    "masks": four_masks,
    "multi_head": diagrams.multi_head,
    "cross_attention": diagrams.cross_attention,
    "positions": positions,
    "encoder_block": diagrams.encoder_block,
    "encoder_stack": diagrams.encoder_stack,
    "decoder_block": diagrams.decoder_block,
    "norm_places": diagrams.norm_places,
    "three_branches": diagrams.three_branches,
    "family_tree": lambda: diagrams.family_tree(TREE),
    "benchmarks": benchmarks,
}
"""File name → what draws it, in the order of the list."""


def draw_all(folder: Path) -> dict[str, str]:
    """Write every picture into `folder` and return name → alt text."""
    told = {}
    for name, draw in PICTURES.items():
        picture = draw()
        (folder / f"{name}.png").write_bytes(picture.png)
        (folder / f"{name}.svg").write_text(picture.svg(), encoding="utf-8", newline="\n")
        told[name] = picture.alt
    text = json.dumps(told, indent=2, ensure_ascii=False) + "\n"
    (folder / LIST).write_text(text, encoding="utf-8", newline="\n")
    return told


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="Draw the project's pictures again.")
    options.add_argument("folder", nargs="?", type=Path, default=IMAGES, help="where to write them (images/)")
    folder = options.parse_args().folder
    print(f"{len(draw_all(folder))} pictures drawn in {folder.name}/.")
