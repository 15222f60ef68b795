"""Notebook 04: rotary positions, which turn queries and keys."""

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Tensor, primes, written
from anatomy_utils.functional import positions


def rotary(vectors: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """Queries or keys (batch, heads, position, d_head);
    cosines and sines of the angles (position, d_head), where the second half of each row repeats
    the first → vectors of the same shape."""
    first, second = vectors.chunk(2, dim=-1)
    partners = torch.cat([-second, first], dim=-1)
    return vectors * cosines + partners * sines


def cases(generator: Generator) -> Cases:
    for kind in ("one head", "several heads", "a batch of texts"):
        batch, heads, position, pairs = primes(generator, 4, (2, 3, 5, 7))
        heads = 1 if kind == "one head" else heads
        batch = batch if kind == "a batch of texts" else 1
        frequencies = 10 ** (-torch.arange(pairs) / pairs)
        angles = (1 + torch.arange(position))[:, None] * frequencies
        arguments = {
            "vectors": torch.randn(batch, heads, position, 2 * pairs, generator=generator),
            "cosines": torch.cat((angles, angles), -1).cos(),
            "sines": torch.cat((angles, angles), -1).sin(),
        }
        yield Case(arguments, kind, {"batch": batch, "heads": heads, "position": position, "d_head": 2 * pairs})


EXERCISE = written(
    rotary,
    same_as=positions.rotary,
    title="Turn by the position",
    task="Turn each pair of features, i and i + d_head/2, by the angle of its position: (a, b) becomes (a·cos − b·sin, "
    "b·cos + a·sin).",
    level="medium, 5 minutes",
    returns="vectors: position d_head",
    cases=cases,
    stages="""
    partners of the features, with their signs: partners
    vectors times cosines: vectors * cosines
    partners times sines: partners * sines
    """,
    also_right="""
    half by half:
        a, b = vectors.chunk(2, dim=-1)
        cosine, sine = cosines[..., : a.shape[-1]], sines[..., : a.shape[-1]]
        new_a = a * cosine - b * sine
        new_b = b * cosine + a * sine
        return torch.cat((new_a, new_b), dim=-1)
    complex numbers:
        a, b = vectors.chunk(2, dim=-1)
        cosine, sine = cosines[..., : a.shape[-1]], sines[..., : a.shape[-1]]
        turned = torch.complex(a, b) * torch.complex(cosine, sine)
        return torch.cat((turned.real, turned.imag), dim=-1)
    roll:
        half = vectors.shape[-1] // 2
        signed = torch.cat((-sines[..., :half], sines[..., half:]), dim=-1)
        return vectors * cosines + torch.roll(vectors, half, dims=-1) * signed
    """,
    mistakes="""
    no_minus: -second ⇒ second
        “In your result a becomes a·cos + b·sin: a sign is wrong. That is not a rotation, because lengths change.”
    minus_on_the_wrong_half: [-second, first] ⇒ [-first, second]
        “Each of your features is mixed with itself, not with its partner, as if the halves were not swapped.”
    neighbors:
        vectors.chunk(2, dim=-1) ⇒ vectors.unflatten(-1, (-1, 2)).unbind(-1)
        torch.cat([-second, first], dim=-1) ⇒ torch.stack([-second, first], dim=-1).flatten(-2)
        “Your pairs are neighbors, 2i and 2i + 1. Some models pair them that way, but these angles are ordered for i and
        i + d_head/2.”
    overwritten (half by half): a * sine ⇒ new_a * sine
        “Your first half is right, but the second is computed from the first half's new numbers; it needs the old ones.”
    added: vectors * ⇒ vectors +
        “The cosines are added to your vectors; they should be multiplied.”
    first_half_only (half by half): (new_a, new_b) ⇒ (new_a, b)
        “The first half of your features is right; the second half is unchanged.”
    all_by_the_first_angle:
        * cosines ⇒ * cosines[:1]
        * sines ⇒ * sines[:1]
        “All your words are turned by the angle of the first position, so the order is lost.”
    turned_twice:
        return vectors * cosines + partners * sines ⇒
            vectors = vectors * cosines + partners * sines
            first, second = vectors.chunk(2, dim=-1)
            return vectors * cosines + torch.cat([-second, first], dim=-1) * sines
        “Your pairs are turned the right way, but by twice the angle.”
    """,
    again="""
    + partners * sines ⇒ - partners * sines
        “This time turn the other way round, by minus the angle.”
        Not here: no_minus minus_on_the_wrong_half
    """,
    hints="""
    - Each new feature is the old feature times a cosine, plus or minus the old feature's partner times a sine. Can you
      make a tensor that holds each feature's partner in that feature's place?
    - `first, second = vectors.chunk(2, dim=-1)`. The partners of the first half are the second half, with a minus;
      those of the second half are the first.
    - `partners = torch.cat([-second, first], dim=-1)`; then `vectors * cosines` and `partners * sines` are added.
    """,
    explanation="""
    A rotation changes no length. When query and key are both turned by their positions' angles, their dot product
    depends only on the difference of the angles, that is, on the offset.
    """,
)
