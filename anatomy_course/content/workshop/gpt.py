"""Notebook 10: a GPT, from token ids to logits, with tied tables and the scaled start of GPT-2."""

# mypy: disable-error-code="union-attr, arg-type"
# To mypy, what a module holds may always be a tensor.

import torch

from anatomy_course.content.workshop.block import Block
from anatomy_course.content.writing import Case, Cases, Generator, ModuleDrive, Output, Tensor, primes, written
from anatomy_course.judge.effects.initial import InitialSpread


class GPT(torch.nn.Module):
    """Has `tokens` and `positions`, torch.nn.Embedding tables of `vocabulary_size` and `length` vectors,
    `blocks`, a torch.nn.ModuleList of num_layers times Block(d_model, num_heads, 4 * d_model), and
    `norm`, a torch.nn.LayerNorm after the last block. The logits come from `tokens.weight` once more,
    without a bias. No dropout.
    input_ids (batch, position), at most `length` positions → logits (batch, position, vocabulary_size).
    In a new model the weights of each Linear and Embedding are drawn from normal(0, 0.02), but those of
    `attention.output` and `feed_forward.output` in each block from normal(0, 0.02 / √(2 · num_layers));
    the biases of each Linear are 0.
    """

    def __init__(self, vocabulary_size: int, length: int, d_model: int, num_layers: int, num_heads: int) -> None:
        super().__init__()
        self.tokens = torch.nn.Embedding(vocabulary_size, d_model)
        self.positions = torch.nn.Embedding(length, d_model)
        self.blocks = torch.nn.ModuleList([Block(d_model, num_heads, 4 * d_model) for _ in range(num_layers)])
        self.norm = torch.nn.LayerNorm(d_model)
        for part in self.modules():
            if isinstance(part, (torch.nn.Linear, torch.nn.Embedding)):
                torch.nn.init.normal_(part.weight, std=0.02)
            if isinstance(part, torch.nn.Linear):
                torch.nn.init.zeros_(part.bias)
        for block in self.blocks:
            for last in (block.attention.output, block.feed_forward.output):
                torch.nn.init.normal_(last.weight, std=0.02 / (2 * num_layers) ** 0.5)

    def forward(self, input_ids: Tensor) -> Tensor:
        positions = torch.arange(input_ids.shape[1], device=input_ids.device)
        hidden_states = self.tokens(input_ids) + self.positions(positions)
        for block in self.blocks:
            hidden_states = block(hidden_states)
        return self.norm(hidden_states) @ self.tokens.weight.T


LARGE = (61, 37, 32, 3, 2)
"""A GPT's sizes at which every matrix has about a thousand weights."""


def wanted_spread(name: str) -> tuple[float, str]:
    """A parameter's wanted standard deviation in a GPT of the sizes `LARGE`, and how a sentence says it."""
    if name.endswith("bias"):
        return 0.0, "0"
    if name.endswith("norm.weight"):
        return 1.0, "1"
    if name.endswith(("attention.output.weight", "feed_forward.output.weight")):
        return 0.02 / (2 * LARGE[3]) ** 0.5, "0.02 / √(2 · num_layers)"
    return 0.02, "0.02"


DRIVE = ModuleDrive(
    GPT,
    construct=("vocabulary_size", "length", "d_model", "num_layers", "num_heads"),
    inputs=("input_ids",),
    gradients=("tokens.weight", "positions.weight"),
    packed=True,
    initial=InitialSpread(LARGE, wanted_spread),
)


def cases(generator: Generator) -> Cases:
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


EXERCISE = written(
    GPT,
    title="The whole model",
    task="Put the GPT together: two tables, the blocks, a last norm, logits from the token table, and the initial "
    "weights.",
    level="hard, 12 minutes",
    returns=DRIVE.outputs(Output("logits", "position vocabulary")),
    cases=cases,
    observe=DRIVE,
    uses="workshop.causal_self_attention workshop.feed_forward workshop.block",
    stages="""
    token vectors: self.tokens(input_ids)
    vectors with positions: self.tokens(input_ids) + self.positions(positions)
    states after the last block: hidden_states
    states after the norm: self.norm(hidden_states)
    """,
    also_right="""
    rows of the tables:
        self.positions(positions) ⇒ self.positions.weight[: input_ids.shape[1]]
        self.norm(hidden_states) @ self.tokens.weight.T ⇒ F.linear(self.norm(hidden_states), self.tokens.weight)
    one table under two names:
        self.norm = torch.nn.LayerNorm(d_model) ⇒
            self.norm = torch.nn.LayerNorm(d_model)
            self.output = torch.nn.Linear(d_model, vocabulary_size, bias=False)
            self.output.weight = self.tokens.weight
        isinstance(part, torch.nn.Linear) ⇒ isinstance(part, torch.nn.Linear) and part.bias is not None
        self.norm(hidden_states) @ self.tokens.weight.T ⇒ self.output(self.norm(hidden_states))
    scaled afterwards:
        torch.nn.init.normal_(last.weight, std=0.02 / (2 * num_layers) ** 0.5) ⇒
            last.weight.data /= (2 * num_layers) ** 0.5
    """,
    mistakes="""
    not_started:
        self.modules() ⇒ ()
        (block.attention.output, block.feed_forward.output) ⇒ ()
        “Your weights start as torch made them, the tables with a standard deviation of 1, so the first loss is far
        above ln(vocabulary_size).”
    not_scaled_down: / (2 * num_layers) ** 0.5 ⇒
        “Your `attention.output` and `feed_forward.output` start with 0.02, as all others: either they are never made
        smaller, or a later line draws them again with 0.02.”
    scaled_by_blocks_alone: (2 * num_layers) ⇒ num_layers
        “Your `attention.output` and `feed_forward.output` start too large, as with 0.02 / √num_layers; each block adds
        twice.”
    biases_kept: torch.nn.init.zeros_(part.bias) ⇒ pass
        “Your biases start with random numbers; those of each Linear should be 0.”
    untied (one table under two names): self.output.weight = self.tokens.weight ⇒
        “Your model has one table more, `output`; the logits should come from `tokens.weight` once more.”
    no_positions: + self.positions(positions) ⇒
        “Nothing of `positions` is in your vectors, so they do not say where their tokens are.”
    one_position: self.positions(positions) ⇒ self.positions.weight[0]
        “All your tokens get the vector of position 0.”
    last_positions: self.positions(positions) ⇒ self.positions.weight[-input_ids.shape[1] :]
        “You take the last rows of `positions`; the first token is at position 0.”
    tokens_as_positions:
        self.positions(positions) ⇒ self.positions(input_ids.clamp(max=self.positions.num_embeddings - 1))
        “You look up the token ids in `positions`; what belongs there is 0, 1, 2, …”
    scaled_tokens: self.tokens(input_ids) ⇒ self.tokens(input_ids) * self.tokens.embedding_dim ** 0.5
        “You multiply the token vectors by √d_model, as the model of 2017 does; a GPT does not.”
    norm_not_used: self.norm(hidden_states) @ ⇒ hidden_states @
        “You read the logits off the states as they come from the last block; `norm` does not reach them.”
    norm_first (norm_not_used):
        self.tokens(input_ids) + self.positions(positions) ⇒
            self.norm(self.tokens(input_ids) + self.positions(positions))
        “Your `norm` comes before the blocks; it belongs after the last one.”
    norm_after_each (norm_not_used): block(hidden_states) ⇒ self.norm(block(hidden_states))
        “You apply `norm` after every block; it comes once, after the last.”
    blocks_backwards: in self.blocks ⇒ in reversed(self.blocks)
        “You go through the blocks from the last to the first.”
    last_block_alone:
        hidden_states = block(hidden_states) ⇒ last_states = block(hidden_states)
        self.norm(hidden_states) ⇒ self.norm(last_states)
        “Your logits come from the last block alone, and it gets the embedded tokens; each should get the output of the
        one before it.”
    no_blocks: hidden_states = block(hidden_states) ⇒ block(hidden_states)
        “What comes out of your blocks is not used: your logits come from the embedded tokens.”
    probabilities: result.softmax(-1)
        “You return probabilities; return logits, because the loss takes the softmax itself.”
    last_position: result[:, -1]
        “You give logits for the last position alone; in training every position predicts its next token.”
    states: @ self.tokens.weight.T ⇒
        “You return the states after the norm; the logits are their products with each row of `tokens.weight`.”
    table_detached: self.tokens.weight.T ⇒ self.tokens.weight.detach().T
        “Your logits are right, but the token table learns from its lower use alone: no gradient reaches it from the
        logits.”
    """,
    hints="""
    - In `__init__` you make the four parts, then you initialize the weights. In `forward`: token vectors plus position
      vectors, one block after the other, norm, logits.
    - `torch.arange(input_ids.shape[1])` counts the positions; `states @ self.tokens.weight.T` gives the logits. `for
      part in self.modules()` goes through all parts, and `isinstance(part, torch.nn.Linear)` tells which of them are
      linear maps.
    - `torch.nn.init.normal_(part.weight, std=0.02)` and `torch.nn.init.zeros_(part.bias)` in that loop; then, for each
      block, `normal_` with the smaller number for `block.attention.output.weight` and
      `block.feed_forward.output.weight`.
    """,
    explanation="""
    A new model should know nothing: with small weights all logits are near 0, and the first loss is near
    ln(vocabulary_size). Each block adds twice to the path from bottom to top; dividing by √(2 · num_layers) keeps the
    sum of all that is added as large in a deep model as in a shallow one.
    """,
)
