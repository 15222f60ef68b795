"""A training that one process or two can do; as a program, what each process does: `fit`, then the exported program."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import torch
from torch import Tensor, distributed, nn

from anatomy_utils.training.loop import fit

Batch = tuple[Tensor, Tensor]
STEPS = 5


def train(model: nn.Module, batches: list[Batch]) -> list[float]:
    """The losses of the course's own `fit`, with gradients that are clipped."""
    optimizer = torch.optim.AdamW(model.parameters())
    return fit(model, batches, loss, optimizer=optimizer, learning_rate=0.02, clip=0.3, progress=False).loss


def new_model() -> nn.Module:
    """The same in every process."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Embedding(11, 7), nn.Linear(7, 13), nn.GELU(), nn.Linear(13, 11))


def new_batches() -> list[Batch]:
    """Six rows each; what follows a number is the next one."""
    ids = torch.randint(11, (STEPS, 6, 5), generator=torch.Generator().manual_seed(0))
    return [(each, (each + 1) % 11) for each in ids]


def loss(model: nn.Module, batch: Batch) -> Tensor:
    """The mean over all positions."""
    return nn.functional.cross_entropy(model(batch[0]).flatten(0, 1), batch[1].flatten())


def main() -> None:
    """`fit` on this process's half; then the program that the command line names, with what follows."""
    distributed.init_process_group("gloo")
    rank, count = distributed.get_rank(), distributed.get_world_size()
    own = [(inputs[rank::count], labels[rank::count]) for inputs, labels in new_batches()]
    losses = torch.tensor(train(nn.parallel.DistributedDataParallel(new_model()), own))
    distributed.all_reduce(losses)
    if rank == 0:
        Path("fit.json").write_text(json.dumps((losses / count).tolist()))
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
