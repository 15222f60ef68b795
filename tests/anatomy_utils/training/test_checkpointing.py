"""A run that is saved and resumed goes on to the last bit, also one that was interrupted; other files are refused."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from anatomy_utils.training import adamw, fit, random_windows, resume_training, save_training, seeded

TEXT = torch.randint(13, (200,), generator=torch.Generator().manual_seed(1))


class Parts:
    """A model, its optimizer and a generator for batches."""

    def __init__(self, seed: int, d_model: int = 5, optimizer: str = "adamw") -> None:
        self.generator = torch.Generator().manual_seed(seed)
        with seeded(self.generator):
            self.model = nn.Sequential(nn.Embedding(13, d_model), nn.Linear(d_model, 13))
        self.optimizer: torch.optim.Optimizer = adamw(self.model)
        if optimizer == "sgd":
            self.optimizer = torch.optim.SGD(self.model.parameters())

    @property
    def all(self) -> tuple[nn.Module, torch.optim.Optimizer, torch.Generator]:
        return self.model, self.optimizer, self.generator

    def batches(self, stop_after: int = 10**9) -> Iterator[tuple[Tensor, Tensor]]:
        count = 0
        while True:
            if count == stop_after:
                raise KeyboardInterrupt
            count += 1
            yield random_windows(TEXT, 3, 7, self.generator)

    def go_on(self, steps: int, stop_after: int = 10**9) -> list[float]:
        history = fit(
            self.model,
            self.batches(stop_after),
            lambda model, batch: F.cross_entropy(model(batch[0]).flatten(0, 1), batch[1].flatten()),
            steps=steps,
            optimizer=self.optimizer,
            learning_rate=0.03,
            progress=False,
        )
        self.stopped = history.stopped
        return list(history.loss)


def test_an_interrupted_run_keeps_what_it_learned_and_resumes_to_the_last_bit(tmp_path: Path) -> None:
    whole, run = Parts(3), Parts(3)
    wanted = whole.go_on(9)
    losses = run.go_on(9, stop_after=4)
    assert losses == wanted[:4]
    assert run.stopped == "the keyboard ended it after 4 steps; what was learned is kept"
    save_training(tmp_path / "run.pt", *run.all, len(losses))
    assert [path.name for path in tmp_path.iterdir()] == ["run.pt"]
    resumed = Parts(8)
    resumed.go_on(2)
    step = resume_training(tmp_path / "run.pt", *resumed.all)
    assert losses + resumed.go_on(9 - step) == wanted


def test_an_interrupt_while_saving_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Parts(3)
    save_training(tmp_path / "run.pt", *run.all, 1)

    def interrupted(run: object, path: Path) -> None:
        path.write_bytes(b"half a file")
        raise KeyboardInterrupt

    monkeypatch.setattr(torch, "save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_training(tmp_path / "run.pt", *run.all, 2)
    assert resume_training(tmp_path / "run.pt", *run.all) == 1


def test_what_is_refused_changes_nothing(tmp_path: Path) -> None:
    run, path = Parts(3), tmp_path / "run.pt"
    run.go_on(2)
    save_training(path, *run.all, 2)
    for other, says in (
        (Parts(4, d_model=6), r"comes from another model: its `0.weight` has shape \(13, 5\), that of this model"),
        (Parts(4, optimizer="sgd"), "run.pt comes from another optimizer"),
    ):
        before = [other.model[0].weight.clone(), other.generator.get_state()]
        with pytest.raises(ValueError, match=says):
            resume_training(path, *other.all)
        assert torch.equal(other.model[0].weight, before[0]) and torch.equal(other.generator.get_state(), before[1])
    deeper = nn.Sequential(*run.model, nn.Linear(13, 13))
    with pytest.raises(ValueError, match=r"another model: it has no `2.weight`"):
        resume_training(path, deeper, run.optimizer, run.generator)
    with pytest.raises(ValueError, match=r"another model: it has `1.weight`, which this model lacks"):
        resume_training(path, run.model[:1], run.optimizer, run.generator)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"no file of torch's", "is not a file of numbers"),
        ({"model": {}, "step": 3}, "lacks 'optimizer', 'generator'; `save_training` writes such a file"),
        ({"model": nn.Linear(2, 3)}, "or it holds code, which is not run"),
    ],
)
def test_files_of_another_kind(tmp_path: Path, content: object, says: str) -> None:
    path = tmp_path / "run.pt"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        torch.save(content, path)
    with pytest.raises(ValueError, match=says):
        resume_training(path, *Parts(0).all)
    with pytest.raises(ValueError, match="There is no file"):
        resume_training(tmp_path / "none.pt", *Parts(0).all)
