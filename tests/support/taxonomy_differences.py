"""How far each model of the family tree is from its reference: the largest difference between their answers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from marian_file import by_hand, packed, variables_of_a_translator
from torch import Tensor, nn
from torch_transformer import copy, pairs_of
from transfo_xl_fixture import read, weights
from zoo_cases import both_answers, ours, reference_case

from anatomy_utils.taxonomy import ModelFacts
from anatomy_utils.zoo import loader, marian
from anatomy_utils.zoo.elmo import ElmoConfig, elmo
from anatomy_utils.zoo.recurrent import AdditiveAttention
from anatomy_utils.zoo.transformer import TransformerConfig, transformer


def largest_difference(model: ModelFacts) -> float:
    """Between a tiny random model of ours and its reference, on a padded batch."""
    if model.name in OTHERS:
        got, wanted = OTHERS[model.name]()
        return (got - wanted).abs().max().item()
    case = reference_case(model.family, model.reference)
    reference = case.reference()
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        got, wanted = both_answers(case, reference, ours(reference, Path(folder)), padded=True)
    return max((mine - theirs).abs().max().item() for mine, theirs in zip(got, wanted, strict=True))


def _transformer() -> tuple[Tensor, Tensor]:
    """The stacks of the 2017 Transformer, and torch's."""
    mine = transformer(TransformerConfig(31, 12, 2, 3, 3, 17, dropout=0.0), generator=torch.Generator().manual_seed(0))
    theirs = nn.Transformer(12, 3, 2, 3, 17, batch_first=True)
    theirs.encoder.norm = theirs.decoder.norm = nn.Identity()
    for part, other in pairs_of(mine, theirs, "after"):
        copy(part, other)
    source, target = (torch.randint(3, 31, (2, length), generator=torch.Generator().manual_seed(length))
                      for length in (7, 5))  # fmt: skip
    causal = nn.Transformer.generate_square_subsequent_mask(5)
    with torch.no_grad():
        states = theirs.eval()(mine.encoder.embeddings(source), mine.decoder.embeddings(target), tgt_mask=causal)
        return mine.eval()(source, target), mine.vocabulary(states)


def _transformer_xl() -> tuple[Tensor, Tensor]:
    """A second segment of two texts, and what transformers 4 answered."""
    config, tensors = read()
    model = loader("transfo-xl")(config, weights(tensors))
    with torch.no_grad():
        _, memories = model(tensors["ids.0"])
        return model(tensors["ids.1"], memories)[0], tensors["empty.log_probabilities.1"]


def _bergamot() -> tuple[Tensor, Tensor]:
    """A translator from a Marian file, and Marian's formulas in numpy."""
    variables = variables_of_a_translator()
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        path = Path(folder) / "model.bin"
        path.write_bytes(packed(variables))
        config, tensors = marian.bergamot(path)
        model = loader("bergamot")(config, tensors)
        got = model(torch.tensor([[3, 11, 5, 0]]), torch.tensor([[config["vocab_size"] - 1, 7, 2]]))[0, :, :-1]
    return got, torch.from_numpy(by_hand(variables, [3, 11, 5, 0], [None, 7, 2]))


def _elmo() -> tuple[Tensor, Tensor]:
    """The first layer of ELMo, and torch's LSTM in both directions."""
    torch.manual_seed(0)
    mine = elmo(ElmoConfig(31, 6, 6, 2)).language_model
    theirs = nn.LSTM(6, 6, batch_first=True, bidirectional=True)
    for ending, stack in (("", mine.from_left), ("_reverse", mine.from_right)):
        theirs.load_state_dict({f"{name}{ending}": part for name, part in stack[0].state_dict().items()}, strict=False)
    ids = torch.randint(3, 31, (2, 9), generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        return mine.states(ids)[1], theirs(mine.tokens(ids))[0]


def _recurrent() -> tuple[Tensor, Tensor]:
    """Where a recurrent writer looks back, and the paper's formula word by word."""
    torch.manual_seed(0)
    attention = AdditiveAttention(5, 7, 3)
    state, annotations = torch.randn(2, 5), torch.randn(2, 4, 7)
    with torch.no_grad():
        keys = attention.to_key(annotations)
        mine = attention(state, annotations, keys, torch.ones(2, 4, dtype=torch.bool)).context
        w, u, v = (part.weight for part in (attention.to_query, attention.to_key, attention.to_score))
        wanted = []
        for asks, asked in zip(state, annotations, strict=True):
            energies = torch.stack([(v @ torch.tanh(w @ asks + u @ each))[0] for each in asked]).exp()
            wanted.append((energies / energies.sum()) @ asked)
    return mine, torch.stack(wanted)


OTHERS: dict[str, Callable[[], tuple[Tensor, Tensor]]] = {
    "RNN with attention": _recurrent,
    "ELMo": _elmo,
    "Transformer": _transformer,
    "Transformer-XL": _transformer_xl,
    "Bergamot": _bergamot,
}
"""Models whose reference is no class of the transformers library → our answer and its."""
