"""Which heads matter for the word *it*? Ranked on some sentences, judged on others.

A head ranked on the sentence on which it is then judged looks better than it is. So there are two lists of sentences
without a noun in common, and each sentence has a word that changes what *it* means or is like: a scale for how far the
vector of *it* moves. Notebook 02.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from anatomy_utils.interpret.head_ablation import heads_off
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.zoo.tokenizer import Tokenizer

Head = tuple[int, int]
"""(layer, head), from 0."""

TO_RANK = """
    The animal didn't cross the street because it was too tired/wide.
    The trophy did not fit into the suitcase because it was too big/small.
    My sister sold her old bicycle, and now she says that it was stolen/perfect.
    If the soup is still on the stove, please taste it and add some salt/water.
    The committee rejected the plan although it had praised/written every part.
    When the storm reached the harbor, it destroyed/spared almost every boat.
    The dog chased the cat up a tree, where it stayed for an hour/second.
    He bought a new camera but returned it because the lens was broken/blurred.
    The bank closed its doors before it ran out of money/patience.
    After the scientists had tested the vaccine, they declared it safe/useless.
    The lamp fell on the carpet, and it caught fire/dust.
    Although the film was long, the audience found it wonderful/terrible.
"""
TO_JUDGE = """
    The truck couldn't pass the bridge because it was too heavy/low.
    The jar would not fill the bottle because it was too empty/large.
    My neighbor repaired the engine, and now he thinks that it is quiet/noisy.
    If the letter is on the desk, please read it and give me an answer/envelope.
    The company lost the contract although it had offered/demanded more than others.
    When the river flooded the valley, it carried/left mud everywhere.
    The owl watched the mouse from a branch before it disappeared/attacked.
    She borrowed a novel but never finished it because the plot was boring/confusing.
    The museum sold the painting after it had doubled in price/size.
    Since the students had built the robot, they called it clever/ugly.
    The rope held the tent until it broke/collapsed.
    Although the cake was small, the children thought it was delicious/dry.
"""


def pairs(listed: str) -> list[tuple[str, str]]:
    """Each line of a list as two sentences, with the word before the stroke and with the one after it.

    >>> pairs("It was big/small.")
    [('It was big.', 'It was small.')]
    """
    made = []
    for line in listed.strip().splitlines():
        words = [word.split("/") for word in line.split()]
        end = next((word[-1][-1] for word in words if len(word) == 2 and not word[-1][-1].isalpha()), "")
        first = " ".join(word[0] + (end if len(word) == 2 else "") for word in words)
        made.append((first, " ".join(word[-1] for word in words)))
    return made


def vectors_of_it(encoder: Encoder, tokenizer: Tokenizer, sentences: Sequence[str]) -> Float[Tensor, "text d_model"]:
    """The encoder's last vector of the word *it* in each sentence."""
    batch = tokenizer(list(sentences))
    places = torch.tensor([tokens.index("it") for tokens in batch.tokens])
    with torch.no_grad():
        return encoder(batch.input_ids, batch.attention_mask)[torch.arange(len(places)), places]


def similarity_without(
    encoder: Encoder,
    tokenizer: Tokenizer,
    sentences: Sequence[str],
    heads: Iterable[Head],
    contexts: Float[Tensor, "num_layers all_heads"] | None = None,
    whole: Float[Tensor, "text d_model"] | None = None,
) -> Float[Tensor, " text"]:
    """How similar *it* is to what it was in each sentence when these heads are off: cosine similarity.

    Args:
        contexts: what the heads say instead; 0 when left out. See `interpret.heads_off`.
        whole: `vectors_of_it` with all heads on, where they are known already.
    """
    whole = vectors_of_it(encoder, tokenizer, sentences) if whole is None else whole
    with heads_off(encoder, heads, contexts=contexts):
        return F.cosine_similarity(vectors_of_it(encoder, tokenizer, sentences), whole, dim=-1)


def similarity_without_each(
    encoder: Encoder,
    tokenizer: Tokenizer,
    sentences: Sequence[str],
    contexts: Float[Tensor, "num_layers all_heads"] | None = None,
) -> Float[Tensor, "num_layers num_heads"]:
    """The same for each head alone, as a mean over the sentences."""
    heads = [(layer, head) for layer in range(len(encoder.layers)) for head in range(_num_heads(encoder))]
    whole = vectors_of_it(encoder, tokenizer, sentences)
    alike = [similarity_without(encoder, tokenizer, sentences, [head], contexts, whole).mean() for head in heads]
    return torch.stack(alike).view(-1, _num_heads(encoder))


def _num_heads(encoder: Encoder) -> int:
    return cast(MultiHeadAttention, encoder.layers[0].self_attention).num_heads


def similarity_of_unrelated(vectors: Float[Tensor, "text d_model"]) -> float:
    """The mean cosine similarity of every two different vectors: what counts as nothing in common."""
    alike = F.cosine_similarity(vectors[:, None], vectors, dim=-1)
    return ((alike.sum() - len(vectors)) / (len(vectors) * (len(vectors) - 1))).item()
