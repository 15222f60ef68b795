"""Record what four translators answer when vectors and heads are exchanged; notebook 06 trains only seed 0's itself.

Run it after a change of the street, of the translator or of what is exchanged: `python docs/record_exchanges.py`, three
minutes. It writes `lab/experiments/exchanged.json`.
"""

from __future__ import annotations

import json

import torch

from anatomy_course.content.encoder_decoder.smallest_swap import smallest_swap
from anatomy_course.content.encoder_decoder.swap import swap
from anatomy_course.lab import experiments, small_models, street
from anatomy_course.lab.experiments.pronoun_exchange import RECORDED

if __name__ == "__main__":
    chance = torch.Generator().manual_seed(5)  # the notebook's sentences
    drawn = [
        street.sample_minimal_pairs(count, chance, split, different_gender=True)
        for count, split in ((60, "validation"), (250, "test"))
    ]
    to_search, to_judge = map(experiments.new_pronoun_test, drawn)
    pairs = experiments.exchange_pairs(to_judge, torch.Generator().manual_seed(8))
    kept = {}
    for seed in range(4):
        model, _ = small_models.train_translator(seed, progress=False)
        vectors, attentions = experiments.measure_exchanges(model, pairs, swap)
        _, smallest = experiments.judge_smallest_set(model, to_search, to_judge, swap, smallest_swap)
        kept[seed] = (
            {name: [round(share, 4) for share in shares] for name, shares in vectors.items()},
            {name: round(share, 4) for name, share in attentions.items()},
            (smallest.heads, *(round(share, 4) for share in smallest[1:])),
        )
    RECORDED.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
