"""Notebook 05: speculative decoding, judged by which tokens are written in the end and how many drafts are kept."""

from collections.abc import Callable

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, normal, primes, written


def accept_draft(draft: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """draft, target (batch, vocab_size): what the small and the large model give to each next
    token; rows sum to 1 → chance, the same shape: the probability with which each token is kept if
    the small model has drawn it; instead, the same shape: the probabilities from which a token is
    drawn when that one was not kept."""
    chance = (target / draft).clamp(max=1)
    missing = (target - draft).clamp(min=0)
    return chance, missing / missing.sum(dim=-1, keepdim=True)


def cases(generator: Generator) -> Cases:
    zeros = "a draft with zeros", "a target with zeros", "zeros in draft and target"
    for kind in ("two models", "one text", *zeros, "two models that agree"):
        (batch,), (vocab_size,) = primes(generator, 1, (2, 3, 5)), primes(generator, 1, (7, 11))
        batch = 1 if kind == "one text" else batch
        draft, target = (2 * normal(generator, batch, vocab_size) for _ in range(2))
        if kind == "two models that agree":
            target[0] = draft[0]
        for name, logits in (("draft", draft), ("target", target)):
            if kind in zeros and name in kind:
                logits[:, 1::3] = -torch.inf
        arguments = {"draft_logits": draft, "target_logits": target}
        yield Case(arguments, kind, {"batch": batch, "vocab_size": vocab_size})


def drive(answer: Callable[[Tensor, Tensor], object], draft_logits: Tensor, target_logits: Tensor) -> object:
    """The share of drafts that are kept, and how often each token is written, drafts and others together."""
    draft, target = draft_logits.softmax(dim=-1), target_logits.softmax(dim=-1)
    found = answer(draft, target)
    if not isinstance(found, tuple) or len(found) != 2 or any(getattr(f, "shape", None) != draft.shape for f in found):
        return Objection("two", "Two tensors are wanted, chance and instead, each with the shape of draft.")
    kept = torch.where(draft > 0, draft * found[0].clamp(max=1), 0)  # a token that is never drawn has no say
    refused = (1 - kept.sum(dim=-1, keepdim=True)).clamp(min=0)
    instead = torch.where(refused > 1e-6, refused * found[1], 0)
    return kept.sum(dim=-1), instead.sum(dim=-1), kept + instead


EXERCISE = written(
    accept_draft,
    title="Keep it or not",
    task="Say with which chance a drafted token is kept, and from which probabilities another one is drawn if it is "
    "not, so that each token is written exactly as often as the large model alone would write it.",
    level="hard, 10 minutes",
    returns="kept drafts: text; other tokens that are drawn: text; written tokens: vocab_size",
    cases=cases,
    observe=drive,
    mistakes="""
    always: chance = (target / draft).clamp(max=1) ⇒ chance = torch.ones_like(draft)
        “You keep every draft: the text is then the small model's, not the large one's.”
    never: chance, missing / missing.sum(dim=-1, keepdim=True) ⇒ torch.zeros_like(draft), target
        “The tokens are written as the large model would, but no draft is ever kept: the small model works in vain.”
    turned_round: target / draft ⇒ draft / target
        “Your ratio is upside down: the more the small model overrates a token, the surer you keep it.”
    target_alone: target / draft ⇒ target
        “You keep a draft with the large model's probability of it, which leaves out how often it is drawn at all.”
    the_whole_target: missing = (target - draft).clamp(min=0) ⇒ missing = target
        “In place of a refused token you draw from the large model's own probabilities. Tokens that it likes less than
        the small one have already got all they need; draw only from what is still missing.”
    the_draft_again: missing = (target - draft).clamp(min=0) ⇒ missing = draft
        “In place of a refused token you draw another one from the small model.”
    both_differences: (target - draft).clamp(min=0) ⇒ (target - draft).abs()
        “You take the difference without its sign, so that tokens to which the small model gives too much can be drawn
        as well. Only those to which the large model gives more should be.”
    overrated: (target - draft) ⇒ (draft - target)
        “You draw from what the small model gives too much; what it gives too little is missing.”
    not_normalized: missing / missing.sum(dim=-1, keepdim=True) ⇒ missing
        “What is missing is right, but its rows do not sum to 1.”
    softmax: missing / missing.sum(dim=-1, keepdim=True) ⇒ missing.softmax(dim=-1)
        “You make probabilities with a softmax: tokens that lack nothing get a share, too. Divide by the sum.”
    half_sure: .clamp(max=1) ⇒ .clamp(max=1) / 2
        “You keep half as many drafts as you could.”
    all_or_nothing: chance = (target / draft).clamp(max=1) ⇒ chance = (target >= draft).float()
        “You refuse each token that the large model likes less, even a little less. It should be kept with a chance of
        target / draft.”
    """,
    also_right="""
    the smaller of the two:
        chance = (target / draft).clamp(max=1) ⇒ chance = torch.minimum(draft, target) / draft
    without a limit: .clamp(max=1) ⇒
    a fallback where nothing is missing:
        return chance, missing / missing.sum(dim=-1, keepdim=True) ⇒
            total = missing.sum(dim=-1, keepdim=True)
            return chance, torch.where(total > 0, missing / total, target)
    where:
        chance = (target / draft).clamp(max=1) ⇒ chance = torch.where(target >= draft, 1, target / draft)
        missing = (target - draft).clamp(min=0) ⇒ missing = torch.where(target > draft, target - draft, 0)
    """,
    hints="""
    - A token that the small model draws with q and the large one would draw with p: kept with the chance c, it is
      written with q · c. That may not be more than p; how large can c be?
    - c = min(1, p / q). Where q is below p, all drafts are kept, and p − q is still missing.
    - `chance = (target / draft).clamp(max=1)`; what is missing is `(target - draft).clamp(min=0)`, divided by its sum.
    """,
    explanation="""
    Kept drafts give min(p, q) to each token. The refused ones are as many as what is missing, p − q where it is above
    0, so the two add up to p exactly, whatever the small model is (Leviathan et al. 2023, Chen et al. 2023).
    """,
)
