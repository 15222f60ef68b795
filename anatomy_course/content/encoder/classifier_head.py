"""Notebook 03: a classification head as a module of the learner's own, read from the first position as in BERT."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import torch
from torch import Tensor, nn

from anatomy_course.content.sizes import normal, primes
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_course.judge.effects.module import ModuleDrive
from anatomy_utils.nn.heads import SequenceHead


class _ClassifierHead(SequenceHead):
    """`SequenceHead` as BERT has it, made of three numbers."""

    def __init__(self, d_model: int, num_labels: int, dropout: float) -> None:
        super().__init__(d_model, num_labels, dropout=dropout)


DRIVE = ModuleDrive(
    _ClassifierHead,
    construct=("d_model", "num_labels", "dropout"),
    inputs=("hidden_states", "attention_mask"),
    gradients=("dense.weight", "dense.bias", "labels.weight", "labels.bias"),
    copies=3000,  # the rarest pattern of dropout, 0.4 to the power of 5, comes 30 times
)


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for number, dropout in enumerate((0.0, 0.4, 0.5, 0.0)):
        d_model = primes(generator, 1, (3, 5))[0]
        batch, position, labels = primes(generator, 3, (2, 7, 11, 13))
        batch = 1 if number == 3 else batch  # a bare squeeze loses the axis of a single text
        construct = {"d_model": d_model, "num_labels": labels, "dropout": dropout}
        states = normal(generator, batch, position, d_model)
        mask = (torch.arange(position) < position - torch.arange(batch)[:, None] % 2).long()
        inputs = {"hidden_states": states, "attention_mask": mask}
        sizes = {"batch": batch, "position": position, "d_model": d_model, "labels": labels}
        yield Case(DRIVE.arguments(generator, construct, inputs), "dropout" if dropout else "no dropout", sizes)


class _Varied(nn.Module):
    """The head in the order of its parts, each of which a child may do otherwise."""

    def __init__(self, d_model: int, num_labels: int, dropout: float) -> None:
        super().__init__()
        self.dense = nn.Linear(d_model, d_model)
        self.labels = nn.Linear(d_model, num_labels)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.answer(self.speaker(hidden_states, attention_mask))

    def speaker(self, hidden_states: Tensor, attention_mask: Tensor | None) -> Tensor:
        return hidden_states[:, 0]

    def answer(self, speaker: Tensor) -> Tensor:
        return self.labels(self.dropout(torch.tanh(self.dense(speaker))))


class _Sequence(nn.Module):
    def __init__(self, d_model: int, num_labels: int, dropout: float) -> None:
        super().__init__()
        self.labels = nn.Linear(d_model, num_labels)
        self.dense = nn.Linear(d_model, d_model)
        self.middle = nn.Sequential(nn.Tanh(), nn.Dropout(p=dropout))

    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.labels(self.middle(self.dense(hidden_states[:, 0, :])))


class _DroppedByHand(_Varied):
    def answer(self, speaker: Tensor) -> Tensor:
        states = self.dense(speaker).tanh()
        if self.training and self.dropout.p:
            states = states * (torch.rand(states.shape) >= self.dropout.p) / (1 - self.dropout.p)
        return states @ self.labels.weight.T + self.labels.bias


class _AllPositions(_Varied):
    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.answer(hidden_states)[:, 0]


class _NoLabelBias(_Varied):
    def __init__(self, d_model: int, num_labels: int, dropout: float) -> None:
        super().__init__(d_model, num_labels, dropout)
        self.labels.register_parameter("bias", None)


class _NoDenseBias(_Varied):
    def __init__(self, d_model: int, num_labels: int, dropout: float) -> None:
        super().__init__(d_model, num_labels, dropout)
        self.dense.register_parameter("bias", None)


class _NoDense(nn.Module):
    def __init__(self, d_model: int, num_labels: int, dropout: float) -> None:
        super().__init__()
        self.labels = nn.Linear(d_model, num_labels)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        return self.labels(self.dropout(hidden_states[:, 0]))


class _DenseToLabels(_Varied):
    def __init__(self, d_model: int, num_labels: int, dropout: float) -> None:
        super().__init__(d_model, num_labels, dropout)
        self.dense = nn.Linear(d_model, num_labels)
        self.labels = nn.Linear(num_labels, num_labels)


class _Mean(_Varied):
    def speaker(self, hidden_states: Tensor, attention_mask: Tensor | None) -> Tensor:
        return hidden_states.mean(1)


class _MeanOfWords(_Varied):
    def speaker(self, hidden_states: Tensor, attention_mask: Tensor | None) -> Tensor:
        assert attention_mask is not None
        return (hidden_states * attention_mask[..., None]).sum(1) / attention_mask.sum(1, keepdim=True)


class _Last(_Varied):
    def speaker(self, hidden_states: Tensor, attention_mask: Tensor | None) -> Tensor:
        return hidden_states[:, -1]


class _FirstText(_Varied):
    def speaker(self, hidden_states: Tensor, attention_mask: Tensor | None) -> Tensor:
        return hidden_states[0]


class _EveryPosition(_Varied):
    def speaker(self, hidden_states: Tensor, attention_mask: Tensor | None) -> Tensor:
        return hidden_states


class _NoTanh(_Varied):
    def answer(self, speaker: Tensor) -> Tensor:
        return self.labels(self.dropout(self.dense(speaker)))


class _Relu(_Varied):
    def answer(self, speaker: Tensor) -> Tensor:
        return self.labels(self.dropout(self.dense(speaker).relu()))


class _NoDropout(_Varied):
    def answer(self, speaker: Tensor) -> Tensor:
        return self.labels(self.dense(speaker).tanh())


class _DropoutFirst(_Varied):
    def answer(self, speaker: Tensor) -> Tensor:
        return self.labels(self.dense(self.dropout(speaker)).tanh())


class _DropoutLast(_Varied):
    def answer(self, speaker: Tensor) -> Tensor:
        return self.dropout(self.labels(self.dense(speaker).tanh()))


class _DropoutAlways(_Varied):
    def answer(self, speaker: Tensor) -> Tensor:
        return self.labels(nn.functional.dropout(self.dense(speaker).tanh(), self.dropout.p))


class _DropoutFixed(_Varied):
    def __init__(self, d_model: int, num_labels: int, dropout: float) -> None:
        super().__init__(d_model, num_labels, 0.1)


class _Probabilities(_Varied):
    def answer(self, speaker: Tensor) -> Tensor:
        return super().answer(speaker).softmax(-1)


class _Detached(_Varied):
    def answer(self, speaker: Tensor) -> Tensor:
        return self.labels(self.dropout(self.dense(speaker).tanh()).detach())


def _steps(
    d_model: int, num_labels: int, dropout: float, x: Tensor, mask: Tensor, w: Tensor, b: Tensor, *labels: Tensor
) -> Mapping[str, Tensor]:
    dense = x[:, 0] @ w.T + b
    return {"first vectors": x[:, 0], "dense layer": dense, "tanh": dense.tanh()}


EXERCISE = Exercise(
    id="encoder.classifier_head",
    title="A head as a module",
    task="Write the head as a module: the first position's vector, `dense`, tanh, `dropout`, `labels`.",
    difficulty="medium",
    minutes=7,
    signature="ClassifierHead(torch.nn.Module)",
    docstring="Has `dense`, a torch.nn.Linear from d_model to d_model, `labels`, one from d_model to num_labels, and\n"
    "`dropout`, a torch.nn.Dropout before `labels`. hidden_states (batch, position, d_model) → logits\n"
    "(batch, num_labels). The first position is never padding, so attention_mask is not needed here.",
    reference=_ClassifierHead,
    returns=DRIVE.outputs(Output("logits", "labels")),
    cases=_cases,
    mistakes=(
        Mistake(
            "no_label_bias",
            _NoLabelBias,
            "Your module has no `labels.bias`, as if nothing were added to the product of its last layer.",
        ),
        Mistake("no_dense_bias", _NoDenseBias, "Your module has no `dense.bias`: nothing is added in its first layer."),
        Mistake(
            "no_dense",
            _NoDense,
            "Your module has no parameters of `dense`, as if the labels were read off the first vector directly.",
        ),
        Mistake(
            "dense_to_labels",
            _DenseToLabels,
            "Your `dense` goes to the labels already; it should keep the width, and `labels` goes from there.",
        ),
        Mistake(
            "mean", _Mean, "Your logits come from the mean of all positions, padding included, not from the first."
        ),
        Mistake("mean_of_words", _MeanOfWords, "Your logits come from the mean of the real words, not from the first."),
        Mistake("last", _Last, "Your logits come from the last position, not from the first."),
        Mistake(
            "first_text",
            _FirstText,
            "You take the first text of the batch, with all its positions; take the first position of every text.",
        ),
        Mistake("every_position", _EveryPosition, "You give logits for every position; each text needs one row."),
        Mistake("no_tanh", _NoTanh, "No tanh acts between your two layers, so together they are one linear layer."),
        Mistake("relu", _Relu, "Between your layers every negative number is set to 0 (ReLU); use tanh."),
        Mistake("no_dropout", _NoDropout, "Right in use. In training your module drops nothing."),
        Mistake(
            "dropout_first",
            _DropoutFirst,
            "Right in use. In training you drop features before `dense`, not after tanh.",
        ),
        Mistake(
            "dropout_last", _DropoutLast, "Right in use. In training you drop logits, not features before `labels`."
        ),
        Mistake(
            "dropout_always",
            _DropoutAlways,
            "Your dropout is on in evaluation mode too, as `torch.nn.functional.dropout` is unless told otherwise.",
        ),
        Mistake(
            "dropout_fixed",
            _DropoutFixed,
            "Right in use. In training you drop with the probability 0.1, whatever `dropout` says.",
        ),
        Mistake(
            "probabilities",
            _Probabilities,
            "You return probabilities; return logits, because the loss takes the softmax itself.",
        ),
        Mistake(
            "detached",
            _Detached,
            "Your logits are right, but no gradient reaches `dense`, so it would never learn: something cuts it off, "
            "such as `detach`, `no_grad` or `.data`.",
        ),
    ),
    also_right={
        "in one line": _Varied,
        "tanh and dropout in a sequence": _Sequence,
        "dropout by hand": _DroppedByHand,
        "all positions, then the first": _AllPositions,
    },
    hints=(
        "`super().__init__()` comes first. In `__init__` you make the three parts and keep them on `self`; in "
        "`forward` you use them.",
        "`hidden_states[:, 0]` is the first position of every text, (batch, d_model). A `torch.nn.Dropout` knows by "
        "itself whether the model is in training.",
        "`speaker = torch.tanh(self.dense(hidden_states[:, 0]))`, then `self.labels(self.dropout(speaker))`.",
    ),
    solution="\n"
    "def __init__(self, d_model: int, num_labels: int, dropout: float) -> None:\n"
    "    super().__init__()\n"
    "    self.dense = torch.nn.Linear(d_model, d_model)\n"
    "    self.dropout = torch.nn.Dropout(dropout)\n"
    "    self.labels = torch.nn.Linear(d_model, num_labels)\n"
    "\n"
    "def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None) -> Tensor:\n"
    "    speaker = torch.tanh(self.dense(hidden_states[:, 0]))\n"
    "    return self.labels(self.dropout(speaker))",
    explanation="A module registers the modules that are put on `self`: that is how the optimizer finds their "
    "parameters, `eval()` reaches the dropout, and a checkpoint finds its names. BERT's own classifier is this head.",
    stages=_steps,
    methods=(
        "__init__(self, d_model: int, num_labels: int, dropout: float) -> None",
        "forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None) -> Tensor",
    ),
    observe=DRIVE,
)
