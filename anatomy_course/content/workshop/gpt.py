"""Notebook 08: a GPT, from token ids to logits, with tied tables and the scaled start of GPT-2."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import torch
from torch import Tensor, nn

from anatomy_course.content.sizes import primes
from anatomy_course.content.workshop.gpt_in_steps import (
    LARGE,
    SPREAD,
    BareGPT,
    GPTInSteps,
    GPTOfOneBlock,
    GPTScaledAfterwards,
    GPTWithoutNorm,
    GPTWithTwoNames,
    UntiedGPT,
    as_wanted,
    normed_each,
    start,
    started,
    through,
    wanted_spread,
)
from anatomy_course.judge.definition import Case, Exercise, Mistake, Output
from anatomy_course.judge.effects.initial import InitialSpread
from anatomy_course.judge.effects.module import ModuleDrive


class _GPT(BareGPT):
    """The same, started as GPT-2 is (Radford et al. 2019, section 2.3)."""

    def __init__(self, vocabulary_size: int, length: int, d_model: int, num_layers: int, num_heads: int) -> None:
        super().__init__(vocabulary_size, length, d_model, num_layers, num_heads)
        start(self, spread=0.02, last=0.02 / (2 * num_layers) ** 0.5)


DRIVE = ModuleDrive(
    _GPT,
    construct=("vocabulary_size", "length", "d_model", "num_layers", "num_heads"),
    inputs=("input_ids",),
    gradients=("tokens.weight", "positions.weight"),
    packed=True,
    initial=InitialSpread(LARGE, wanted_spread),
)


def _cases(generator: torch.Generator) -> Iterator[Case]:
    for kind in ("a few tokens", "one text", "one token"):
        heads, layers = primes(generator, 2, (2, 3))
        layers = 1 if kind == "one token" else layers
        batch, position, vocabulary = primes(generator, 3, (5, 7, 11))
        batch, position = 1 if kind == "one text" else batch, 1 if kind == "one token" else position
        d_model = heads * 5 if heads == 2 else heads * 3
        window = position if kind == "one text" else 13  # as many tokens as there are positions
        construct = dict(zip(DRIVE.construct, (vocabulary, window, d_model, layers, heads), strict=True))
        inputs = {"input_ids": torch.randint(vocabulary, (batch, position), generator=generator)}
        sizes = {"batch": batch, "position": position, "vocabulary": vocabulary, "d_model": d_model}
        sizes |= {"num_layers": layers, "num_heads": heads}
        yield Case(DRIVE.arguments(generator, construct, inputs), kind, sizes)


def _other(**methods: Callable[..., Tensor]) -> type[GPTInSteps]:
    """A child that does these steps otherwise."""
    return type("_Other", (GPTInSteps,), methods)


def _steps(
    vocabulary_size: int, length: int, d_model: int, num_layers: int, num_heads: int, ids: Tensor, weights: Tensor
) -> Mapping[str, Tensor]:
    sizes = (vocabulary_size, length, d_model, num_layers, num_heads)
    model = BareGPT(*sizes)
    with torch.no_grad():
        model.load_state_dict(DRIVE.weights(*sizes, ids, weights))
        states = model.tokens(ids) + model.positions.weight[: ids.shape[1]]
        stages = {"token vectors": model.tokens(ids), "vectors with positions": states}
        for block in model.blocks:
            states = block(states)
        return {**stages, "states after the last block": states, "states after the norm": model.norm(states)}


EXERCISE = Exercise(
    id="workshop.gpt",
    title="The whole model",
    task="Put the GPT together: two tables, the blocks, a last norm, logits from the token table, and the "
    "initial weights.",
    difficulty="hard",
    minutes=12,
    signature="GPT(torch.nn.Module)",
    docstring="Has `tokens` and `positions`, torch.nn.Embedding tables of `vocabulary_size` and `length` vectors,\n"
    "`blocks`, a torch.nn.ModuleList of num_layers times Block(d_model, num_heads, 4 * d_model), and\n"
    "`norm`, a torch.nn.LayerNorm after the last block. The logits come from `tokens.weight` once more,\n"
    "without a bias. No dropout.\n"
    "input_ids (batch, position), at most `length` positions → logits (batch, position, vocabulary_size).\n"
    "In a new model the weights of each Linear and Embedding are drawn from normal(0, 0.02), but those of\n"
    "`attention.output` and `feed_forward.output` in each block from normal(0, 0.02 / √(2 · num_layers));\n"
    "the biases of each Linear are 0.",
    reference=_GPT,
    returns=DRIVE.outputs(Output("logits", "position vocabulary")),
    cases=_cases,
    mistakes=(
        Mistake(
            "not_started",
            started(None),
            "Your weights start as torch made them, the tables with a standard deviation of 1, so the first loss is "
            "far above ln(vocabulary_size).",
        ),
        Mistake(
            "linear_maps_alone",
            started(lambda blocks: {**as_wanted(blocks), "kinds": (nn.Linear,)}),
            "Your linear maps start with 0.02, but `tokens` as torch made it, with a standard deviation of 1. What "
            "about `positions`?",
        ),
        Mistake(
            "not_scaled_down",
            started(lambda blocks: {}),
            "Your `attention.output` and `feed_forward.output` start with 0.02, as all others: either they are never "
            "made smaller, or a later line draws them again with 0.02.",
        ),
        Mistake(
            "scaled_by_blocks_alone",
            started(lambda blocks: {"last": SPREAD / blocks**0.5}),
            "Your `attention.output` and `feed_forward.output` start too large, as with 0.02 / √num_layers; each block "
            "adds twice.",
        ),
        Mistake(
            "scaled_without_root",
            started(lambda blocks: {"last": SPREAD / (2 * blocks)}),
            "Your `attention.output` and `feed_forward.output` start with about 0.02 / (2 · num_layers), as if the "
            "root were missing.",
        ),
        Mistake(
            "all_scaled_down",
            started(lambda blocks: {"spread": as_wanted(blocks)["last"], "last": as_wanted(blocks)["last"]}),
            "All your weights start with 0.02 / √(2 · num_layers); only the two `output` of each block should.",
        ),
        Mistake(
            "wider",
            started(lambda blocks: {"spread": 0.2, "last": 10 * as_wanted(blocks)["last"]}),
            "Your weights, those of `tokens` too, start with ten times the standard deviation that is wanted.",
        ),
        Mistake(
            "biases_kept",
            started(lambda blocks: {**as_wanted(blocks), "biases": False}),
            "Your biases start with random numbers; those of each Linear should be 0.",
        ),
        Mistake(
            "untied",
            UntiedGPT,
            "Your model has one table more, `output`; the logits should come from `tokens.weight` once more.",
        ),
        Mistake(
            "one_block",
            GPTOfOneBlock,
            "Your blocks are one and the same block, used several times; each needs weights of its own.",
        ),
        Mistake("no_norm", GPTWithoutNorm, "Your model lacks the weights of `norm`, which comes after the last block."),
        Mistake(
            "no_positions",
            _other(embed=lambda self, ids: self.tokens(ids) + 0 * self.positions.weight[: ids.shape[1]]),
            "Nothing of `positions` is in your vectors, so they do not say where their tokens are.",
        ),
        Mistake(
            "one_position",
            _other(embed=lambda self, ids: self.tokens(ids) + self.positions.weight[0]),
            "All your tokens get the vector of position 0.",
        ),
        Mistake(
            "last_positions",
            _other(embed=lambda self, ids: self.tokens(ids) + self.positions.weight[-ids.shape[1] :]),
            "You take the last rows of `positions`; the first token is at position 0.",
        ),
        Mistake(
            "tokens_as_positions",
            _other(
                embed=lambda self, ids: (
                    self.tokens(ids) + self.positions(ids.clamp(max=self.positions.num_embeddings - 1))
                )
            ),
            "You look up the token ids in `positions`; what belongs there is 0, 1, 2, …",
        ),
        Mistake(
            "scaled_tokens",
            _other(
                embed=lambda self, ids: (
                    self.tokens(ids) * self.norm.weight.shape[0] ** 0.5 + self.positions.weight[: ids.shape[1]]
                )
            ),
            "You multiply the token vectors by √d_model, as the model of 2017 does; a GPT does not.",
        ),
        Mistake(
            "norm_not_used",
            _other(logits=lambda self, states: states @ self.tokens.weight.T + 0 * self.norm(states).sum()),
            "You read the logits off the states as they come from the last block; `norm` does not reach them.",
        ),
        Mistake(
            "norm_first",
            _other(
                embed=lambda self, ids: self.norm(GPTInSteps.embed(self, ids)),
                logits=lambda self, states: states @ self.tokens.weight.T,
            ),
            "Your `norm` comes before the blocks; it belongs after the last one.",
        ),
        Mistake(
            "norm_after_each",
            _other(
                through=lambda self, states: normed_each(self, states),
                logits=lambda self, states: states @ self.tokens.weight.T,
            ),
            "You apply `norm` after every block; it comes once, after the last.",
        ),
        Mistake(
            "blocks_backwards",
            _other(through=lambda self, states: through(reversed(self.blocks), states)),
            "You go through the blocks from the last to the first.",
        ),
        Mistake(
            "last_block_alone",
            _other(through=lambda self, states: self.blocks[-1](states) + 0 * through(self.blocks, states)),
            "Your logits come from the last block alone, and it gets the embedded tokens; each should get the output "
            "of the one before it.",
        ),
        Mistake(
            "no_blocks",
            _other(through=lambda self, states: states + 0 * through(self.blocks, states)),
            "What comes out of your blocks is not used: your logits come from the embedded tokens.",
        ),
        Mistake(
            "probabilities",
            _other(logits=lambda self, states: GPTInSteps.logits(self, states).softmax(-1)),
            "You return probabilities; return logits, because the loss takes the softmax itself.",
        ),
        Mistake(
            "last_position",
            _other(logits=lambda self, states: GPTInSteps.logits(self, states[:, -1])),
            "You give logits for the last position alone; in training every position predicts its next token.",
        ),
        Mistake(
            "states",
            _other(logits=lambda self, states: self.norm(states)),
            "You return the states after the norm; the logits are their products with each row of `tokens.weight`.",
        ),
        Mistake(
            "table_detached",
            _other(logits=lambda self, states: self.norm(states) @ self.tokens.weight.detach().T),
            "Your logits are right, but the token table learns from its lower use alone: no gradient reaches it from "
            "the logits.",
        ),
    ),
    also_right={
        "in steps": GPTInSteps,
        "one table under two names": GPTWithTwoNames,
        "scaled afterwards": GPTScaledAfterwards,
    },
    hints=(
        "In `__init__` you make the four parts, then you initialize the weights. In `forward`: token vectors plus "
        "position vectors, one block after the other, norm, logits.",
        "`torch.arange(input_ids.shape[1])` counts the positions; `states @ self.tokens.weight.T` gives the logits. "
        "`for part in self.modules()` goes through all parts, and `isinstance(part, torch.nn.Linear)` tells which of "
        "them are linear maps.",
        "`torch.nn.init.normal_(part.weight, std=0.02)` and `torch.nn.init.zeros_(part.bias)` in that loop; then, for "
        "each block, `normal_` with the smaller number for `block.attention.output.weight` and "
        "`block.feed_forward.output.weight`.",
    ),
    solution="\n"
    "def __init__(self, vocabulary_size: int, length: int, d_model: int, num_layers: int, num_heads: int) -> None:\n"
    "    super().__init__()\n"
    "    self.tokens = torch.nn.Embedding(vocabulary_size, d_model)\n"
    "    self.positions = torch.nn.Embedding(length, d_model)\n"
    "    self.blocks = torch.nn.ModuleList([Block(d_model, num_heads, 4 * d_model) for _ in range(num_layers)])\n"
    "    self.norm = torch.nn.LayerNorm(d_model)\n"
    "    for part in self.modules():\n"
    "        if isinstance(part, (torch.nn.Linear, torch.nn.Embedding)):\n"
    "            torch.nn.init.normal_(part.weight, std=0.02)\n"
    "        if isinstance(part, torch.nn.Linear):\n"
    "            torch.nn.init.zeros_(part.bias)\n"
    "    for block in self.blocks:\n"
    "        for last in (block.attention.output, block.feed_forward.output):\n"
    "            torch.nn.init.normal_(last.weight, std=0.02 / (2 * num_layers) ** 0.5)\n"
    "\n"
    "def forward(self, input_ids: Tensor) -> Tensor:\n"
    "    positions = torch.arange(input_ids.shape[1], device=input_ids.device)\n"
    "    hidden_states = self.tokens(input_ids) + self.positions(positions)\n"
    "    for block in self.blocks:\n"
    "        hidden_states = block(hidden_states)\n"
    "    return self.norm(hidden_states) @ self.tokens.weight.T",
    explanation="A new model should know nothing: with small weights all logits are near 0, and the first loss is near "
    "ln(vocabulary_size). Each block adds twice to the path from bottom to top; dividing by √(2 · num_layers) keeps "
    "the sum of all that is added as large in a deep model as in a shallow one.",
    stages=_steps,
    methods=(
        "__init__(self, vocabulary_size: int, length: int, d_model: int, num_layers: int, num_heads: int) -> None",
        "forward(self, input_ids: Tensor) -> Tensor",
    ),
    observe=DRIVE,
    uses=("workshop.causal_self_attention", "workshop.feed_forward", "workshop.block"),
)
