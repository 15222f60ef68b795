"""Notebook 10: the feed-forward network as a module of the learner's own."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, ModuleDrive, Output, Tensor, normal, primes, written


class FeedForward(torch.nn.Module):
    """Has `inner`, a torch.nn.Linear from d_model to d_inner, and `output`, one from d_inner back to
    d_model, both with a bias. Between them is GELU, the exact one. No dropout.
    hidden_states (batch, position, d_model) → the same shape.
    """

    def __init__(self, d_model: int, d_inner: int) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(d_model, d_inner)
        self.output = torch.nn.Linear(d_inner, d_model)

    def forward(self, hidden_states: Tensor) -> Tensor:
        return self.output(torch.nn.functional.gelu(self.inner(hidden_states)))


DRIVE = ModuleDrive(
    FeedForward,
    construct=("d_model", "d_inner"),
    inputs=("hidden_states",),
    gradients=("inner.weight", "hidden_states"),
)


def cases(generator: Generator) -> Cases:
    for kind in ("a batch of texts", "one text", "one position", "fewer features inside"):
        batch, position = primes(generator, 2, (2, 7))
        batch, position = 1 if kind == "one text" else batch, 1 if kind == "one position" else position
        d_model, d_inner = sorted(primes(generator, 2, (3, 5, 11)), reverse=kind == "fewer features inside")
        inputs = {"hidden_states": 2 * normal(generator, batch, position, d_model)}
        arguments = DRIVE.arguments(generator, {"d_model": d_model, "d_inner": d_inner}, inputs)
        yield Case(arguments, kind, {"batch": batch, "position": position, "d_model": d_model, "d_inner": d_inner})


EXERCISE = written(
    FeedForward,
    title="Feed-forward as a module",
    task="Write the feed-forward network as a module: `inner`, GELU, `output`.",
    level="easy, 4 minutes",
    returns=DRIVE.outputs(Output("output", "position d_model")),
    cases=cases,
    observe=DRIVE,
    stages="""
    inner features: self.inner(hidden_states)
    features after GELU: torch.nn.functional.gelu(self.inner(hidden_states))
    """,
    also_right="""
    by hand:
        return self.output(torch.nn.functional.gelu(self.inner(hidden_states))) ⇒
            states = hidden_states @ self.inner.weight.T + self.inner.bias
            states = states * (1 + torch.erf(states / 2**0.5)) / 2
            return states @ self.output.weight.T + self.output.bias
    GELU as a module:
        self.inner = torch.nn.Linear(d_model, d_inner) ⇒
            self.activation = torch.nn.GELU()
            self.inner = torch.nn.Linear(d_model, d_inner)
        torch.nn.functional.gelu( ⇒ self.activation(
    all positions in one table:
        return self.output(torch.nn.functional.gelu(self.inner(hidden_states))) ⇒
            rows = hidden_states.reshape(-1, hidden_states.shape[-1])
            return self.output(F.gelu(self.inner(rows))).reshape(hidden_states.shape)
    """,
    mistakes="""
    no_activation: torch.nn.functional.gelu ⇒
        “Your output is that of two layers with nothing between them: together they are one linear layer.”
    relu: torch.nn.functional.gelu ⇒ torch.relu
        “Your activation is ReLU, which sets negative numbers to 0; use GELU.”
    tanh: torch.nn.functional.gelu ⇒ torch.tanh
        “Your activation is tanh; use GELU.”
    silu: gelu ⇒ silu
        “Your activation is SiLU, x · sigmoid(x); use GELU.”
    gelu_by_tanh: self.inner(hidden_states) ⇒ self.inner(hidden_states), approximate="tanh"
        “Your GELU is the approximation by tanh, as GPT-2 has it; use the exact one.”
    gelu_by_sigmoid (by hand): (1 + torch.erf(states / 2**0.5)) / 2 ⇒ torch.sigmoid(1.702 * states)
        “Your GELU is the approximation x · sigmoid(1.702 x); use the exact one.”
    erf_of_x (by hand): / 2**0.5 ⇒
        “Your GELU takes erf(x); what it takes is erf(x / √2), as the share of a normal distribution below x asks.”
    activation_last: self.output(torch.nn.functional.gelu( ⇒ F.gelu(self.output(
        “Your activation comes after both layers; it belongs between them.”
    activation_first: torch.nn.functional.gelu(self.inner( ⇒ self.inner(F.gelu(
        “Your activation comes before the first layer; it belongs between the two.”
    activation_twice: F.gelu(result)
        “You apply the activation after `output` as well; it belongs between the two layers, and only there.”
    input_added: hidden_states + result
        “You have added the input to the output. The block will do that, outside this module.”
    not_contracted: return self.output( ⇒ return (
        “You stop in the middle: your vectors are still d_inner wide.”
    usual_width:
        (d_model, d_inner) ⇒ (d_model, 4 * d_model)
        (d_inner, d_model) ⇒ (4 * d_model, d_model)
        “Your network is 4 · d_model wide inside, whatever `d_inner` says.”
    detached: self.inner(hidden_states) ⇒ self.inner(hidden_states).detach()
        “Your output is right, but no gradient reaches `inner`: something cuts it off, such as `detach`, `no_grad` or
        `.data`.”
    """,
    again="""
    torch.nn.functional.gelu(self.inner(hidden_states)) ⇒ torch.nn.functional.relu(self.inner(hidden_states)).square()
        “This time the activation is the square of a ReLU.”
    """,
    hints="""
    - `super().__init__()` comes first. Then two lines make the two layers; `forward` is one line.
    - `torch.nn.Linear(a, b)` goes from a features to b. The activation is `torch.nn.functional.gelu`, without options.
    - `self.output(torch.nn.functional.gelu(self.inner(hidden_states)))`.
    """,
    explanation="""
    Attention moves information between positions; this network works on each position by itself. With d_inner = 4 ·
    d_model it holds two thirds of a block's weights.
    """,
)
