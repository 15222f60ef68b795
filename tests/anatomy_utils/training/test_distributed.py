"""Two processes, each with half of every batch, give the losses of one.

The course's own `fit` and the exported program run in the same two processes, which torchrun starts (gloo).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import in_two_processes
import pytest
from exported import loaded, solved
from in_two_processes import new_batches, new_model, train
from torch import distributed

import anatomy_utils
from anatomy_course.capstone.program.export import export

SIZE = "--steps 5 --batch 6 --length 16 --d-model 12 --num-layers 1 --num-heads 2 --vocabulary-size 270 --warmup 2"
pytestmark = pytest.mark.skipif(not distributed.is_gloo_available(), reason="this torch has no gloo")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the program is, texts to train on, and what two processes made of both trainings."""
    folder = tmp_path_factory.mktemp("two")
    export(folder / "my_gpt.py", record=solved(folder))
    (folder / "texts").mkdir()
    for number in range(25):
        (folder / "texts" / f"{number}.py").write_text(f"def add_{number}(a, b):\n    return a + b + {number}\n")
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    program = ["my_gpt.py", "train", "texts", *SIZE.split(), "--losses", "two.json", "--model", "two.pt"]
    course = Path(anatomy_utils.__file__).parents[1]
    ran = subprocess.run(
        [*launcher, in_two_processes.__file__, *program], cwd=folder, capture_output=True, text=True, timeout=120,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(course)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "2 × " in ran.stdout and ran.stdout.count("step 5: loss") == 1, "one of them speaks"
    return folder


def read(path: Path) -> list[float]:
    losses: list[float] = json.loads(path.read_text())
    return losses


def test_the_course_s_own_fit(folder: Path) -> None:
    alone = train(new_model(), new_batches())
    assert alone[-1] < alone[0]
    assert read(folder / "fit.json") == pytest.approx(alone, abs=2e-6)
    half = train(new_model(), [(inputs[::2], labels[::2]) for inputs, labels in new_batches()])
    assert half != pytest.approx(alone, abs=1e-3), "half of a batch is another training"


def test_the_exported_program(folder: Path) -> None:
    program = loaded(folder / "my_gpt.py")
    alone = folder / "one.json"
    command = ["train", str(folder / "texts"), *SIZE.split(), "--losses", str(alone), "--model", str(folder / "one.pt")]
    assert program.main(command) == 0
    assert read(folder / "two.json") == pytest.approx(read(alone), abs=5e-6)
    assert program.main(["write", "def", "--model", str(folder / "two.pt"), "--tokens", "3"]) == 0
    assert program.main([*command[:-3], str(folder / "x.json"), "--model", str(folder / "two.pt")]) == 0, "it is done"
    assert read(folder / "x.json") == []
