"""Notebook 10: the loss of texts that were drawn and judged, and the gradient that it sends back."""

from collections.abc import Callable
from typing import Any

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Objection, Tensor, written


def judged_loss(
    logits: Tensor, first_logits: Tensor, ids: Tensor, counted: Tensor, advantages: Tensor, leash: float
) -> Tensor:
    """logits (batch, position, vocabulary) of the model, and first_logits of a copy of it from before: what each says
    of the token that comes next; ids (batch, position), the token that was drawn there; counted (batch, position),
    True up to each text's end, at least once; advantages (batch,), one for each text. Returns one number, ():
    the mean over all counted tokens of −advantage · log p(token) + leash · (e^d − d − 1), where d is log p(token) by
    the copy less that by the model. It has a gradient for `logits`, and none for `first_logits`.
    """
    own = logits.log_softmax(dim=-1).gather(-1, ids[..., None]).squeeze(-1)
    first = first_logits.detach().log_softmax(dim=-1).gather(-1, ids[..., None]).squeeze(-1)
    d = first - own
    losses = -advantages[:, None] * own + leash * (d.exp() - d - 1)
    return losses[counted].mean()


def cases(generator: Generator) -> Cases:
    for kind in ("a batch of texts", "a short leash", "no leash", "one text", "texts of one token"):
        fixed = {"position": 1} if kind == "texts of one token" else {}
        draw = Draw(generator, "batch position vocabulary", (3, 5, 7), kind, **fixed)
        ends = torch.arange(draw["batch"])[:, None] % draw["position"] + 1
        if kind == "one text":
            ends = ends + draw["position"] // 2
        yield draw.case(
            logits=draw("batch position vocabulary"),
            first_logits=draw("batch position vocabulary"),
            ids=draw.ids(draw["vocabulary"], "batch position"),
            counted=torch.arange(draw["position"]) < ends,
            advantages=draw("batch"),
            leash=0.0 if kind == "no leash" else 2.0 if kind == "a short leash" else 0.3 + draw.uniform().item(),
        )


def drive(
    answer: Callable[..., Any], logits: Tensor, first_logits: Tensor, *others: Any
) -> tuple[Tensor, ...] | Objection | None:
    """The loss, and its gradients for both logits."""
    with torch.enable_grad():
        logits, first_logits = (given.detach().clone().requires_grad_() for given in (logits, first_logits))
        loss = answer(logits, first_logits, *others)
        if loss is None:
            return None
        if not isinstance(loss, Tensor):
            said = f"Your function returns a {type(loss).__name__}; the loss is wanted as a tensor with one number, "
            return Objection("type", f"{said}so that `backward()` can start from it.")
        if loss.numel() != 1:
            said = f"Your loss is of shape {tuple(loss.shape)}; one number is wanted: the mean over the counted tokens."
            return Objection("shape", said)
        if not loss.requires_grad:
            said = "Your loss has no gradient for `logits`, so the model would learn nothing from it: is it computed "
            return Objection("no_gradient", f"{said}with `no_grad`, `detach()` or `item()`? Only the copy needs none.")
        own, first = torch.autograd.grad(loss.sum(), (logits, first_logits), allow_unused=True)
    of_model, of_copy = (torch.zeros_like(logits) if found is None else found for found in (own, first))
    return loss.detach().reshape(()), of_model, of_copy


EXERCISE = written(
    judged_loss,
    title="A loss from judgments",
    task="Make the tokens of good texts likelier and those of bad ones less likely, on a leash to where it all began.",
    level="hard, 10 minutes",
    returns="loss; gradient for logits: position vocabulary; gradient for first_logits: position vocabulary",
    cases=cases,
    observe=drive,
    stages="""
    log-probabilities of the tokens: own
    log-probabilities by the copy: first
    d
    losses of all tokens: losses
    """,
    mistakes="""
    up_and_down: -advantages ⇒ advantages
        “Your first part has the wrong sign: a loss is made smaller, so yours makes the tokens of bad texts likelier.”
    probability: advantages[:, None] * own ⇒ advantages[:, None] * own.exp()
        “Your advantages multiply the token's probability; they should multiply its logarithm.”
    no_softmax: .log_softmax(dim=-1).gather ⇒ .gather
        “You take logits for log-probabilities: `log_softmax` is missing.”
    no_logarithm: log_softmax ⇒ softmax
        “You take probabilities where their logarithms are wanted: `log_softmax`, not `softmax`.”
    over_positions: log_softmax(dim=-1) ⇒ log_softmax(dim=1)
        “Your softmax runs over the positions; it should run over the vocabulary.”
    every_position: losses[counted].mean() ⇒ losses.mean()
        “What comes after a text's end counts in yours. `counted` says which tokens count.”
    judgment_of_every_position:
        return losses[counted].mean() ⇒
            return -(advantages[:, None] * own).mean() + leash * (d.exp() - d - 1)[counted].mean()
        “In your first part, what comes after a text's end counts as well; in the second it does not. `counted` is for
        both.”
    divided_by_all: losses[counted].mean() ⇒ (losses * counted).mean()
        “Only the counted tokens are in your sum, but you divide it by the number of all positions.”
    text_by_text: losses[counted].mean() ⇒ ((losses * counted).sum(1) / counted.sum(1)).mean()
        “You take each text's mean, and the mean of those: a token of a short text counts more in yours. Each counted
        token should count alike.”
    sum: losses[counted].mean() ⇒ losses[counted].sum()
        “Yours is the sum over the counted tokens; the mean is wanted.”
    for_each_text: losses[counted].mean() ⇒ (losses * counted).sum(1).mean()
        “You sum over a text's tokens and divide by the number of texts; divide by the number of counted tokens.”
    without_the_end: losses[counted] ⇒ losses[:, :-1][counted[:, 1:]]
        “The last counted token of each text, its end, is left out of yours: the model would never learn where to stop.”
    d_turned_round: first - own ⇒ own - first
        “Your d is the model's logarithm less the copy's; it is the other way round.”
    plus_d: (d.exp() - d - 1) ⇒ (d.exp() + d - 1)
        “Your leash is e^d + d − 1, with the wrong sign before d: it is below 0 for some tokens.”
    d_of_a_text: leash * (d.exp() - d - 1) ⇒ leash * ((d * counted).sum(1).exp() - (d * counted).sum(1) - 1)[:, None]
        “You add up d over a text before you take e^d; each token has a d of its own.”
    no_leash: + leash * (d.exp() - d - 1) ⇒ + 0.0 * d
        “Your leash does nothing: the loss is that of the judgments alone.”
    pulled_away: + leash * ⇒ - leash *
        “Your leash has the wrong sign: it rewards the model for going away from where it began.”
    plain_difference: leash * (d.exp() - d - 1) ⇒ leash * -d
        “Your leash is −d alone. It is below 0 for some tokens, and pulls in the wrong direction there;
        e^d − d − 1 is never below 0.”
    no_minus_d: (d.exp() - d - 1) ⇒ (d.exp() - 1)
        “In your leash the −d is missing: it is smallest not where both agree, but where the model is surest.”
    no_minus_one: (d.exp() - d - 1) ⇒ (d.exp() - d)
        “Your gradient is right, but the loss is not: without the −1, the leash is not 0 where both agree.”
    squared: (d.exp() - d - 1) ⇒ d.square() / 2
        “Your leash is d²/2. It is close to e^d − d − 1 where d is small, but not the same.”
    leash_times_advantage: + leash * (d.exp() - d - 1) ⇒ - leash * advantages[:, None] * (d.exp() - d - 1)
        “The advantage multiplies your leash as well. The leash pulls at each token alike, whatever the text got.”
    leash_on_everything: -advantages[:, None] * own + leash * ⇒ leash * -advantages[:, None] * own + leash *
        “The leash multiplies both of your parts; it belongs to the second alone.”
    copy_learns: first_logits.detach() ⇒ first_logits
        “Your loss and its gradient for `logits` are right, but `first_logits` gets a gradient, too: the copy would
        learn, and the leash would be tied to something that moves. `detach()` it.”
    leash_without_gradient: d = first - own ⇒ d = (first - own).detach()
        “Your loss is right, but its gradient is that of the judgments alone: the leash is detached from `logits`, and
        pulls at nothing.”
    judgment_without_gradient: advantages[:, None] * own ⇒ advantages[:, None] * own.detach()
        “Your loss is right, but its gradient is that of the leash alone: the log-probability that the advantage
        multiplies is detached from `logits`.”
    ratio: advantages[:, None] * own ⇒ advantages[:, None] * (own - own.detach()).exp()
        “Your gradient is right, but the loss is not: in the first part it has p divided by p itself, which is 1, where
        the logarithm of p is wanted.”
    ratio_to_the_copy: advantages[:, None] * own ⇒ advantages[:, None] * (-d).exp()
        “Your advantages multiply p(model) / p(copy), as in PPO; here they multiply log p(model).”
    copy_judged: advantages[:, None] * own ⇒ advantages[:, None] * first
        “Your advantages multiply the copy's log-probability. That sends no gradient to the model: take the model's.”
    exact:
        d = first - own ⇒
            log_ratio = logits.log_softmax(-1) - first_logits.detach().log_softmax(-1)
        (d.exp() - d - 1) ⇒ (logits.softmax(-1) * log_ratio).sum(-1)
        “Your leash is the exact KL divergence, over the whole vocabulary. Here it is estimated from the drawn token
        alone: e^d − d − 1.”
    tiled: -advantages[:, None] ⇒ -advantages.repeat(own.shape[1]).view_as(own)
        “`repeat` lays the advantages one after another, so tokens of one text get those of different texts. Each token
        has its own text's: `advantages[:, None]`, or `repeat_interleave`.”
    shifted:
        logits.log_softmax(dim=-1).gather(-1, ids[..., None]) ⇒
            logits[:, :-1].log_softmax(dim=-1).gather(-1, ids[:, 1:, None])
        first_logits.detach().log_softmax(dim=-1).gather(-1, ids[..., None]) ⇒
            first_logits.detach()[:, :-1].log_softmax(dim=-1).gather(-1, ids[:, 1:, None])
        losses[counted] ⇒ losses[counted[:, 1:]]
        “You shift by one: the logits at a position are set against the next position's token. Here `ids` already holds
        the token drawn from the logits at its own position.”
    only_judged_up: -advantages[:, None] ⇒ -advantages.clamp(min=0)[:, None]
        “Texts below the mean do nothing in yours: an advantage below 0 counts as well.”
    """,
    also_right="""
    cross-entropy:
        own = logits.log_softmax(dim=-1).gather(-1, ids[..., None]).squeeze(-1) ⇒
            own = -F.cross_entropy(logits.transpose(1, 2), ids, reduction="none")
    one-hot:
        own = logits.log_softmax(dim=-1).gather(-1, ids[..., None]).squeeze(-1) ⇒
            own = (logits.log_softmax(-1) * F.one_hot(ids, logits.shape[-1])).sum(-1)
    only counted ids:
        own = logits.log_softmax(dim=-1).gather(-1, ids[..., None]) ⇒
            own = logits.log_softmax(dim=-1).gather(-1, (ids * counted)[..., None])
    zeros where nothing counts: d = first - own ⇒ d = first * counted - own
    masked sum: losses[counted].mean() ⇒ (losses * counted).sum() / counted.sum()
    two means:
        losses = -advantages[:, None] * own + leash * (d.exp() - d - 1) ⇒ judged = (advantages[:, None] * own)[counted]
        losses[counted].mean() ⇒ leash * (d.expm1() - d)[counted].mean() - judged.mean()
    the copy without gradients:
        first = first_logits.detach().log_softmax(dim=-1).gather(-1, ids[..., None]).squeeze(-1) ⇒
            with torch.no_grad():
                first = first_logits.log_softmax(dim=-1).gather(-1, ids[..., None]).squeeze(-1)
    """,
    hints="""
    - Four lines: the model's log-probability of each drawn token, the copy's, the loss of each token, the mean over
      those that count. What must not learn is detached.
    - `logits.log_softmax(dim=-1)` holds the logarithms of all tokens; `.gather(-1, ids[..., None]).squeeze(-1)` takes
      those of the drawn ones. `advantages[:, None]` gives each token the advantage of its text.
    - With `d = first - own`: `losses = -advantages[:, None] * own + leash * (d.exp() - d - 1)`, and
      `losses[counted].mean()`.
    """,
    explanation="""
    No gradient goes through the judge: it goes through the probability of what was drawn (REINFORCE, Williams 1992).
    The mean of e^d − d − 1 over many drawn tokens comes near the KL divergence from the model to its copy, since the
    mean of e^d is 1; it is 0 where both agree, and never below (Schulman 2020; GRPO, Shao et al. 2024,
    arXiv:2402.03300).
    """,
)
