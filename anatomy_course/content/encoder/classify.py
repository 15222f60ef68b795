"""Notebook 03: a classification head, one label for a whole text."""

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, and_short, written


def classify(hidden_states: Tensor, attention_mask: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """hidden_states (batch, position, d_model), attention_mask (batch, position): 1 = real word, 0 = padding,
    weight (d_model, labels), bias (labels,) → logits (batch, labels).
    """
    real = attention_mask[..., None]
    mean = (hidden_states * real).sum(dim=1) / real.sum(dim=1)
    return mean @ weight + bias


def cases(generator: Generator) -> Cases:
    for kind in ("padded texts", "texts of one length", "one text", "padded texts"):
        draw = Draw(generator, "batch position d_model labels", (3, 5, 7, 11), kind)
        position = draw["position"]
        real = 1 + draw.ids(position - 1, "batch 1") if kind == "padded texts" else position
        yield draw.case(
            hidden_states=draw("batch position d_model"),
            attention_mask=(torch.arange(position).expand(draw["batch"], -1) < real).long(),
            weight=draw("d_model labels"),
            bias=draw("labels"),
        )


EXERCISE = written(
    classify,
    same_as="anatomy_utils.functional.heads.classify",
    title="A label for a text",
    task="Average the vectors of each text's real words, and turn the average into one logit per label.",
    level="medium, 5 minutes",
    returns="logits: labels",
    cases=and_short(cases, "position", "texts of one word"),
    stages="""
    vectors, padding set to 0: hidden_states * real
    sums over real words: (hidden_states * real).sum(dim=1)
    means: mean
    logits without bias: mean @ weight
    """,
    mistakes="""
    padding_counts: hidden_states.mean(dim=1) @ weight + bias
        “Your average includes the padding: a text's label would depend on the length of the other texts.”
    divided_by_the_length: / real.sum(dim=1) ⇒ / real.shape[1]
        “Padding adds nothing to your sum, but you divide by the number of all positions, padding included.”
    summed: / real.sum(dim=1) ⇒
        “You have the sum over the real words, not their average: long texts get large logits.”
    summed_with_padding: hidden_states.sum(dim=1) @ weight + bias
        “You have the sum over all positions, padding included.”
    sum_over_the_real_count: hidden_states * real ⇒ hidden_states
        “You divide by the number of real words, but padding is still in your sum.”
    first_word: hidden_states[:, 0] @ weight + bias
        “Your logits come from the first word alone, as in BERT; here all real words count.”
    last_word: hidden_states[torch.arange(len(hidden_states)), attention_mask.sum(dim=1) - 1] @ weight + bias
        “Your logits come from the last real word alone.”
    last_position: hidden_states[:, -1] @ weight + bias
        “Your logits come from the last position, which is padding in short texts.”
    largest: hidden_states.masked_fill(attention_mask[..., None] == 0, -torch.inf).amax(dim=1) @ weight + bias
        “You take the largest number of each feature over the real words; take the average.”
    padding_only: attention_mask[..., None] ⇒ 1 - attention_mask[..., None]
        “You average the padding: 1 means a real word.”
    bias_shared_out (summed): result / real.sum(dim=1)
        “Your bias is divided by the number of words as well; it belongs after the average.”
    one_count_for_all: real.sum(dim=1) ⇒ real.sum()
        “You divide by the number of real words in the whole batch; each text has its own number.”
    probabilities: result.softmax(-1)
        “You return probabilities; return logits, because the loss takes the softmax itself.”
    """,
    also_right="""
    text by text:
        texts = zip(hidden_states, attention_mask, strict=True)
        return torch.stack([states[: int(real.sum())].mean(0) @ weight + bias for states, real in texts])
    logits first:
        logits = (hidden_states @ weight + bias) * attention_mask[..., None]
        return logits.sum(1) / attention_mask.sum(1, keepdim=True)
    einsum: (hidden_states * real).sum(dim=1) ⇒ torch.einsum("bpd,bp->bd", hidden_states, attention_mask.float())
    """,
    hints="""
    - Padding must not count in the sum, nor in the number you divide by.
    - `attention_mask[..., None]` is (batch, position, 1): times hidden_states it sets padding to 0. How many real words
      does each text have?
    - `(hidden_states * attention_mask[..., None]).sum(dim=1) / attention_mask.sum(dim=1, keepdim=True)` is the average;
      then a linear layer.
    """,
    explanation="""
    The average is the sentence's vector, and MiniLM was trained to give good sentence vectors by this very average. For
    tags each word keeps its own logits, and no average is taken.
    """,
)
