"""Notebook 05: top-k, the likeliest few."""

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written
from anatomy_utils.decoding import filters


# fmt: off
def top_k(logits: Tensor, k: int) -> Tensor:
    """logits (batch, vocab_size) → logits, the same shape,
    with −∞ for every token that is not kept. No two logits of a row are equal."""
    last_kept = logits.topk(k).values[:, -1:]
    return logits.masked_fill(logits < last_kept, float('-inf'))
# fmt: on


def cases(generator: Generator) -> Cases:
    zero = "a best logit of 0"  # 0 is a logit like any other: it must not stand for what is not kept
    for kind, k in (("a batch of texts", 3), ("one text", 4), (zero, 2), ("only the best", 1)):
        draw = Draw(generator, "batch vocab_size", (5, 7, 11, 13), kind)
        if draw["vocab_size"] == 5:  # too few to choose from
            draw.sizes |= {"batch": 3 if draw["batch"] == 7 else draw["batch"], "vocab_size": 7}
        logits = 2 * draw("batch vocab_size")
        if kind == zero:
            logits -= logits.amax(-1, keepdim=True)
        yield draw.case(logits=logits, k=k)


EXERCISE = written(
    top_k,
    same_as=filters.top_k,
    title="Top-k",
    task="Keep the k largest logits of each row and set all others to −∞.",
    level="medium, 4 minutes",
    returns="logits: batch vocab_size",
    cases=cases,
    stages="""
    k largest logits: logits.topk(k).values
    smallest logit that is kept: last_kept
    """,
    mistakes="""
    one_too_few: logits < last_kept ⇒ logits <= last_kept
        “Only k − 1 tokens are left: the last of the k is thrown out with the others.”
    one_too_many: topk(k) ⇒ topk(k + 1)
        “You keep k + 1 tokens.”
    best_removed: logits < last_kept ⇒ logits >= last_kept
        “You throw the k likeliest tokens out and keep the rest.”
    smallest:
        topk(k) ⇒ topk(k, largest=False)
        logits < last_kept ⇒ logits > last_kept
        “You keep the k unlikeliest tokens.”
    zero: float('-inf') ⇒ 0.0
        “The right tokens are kept, but the others are 0, and e⁰ is 1: they can still be drawn.”
    zeros_removed: logits < last_kept ⇒ (logits < last_kept) | (logits == 0)
        “A logit of exactly 0 is thrown out in yours, even where it is the largest: 0 is a logit like any other.”
    of_any_row: logits < last_kept ⇒ (logits < last_kept).all(dim=0)
        “In your rows a token is kept where it is among the k best of any row, as if the same columns were written into
        all of them.”
    only_indices: logits.topk(k).indices
        “You return which tokens are kept; the logits are wanted, with −∞ for the others.”
    one_bar: [:, -1:] ⇒ [0, -1]
        “You compare all rows with the first row's k-th logit; each row has one of its own.”
    whole_batch: logits.topk(k).values[:, -1:] ⇒ logits.flatten().topk(k).values[-1]
        “You keep k tokens of the whole batch; k of each row are wanted.”
    first_k: logits < last_kept ⇒ torch.arange(logits.shape[1]) >= k
        “You keep the first k tokens of the vocabulary, whatever their logits.”
    probabilities: result.softmax(dim=-1)
        “The right tokens are kept, but yours are probabilities already; logits with −∞ are wanted.”
    """,
    also_right="""
    scatter:
        best = logits.topk(k, dim=-1)
        return torch.full_like(logits, -torch.inf).scatter(-1, best.indices, best.values)
    where: torch.where(logits >= logits.sort(descending=True).values[:, k - 1, None], logits, -torch.inf)
    ranks:
        better = (logits[:, None, :] > logits[:, :, None]).sum(-1)
        return torch.where(better < k, logits, -torch.inf)
    """,
    hints="""
    - Find the k-th largest logit of each row: whatever is below it goes.
    - `logits.topk(k).values` holds the k largest of each row, largest first. Keep the axis when you take the last:
      `[:, -1:]`.
    - `logits.masked_fill(logits < last_kept, float('-inf'))`.
    """,
    explanation="""
    −∞ becomes probability 0 in the softmax, and what is left shares the whole. The number of tokens is the same whether
    the model is sure of one or hesitates between hundreds.
    """,
)
