"""Notebook 02: switching a head off."""

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written
from anatomy_utils.functional import multi_head


def switch_off(context: Tensor, head: int, num_heads: int) -> Tensor:
    """context (batch, position, d_model), all heads side by side; head, counted from 0
    → a new tensor like context, with 0 in the features of that head.
    """
    d_head = context.shape[-1] // num_heads
    own = context.clone()
    own[..., head * d_head : (head + 1) * d_head] = 0
    return own


def cases(generator: Generator) -> Cases:
    middle, first, last = "a head in the middle", "the first head", "the last head"
    for kind in (middle, first, last, middle):
        draw = Draw(generator, "batch position heads d_head", (3, 5, 7, 11), kind)
        draw.sizes |= {"batch": 1} if kind == last else {}
        head = 0 if kind == first else draw["heads"] - 1
        if kind == middle:  # not head 1, which is its own square
            less, more = sorted((draw["heads"], draw["d_head"]))
            draw.sizes |= {"heads": more, "d_head": less}
            head = int(torch.randint(2, more - 1, (), generator=generator))
        context = draw("batch position heads d_head").flatten(2) + 0.5
        yield draw.case(context=context, head=head, num_heads=draw["heads"])


EXERCISE = written(
    switch_off,
    same_as=multi_head.switch_off,
    title="Switch off a head",
    task="Return the context with 0 in the features of one head, and everything else as it was.",
    level="easy, 4 minutes",
    returns="context: position d_model",
    cases=cases,
    mistakes="""
    counted_from_one: head * d_head : (head + 1) * d_head ⇒ max(head - 1, 0) * d_head : head * d_head
        “You have switched off the head before the one that was asked for. Heads are counted from 0.”
    all_others: context - result
        “You have switched off all the other heads: only the one that should be silent still speaks.”
    interleaved: head * d_head : (head + 1) * d_head ⇒ head::num_heads
        “Your zeros are num_heads apart. The features of one head are neighbors.”
    num_heads_wide: * d_head ⇒ * num_heads
        “Your zeros run over num_heads features; a head is d_model / num_heads wide.”
    one_feature: head * d_head : (head + 1) * d_head ⇒ head
        “A single feature is 0 in your context, the one with the head's number; a head has d_head of them.”
    from_here_on: : (head + 1) * d_head ⇒ :
        “Your zeros begin at the right feature, but run on to the last one: the heads after it are off as well.”
    a_position: [..., head * d_head : (head + 1) * d_head] ⇒ [:, head % context.shape[1]]
        “You have silenced a word in all heads: your zeros fill a position, not a head's features.”
    left_out: return own ⇒ return torch.cat((own[..., : head * d_head], own[..., (head + 1) * d_head :]), dim=-1)
        “Your context is narrower than before: the head was cut out, and W_O would no longer fit.”
    average_instead: = 0 ⇒ = own[..., head * d_head : (head + 1) * d_head].mean((0, 1))
        “You have put the head's average over all words in its place: it still speaks, but says the same to every word.
        It should be 0.”
    """,
    also_right="""
    times a mask: context * (torch.arange(context.shape[-1]) // (context.shape[-1] // num_heads) != head)
    through the heads:
        context.unflatten(-1, (num_heads, -1)).mul((torch.arange(num_heads) != head)[:, None]).flatten(2)
    index_fill: context.unflatten(-1, (num_heads, -1)).index_fill(2, torch.tensor(head), 0.0).flatten(2)
    """,
    again="""
    own = context.clone() ⇒ own = torch.zeros_like(context)
    own[..., head * d_head : (head + 1) * d_head] = 0 ⇒
        features = slice(head * d_head, (head + 1) * d_head)
        own[..., features] = context[..., features]
        “This time keep that head alone, and put 0 in the features of all others.”
        Not here: num_heads_wide left_out
    """,
    hints="""
    - Which features belong to head 0? To head 1? Write down the numbers of a head's first and last feature.
    - With d_head = d_model // num_heads the head has the features from head · d_head to (head + 1) · d_head.
    - `own = context.clone()` makes a copy that you may change; then `own[..., start:stop] = 0`.
    """,
    explanation="""
    With 0 for its context the head adds nothing to the output, whatever its rows of W_O are. The other heads are
    unchanged. `edit` takes such a function and calls it inside the running encoder.
    """,
)
