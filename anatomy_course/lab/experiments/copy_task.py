"""Copying: say again what stood some way back, by a Transformer and by an LSTM of as many parameters.

A few symbols, then nothing for a while, then the question what they were (Hochreiter and Schmidhuber 1997; Arjovsky et
al. 2016, arXiv:1511.06464). A Transformer looks back at them, however far it is; an LSTM has to carry them along, and
what it learns from has to travel back the same way. Whether anything arrives is decided by how open its forget gates
are at the start (Jozefowicz et al. 2015). Notebook 07 measures both, and the seconds that a text takes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from anatomy_course.lab.experiments.attention_cost import take_turns
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.decoder import Decoder, DecoderLayer
from anatomy_utils.nn.embeddings import Embeddings
from anatomy_utils.nn.feed_forward import FeedForward
from anatomy_utils.nn.norm import LayerNorm, NormPlaces
from anatomy_utils.nn.positions import RotaryPositions
from anatomy_utils.training.loop import fit
from anatomy_utils.training.losses import cross_entropy
from anatomy_utils.training.parallel import side_by_side
from anatomy_utils.training.schedules import linear_schedule
from anatomy_utils.training.seeding import seeded
from anatomy_utils.training.threads import seconds_computed, threads

D_MODEL, NUM_HEADS, D_FF = 32, 4, 64
SYMBOLS, COPIED = 8, 4
"""How many different symbols there are (so that guessing is right once in eight), and how many are to be copied."""
NOTHING, ASKED = SYMBOLS, SYMBOLS + 1
"""The token in between, and the one at whose place a symbol is to be said."""
VOCAB_SIZE = SYMBOLS + 2
DISTANCES = (4, 8, 16, 32, 64)
BATCH, TESTED = 32, 500
STEPS, PATIENT = 100, 4
"""Of training; and how many times as many the patient LSTMs get."""
OPEN = 5.0
"""What is added to the forget gates' bias so that they begin nearly open: they keep 0.993 of the state at each step,
where torch's own start keeps about a half."""
LEARNING_RATES = {"Transformer": 1e-2, "LSTM": 2e-2}
"""The best that was found for each."""
LENGTHS = (64, 128, 256, 512, 1024)


def copying_rows(
    rows: int, distance: int, generator: torch.Generator
) -> tuple[Int[Tensor, "row position"], Int[Tensor, "row copied"]]:
    """Rows to read and the symbols to say at their last positions.

    Args:
        rows: how many.
        distance: tokens between the last symbol and the first question, at least 0.
        generator: draws the symbols.

    >>> read, said = copying_rows(1, 3, torch.Generator().manual_seed(0))
    >>> read.tolist(), said.tolist()
    ([[4, 7, 5, 0, 8, 8, 8, 9, 9, 9, 9]], [[4, 7, 5, 0]])
    """
    symbols = torch.randint(SYMBOLS, (rows, COPIED), generator=generator)
    nothing = torch.full((rows, distance), NOTHING)
    return torch.cat([symbols, nothing, torch.full((rows, COPIED), ASKED)], dim=1), symbols


class TransformerCopier(nn.Module):
    """A Transformer of one layer with rotary positions: every position at once."""

    def __init__(self) -> None:
        super().__init__()
        layer = DecoderLayer(
            MultiHeadAttention(D_MODEL, NUM_HEADS),
            FeedForward(D_MODEL, D_FF),
            self_attention_norms=NormPlaces(before=LayerNorm(D_MODEL)),
            feed_forward_norms=NormPlaces(before=LayerNorm(D_MODEL)),
        )
        embeddings, rotary = Embeddings(VOCAB_SIZE, D_MODEL), RotaryPositions(D_MODEL // NUM_HEADS)
        self.decoder = Decoder(embeddings, [layer], norm=LayerNorm(D_MODEL), rotary=rotary)
        self.symbols = nn.Linear(D_MODEL, SYMBOLS)

    def forward(self, input_ids: Int[Tensor, "row position"]) -> Float[Tensor, "row position symbol"]:
        """The logits of the symbol to be said at each position."""
        return self.symbols(self.decoder(input_ids))


class LSTMCopier(nn.Module):
    """An LSTM (Hochreiter and Schmidhuber 1997) with about as many parameters: one position after the other."""

    def __init__(self, forget_bias: float = 0.0) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCAB_SIZE, D_MODEL)
        self.lstm = nn.LSTM(D_MODEL, D_MODEL, batch_first=True)
        with torch.no_grad():
            bias = self.lstm.get_parameter("bias_ih_l0")  # the gates in torch's order: input, forget, …
            bias[D_MODEL : 2 * D_MODEL] += forget_bias
        self.symbols = nn.Linear(D_MODEL, SYMBOLS)

    def forward(self, input_ids: Int[Tensor, "row position"]) -> Float[Tensor, "row position symbol"]:
        """The logits of the symbol to be said at each position; torch's kernel goes through the positions."""
        return self.symbols(self.lstm(self.tokens(input_ids))[0])

    def step_by_step(self, input_ids: Int[Tensor, "row position"]) -> Float[Tensor, "row position symbol"]:
        """The same, with one call for each position, which waits for the state that the one before left."""
        vectors, state, outputs = self.tokens(input_ids), None, []
        for position in range(input_ids.shape[1]):
            output, state = self.lstm(vectors[:, position : position + 1], state)
            outputs.append(output)
        return self.symbols(torch.cat(outputs, dim=1))


KINDS: dict[str, Callable[[], nn.Module]] = {
    "Transformer": TransformerCopier,
    "LSTM": LSTMCopier,
    "LSTM, gates open": partial(LSTMCopier, OPEN),
}
RUNS = {
    "Transformer": ("Transformer", 1),
    "LSTM": ("LSTM", 1),
    f"LSTM, {PATIENT} × the steps": ("LSTM", PATIENT),
    f"LSTM, {PATIENT} × the steps, gates open at first": ("LSTM, gates open", PATIENT),
}
"""Name of a run → which model is trained, and how many times the steps."""


def copying_experiment(
    distances: Sequence[int] = DISTANCES, *, steps: int = STEPS, seed: int = 0
) -> dict[str, list[float]]:
    """Train a model of each kind at every distance and count what it says rightly.

    Args:
        distances: tokens between the symbols and the question.
        steps: of training, each on 32 rows; the patient LSTMs get four times as many.
        seed: of weights and rows.

    Returns:
        Each name in `RUNS` → for each distance the share of right symbols in new rows.

    Raises:
        ValueError: a distance is below 0.
    """
    if negative := [distance for distance in distances if distance < 0]:
        raise ValueError(f"A distance of {negative[0]} tokens was asked for; give 0 or more.")
    places = [(name, distance) for name in RUNS for distance in distances]
    jobs = (partial(_share_copied, RUNS[name][0], distance, RUNS[name][1] * steps, seed) for name, distance in places)
    shares = dict(zip(places, side_by_side(*jobs), strict=True))
    return {name: [shares[name, distance] for distance in distances] for name in RUNS}


def new_copier(kind: str, seed: int = 0) -> nn.Module:
    """A model that has learnt nothing yet.

    Args:
        kind: one of `KINDS`.
        seed: of its weights.
    """
    with seeded(torch.Generator().manual_seed(seed)):
        return KINDS[kind]()


def _share_copied(kind: str, distance: int, steps: int, seed: int) -> float:
    model, generator = new_copier(kind, seed), torch.Generator().manual_seed(seed)
    batches = [copying_rows(BATCH, distance, generator) for _ in range(steps)]
    fit(
        model,
        batches,
        lambda model, rows: cross_entropy(model(rows[0])[:, -COPIED:], rows[1]),
        learning_rate=linear_schedule(LEARNING_RATES[kind.partition(",")[0]], steps=steps, warmup=steps // 10),
        progress=False,
    )
    read, said = copying_rows(TESTED, distance, generator)
    with torch.no_grad():
        return (model(read)[:, -COPIED:].argmax(-1) == said).float().mean().item()


def reading_times(
    lengths: Sequence[int] = LENGTHS, *, rounds: int = 5, device: torch.device | str = "cpu"
) -> dict[str, list[float]]:
    """Milliseconds on one core to read a text and to learn from it, by the number of its positions.

    The ways take turns in every round, and of each the fastest round counts; on the CPU a moment in which other
    programs have the core is not counted. The Transformer computes all positions at
    once. The LSTM cannot: it waits at each position for the state before it; "one call a step" shows what that costs
    where every step has to be started by itself. A kernel that runs through all steps in one call saves the starting,
    not the waiting. On a processor of few cores, where little happens at once anyway, that is enough to be fast; on a
    GPU thousands of units wait.

    Args:
        lengths: numbers of positions.
        rounds: after one that is not counted.
        device: where; "cuda" for a GPU.

    Returns:
        "Transformer", "LSTM, one call a step", "LSTM, one call" → milliseconds for each length.
    """
    attentive, recurrent = (new_copier(kind).to(device) for kind in ("Transformer", "LSTM"))
    ways: dict[str, Callable[[Tensor], Tensor]] = {
        "Transformer": attentive,
        "LSTM, one call a step": recurrent.step_by_step,  # type: ignore[dict-item]
        "LSTM, one call": recurrent,
    }
    clock = seconds_computed if torch.device(device).type == "cpu" else time.perf_counter
    times: dict[str, list[float]] = {way: [] for way in ways}

    def learn(read: Callable[[Tensor], Tensor], input_ids: Tensor) -> None:
        loss = read(input_ids).square().mean()
        loss.backward()
        attentive.zero_grad()
        recurrent.zero_grad()
        loss.item()  # waits for an accelerator

    for length in lengths:
        input_ids = copying_rows(1, max(0, length - 2 * COPIED), torch.Generator().manual_seed(0))[0].to(device)
        turns = {way: partial(learn, read, input_ids) for way, read in ways.items()}
        with threads(1):  # so small that sharing the work costs more than it brings
            take_turns(turns, 1, clock)
            for way, seconds in take_turns(turns, rounds, clock).items():
                times[way].append(1000 * seconds)
    return times
