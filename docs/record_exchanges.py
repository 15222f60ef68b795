"""Record what four translators answer when vectors are exchanged, for the seeds that notebook 06 does not train.

Run it after a change of the street, of the translator or of what is exchanged: `python docs/record_exchanges.py`, five
minutes. It writes `lab/experiments/exchanged.json`.
"""

from __future__ import annotations

import json

import torch

from anatomy_course.content.encoder_decoder.swap import swap
from anatomy_course.lab import experiments, small_models, street
from anatomy_course.lab.experiments.pronoun_exchange import RECORDED

if __name__ == "__main__":
    drawn = street.sample_minimal_pairs(250, torch.Generator().manual_seed(7), "test", different_gender=True)
    pairs = experiments.exchange_pairs(experiments.new_pronoun_test(drawn), torch.Generator().manual_seed(8))
    kept = {}
    for seed in range(4):
        model, _ = small_models.train_translator(seed, progress=False)
        vectors, attentions = experiments.measure_exchanges(model, pairs, swap)
        kept[seed] = {
            "vectors": {name: [round(share, 4) for share in shares] for name, shares in vectors.items()},
            "attentions": {name: round(share, 4) for name, share in attentions.items()},
        }
    RECORDED.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
