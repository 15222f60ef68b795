"""Notebook 05: which heads of a hidden model are induction heads? The learner chooses the texts and the measure."""

from collections.abc import Callable

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, written


def induction_heads(run, vocab_size: int) -> Tensor:
    """run(input_ids), with up to 120 ids (position,) from 0 to vocab_size − 1 → what all heads of a
    hidden model look at: weights (layers, heads, query, key). Call it with texts of your choice
    → bool (layers, heads): True for each induction head. Where its token has come before, such a
    head gives at least half of its weight to what came after it. Others may look at the same place
    for a reason of their own."""
    half = torch.randperm(vocab_size)[:30]
    text = torch.cat([half, half])
    control = torch.randperm(vocab_size)[:60]
    found = run(text).diagonal(-29, -2, -1).mean(dim=-1)
    anyway = run(control).diagonal(-29, -2, -1).mean(dim=-1)
    return found - anyway > 0.3


KINDS = [
    *["induction"] * 3,
    *["half a text back", "the same token", "the one before"] * 2,
    *["itself", "the first", "everything"] * 2,
    *["induction with a quarter of its weight"] * 3,
]


SHAPES = ((3, 6), (6, 3), (2, 9))
"""Layers and heads of a hidden model."""


def cases(generator: Generator) -> Cases:
    for number, vocab_size in enumerate((101, 151, 211)):
        seed = int(torch.randint(10**6, (1,), generator=generator)) * 3 + number
        yield Case({"vocab_size": vocab_size, "seed": seed}, "a hidden model", {"vocab_size": vocab_size})


def weights_of(kind: str, ids: Tensor, strength: Tensor) -> Tensor:
    """Where a head of this kind looks in a text, (query, key); most heads have something left for the first token."""
    length = len(ids)
    back = torch.arange(length)[:, None] - torch.arange(length)
    before = torch.cat([torch.tensor([-1]), ids[:-1]])
    aims = {
        "induction": (before == ids[:, None]) & (back >= 0),
        "induction with a quarter of its weight": (before == ids[:, None]) & (back >= 0),
        "half a text back": back == length // 2 - 1,
        "the same token": (ids == ids[:, None]) & (back > 0),
        "the one before": back == 1,
        "itself": back == 0,
        "the first": torch.arange(length).expand(length, -1) == 0,
        "everything": back >= 0,
    }
    aim, rest = aims[kind].float(), (back >= 0).float()
    rest = rest / rest.sum(-1, keepdim=True) / 2
    rest[:, 0] += 0.5
    if "quarter" in kind:  # the largest weight of its row nevertheless
        strength, rest = torch.tensor(0.25), (back >= 0) / (back >= 0).sum(-1, keepdim=True)
    share = strength * (aim.sum(-1, keepdim=True) > 0)
    return share * aim / aim.sum(-1, keepdim=True).clamp(min=1) + (1 - share) * rest


def drive(answer: Callable[..., object], vocab_size: int, seed: int) -> object:
    """Which heads of a hidden model an answer names."""
    generator, vocab_size = torch.Generator().manual_seed(seed), max(100, vocab_size)
    kinds = torch.randperm(len(KINDS), generator=generator).view(SHAPES[seed % 3])
    strengths = 0.55 + 0.4 * torch.rand(kinds.shape, generator=generator)

    def run(input_ids: Tensor) -> Tensor:
        ids = input_ids.flatten()
        if len(ids) != len(input_ids) or len(ids) > 120:
            raise ValueError("run takes one text of up to 120 ids, (position,).")
        heads = zip(kinds.flatten().tolist(), strengths.flatten(), strict=True)
        weights = torch.stack([weights_of(KINDS[kind], ids, strength) for kind, strength in heads])
        return weights.unflatten(0, kinds.shape)

    found = answer(run, vocab_size)
    if not isinstance(found, Tensor) or found.shape != kinds.shape or found.dtype != torch.bool:
        given = (
            f"a {str(found.dtype)[6:]} tensor of shape {tuple(found.shape)}" if isinstance(found, Tensor) else "none"
        )
        said = f"A bool tensor (layers, heads) is wanted, here {tuple(kinds.shape)}; what you return is"
        return Objection("heads", f"{said} {given}.")
    return (found.int(),)


EXERCISE = written(
    induction_heads,
    title="Which heads are they?",
    task="Find the induction heads of a hidden model: choose what it reads, what you measure, and against what.",
    level="hard, 10 minutes",
    returns="heads found: layer head",
    cases=cases,
    observe=drive,
    mistakes="""
    no_control: found - anyway > 0.3 ⇒ found > 0.3
        “All induction heads are there, and others with them that look half a text back whatever the text is. Run a
        control in which nothing returns, or let the second copy begin elsewhere than in the middle.”
    less_than_half: found - anyway > 0.3 ⇒ found - anyway > 0.1
        “All induction heads are there, and others with them that give less than half of their weight, even if it is
        the largest weight of the row.”
    no_repeat: found - anyway > 0.3 ⇒ anyway > 0.3
        “What you name are heads that look half a text back in any text. For an induction head, something must return.”
    the_same_token: diagonal(-29 ⇒ diagonal(-30
        “What you name are heads that look at the earlier copy of their own token. An induction head looks at what came
        after it, one place further on.”
    the_one_before: found - anyway > 0.3 ⇒ run(text).diagonal(-1, -2, -1).mean(dim=-1) > 0.3
        “What you name are heads that look at the token before. Induction needs one, but is not done by it.”
    the_first: found - anyway > 0.3 ⇒ run(control)[..., 0].mean(dim=-1) > 0.6
        “What you name are heads that look at the first token, whatever the text is.”
    one_token: torch.cat([half, half]) ⇒ torch.zeros(60, dtype=torch.long)
        “No head stands out in what you measure. Does your text hold pairs A B that return, does each token return only
        once, and do you measure there alone, at the key after the copy? (In a text of one token, everything matches.)”
    the_strongest: found - anyway > 0.3 ⇒ found - anyway == (found - anyway).amax()
        “You name the strongest one alone, and there are more.”
    turned_round: found - anyway > 0.3 ⇒ found - anyway <= 0.3
        “You name exactly those that are none.”
    """,
    also_right="""
    not in the middle:
        half, extra = torch.randperm(vocab_size)[:50].split([30, 20])
        return run(torch.cat([half, extra, half])).diagonal(-49, -2, -1).mean(dim=-1) > 0.4
    shuffled:
        text = torch.cat([half, half]) ⇒ text = torch.cat([half, half[torch.randperm(30)]])
        found - anyway > 0.3 ⇒ found > 0.3
        found = run(text).diagonal(-29, -2, -1).mean(dim=-1) ⇒
            wanted = (text[:, None] == torch.cat([text[:1] - 999, text[:-1]])).tril()[30:]
            found = (run(text)[..., 30:, :] * wanted).sum(-1).mean(-1)
    two thresholds: found - anyway > 0.3 ⇒ (found > 0.3) & (anyway < 0.3)
    """,
    hints="""
    - A text in which every pair returns: random tokens, twice. At the second copy of A, the head should look at what
      came after the first one. How many places back is that?
    - With n tokens twice it is n − 1 places back: `run(text).diagonal(1 - n, -2, -1).mean(-1)`. Now who else could look
      there? Run the same measure on a text of the same length in which nothing returns.
    - `text = torch.cat([half, half])`, `control = torch.randperm(vocab_size)[:60]`, and the difference of the two
      measures above 0.3.
    """,
    explanation="""
    A head that looks at the right place once may do so for another reason: because it is half a text back, say. The
    control takes away what the claim needs, the repetition, and leaves the rest: what is still there was not induction.
    """,
)
