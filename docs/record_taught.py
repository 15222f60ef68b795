"""Record what SmolLM2 answers with eight lessons in its prompt, and after adapters have learned, for three seeds.

Run it after a change of the street or of the lessons: `python docs/record_taught.py`, about 20 minutes. It writes
`lab/experiments/taught.json`, again after each run. The lowest eight blocks have no adapter: what they give is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_course.content.workshop.llama_block import LlamaBlock
from anatomy_course.content.workshop.low_rank_adapter import LowRankAdapter
from anatomy_course.content.workshop.own_name import own_name
from anatomy_course.lab import small_models
from anatomy_course.lab.experiments import taught
from anatomy_course.lab.experiments.taught import Measured
from anatomy_utils import pretrained
from anatomy_utils.training import learning_rate
from anatomy_utils.zoo.tokenizer import Tokenizer

FIRST, UPPER = 8, 20
STEPS, SIZE, RATE = 60, 8, 2e-3


class SmolLM2:
    """The learner's classes with the published weights; keeps what its lowest blocks give for each batch."""

    def __init__(self) -> None:
        published = pretrained.published("smollm2")
        sizes = published.config
        block = (576, 9, 3, 1536, sizes["rope_theta"], sizes["rms_norm_eps"])
        self.tokens, self.norm = nn.Embedding(49_152, 576), nn.RMSNorm(576, eps=sizes["rms_norm_eps"])
        self.blocks = nn.Sequential(*(LlamaBlock(*block) for _ in range(30)))
        llama = nn.ModuleDict({"tokens": self.tokens, "blocks": self.blocks, "norm": self.norm})
        llama.load_state_dict({own_name(name): weight for name, weight in published.tensors.items()})
        llama.requires_grad_(False)
        self.kept: dict[bytes, Tensor] = {}

    def states(self, ids: Tensor) -> Tensor:
        key = ids.numpy().tobytes()
        if key not in self.kept:
            with torch.no_grad():
                self.kept[key] = self.blocks[:FIRST](self.tokens(ids))
        states: Tensor = self.norm(self.blocks[FIRST:](self.kept[key]))
        return states

    def read(self, ids: Tensor) -> Tensor:
        return self.states(ids) @ self.tokens.weight.T


def learn(
    model: SmolLM2, tokenizer: Tokenizer, lessons: Sequence[taught.Lesson], first: int, seed: int
) -> Callable[[], None]:
    """Put adapters around query and value of the blocks from `first` on and train them; returns what takes them out.

    The seed decides how the adapters begin and, above 0, in which order the batches come.
    """
    places = [(block.attention, name) for block in list(model.blocks)[first:] for name in ("query", "value")]
    plain = [getattr(attention, name) for attention, name in places]
    torch.manual_seed(seed)
    for (attention, name), layer in zip(places, plain, strict=True):
        setattr(attention, name, LowRankAdapter(layer, 8, 16))
    learning = [weight for weight in model.blocks.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=RATE, weight_decay=0.0)
    for step, number in enumerate((torch.randperm(STEPS) if seed else torch.arange(STEPS)).tolist()):
        optimizer.param_groups[0]["lr"] = learning_rate(step, STEPS, 5, RATE, 0.0)
        ids, labels = taught.batch_of(lessons[SIZE * number : SIZE * (number + 1)], tokenizer)
        asked = labels >= 0
        loss = F.cross_entropy(model.states(ids)[asked] @ model.tokens.weight.T, labels[asked])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    def take_out() -> None:
        for (attention, name), layer in zip(places, plain, strict=True):
            setattr(attention, name, layer)

    return take_out


if __name__ == "__main__":
    model, (_, tokenizer) = SmolLM2(), pretrained.load("smollm2")
    school = taught.lessons(STEPS * SIZE, torch.Generator().manual_seed(0), "train")
    exam = taught.lessons(40, torch.Generator().manual_seed(9), "test")
    python = small_models.python_functions()[::3000]
    by_coin = taught.by_coin(school, torch.Generator().manual_seed(0))
    before = taught.measure(model.read, exam, python, tokenizer)
    found = {"before": [before]}
    for seed in range(3):
        for kind, lessons, first in (("taught", school, FIRST), ("coin", by_coin, FIRST), ("upper", school, UPPER)):
            take_out = learn(model, tokenizer, lessons, first, seed)
            found.setdefault(kind, []).append(taught.measure(model.read, exam, python, tokenizer))
            take_out()
            rounded = {name: [[round(each, 4) for each in run] for run in runs] for name, runs in found.items()}
            taught.RECORDED.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")
        if not seed:
            shares = taught.shares_of_answers(model.read, exam, tokenizer, taught.examples(school[:8]))
            found["prompted"] = [Measured(*shares, before.english, before.python)]
