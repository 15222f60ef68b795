"""Notebook 03: a classification head as a module of the learner's own, read from the first position as in BERT."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, ModuleDrive, Output, Tensor, primes, written


class ClassifierHead(torch.nn.Module):
    """Has `dense`, a torch.nn.Linear from d_model to d_model, `labels`, one from d_model to
    num_labels, and `dropout`, a torch.nn.Dropout before `labels`. hidden_states (batch, position,
    d_model) → logits (batch, num_labels). The first position is never padding, so attention_mask is
    not needed here."""

    def __init__(self, d_model: int, num_labels: int, dropout: float) -> None:
        super().__init__()
        self.dense = torch.nn.Linear(d_model, d_model)
        self.dropout = torch.nn.Dropout(dropout)
        self.labels = torch.nn.Linear(d_model, num_labels)

    def forward(self, hidden_states: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        speaker = torch.tanh(self.dense(hidden_states[:, 0]))
        return self.labels(self.dropout(speaker))


DRIVE = ModuleDrive(
    ClassifierHead,
    construct=("d_model", "num_labels", "dropout"),
    inputs=("hidden_states", "attention_mask"),
    gradients=("dense.weight", "dense.bias", "labels.weight", "labels.bias"),
    copies=3000,  # the rarest pattern of dropout, 0.4 to the power of 5, comes 30 times
)


def cases(generator: Generator) -> Cases:
    for number, dropout in enumerate((0.0, 0.4, 0.5, 0.0)):
        d_model = primes(generator, 1, (3, 5))[0]
        batch, position, labels = primes(generator, 3, (2, 7, 11, 13))
        batch = 1 if number == 3 else batch  # a bare squeeze loses the axis of a single text
        construct = {"d_model": d_model, "num_labels": labels, "dropout": dropout}
        states = torch.randn(batch, position, d_model, generator=generator)
        mask = (torch.arange(position) < position - torch.arange(batch)[:, None] % 2).long()
        inputs = {"hidden_states": states, "attention_mask": mask}
        sizes = {"batch": batch, "position": position, "d_model": d_model, "labels": labels}
        yield Case(DRIVE.arguments(generator, construct, inputs), "dropout" if dropout else "no dropout", sizes)


EXERCISE = written(
    ClassifierHead,
    title="A head as a module",
    task="Write the head as a module: the first position's vector, `dense`, tanh, `dropout`, `labels`.",
    level="medium, 7 minutes",
    returns=DRIVE.outputs(Output("logits", "labels")),
    cases=cases,
    observe=DRIVE,
    stages="""
    first vectors: hidden_states[:, 0]
    dense layer: self.dense(hidden_states[:, 0])
    tanh: speaker
    """,
    mistakes="""
    no_label_bias: (d_model, num_labels) ⇒ (d_model, num_labels, bias=False)
        “Your module has no `labels.bias`, as if nothing were added to the product of its last layer.”
    dense_to_labels:
        (d_model, d_model) ⇒ (d_model, num_labels)
        self.labels = torch.nn.Linear(d_model ⇒ self.labels = torch.nn.Linear(num_labels
        “Your `dense` goes to the labels already; it should keep the width, and `labels` goes from there.”
    mean: hidden_states[:, 0] ⇒ hidden_states.mean(1)
        “Your logits come from the mean of all positions, padding included, not from the first.”
    mean_of_words:
        hidden_states[:, 0] ⇒ (hidden_states * attention_mask[..., None]).sum(1) / attention_mask.sum(1, keepdim=True)
        “Your logits come from the mean of the real words, not from the first.”
    last: [:, 0] ⇒ [:, -1]
        “Your logits come from the last position, not from the first.”
    first_text: [:, 0] ⇒ [0]
        “You take the first text of the batch, with all its positions; take the first position of every text.”
    no_tanh: torch.tanh(self.dense(hidden_states[:, 0])) ⇒ self.dense(hidden_states[:, 0])
        “No tanh acts between your two layers, so together they are one linear layer.”
    relu: torch.tanh ⇒ torch.relu
        “Between your layers every negative number is set to 0 (ReLU); use tanh.”
    no_dropout: self.dropout(speaker) ⇒ speaker
        “Right in use. In training your module drops nothing.”
    dropout_first:
        hidden_states[:, 0] ⇒ self.dropout(hidden_states[:, 0])
        self.dropout(speaker) ⇒ speaker
        “Right in use. In training you drop features before `dense`, not after tanh.”
    dropout_last: self.labels(self.dropout(speaker)) ⇒ self.dropout(self.labels(speaker))
        “Right in use. In training you drop logits, not features before `labels`.”
    dropout_fixed: Dropout(dropout) ⇒ Dropout(0.1)
        “Right in use. In training you drop with the probability 0.1, whatever `dropout` says.”
    probabilities: result.softmax(-1)
        “You return probabilities; return logits, because the loss takes the softmax itself.”
    detached: self.dropout(speaker) ⇒ self.dropout(speaker).detach()
        “Your logits are right, but no gradient reaches `dense`, so it would never learn: something cuts it off, such as
        `detach`, `no_grad` or `.data`.”
    """,
    also_right="""
    tanh and dropout in a sequence:
        self.dropout = torch.nn.Dropout(dropout) ⇒
            self.middle = torch.nn.Sequential(torch.nn.Tanh(), torch.nn.Dropout(p=dropout))
        torch.tanh(self.dense(hidden_states[:, 0])) ⇒ self.middle(self.dense(hidden_states[:, 0, :]))
        self.dropout(speaker) ⇒ speaker
    dropout by hand:
        return self.labels(self.dropout(speaker)) ⇒
            if self.training and self.dropout.p:
                kept = torch.rand(speaker.shape) >= self.dropout.p
                speaker = speaker * kept / (1 - self.dropout.p)
            return speaker @ self.labels.weight.T + self.labels.bias
    all positions, then the first:
        hidden_states[:, 0] ⇒ hidden_states
        self.labels(self.dropout(speaker)) ⇒ self.labels(self.dropout(speaker))[:, 0]
    """,
    hints="""
    - `super().__init__()` comes first. In `__init__` you make the three parts and keep them on `self`; in `forward` you
      use them.
    - `hidden_states[:, 0]` is the first position of every text, (batch, d_model). A `torch.nn.Dropout` knows by itself
      whether the model is in training.
    - `speaker = torch.tanh(self.dense(hidden_states[:, 0]))`, then `self.labels(self.dropout(speaker))`.
    """,
    explanation="""
    A module registers the modules that are put on `self`: that is how the optimizer finds their parameters, `eval()`
    reaches the dropout, and a checkpoint finds its names. BERT's own classifier is this head.
    """,
)
