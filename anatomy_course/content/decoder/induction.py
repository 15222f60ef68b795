"""Notebook 05: an induction circuit, set by hand and judged by what it says on texts that it has never seen."""

from collections.abc import Callable

import torch

from anatomy_course.content.writing import Case, Cases, Generator, Objection, Tensor, written
from anatomy_utils.functional.attention import scaled_dot_product_attention
from anatomy_utils.functional.masks import causal


# fmt: off
def induction(vocab_size: int, length: int) -> list[tuple[Tensor, Tensor, Tensor, Tensor]]:
    """Two layers of one head each → [(W_Q, W_K, W_V, W_O) of layer 0, the same of layer 1].
    W_Q, W_K and W_V have as many rows as the stream has features, W_O as many columns; how wide
    the head is in between is up to you. The stream's features, in this order:
    token (vocab_size: 1 at the token's id), place (length: 1 at the position's number),
    free (vocab_size, all 0 at first), logits (vocab_size, all 0 at first; read at the top)."""
    features = torch.eye(3 * vocab_size + length)
    token, place, free, logits = features.split([vocab_size, length, vocab_size, vocab_size])
    previous = 20 * length ** 0.5 * place.T, place.roll(1, 0).T, token.T, free
    matches = 20 * vocab_size ** 0.5 * token.T, free.T, token.T, 20 * logits
    return [previous, matches]
# fmt: on


KINDS = ("a text that comes twice", 13, 5), ("A B … A", 17, 7), ("a large vocabulary", 61, 4), ("a long text", 61, 24)
"""Vocabulary, and how many tokens there are before any comes again."""


def cases(generator: Generator) -> Cases:
    for kind, vocab_size, half in KINDS:
        sizes = {"vocab_size": vocab_size, "length": 2 * half + 1}
        seed = int(torch.randint(10**6, (1,), generator=generator))
        yield Case({**sizes, "twice": "twice" in kind, "seed": seed}, kind, sizes)


def texts(vocab_size: int, half: int, twice: bool, seed: int) -> Tensor:
    """Twelve texts: <bos>, tokens, and the same tokens again, in another order unless `twice`."""
    generator, made = torch.Generator().manual_seed(seed), []
    for _ in range(12):
        first, order = 1 + torch.randperm(vocab_size - 1, generator=generator)[:half], torch.arange(half)
        while not twice and ((order.diff() == 1).any() or order[0] == half - 1 or order[0] == 0):
            order = torch.randperm(half, generator=generator)
        made.append(torch.cat([torch.zeros(1, dtype=torch.long), first, first[order]]))
    return torch.stack(made)


def drive(answer: Callable[[int, int], object], vocab_size: int, length: int, twice: bool, seed: int) -> object:
    """What follows each token that was there before, and where the two heads look: −1 where nothing has 0.9.

    A token that is not B counts as said if it is twice as likely as any other.
    """
    half = max(4, length // 2)
    vocab_size, length = max(half + 1, vocab_size), 2 * half + 1
    input_ids, width = texts(vocab_size, half, twice, seed), 3 * vocab_size + length
    layers = answer(vocab_size, length)
    if wrong := off(layers, width):
        return Objection("weights", wrong)
    stream = torch.cat([torch.eye(vocab_size)[input_ids], torch.eye(length).expand(len(input_ids), -1, -1)], dim=-1)
    stream = torch.cat([stream, torch.zeros(*input_ids.shape, 2 * vocab_size)], dim=-1)
    looks: list[Tensor] = []
    for query, key, value, output in layers:  # type: ignore[attr-defined]
        asked, found, brought = (stream @ weight.float() for weight in (query, key, value))
        context, weights = scaled_dot_product_attention(asked, found, brought, causal(length))
        stream, looks = stream + context @ output.float(), [*looks, clear(weights)[:, half + 1 :]]
    told = stream[:, half + 1 :, -vocab_size:].softmax(-1)
    places = (input_ids[:, None, 1 : half + 1] == input_ids[:, half + 1 :, None]).int().argmax(-1) + 1
    wanted = input_ids.gather(1, places + 1)
    best, (first, second) = told.argmax(-1), told.topk(2).values.unbind(-1)
    said = best.where((first > 2 * second) & (best != wanted), clear(told))
    if torch.equal(said, wanted):  # however it does it
        return *[torch.full_like(said, -2)] * 2, said
    return *looks, said.where(looks[-1] != -1, -1)  # what it looks at comes before how large logits are


def clear(shares: Tensor) -> Tensor:
    """The largest of each row, where it has more than 0.9; −3 where all are alike."""
    best = shares.argmax(-1).where(shares.amax(-1) > 0.9, -1)
    return best.where(shares.amax(-1) > shares.amin(-1), -3)


def off(layers: object, width: int) -> str:
    """What keeps these weights from being two heads, in a sentence."""
    sized = (list, tuple)
    if not isinstance(layers, sized) or [len(each) for each in layers if isinstance(each, sized)] != [4, 4]:
        return "Two layers are wanted, each with four weights: [(W_Q, W_K, W_V, W_O), (W_Q, W_K, W_V, W_O)]."
    for number, layer in enumerate(layers):
        q, k, v, o = (tuple(weight.shape) for weight in layer)
        if (len(q), len(k), len(v), len(o)) != (2,) * 4 or (q[0], k, v[0], o) != (width, q, width, (v[1], width)):
            return (
                f"In layer {number}, W_Q, W_K, W_V and W_O have the shapes {q}, {k}, {v} and {o}. The stream has "
                f"{width} features: W_Q, W_K and W_V need {width} rows, W_O {width} columns, and the widths in between "
                "must agree."
            )
    return ""


EXERCISE = written(
    induction,
    title="Induction by hand",
    task="Set the weights of two heads so that after “A B … A” B gets a probability above 0.9, wherever they were.",
    level="hard, 15 minutes",
    returns="keys of layer 0: text position; keys of layer 1: text position; predictions: text position",
    cases=cases,
    observe=drive,
    mistakes="""
    copies_itself: free.T, token.T, 20 ⇒ token.T, token.T, 20
        “Your layer 1 matches the token with the token: it finds the earlier A, not what came after it, and says A
        again.”
    next_token: place.roll(1, 0).T ⇒ place.roll(-1, 0).T
        “Your layer 0 looks for the position after its own, which the mask hides. Then nothing stands out, and it takes
        a little of everything.”
    stays: place.roll(1, 0).T ⇒ place.T
        “In layer 0, each position looks at itself, so its free features hold its own token, not the one before.”
    overwritten: token.T, free ⇒ token.T, token
        “Your layer 0 adds the token before to the token's own features: layer 1 can no longer tell the two apart.”
    previous_copied: free.T, token.T, 20 ⇒ free.T, free.T, 20
        “Layer 1 finds the right position and copies its free features. They hold A, the token before; B is in the
        position's token features.”
    asks_with_free: vocab_size ** 0.5 * token.T, free.T ⇒ vocab_size ** 0.5 * free.T, token.T
        “Query and key of layer 1 have changed sides: it looks for the token before the second A, not for what came
        after the first one.”
    both_free: vocab_size ** 0.5 * token.T ⇒ vocab_size ** 0.5 * free.T
        “Layer 1 compares the token before with the token before, so each position finds itself.”
    by_place (copies_itself):
        vocab_size ** 0.5 * token.T, token.T, token.T, 20 ⇒
            length ** 0.5 * place.T, place.roll(length // 2 - 1, 0).T, token.T, 20
        “Your layer 1 looks back a fixed number of places. That is right for a text that comes twice in the same order,
        and wrong where A returns somewhere else.”
    not_sharp:
        20 * length ** 0.5 * ⇒
        20 * vocab_size ** 0.5 * ⇒
        “Your heads look at the right places, but hardly more than at others: after the softmax, no weight is above 0.9.
        Scores must be far apart.”
    faint: 20 * logits ⇒ logits
        “Your heads find B, but its logit is only 1 above the others: after the softmax, B has less than 0.9.”
    no_copy: 20 * logits ⇒ 20 * free
        “Your heads look at the right places, but nothing arrives in the logits: W_O of layer 1 writes somewhere else.”
    one_layer: [previous, matches] ⇒ [matches, previous]
        “Your two layers have changed places: when layer 1's work is done first, nobody has yet written down what came
        before.”
    """,
    also_right="""
    sharp keys:
        20 * length ** 0.5 * place.T, place.roll(1, 0).T ⇒ place.roll(-1, 0).T, 20 * length ** 0.5 * place.T
    number by number:
        previous = 20 * length ** 0.5 * place.T, place.roll(1, 0).T, token.T, free ⇒
            asked, found = torch.zeros(len(features), length), torch.zeros(len(features), length)
            for number in range(1, length):
                asked[vocab_size + number, number] = 9 * length
                found[vocab_size + number - 1, number] = 1
            previous = asked, found, token.T, free
    places as logits: 20 * logits ⇒ 35 * logits
    """,
    hints="""
    - Layer 0 lets every position write down which token came before it. Layer 1 asks with its own token: who has it
      written down?
    - Rows of `torch.eye(3 * vocab_size + length)` choose features: call them `token, place, free, logits = ….split(
      [vocab_size, length, vocab_size, vocab_size])`. Then W_V = `token.T` gives a head the token, and W_O = `free`
      writes into the free features. Layer 0: the query is the place, the key is the place, moved by one.
    - Layer 1: the query is `token.T`, the key `free.T`, the value `token.T`, and W_O is `logits`. For a sharp softmax
      multiply each query by about 20 and the root of its width, which attention divides by (√length in layer 0,
      √vocab_size in layer 1), and the last W_O by 20.
    """,
    explanation="""
    Layer 0 writes “the token before me was A” where B is; layer 1 searches for exactly that and copies B. The one reads
    what the other wrote into the stream, so two layers are needed. This is the circuit that Elhage et al. 2021 and
    Olsson et al. 2022 found in trained models.
    """,
)
