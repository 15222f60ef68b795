"""Task heads as functions of plain matrices: from hidden states to one logit per label or token.

Notebook 03 teaches the classifier, notebook 05 the vocabulary; `nn.heads` has the modules.
"""

from __future__ import annotations

from jaxtyping import Float, Int
from torch import Tensor


def vocabulary_logits(
    hidden_states: Float[Tensor, "*batch position d_model"], token_table: Float[Tensor, "vocab_size d_model"]
) -> Float[Tensor, "*batch position vocab_size"]:
    """One logit for each token that may come next: the dot product of a state with that token's own vector.

    The last layer shares its weight with the embeddings: Press and Wolf 2017 (arXiv:1608.05859).

    >>> import torch
    >>> table = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> vocabulary_logits(torch.tensor([[2.0, 3.0]]), table).tolist()
    [[2.0, 3.0, 5.0]]
    """
    return hidden_states @ token_table.mT


def classify(
    hidden_states: Float[Tensor, "batch position d_model"],
    attention_mask: Int[Tensor, "batch position"],
    weight: Float[Tensor, "d_model num_labels"],
    bias: Float[Tensor, " num_labels"],
) -> Float[Tensor, "batch num_labels"]:
    """One logit per label for each text, from the mean of its words' vectors; padding has no say.

    MiniLM makes its sentence vectors by the same mean (Reimers and Gurevych 2019, arXiv:1908.10084); BERT reads the
    first position's vector instead (`heads.SequenceHead`).

    >>> import torch
    >>> states, mask = torch.tensor([[[1.0], [3.0], [100.0]]]), torch.tensor([[1, 1, 0]])
    >>> classify(states, mask, torch.tensor([[1.0, -1.0]]), torch.tensor([0.0, 0.5])).tolist()
    [[2.0, -1.5]]
    """
    real = attention_mask[..., None].to(hidden_states.dtype)
    mean = (hidden_states * real).sum(dim=1) / real.sum(dim=1)
    return mean @ weight + bias
