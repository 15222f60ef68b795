"""Notebook 08: a block in pre-norm, put together from the learner's own attention and feed-forward network."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import torch
from torch import Tensor, nn

from anatomy_course.content.sizes import normal, primes
from anatomy_course.content.workshop.causal_self_attention import _CausalSelfAttention
from anatomy_course.content.workshop.feed_forward import _FeedForward
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_course.judge.effects.module import ModuleDrive


class _Block(nn.Module):
    """Attention and a feed-forward network, each on normed states and each added to what came in.

    Args:
        d_model: length of a vector.
        num_heads: divides d_model.
        d_inner: length of a vector inside the feed-forward network.
    """

    def __init__(self, d_model: int, num_heads: int, d_inner: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(d_model)
        self.attention = _CausalSelfAttention(d_model, num_heads)
        self.feed_forward_norm = nn.LayerNorm(d_model)
        self.feed_forward = _FeedForward(d_model, d_inner)

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Shaped as hidden_states (batch, position, d_model)."""
        hidden_states = hidden_states + self.attention(self.attention_norm(hidden_states))
        return hidden_states + self.feed_forward(self.feed_forward_norm(hidden_states))


DRIVE = ModuleDrive(
    _Block,
    construct=("d_model", "num_heads", "d_inner"),
    inputs=("hidden_states",),
    gradients=("attention.value.weight", "feed_forward.inner.weight", "hidden_states"),
    packed=True,
)
SMALL = "small states"


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a batch of texts", "one text", "one position", SMALL):
        heads, d_head = primes(generator, 2, (2, 3))
        batch, position, d_inner = primes(generator, 3, (5, 7, 11))
        batch, position = 1 if kind == "one text" else batch, 1 if kind == "one position" else position
        construct = {"d_model": heads * d_head, "num_heads": heads, "d_inner": d_inner}
        height = 0.003 if kind == SMALL else 2  # so small that a norm's epsilon shows
        inputs = {"hidden_states": height * normal(generator, batch, position, heads * d_head)}
        sizes = {"batch": batch, "position": position, "heads": heads, "d_model": heads * d_head, "d_inner": d_inner}
        yield Case(DRIVE.arguments(generator, construct, inputs), kind, sizes)


def _way(forward: Callable[[_Block, Tensor], Tensor]) -> type[_Block]:
    """A child that puts its parts together otherwise."""
    return type("_Other", (_Block,), {"forward": lambda self, hidden_states: forward(self, hidden_states)})


def _pre(x: Tensor, part: nn.Module, norm: nn.Module) -> Tensor:
    return x + part(norm(x))


def _post(x: Tensor, part: nn.Module, norm: nn.Module) -> Tensor:
    return norm(x + part(x))


def _first_half(block: _Block, x: Tensor) -> Tensor:
    return _pre(x, block.attention, block.attention_norm)


def _second_half(block: _Block, x: Tensor) -> Tensor:
    return _pre(x, block.feed_forward, block.feed_forward_norm)


def _normed(x: Tensor, part: nn.Module, norm: nn.Module) -> Tensor:
    return norm(x) + part(norm(x))


def _normed_residuals(block: _Block, x: Tensor) -> Tensor:
    for part, norm in ((block.attention, block.attention_norm), (block.feed_forward, block.feed_forward_norm)):
        x = _normed(x, part, norm)
    return x


class _InALoop(_Block):
    def forward(self, hidden_states: Tensor) -> Tensor:
        for name in ("attention", "feed_forward"):
            norm, part = getattr(self, f"{name}_norm"), getattr(self, name)
            hidden_states = part(norm(hidden_states)) + hidden_states
        return hidden_states


class _InOneSum(_Block):
    def forward(self, hidden_states: Tensor) -> Tensor:
        attended = self.attention(self.attention_norm(hidden_states))
        return hidden_states + attended + self.feed_forward(self.feed_forward_norm(hidden_states + attended))


class _UsualWidth(_Block):
    def __init__(self, d_model: int, num_heads: int, d_inner: int) -> None:
        super().__init__(d_model, num_heads, 4 * d_model)


class _Feeding(nn.Module):
    """A block with only one norm."""

    def __init__(self, d_model: int, num_heads: int, d_inner: int) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(d_model)
        self.attention = _CausalSelfAttention(d_model, num_heads)
        self.feed_forward_norm = self.attention_norm
        self.feed_forward = _FeedForward(d_model, d_inner)

    forward = _Block.forward


def _steps(d_model: int, num_heads: int, d_inner: int, x: Tensor, weights: Tensor) -> Mapping[str, Tensor]:
    block = _Block(d_model, num_heads, d_inner)
    with torch.no_grad():
        block.load_state_dict(DRIVE.weights(d_model, num_heads, d_inner, x, weights))
        attended = block.attention(block.attention_norm(x))
        normed = block.feed_forward_norm(x + attended)
        return {
            "states after the first norm": block.attention_norm(x),
            "output of attention": attended,
            "states after attention": x + attended,
            "states after the second norm": normed,
            "output of the feed-forward network": block.feed_forward(normed),
        }


EXERCISE = Exercise(
    id="workshop.block",
    title="A block",
    task="Put attention and the feed-forward network together: each works on normed states and is added to what came "
    "in.",
    difficulty="medium",
    minutes=6,
    signature="Block(torch.nn.Module)",
    docstring="Has `attention_norm` and `feed_forward_norm`, each a torch.nn.LayerNorm of d_model features, and\n"
    "`attention`, a CausalSelfAttention(d_model, num_heads), and `feed_forward`, a\n"
    "FeedForward(d_model, d_inner); both classes are those above. Pre-norm, attention first.\n"
    "hidden_states (batch, position, d_model) → the same shape.",
    reference=_Block,
    returns=DRIVE.outputs(Output("output", "position d_model")),
    cases=_cases,
    mistakes=(
        Mistake(
            "post_norm",
            _way(
                lambda self, x: _post(
                    _post(x, self.attention, self.attention_norm), self.feed_forward, self.feed_forward_norm
                )
            ),
            "Your norms come after the sums (post-norm, as in 2017); here they come before the parts.",
        ),
        Mistake(
            "no_residuals",
            _way(lambda self, x: self.feed_forward(self.feed_forward_norm(self.attention(self.attention_norm(x))))),
            "In your output, neither of the two parts has its input added.",
        ),
        Mistake(
            "no_first_residual",
            _way(lambda self, x: _second_half(self, self.attention(self.attention_norm(x)))),
            "Attention's output goes on alone, as if there were no first residual connection.",
        ),
        Mistake(
            "no_second_residual",
            _way(lambda self, x: self.feed_forward(self.feed_forward_norm(_first_half(self, x)))),
            "The feed-forward network's output goes on alone, as if there were no second residual connection.",
        ),
        Mistake(
            "second_residual_from_below",
            _way(lambda self, x: x + self.feed_forward(self.feed_forward_norm(_first_half(self, x)))),
            "Your second sum adds to what came into the block, so attention's output is lost from it.",
        ),
        Mistake(
            "normed_residuals",
            _way(_normed_residuals),
            "You add to the normed states; what is added to should be the states before the norm.",
        ),
        Mistake(
            "first_residual_normed",
            _way(lambda self, x: _second_half(self, _normed(x, self.attention, self.attention_norm))),
            "Attention's result is added to the normed states; it should be added to those before the norm.",
        ),
        Mistake(
            "second_residual_normed",
            _way(lambda self, x: _normed(_first_half(self, x), self.feed_forward, self.feed_forward_norm)),
            "The feed-forward network's result is added to the normed states; it should be added to those before the "
            "norm.",
        ),
        Mistake(
            "side_by_side",
            _way(
                lambda self, x: (
                    x + self.attention(self.attention_norm(x)) + self.feed_forward(self.feed_forward_norm(x))
                )
            ),
            "Your feed-forward network reads what came into the block; what attention added does not reach it.",
        ),
        Mistake(
            "feed_forward_first",
            _way(lambda self, x: _first_half(self, _second_half(self, x))),
            "Your halves have changed places: the feed-forward network comes first.",
        ),
        Mistake(
            "norms_swapped",
            _way(
                lambda self, x: _pre(
                    _pre(x, self.attention, self.feed_forward_norm), self.feed_forward, self.attention_norm
                )
            ),
            "Your two norms have changed places.",
        ),
        Mistake(
            "one_norm_twice",
            _way(lambda self, x: _pre(_first_half(self, x), self.feed_forward, self.attention_norm)),
            "In your output `attention_norm` is used twice; nothing of `feed_forward_norm` reaches it.",
        ),
        Mistake(
            "no_first_norm",
            _way(lambda self, x: _second_half(self, x + self.attention(x))),
            "Your attention reads states that have not been normed.",
        ),
        Mistake(
            "no_second_norm",
            _way(lambda self, x: _first_half(self, x) + self.feed_forward(_first_half(self, x))),
            "Your feed-forward network reads states that have not been normed.",
        ),
        Mistake(
            "outputs_normed",
            _way(
                lambda self, x: (
                    x
                    + self.attention_norm(self.attention(x))
                    + self.feed_forward_norm(self.feed_forward(x + self.attention_norm(self.attention(x))))
                )
            ),
            "You norm what the parts give, before it is added; norm what they are given.",
        ),
        Mistake(
            "half_a_block",
            _way(_first_half),
            "The first half is right; nothing of the feed-forward network reaches your output.",
        ),
        Mistake(
            "usual_width",
            _UsualWidth,
            "Your feed-forward network is 4 · d_model wide inside, whatever `d_inner` says.",
        ),
        Mistake("one_norm", _Feeding, "Your two norms are one and the same; each half needs weights of its own."),
        Mistake(
            "residual_detached",
            _way(lambda self, x: _second_half(self, x.detach() + self.attention(self.attention_norm(x)))),
            "Your output is right, but no gradient goes through the first residual connection: something cuts it off, "
            "such as `detach` or `.data`.",
        ),
    ),
    also_right={
        "in halves": _way(lambda self, x: _second_half(self, _first_half(self, x))),
        "in a loop": _InALoop,
        "in one sum": _InOneSum,
    },
    hints=(
        "Two halves of one form: states + part(norm(states)). The second half begins with the sum of the first.",
        "In `__init__`, `torch.nn.LayerNorm(d_model)` makes a norm, and `CausalSelfAttention(d_model, num_heads)` is "
        "your class from above.",
        "`hidden_states = hidden_states + self.attention(self.attention_norm(hidden_states))`; the second half has the "
        "same form.",
    ),
    solution="\n"
    "def __init__(self, d_model: int, num_heads: int, d_inner: int) -> None:\n"
    "    super().__init__()\n"
    "    self.attention_norm = torch.nn.LayerNorm(d_model)\n"
    "    self.attention = CausalSelfAttention(d_model, num_heads)\n"
    "    self.feed_forward_norm = torch.nn.LayerNorm(d_model)\n"
    "    self.feed_forward = FeedForward(d_model, d_inner)\n"
    "\n"
    "def forward(self, hidden_states: Tensor) -> Tensor:\n"
    "    hidden_states = hidden_states + self.attention(self.attention_norm(hidden_states))\n"
    "    return hidden_states + self.feed_forward(self.feed_forward_norm(hidden_states))",
    explanation="This is the block of GPT-2 and, with other parts, of every Llama. The sums form one path from bottom "
    "to top on which nothing is normed, and that lets many blocks be trained on top of each other.",
    stages=_steps,
    methods=(
        "__init__(self, d_model: int, num_heads: int, d_inner: int) -> None",
        "forward(self, hidden_states: Tensor) -> Tensor",
    ),
    observe=DRIVE,
    uses=("workshop.causal_self_attention", "workshop.feed_forward"),
)
