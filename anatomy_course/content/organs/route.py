"""Notebook 08: which experts a token passes, and how much each counts."""

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written
from anatomy_utils.functional import routing


def route(logits: Tensor, per_token: int, normalized: bool) -> tuple[Tensor, Tensor]:
    """logits (batch, position, experts) → experts and shares, both (batch, position, per_token),
    the best expert first. A share is the expert's probability among all experts. Normalized, a
    token's shares are divided by their sum.
    """
    probabilities = logits.softmax(dim=-1)
    shares, experts = probabilities.topk(per_token, dim=-1)
    if normalized:
        shares = shares / shares.sum(dim=-1, keepdim=True)
    return experts, shares


ONLY = "a single expert"
KINDS = {
    "two of the experts": (2, True),
    "three, not normalized": (3, False),
    "one of them": (1, False),
    "one of them, normalized": (1, True),  # a share of 1
    ONLY: (1, False),
    "one text": (2, False),
    "one text, normalized": (3, True),
}
"""Kind of a case → how many experts are chosen, and whether shares are normalized."""


def cases(generator: Generator) -> Cases:
    for kind, (per_token, normalized) in KINDS.items():
        draw = Draw(generator, "batch position", (2, 3, 5), kind, experts=1 if kind == ONLY else 7)
        yield draw.case(logits=draw("batch position experts") - 0.5, per_token=per_token, normalized=normalized)


def as_in_the_library(logits: Tensor, per_token: int, normalized: bool) -> tuple[Tensor, Tensor]:
    """The same."""
    return routing.route(logits, per_token, normalized=normalized)


EXERCISE = written(
    route,
    same_as=as_in_the_library,
    title="Route",
    task="Choose each token's best experts and say how much each of them counts.",
    level="medium, 6 minutes",
    returns="experts: position chosen; shares: position chosen",
    cases=cases,
    stages="probabilities",
    mistakes="""
    always_normalized: if normalized: ⇒ if True:
        “Your shares always sum to 1. Without `normalized` they are to stay probabilities among all experts.”
    never_normalized: if normalized: ⇒ if False:
        “Your experts are right, but their shares never sum to 1: `normalized` changes nothing.”
    other_way_round: if normalized: ⇒ if not normalized:
        “Your shares are normalized where they should not be, and the other way round.”
    logits_as_shares: probabilities = logits.softmax(dim=-1) ⇒ probabilities = logits
        “Your shares are made of bare logits, which may be negative; they need a softmax.”
    softmax_of_probabilities: shares / shares.sum(dim=-1, keepdim=True) ⇒ shares.softmax(dim=-1)
        “You have taken a second softmax, of probabilities; divide them by their sum.”
    over_positions: logits.softmax(dim=-1) ⇒ logits.softmax(dim=1)
        “In yours, the tokens of a text compete for an expert; the experts should compete for a token.”
    worst: topk(per_token, dim=-1) ⇒ topk(per_token, dim=-1, largest=False)
        “You have chosen the experts that fit worst.”
    one_sum: shares.sum(dim=-1, keepdim=True) ⇒ shares.sum()
        “You divide by the sum over all tokens; each token's shares are to sum to 1.”
    by_the_best: shares.sum(dim=-1, keepdim=True) ⇒ shares.amax(dim=-1, keepdim=True)
        “You divide by the largest share, so the best expert counts as 1 whatever the others add.”
    sigmoid: logits.softmax(dim=-1) ⇒ logits.sigmoid()
        “You judge each expert by itself, with a sigmoid, as DeepSeek-V3 does. Here they share one softmax.”
    swapped: return experts, shares ⇒ return shares, experts
        “You return the shares first; the experts come first.”
    in_order_of_number:
        return experts, shares ⇒
            order = experts.argsort(dim=-1)
            return experts.gather(-1, order), shares.gather(-1, order)
        “You have the right experts in the order of their numbers; the best is to be first.”
    """,
    also_right="""
    softmax of the chosen:
        probabilities = logits.softmax(dim=-1)
        best, experts = logits.topk(per_token, dim=-1)
        shares = best.softmax(dim=-1) if normalized else probabilities.gather(-1, experts)
        return experts, shares
    sort:
        probabilities, order = logits.softmax(dim=-1).sort(dim=-1, descending=True)
        shares = probabilities[..., :per_token]
        return order[..., :per_token], shares / shares.sum(-1, keepdim=True) if normalized else shares
    gathered:
        shares, experts = probabilities.topk(per_token, dim=-1) ⇒
            experts = logits.topk(per_token, dim=-1).indices
            shares = probabilities.gather(-1, experts)
    """,
    again="""
    logits.softmax(dim=-1) ⇒ logits.sigmoid()
        “This time each expert is judged by itself, with a sigmoid in place of the softmax, as in DeepSeek-V3.”
        Not here: always_normalized softmax_of_probabilities
    """,
    hints="""
    - Two steps: probabilities of all experts first, then the largest few of them.
    - `topk` gives both the largest values and where they are. Which of the two are the experts?
    - `shares, experts = logits.softmax(dim=-1).topk(per_token, dim=-1)`; then divide by `shares.sum(dim=-1,
      keepdim=True)` if it is asked for.
    """,
    explanation="""
    Normalized, this is the softmax over the chosen experts alone: what the others would have got cancels out. So it
    makes no difference whether the softmax is before the choice or after it. Without normalizing it does.
    """,
)
