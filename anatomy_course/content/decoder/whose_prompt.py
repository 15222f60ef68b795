"""Notebook 05: the keys of layer 0, leaked, and nothing else: which text was read?"""

from collections.abc import Callable

import torch
from torch.nn import functional as F

from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, normal, written
from anatomy_utils.nn.positions import RotaryPositions


def whose_prompt(cached: Tensor, token_table: Tensor, norm, key_weight: Tensor, turn) -> Tensor:
    """cached (heads, position, d_head): the keys that layer 0 keeps, each turned to its position,
    from 0 on. token_table (vocab_size, d_model); norm(vectors): the norm before layer 0;
    key_weight (d_model, heads · d_head); turn(vectors, positions): turns vectors (heads, position,
    d_head) to these positions, (position,) → the ids that were read, (position,)."""
    heads, length, d_head = cached.shape
    straight = turn(cached, -torch.arange(length))
    made = (norm(token_table) @ key_weight).unflatten(-1, (heads, d_head)).transpose(0, 1)
    return torch.cdist(straight, made).sum(dim=0).argmin(dim=-1)


def cases(generator: Generator) -> Cases:
    for kind, vocab_size, length in (("a text", 211, 13), ("a longer text", 601, 97), ("one token", 397, 1)):
        seed = int(torch.randint(10**6, (1,), generator=generator))
        arguments = {"vocab_size": vocab_size, "length": length, "seed": seed}
        yield Case(arguments, kind, {"vocab_size": vocab_size, "position": length})


def drive(answer: Callable[..., object], vocab_size: int, length: int, seed: int) -> object:
    """Which tokens an answer reads from the cache of a hidden model, kept in 16 bits."""
    generator, rotary, vocab_size = torch.Generator().manual_seed(seed), RotaryPositions(4), max(2, vocab_size)
    input_ids = torch.randint(vocab_size, (length,), generator=generator)
    input_ids[1::7] = 0
    token_table = normal(generator, vocab_size, 19) * (0.3 + torch.rand(vocab_size, 1, generator=generator))
    gain, key_weight = 0.5 + torch.rand(19, generator=generator), normal(generator, 19, 8) / 16
    token_table[:, 0], key_weight[0] = 4, -0.6  # all keys share a direction, as in trained models

    def turn(vectors: Tensor, positions: Tensor) -> Tensor:
        return rotary(positions)(vectors[None])[0]

    def norm(vectors: Tensor) -> Tensor:
        return F.rms_norm(vectors, gain.shape, gain)

    keys = (norm(token_table[input_ids]) @ key_weight).unflatten(-1, (2, 4)).transpose(0, 1)
    cached = turn(keys, torch.arange(len(input_ids))).to(torch.float16).float()
    found = answer(cached, token_table.clone(), norm, key_weight.clone(), turn)
    if not isinstance(found, Tensor) or found.shape != input_ids.shape:
        got = tuple(found.shape) if isinstance(found, Tensor) else type(found).__name__
        return Objection("ids", f"One id for each position is wanted, a tensor of shape (position,); yours: {got}.")
    return (found.long(),)


EXERCISE = written(
    whose_prompt,
    title="Whose prompt was this?",
    task="Recover a text's tokens from the keys that layer 0 has cached.",
    level="hard, 10 minutes",
    returns="ids: position",
    cases=cases,
    observe=drive,
    mistakes="""
    still_turned: turn(cached, -torch.arange(length)) ⇒ cached
        “The first token is right, and hardly another: the cached keys are still turned to their positions.”
    turned_twice: turn(cached, -torch.arange(length)) ⇒ turn(cached, torch.arange(length))
        “You turn the keys further in the direction in which they were turned already; turn them back.”
    from_one: -torch.arange(length) ⇒ -torch.arange(1, length + 1)
        “You turn each key back by one position too many: the first one is at position 0.”
    no_norm: norm(token_table) ⇒ token_table
        “You make keys of the tokens' vectors as they are; layer 0 reads them through its norm.”
    products: torch.cdist(straight, made).sum(dim=0).argmin(dim=-1) ⇒ (straight @ made.mT).sum(dim=0).argmax(dim=-1)
        “You take the token whose key has the largest dot product with the cached one. A long key wins against the right
        one; look for the nearest.”
    farthest: argmin ⇒ argmax
        “You take the token whose keys are farthest away.”
    scrambled: .unflatten(-1, (heads, d_head)).transpose(0, 1) ⇒ .reshape(heads, -1, d_head)
        “The keys that you make of the tokens are cut into heads the wrong way: a `reshape` mixes tokens and heads.”
    """,
    also_right="""
    all heads at once:
        (norm(token_table) @ key_weight).unflatten(-1, (heads, d_head)).transpose(0, 1) ⇒ norm(token_table) @ key_weight
        torch.cdist(straight, made).sum(dim=0) ⇒ torch.cdist(straight.transpose(0, 1).flatten(1), made)
    every token at every position:
        straight = turn(cached, -torch.arange(length)) ⇒ found = []
        return torch.cdist(straight, made).sum(dim=0).argmin(dim=-1) ⇒
            for position in range(length):
                turned = turn(made, torch.full((made.shape[1],), position))
                found.append((turned - cached[:, position, None]).square().sum((0, 2)).argmin())
            return torch.stack(found)
    squares: torch.cdist(straight, made).sum(dim=0) ⇒ torch.cdist(straight, made).square().sum(dim=0)
    """,
    hints="""
    - In layer 0 nothing has been mixed yet: a key depends on its token and its position alone. You know the position.
    - Turn the cached keys back, by the negative of their positions. Then make the key of each token of the vocabulary:
      the norm, then W_K, cut into heads.
    - `torch.cdist(straight, made)` gives the distances, (heads, position, vocab_size). Add up the heads; the nearest
      token is `argmin(dim=-1)`.
    """,
    explanation="""
    A cache is not a summary, it is the text in another form. From layer 1 on a key depends on all tokens before it, so
    there is no list of possible keys; but the tokens can be guessed from left to right, one vocabulary at a time.
    """,
)
