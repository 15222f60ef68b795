"""A family of models as one record, and what helps to read a published configuration.

Each file of a family ends with its `FAMILY`: how the numbers are read, what builds a model of them, and where each
published tensor goes. Loading weights, the family tree and the list of what the zoo has need nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from reprlib import repr
from typing import Any

from torch import Tensor, nn

from anatomy_utils.zoo import entries
from anatomy_utils.zoo.checkpoint import KeyMap, load_published, unfilled

Config = Mapping[str, Any]
Tensors = Mapping[str, Tensor]


def _as_published(numbers: Any, tensors: Tensors) -> Tensors:
    return tensors


@dataclass(frozen=True)
class Family:
    """One family of the zoo.

    Attributes:
        name: as published architectures write it: "Bert" in "BertForMaskedLM".
        read: the entries of a `config.json` → the numbers.
        make: the numbers, a task and, for a classifier, how many labels it has → a model with fresh weights. Without
            tasks: the numbers → a model.
        tasks: task, as published architectures name it → where each tensor goes; none where nothing can be loaded.
        usual_task: which task is meant where a configuration names no architecture.
        prepare: the numbers and the published tensors → the tensors under the names that `tasks` knows.
    """

    name: str
    read: Callable[[Config], Any]
    make: Callable[..., nn.Module]
    tasks: Mapping[str, KeyMap] = field(default_factory=dict)
    usual_task: str = "Model"
    prepare: Callable[[Any, Tensors], Tensors] = _as_published

    def build(self, config: Config, task: str) -> nn.Module:
        """A model of the size of a published configuration, with the head of a task and fresh weights.

        Raises:
            ValueError: the configuration lacks an entry, or has a variation that the family does not have here.
        """
        if not self.tasks:
            return self.make(self.read(config))
        labels = [number_of_labels(config)] if task.endswith("Classification") else []
        return self.make(self.read(config), task, *labels)

    def load(self, config: Config, tensors: Tensors) -> nn.Module:
        """The published model, with the head that its configuration names, ready to use (dropout off).

        Raises:
            ValueError: as `build`, there is no such task here, an entry holds something that it cannot hold, or the
                tensors do not fit; see `load_published`.
        """
        with self._blaming(f"no configuration of the family {self.name}", entries.CURE):
            entries.check(config)
            task = self.task_of(config)
            with unfilled():
                model = self.build(config, task)
            numbers = self.read(config)
        with self._blaming(f"weights of other shapes than {self.name} has", "check that config and weights match"):
            load_published(model, self.prepare(numbers, tensors), self.tasks[task])
        return model.eval()

    @contextmanager
    def _blaming(self, what: str, cure: str) -> Iterator[None]:
        """What no check foresaw in a published file is still the file's fault, and told in one sentence."""
        try:
            yield
        except (TypeError, AttributeError, LookupError, ArithmeticError, RuntimeError) as error:
            reason = (str(error) or type(error).__name__).splitlines()[0][:120]
            raise ValueError(f"This is {what} ({reason}); {cure}.") from error

    def task_of(self, config: Config) -> str:
        """The task that `architectures` names: "MaskedLM" for "BertForMaskedLM", "Model" for "BertModel".

        Raises:
            ValueError: the family has no such task here.
        """
        architecture = (config.get("architectures") or [f"{self.name}For{self.usual_task}"])[0]
        task = architecture.removeprefix(self.name).removeprefix("For")
        if task not in self.tasks:
            known = ", ".join(sorted(self.tasks))
            raise ValueError(f"The architecture {architecture!r} is not here; {self.name} has the tasks {known}.")
        return str(task)


def read(config: Config, *names: str) -> list[Any]:
    """The named entries of a configuration, in order.

    Raises:
        ValueError: some are missing or null; all of them are listed.
    """
    if missing := [name for name in names if config.get(name) is None]:
        held = ", ".join(sorted(name for name, value in config.items() if value is not None))
        raise ValueError(f"The configuration lacks {', '.join(missing)}; it holds {held or 'nothing'}; {entries.CURE}.")
    return [config[name] for name in names]


USUAL = (
    "vocab_size d_model=hidden_size num_layers=num_hidden_layers num_heads=num_attention_heads d_ff=intermediate_size"
)
"""What most families call the five numbers of a stack, for `numbers`."""


def numbers(config: Config, needed: str, optional: str = "") -> dict[str, Any]:
    """Entries of a configuration under our names; of the optional ones those that are there.

    >>> numbers({"vocab_size": 97, "n_embd": 30}, "vocab_size d_model=n_embd", "dropout=resid_pdrop")
    {'vocab_size': 97, 'd_model': 30}

    Args:
        config: the published entries.
        needed: entries that must be there, as `ours=theirs`, or one name where both are the same.
        optional: entries that may be missing or null; the numbers' defaults are what that means.

    Raises:
        ValueError: as `read`.
    """
    pairs = [(name.partition("=")[0], name.rpartition("=")[2]) for name in needed.split()]
    more = [(name.partition("=")[0], config.get(name.rpartition("=")[2])) for name in optional.split()]
    found = read(config, *(theirs for _, theirs in pairs))
    return {
        **dict(zip((ours for ours, _ in pairs), found, strict=True)),
        **{ours: value for ours, value in more if value is not None},
    }


def require(config: Config, family: str, **entries: Any) -> None:
    """Check entries that a family has in one way only here; where a configuration leaves one out, it has that way.

    >>> require({"hidden_act": "relu"}, "BERT", hidden_act="gelu")
    Traceback (most recent call last):
    ValueError: hidden_act is 'relu', but BERT here has 'gelu'.

    Raises:
        ValueError: an entry is another one.
    """
    for name, expected in entries.items():
        if config.get(name, expected) != expected:
            raise ValueError(f"{name} is {repr(config[name])}, but {family} here has {expected!r}.")


def after_padding(config: Config) -> int:
    """Where positions begin in the families that were trained with fairseq: one after the id of padding, usually 1."""
    given = config.get("pad_token_id")
    return 2 if given is None else int(given) + 1


def number_of_labels(config: Config) -> int:
    """How many labels a classifier chooses from; published configurations leave it out when there are two."""
    return len(config["id2label"]) if "id2label" in config else int(config.get("num_labels", 2))


def classifier_dropout(config: Config) -> float:
    """The dropout before a token classifier's labels, 0.1 where a configuration leaves it out."""
    given = (config.get(name) for name in ("classifier_dropout", "hidden_dropout"))
    return next((float(value) for value in given if value is not None), 0.1)
