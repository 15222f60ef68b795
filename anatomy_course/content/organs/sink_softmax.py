"""Notebook 08: a softmax with one more logit, which belongs to no token."""

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, and_large, written
from anatomy_utils.functional import attention


def sink_softmax(scores: Tensor, sinks: Tensor) -> Tensor:
    """scores (batch, heads, query, key), −∞ where a key is forbidden; sinks (heads,), a logit for
    each head → weights, shaped like scores. The sink is in the softmax, and then dropped.
    """
    sink = sinks[:, None, None].expand(*scores.shape[:-1], 1)
    weights = torch.cat([scores, sink], dim=-1).softmax(dim=-1)
    return weights[..., :-1]


NOTHING = "a query that may see nothing"


def cases(generator: Generator) -> Cases:
    for kind in ("one text", "a batch of texts", "a single head", "a window", NOTHING):
        draw = Draw(generator, "batch heads query key", (2, 3, 5, 7), kind)
        if kind == "a single head":
            draw.sizes["heads"] = 1
        scores, sinks = 2 * draw("batch heads query key") - 1, 1.5 * draw("heads")
        if kind in ("a window", NOTHING):
            forbidden = draw.uniform("batch heads query key") < 0.4
            forbidden[..., 0] = False
            forbidden[:, :, -1] = kind == NOTHING
            scores = scores.masked_fill(forbidden, -torch.inf)
        yield draw.case(scores=scores, sinks=sinks)


EXERCISE = written(
    sink_softmax,
    same_as=attention.softmax_with_sinks,
    title="Softmax with a sink",
    task="Give each head's softmax one more logit, which belongs to no token, and drop its weight afterwards.",
    level="medium, 7 minutes",
    returns="weights: query key",
    cases=and_large(cases, "scores", "sinks"),
    stages="""
    logits with the sink: torch.cat([scores, sink], dim=-1)
    weights with the sink's: weights
    """,
    mistakes="""
    no_sink: weights[..., :-1] ⇒ scores.softmax(dim=-1)
        “Yours is a plain softmax: each row sums to 1, as if there were no sink. If you divided by the sum at the end,
        that has undone it.”
    sink_kept: weights[..., :-1] ⇒ weights
        “The sink's weight is still there: your rows have one number more than there are keys.”
    first_dropped: weights[..., :-1] ⇒ weights[..., 1:]
        “You have dropped the first key in place of the sink.”
    zero_for_all: torch.cat([scores, sink], dim=-1) ⇒ torch.cat([scores, 0 * sink], dim=-1)
        “Your sink's logit is 0 in every head; each head has learned its own. (Adding it to the keys' scores as well
        comes to the same.)”
    subtracted: torch.cat([scores, sink], dim=-1) ⇒ torch.cat([scores, -sink], dim=-1)
        “You have turned the sink's sign round: where it should take much, yours takes little.”
    same_for_heads: sinks[:, None, None].expand ⇒ sinks.mean().expand
        “All your heads use one sink, their mean; each head has one of its own.”
    weight_in_place_of_logit:
        torch.cat([scores, sink], dim=-1).softmax(dim=-1) ⇒ scores.softmax(dim=-1)
        return weights[..., :-1] ⇒ return weights * (1 - sink.sigmoid())
        “You take away a fixed share. How much the sink takes depends on the scores beside it.”
    as_a_score_of_the_key: return weights[..., :-1] ⇒ return torch.maximum(scores, sink).softmax(dim=-1)
        “You have raised low scores to the sink's; it is to compete with the keys, as one more.”
    overflow:
        weights = torch.cat([scores, sink], dim=-1).softmax(dim=-1) ⇒ grown = scores.exp()
        weights[..., :-1] ⇒ grown / (grown.sum(dim=-1, keepdim=True) + sink.exp())
        “Right for small scores. When one is large, e to the power of it is beyond float32; a softmax first subtracts
        the largest.”
    """,
    also_right="""
    sink first:
        torch.cat([scores, sink], dim=-1) ⇒ torch.cat([sink, scores], dim=-1)
        [..., :-1] ⇒ [..., 1:]
    by its logarithm:
        sink = sinks[:, None, None].expand(*scores.shape[:-1], 1)
        total = torch.logaddexp(scores.logsumexp(dim=-1, keepdim=True), sink)
        return (scores - total).exp()
    largest subtracted:
        sink = sinks[:, None, None]
        largest = torch.maximum(scores.amax(dim=-1, keepdim=True), sink)
        grown = (scores - largest).exp()
        return grown / (grown.sum(dim=-1, keepdim=True) + (sink - largest).exp())
    """,
    hints="""
    - Think of one more column beside the keys. It holds the head's own number, the same in each row.
    - `sinks[:, None, None]` has the axes head, query, key; `expand(*scores.shape[:-1], 1)` makes the column of it.
    - `torch.cat([scores, column], dim=-1).softmax(dim=-1)`, and then all columns but the last.
    """,
    explanation="""
    Each row now sums to 1 minus what the sink took, which is anything from 0 to 1. A row that may see nothing gives
    zeros, where a plain softmax gives NaN.
    """,
)
