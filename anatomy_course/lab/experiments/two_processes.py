"""Training in two processes: does it give the loss curve of one, and what do the processes tell each other?

Each process has the whole model and half of every batch. After `backward` their gradients are averaged (all-reduce), so
all make the same step (DistributedDataParallel; Li et al. 2020, arXiv:2006.15704). Notebook 10 runs it as *more*.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, distributed, nn

from anatomy_course.lab.small_models.small_gpt import new_small_gpt
from anatomy_course.lab.street.parser import say
from anatomy_course.lab.street.sampling import sample_scenes
from anatomy_course.lab.street.vocabulary import street_vocabulary

BATCH, LENGTH, STEPS, LEARNING_RATE = 32, 24, 20, 4e-3
SECONDS = 240


@dataclass(frozen=True)
class TwoProcesses:
    """The same training by one process and by two.

    Attributes:
        one: the loss at each step, in one process with the whole batch.
        two: the mean of both processes' losses at each step, each with half of the batch.
        bytes_per_step: of gradients that each process hands over for averaging.
        parameters: numbers in the model.
    """

    one: list[float]
    two: list[float]
    bytes_per_step: int
    parameters: int

    @property
    def largest_difference(self) -> float:
        """Between the two loss curves."""
        return max(abs(a - b) for a, b in zip(self.one, self.two, strict=True))


def train_in_two_processes() -> TwoProcesses:
    """Train a small GPT of the street twice, in one process and in two, from the same weights on the same sentences.

    Raises:
        RuntimeError: a process failed; its last line is in the message.
    """
    alone, pair = (_run(count) for count in (1, 2))
    return TwoProcesses(alone["losses"], pair["losses"], pair["bytes_per_step"], pair["parameters"])


def _run(processes: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="anatomy-") as folder:
        meeting = Path(folder, "meeting").as_uri()
        started = []
        for rank in range(processes):
            variables = {**os.environ, "RANK": str(rank), "WORLD_SIZE": str(processes), "OMP_NUM_THREADS": "1"}
            command, pipe = [sys.executable, "-m", __name__, meeting], subprocess.PIPE
            started.append(subprocess.Popen(command, env=variables, stdout=pipe, stderr=pipe, text=True))
        try:
            said = [process.communicate(timeout=SECONDS) for process in started]
        finally:
            for process in started:
                process.kill()
    for process, (_, complaint) in zip(started, said, strict=True):
        if process.returncode:
            last = (complaint.strip().splitlines() or ["it said nothing"])[-1]
            raise RuntimeError(f"A process that trains ended with an error: {last}")
    found: dict[str, Any] = json.loads(said[0][0].strip().splitlines()[-1])
    return found


def work(meeting: str) -> dict[str, Any]:
    """What each process does: the loop of training, with the model wrapped."""
    distributed.init_process_group(
        "gloo", init_method=meeting, rank=int(os.environ["RANK"]), world_size=int(os.environ["WORLD_SIZE"])
    )
    try:
        rank, processes = distributed.get_rank(), distributed.get_world_size()
        generator = torch.Generator().manual_seed(0)
        model = new_small_gpt(generator)
        wrapped = nn.parallel.DistributedDataParallel(model, bucket_cap_mb=1)
        handed_over: list[int] = []
        # torch refuses a hook whose annotations are texts, as this file's are: hence a function without any
        wrapped.register_comm_hook(handed_over, lambda counts, bucket: _average_and_count(counts, bucket))
        optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE)
        windows = _windows(generator)
        losses = []
        for first in range(0, STEPS * BATCH, BATCH):
            own = windows[first + rank : first + BATCH : processes]
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(wrapped(own[:, :-1]).flatten(0, 1), own[:, 1:].flatten())
            loss.backward()
            optimizer.step()
            losses.append(_mean(loss.detach(), processes))
        size = sum(parameter.numel() for parameter in model.parameters())
        return {"losses": losses, "bytes_per_step": sum(handed_over) // STEPS, "parameters": size}
    finally:
        distributed.destroy_process_group()


def _windows(generator: torch.Generator) -> Tensor:
    """Sentences of the street one after the other, cut into windows of equal length: each has as many labels."""
    vocabulary, needed = street_vocabulary(), STEPS * BATCH * (LENGTH + 1)
    scenes = sample_scenes(needed // 8, generator, "train")
    words = [word for scene in scenes for word in ("<bos>", *say(scene, "english").tokens)]
    return torch.tensor(vocabulary.ids(words[:needed])).reshape(-1, LENGTH + 1)


def _average_and_count(handed_over: list[int], bucket: Any) -> Any:
    """Average a bundle of gradients over all processes, and note its bytes."""
    gradients = bucket.buffer()
    handed_over.append(gradients.numel() * gradients.element_size())
    gradients.div_(distributed.get_world_size())
    done = distributed.all_reduce(gradients, async_op=True).get_future()
    return done.then(lambda future: future.value()[0])


def _mean(loss: Tensor, processes: int) -> float:
    total = loss.clone()
    distributed.all_reduce(total)
    return total.item() / processes


if __name__ == "__main__":
    sys.stdout.write(json.dumps(work(sys.argv[1])) + "\n")
