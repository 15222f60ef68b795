"""Notebook 10: what each text of a group got more, or less, than the others."""

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written


def advantages(rewards: Tensor) -> Tensor:
    """rewards (text), one number for each text of a group → the advantages (text): how far each reward is
    above the group's mean, divided by the group's standard deviation + 1e-4. The standard deviation is the
    root of the mean squared distance to the mean. If all rewards are equal, each advantage is 0."""
    distances = rewards - rewards.mean()
    spread = distances.square().mean().sqrt()
    return distances / (spread + 1e-4)


EQUAL = "equal rewards"


def cases(generator: Generator) -> Cases:
    """Rewards that are nearly equal show the 1e-4; equal ones are four whole numbers, so that no mean is rounded."""
    fixed = {"one text": {"text": 1}, EQUAL: {"text": 4}}
    for kind in (
        "a group",
        "rewards below 0",
        "rewards of 0 and 1",
        "one right text",
        "nearly equal rewards",
        EQUAL,
        "one text",
    ):
        draw = Draw(generator, "text", (5, 7, 11), kind, **fixed.get(kind, {}))
        rewards = 2 * draw("text") + 1
        if kind == "rewards below 0":
            rewards = -rewards.abs() - 0.5
        if kind == "rewards of 0 and 1":
            rewards = (torch.randperm(draw["text"], generator=generator) < draw["text"] // 2 + 1).float()
        if kind == "one right text":
            rewards = torch.eye(draw["text"])[int(draw.ids(draw["text"], "1"))]
        if kind == "nearly equal rewards":
            rewards = 5e-6 * draw("text")
        if kind == EQUAL:
            rewards = torch.full((draw["text"],), float(draw.ids(3, "1")) + 1)
        yield draw.case(rewards=rewards)


EXERCISE = written(
    advantages,
    title="Better than the others",
    task="Subtract the group's mean from each reward, and divide by the group's standard deviation + 1e-4.",
    level="easy, 4 minutes",
    returns="advantages: text",
    cases=cases,
    stages="""
    distances to the mean: distances
    standard deviation: spread
    """,
    mistakes="""
    no_baseline: distances / (spread + 1e-4) ⇒ rewards / (spread + 1e-4)
        “The group's mean is not subtracted: in yours even the worst of texts with rewards above 0 is pushed up.”
    only_centered: / (spread + 1e-4) ⇒
        “You subtract the mean and stop there: divide by the group's standard deviation + 1e-4.”
    turned_round: rewards - rewards.mean() ⇒ rewards.mean() - rewards
        “Your signs are turned round: what got more than the mean should be above 0.”
    variance: .mean().sqrt() ⇒ .mean()
        “You divide by the variance; its root is the standard deviation.”
    torchs_own: spread = distances.square().mean().sqrt() ⇒ spread = rewards.std()
        “Your standard deviation divides the sum of the squares by one less than their number, as torch's `std()` does,
        so that a single reward gives NaN. Divide by their number itself, as `std(correction=0)` does.”
    no_small_number: (spread + 1e-4) ⇒ spread
        “Without the 1e-4 you divide by 0 where all rewards are equal, and 0/0 is NaN.”
    asked_apart: / (spread + 1e-4) ⇒ / (spread if spread > 0 else 1.0)
        “You treat equal rewards apart and divide by the standard deviation alone. Add 1e-4 to it: without it, rewards
        that are nearly equal come out too large.”
    added_last: / (spread + 1e-4) ⇒ / spread + 1e-4
        “The 1e-4 is added to your quotient; it belongs to what you divide by, in parentheses with it.”
    smaller_number: 1e-4 ⇒ 1e-8
        “What you add to the standard deviation is not 1e-4: rewards that are nearly equal come out too large.”
    inside_the_root: distances / (spread + 1e-4) ⇒ distances / (spread.square() + 1e-4).sqrt()
        “You add 1e-4 to the variance, before the root, where it counts far more. Add it to the standard deviation.”
    whichever_is_larger: (spread + 1e-4) ⇒ spread.clamp(min=1e-4)
        “You divide by the standard deviation or by 1e-4, whichever is larger; their sum is wanted.”
    median: rewards - rewards.mean() ⇒ rewards - rewards.median()
        “You measure from the group's median; the mean is wanted.”
    from_the_best: rewards - rewards.mean() ⇒ rewards - rewards.max()
        “You measure from the best text, so no advantage is above 0, and nothing is ever encouraged. Measure from the
        mean.”
    from_the_worst: rewards - rewards.mean() ⇒ rewards - rewards.min()
        “You measure from the worst text, so no advantage is below 0. Measure from the mean.”
    squeezed: (rewards - rewards.min()) / (rewards.max() - rewards.min() + 1e-4)
        “Yours go from 0 for the worst text to 1 for the best one. Measure from the mean, in standard deviations.”
    only_the_good: result.clamp(min=0)
        “You set what is below the mean to 0. A text that did worse than the others teaches, too.”
    mean_distance: distances.square().mean().sqrt() ⇒ distances.abs().mean()
        “You divide by the mean distance; the standard deviation is the root of the mean *squared* distance.”
    sum_of_squares: distances.square().mean() ⇒ distances.square().sum()
        “You divide by the length of all distances together, the root of the *sum* of their squares: a large group would
        learn less. Take the mean of the squares.”
    length_one: / (spread + 1e-4) ⇒ / distances.norm().clamp(min=1e-12)
        “You make the distances a vector of length 1: that divides by the root of the *sum* of their squares, not of the
        mean, and the 1e-4 is missing too.”
    around_zero: distances.square() ⇒ rewards.square()
        “You take the spread around 0, the root of the mean squared reward, not around the group's mean.”
    of_the_mean: / (spread + 1e-4) ⇒ / (rewards.mean() + 1e-4)
        “You divide by the group's mean; divide by its standard deviation.”
    without_itself: rewards - rewards.mean() ⇒ rewards - (rewards.sum() - rewards) / max(len(rewards) - 1, 1)
        “You compare each text with the mean of the *others*. Here the text itself belongs to its group.”
    others_alone:
        return distances / ⇒ return (rewards - (rewards.sum() - rewards) / (len(rewards) - 1)) /
        “You compare each text with the mean of the *others*, and a text alone has none: 0/0 is NaN. Here the text
        itself belongs to its group.”
    only_the_mean_divided: return distances / ⇒ return rewards - rewards.mean() /
        “Only the mean is divided in yours: put the difference in parentheses.”
    signs_only: torch.where(rewards > rewards.mean(), 1.0, -1.0)
        “Yours are only 1 or −1: better or not. How much better counts, too.”
    softmax: rewards.softmax(dim=0)
        “Yours are shares that sum to 1, as from a softmax. They should sum to 0.”
    """,
    also_right="""
    torch's std: spread = distances.square().mean().sqrt() ⇒ spread = rewards.std(correction=0)
    torch's variance: distances.square().mean().sqrt() ⇒ rewards.var(correction=0).sqrt()
    asked first:
        if bool((rewards == rewards[0]).all()):
            return torch.zeros_like(rewards)
        middle = rewards.mean()
        return (rewards - middle) / (0.0001 + (rewards - middle).pow(2).mean() ** 0.5)
    """,
    again="""
    spread = distances.square().mean().sqrt() ⇒
    distances / (spread + 1e-4) ⇒ distances
        “This time nothing is divided (Dr. GRPO).”
    """,
    hints="""
    - Three lines: the distances to the mean, their spread, the quotient. What would 0/0 be if all rewards are equal?
    - `distances = rewards - rewards.mean()`. Their squares have a mean, and that mean has a root.
    - `rewards.std(correction=0)` is the standard deviation, even of one text. Add 1e-4 to it, and divide.
    """,
    explanation="""
    The mean is the *baseline*: a text is pushed up if it did better than its group, and down if it did worse. Without
    it, a reward of 0 would teach nothing. Where all texts did equally well, nothing can be learned, and the 1e-4 keeps
    0/0 away.
    """,
)
