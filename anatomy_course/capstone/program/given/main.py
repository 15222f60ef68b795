"""The program's commands: train on texts, save and resume, write, and run SmolLM2's weights."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, distributed

from anatomy_course.capstone.program.given.cached import CachedModel
from anatomy_course.capstone.program.given.learn_merges import learn_merges
from anatomy_course.capstone.program.given.llama import Llama
from anatomy_course.capstone.program.given.weights import llama_numbers, load_by_name, read_gguf
from anatomy_course.capstone.program.own import (
    GPT,
    decode,
    encode,
    learning_rate,
    next_id,
    own_name,
    parameter_groups,
    random_windows,
    resume_training,
    save_training,
    training_step,
)
from anatomy_course.lab.small_models.python_code import END, python_functions
from anatomy_utils.training.byte_pairs import encode_words, published_tokenizer

SUFFIXES = {".py", ".txt", ".md", ".rst"}
"""Of the files that are read in a folder."""
SIZES = ("vocabulary_size", "length", "d_model", "num_layers", "num_heads")
"""What a model is made of."""
SEED = 0
EXPLAINED = {
    "steps": "steps in all", "batch": "windows in a step", "length": "tokens in a window", "d_model": "features",
    "num_layers": "blocks", "num_heads": "heads in each; they divide d-model", "vocabulary_size": "kinds of tokens",
    "warmup": "steps in which the rate rises", "peak": "the highest rate", "every": "steps between two reports",
    "tokens": "the most to write", "temperature": "0 takes the likeliest", "top_k": "one of so many is drawn",
    "seed": "of the draws",
}  # fmt: skip
"""What an option says."""


def read_texts(folder: str | None) -> list[str]:
    """The texts in a folder, and in those inside it; functions of Python's standard library where none is given."""
    if folder is None:
        return python_functions()
    if not Path(folder).is_dir():
        raise ValueError(f"There is no folder {folder}; give one that holds {', '.join(sorted(SUFFIXES))} files.")
    paths = sorted(path for path in Path(folder).rglob("*") if path.suffix in SUFFIXES and path.is_file())
    texts = [path.read_text(encoding="utf-8", errors="replace").replace(END, "") for path in paths]
    if not any(texts):
        raise ValueError(f"No file in {folder} ends in {', '.join(sorted(SUFFIXES))} and holds a text.")
    return texts


def in_training_and_out(texts: list[str]) -> tuple[str, str]:
    """All texts but every twentieth, and every twentieth; one text alone is cut, its last twentieth is held out."""
    if len(texts) < 20:
        whole = END.join(texts)
        return whole[: -len(whole) // 20], whole[-len(whole) // 20 :]
    kept = [text for number, text in enumerate(texts) if number % 20]
    return END + END.join(kept) + END, END + END.join(texts[::20]) + END


class Processes:
    """This process among those that train together: one alone, or as many as torchrun started."""

    def __init__(self) -> None:
        self.rank, self.count = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
        graphics = torch.cuda.is_available()
        self.device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0))) if graphics else torch.device("cpu")
        if self.count > 1 and not distributed.is_initialized():
            distributed.init_process_group("nccl" if graphics else "gloo")

    def wrapped(self, model: torch.nn.Module) -> torch.nn.Module:
        """The model; among several processes one whose gradients are averaged over all of them."""
        return torch.nn.parallel.DistributedDataParallel(model) if self.count > 1 else model

    def part(self, batch: Tensor) -> Tensor:
        """This process's part of a batch that all of them have drawn alike."""
        return batch[self.rank :: self.count].to(self.device)

    def mean(self, number: float) -> float:
        """The mean over all processes."""
        if self.count == 1:
            return number
        total = torch.tensor(number, device=self.device, dtype=torch.float32)
        distributed.all_reduce(total)
        return total.item() / self.count

    def say(self, words: str) -> None:
        """Print, once."""
        if self.rank == 0:
            _show(f"{words}\n")


def new_gpt(numbers: dict[str, int], device: torch.device) -> torch.nn.Module:
    """A fresh model, the same in every process."""
    torch.manual_seed(SEED)
    return GPT(*(numbers[name] for name in SIZES)).to(device)


def train(options: argparse.Namespace) -> list[float]:
    """Train, from where the saved training ended if there is one; gives the losses of all steps that were made."""
    processes = Processes()
    if options.batch % processes.count:
        raise ValueError(f"A batch of {options.batch} cannot be shared evenly by {processes.count} processes.")
    if options.d_model % options.num_heads:
        raise ValueError(f"{options.num_heads} heads cannot share {options.d_model} features evenly.")
    training, held_out = in_training_and_out(read_texts(options.folder))
    path, description = Path(options.model), Path(options.model).with_suffix(".vocabulary.json")
    if path.exists() and description.exists():
        numbers, merges = read_description(description)
    else:
        processes.say("Learning the vocabulary …")
        merges = learn_merges(training, options.vocabulary_size)
        numbers = {"vocabulary_size": 256 + len(merges), **{name: getattr(options, name) for name in SIZES[1:]}}
    ids, others = (torch.tensor(encode_words(text, merges, encode)) for text in (training, held_out))
    if len(ids) <= numbers["length"]:
        told = f"The texts have {len(ids)} tokens, but a window of {numbers['length']} and the token after it need more"
        raise ValueError(f"{told}; give longer texts or a smaller --length.")
    model = new_gpt(numbers, processes.device)
    optimizer = torch.optim.AdamW(parameter_groups(model, 0.1), lr=options.peak, betas=(0.9, 0.95))
    generator = torch.Generator().manual_seed(SEED)
    first = resume_training(path, model, optimizer, generator) if path.exists() else 0
    count = sum(parameter.numel() for parameter in model.parameters())
    machine = f"{processes.count} × {processes.device.type}"
    processes.say(f"{len(ids):,} tokens, {count:,} parameters, {machine}, from step {first}")
    if first >= options.steps:
        processes.say("All steps were made already: give a larger --steps, or another --model to begin again.")
    wrapped, losses, step, before = processes.wrapped(model), [], first, generator.get_state()
    try:
        for step in range(first, options.steps):
            before = generator.get_state()
            rate = learning_rate(step, options.steps, options.warmup, options.peak, options.peak / 10)
            for group in optimizer.param_groups:
                group["lr"] = rate
            drawn = random_windows(ids, options.batch, numbers["length"], generator)  # the same in every process
            part = tuple(map(processes.part, drawn))
            losses.append(processes.mean(training_step(wrapped, optimizer, [part], 1.0)))
            if (step + 1) % options.every == 0 or step + 1 == options.steps:
                validation = validation_loss(model, others, numbers["length"], processes.device)
                processes.say(f"step {step + 1}: loss {losses[-1]:.3f}, of unseen texts {validation:.3f}")
        step = max(first, options.steps)
    except KeyboardInterrupt:
        generator.set_state(before)
        processes.say(f"Stopped at step {step}; what was learned is kept. The same command goes on from here.")
    if processes.rank == 0:
        save_training(path, model, optimizer, generator, step)
        pairs = [[*pair, new_id] for pair, new_id in merges.items()]
        description.write_text(json.dumps({"numbers": numbers, "merges": pairs}), encoding="utf-8")
        if options.losses:
            Path(options.losses).write_text(json.dumps(losses), encoding="utf-8")
    if processes.count > 1:
        distributed.destroy_process_group()
    return losses


@torch.no_grad()
def validation_loss(model: torch.nn.Module, ids: Tensor, length: int, device: torch.device) -> float:
    """The mean loss on texts that were held out, on windows that are always the same; NaN where there is too little."""
    if len(ids) <= length:
        return float("nan")
    inputs, labels = random_windows(ids, 16, length, torch.Generator().manual_seed(SEED))
    logits = model(inputs.to(device))
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten().to(device)).item()


def read_description(path: Path) -> tuple[dict[str, int], dict[tuple[int, int], int]]:
    """The model's numbers and its merges, from the file beside the saved training."""
    if not path.exists():
        raise ValueError(f"There is no {path}; train a model first.")
    described = json.loads(path.read_text(encoding="utf-8"))
    return described["numbers"], {(left, right): new_id for left, right, new_id in described["merges"]}


def continued(
    model: CachedModel, ids: list[int], choose: Callable[[Tensor], int], most: int, length: int, stop: Iterable[int]
) -> Iterator[int]:
    """The ids that a model writes after others, one at a time.

    A text beyond `length` is read anew for each token: all that is left of it has moved to other positions.
    """
    device, ends = next(model.model.parameters()).device, set(stop)
    model.forget()
    for _ in range(most):
        if len(ids) > length:
            model.forget()
        unread = ids[max(model.read, len(ids) - length) :]
        chosen = int(choose(model(torch.tensor([unread], device=device))[0, -1].float().cpu()))
        if chosen in ends:
            return
        ids = [*ids, chosen]
        yield chosen


def streamed(ids: Iterable[int], decode: Callable[[list[int]], str]) -> Iterator[str]:
    """What each id adds to the text; bytes that are not a whole character yet wait for the next one."""
    read: list[int] = []
    said = ""
    for each in ids:
        read.append(each)
        text = decode(read)
        if not text.endswith("\N{REPLACEMENT CHARACTER}"):
            yield text[len(said) :]
            said = text
    yield decode(read)[len(said) :]


def write(options: argparse.Namespace) -> Iterator[str]:
    """Write after a prompt with the model that was trained."""
    path = Path(options.model)
    numbers, merges = read_description(path.with_suffix(".vocabulary.json"))
    model = new_gpt(numbers, Processes().device).eval()
    optimizer = torch.optim.AdamW(parameter_groups(model, 0.1))
    resume_training(path, model, optimizer, torch.Generator())
    ids = [0, *encode(options.prompt, merges)]
    cached = CachedModel(model, numbers["num_heads"])
    written = continued(cached, ids, chooser(options), options.tokens, numbers["length"], [0])
    return streamed(written, lambda ids: decode(ids, merges))


def chooser(options: argparse.Namespace) -> Callable[[Tensor], int]:
    """Logits → the next id, with the temperature, the number of candidates and the seed that were asked for."""
    generator = torch.Generator().manual_seed(options.seed)
    return lambda logits: next_id(logits, options.temperature, min(options.top_k, len(logits)), generator)


def load_smollm2(path: str) -> tuple[Llama, Callable[..., list[int]], Callable[..., str], list[int]]:
    """SmolLM2's weights in your classes, its two ways between text and ids, and the ids that end a text."""
    fields, tensors = read_gguf(path)
    model = Llama(**llama_numbers(fields))
    load_by_name(model, tensors, own_name)
    special = [number for number, kind in enumerate(fields["tokenizer.ggml.token_type"]) if kind == 3]
    read, say = published_tokenizer(fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.merges"], special)
    return model.eval(), read, say, [fields["tokenizer.ggml.eos_token_id"]]


def smollm2(options: argparse.Namespace) -> Iterator[str]:
    """Write after a prompt with SmolLM2's weights."""
    model, read, say, stop = load_smollm2(options.gguf)
    ids = read(options.prompt)
    if not ids:
        raise ValueError("The prompt is empty; give SmolLM2 a few words to go on from.")
    cached = CachedModel(model.to(Processes().device), model.num_heads, model.base)
    return streamed(continued(cached, ids, chooser(options), options.tokens, 2048, stop), say)


def main(arguments: list[str] | None = None) -> int:
    """Read the command line and do what it says."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "train":
            train(options)
        else:
            _show(options.prompt)
            for piece in (write if options.command == "write" else smollm2)(options):
                _show(piece)
            _show("\n")
    except ValueError as error:
        sys.stderr.write(f"\n{error}\n")
        return 2
    except KeyboardInterrupt:
        _show("\n")
    return 0


def _show(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=re.sub(r"\n\n.*", "", __doc__ or "", flags=re.DOTALL))
    commands = parser.add_subparsers(dest="command", required=True)
    numbers: dict[str, dict[str, Any]] = {
        "train": {"steps": 1000, "batch": 24, "length": 96, "d_model": 128, "num_layers": 4, "num_heads": 4}
        | {"vocabulary_size": 1024, "warmup": 50, "peak": 3e-3, "every": 100},
        "write": {"tokens": 160, "temperature": 0.8, "top_k": 40, "seed": 0},
        "smollm2": {"tokens": 40, "temperature": 0.0, "top_k": 40, "seed": 0},
    }
    for command, defaults in numbers.items():
        each = commands.add_parser(command, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
        if command == "train":
            each.add_argument("folder", nargs="?", help="of texts; Python's own library when left out")
            each.add_argument("--losses", help="a file for the losses of all steps")
        elif command == "smollm2":
            each.add_argument("gguf", help="the file of SmolLM2's weights")
        if command != "smollm2":
            each.add_argument("--model", default="my_gpt.pt", help="the file of the training")
        if command != "train":
            each.add_argument("prompt", help="how the text begins")
        for name, default in defaults.items():
            each.add_argument(f"--{name.replace('_', '-')}", type=type(default), default=default, help=EXPLAINED[name])
    return parser


if __name__ == "__main__":
    sys.exit(main())
