"""Notebook 02: two heads picked out of a layer by its matrices alone."""

from collections.abc import Callable

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Objection, Output, Tensor, written


def pick_heads(
    query_weight: Tensor, key_weight: Tensor, value_weight: Tensor,
    output_weight: Tensor, vectors: Tensor,
) -> tuple[int, int]:  # fmt: skip
    """W_Q, W_K and W_V (heads, d_model, d_head) and W_O (heads, d_head, d_model) of each head, and
    the vectors (word, d_model) of many words → two heads, counted from 0: the one in which words
    match themselves best among all words, and the one that copies: what it passes on of a word
    points to that word's own vector, and to no other."""
    matches = vectors @ query_weight @ key_weight.mT @ vectors.T  # head query key
    written = vectors @ value_weight @ output_weight @ vectors.T  # head word word
    own = torch.arange(len(vectors))
    finds = (matches.argmax(dim=-1) == own).float().mean(dim=-1)
    copies = (written.argmax(dim=-1) == own).float().mean(dim=-1)
    return int(finds.argmax()), int(copies.argmax())


def cases(generator: Generator) -> Cases:
    for kind in ("a layer of small heads", "a layer with long matrices", *["a layer"] * 9):
        draw = Draw(generator, kind=kind, heads=7, d_head=11, words=23)
        heads, d_head, d_model = 7, 11, 13
        query, value = (draw("heads 13 d_head") / d_model**0.5 for _ in range(2))
        key, output = draw("heads 13 d_head") / d_model**0.5, draw("heads d_head 13") / d_head**0.5
        finder, copier, stranger, opposite = torch.randperm(heads, generator=generator)[:4].tolist()
        key[finder], output[copier] = query[finder], value[copier].T
        key[stranger], output[opposite] = -4 * query[stranger], -4 * value[opposite].T
        *loud, half = (head for head in range(heads) if head not in (finder, copier, stranger, opposite))
        key[half] = 5 * (0.4 * query[half] + 0.8 * key[half])  # does both badly, in large numbers
        output[half] = 5 * (0.4 * value[half].T + 0.8 * output[half])
        query[loud[0]] *= 9  # the largest scores, and the longest outputs, are of heads that do neither
        value[loud[1]] *= 9
        query[finder] *= 0.5
        value[copier] *= 0.5
        vectors = torch.nn.functional.normalize(draw("words 12"), dim=-1) * 3
        # All words have one feature in common. Only one head reads it, and writes it: like each word, and every other.
        vectors = torch.cat([4.5 + 0.2 * draw("words 1"), vectors], dim=-1)
        query[:, 0], key[:, 0], value[:, 0], output[:, :, 0] = 0, 0, 0, 0
        value[loud[0]], output[loud[0]] = 0, 0
        value[loud[0], 0], output[loud[0], :, 0] = 0.08, 0.08
        mix = draw("heads d_head d_head") + 3 * torch.eye(d_head)  # a head's features may be mixed, if mixed back
        query, key = query @ mix, key @ torch.linalg.inv(mix).mT
        if kind == "a layer with long matrices":
            query, value = 5 * query, 5 * value
        yield draw.case(query_weight=query, key_weight=key, value_weight=value, output_weight=output, vectors=vectors)


def drive(answer: Callable[..., object], *arguments: Tensor) -> tuple[Tensor, ...] | Objection:
    """The two heads as numbers."""
    found = answer(*arguments)
    try:
        first, second = (int(each) for each in found)  # type: ignore[attr-defined]
    except (TypeError, ValueError, RuntimeError):
        return Objection("two", f"Return two heads, as two whole numbers; yours is a {type(found).__name__}.")
    return torch.tensor(float(first)), torch.tensor(float(second))


EXERCISE = written(
    pick_heads,
    title="Which of these heads?",
    task="Find the head in which words match themselves, and the head that copies, from the matrices alone.",
    level="hard, 10 minutes",
    returns=(Output("matching head"), Output("copying head")),
    cases=cases,
    observe=drive,
    stages="""
    matches
    copies: written
    """,
    mistakes="""
    swapped: int(finds.argmax()), int(copies.argmax()) ⇒ int(copies.argmax()), int(finds.argmax())
        “You have found both heads, but you return them in the wrong order: first the one that matches, then the one
        that copies.”
    largest:
        finds = (matches.argmax(dim=-1) == own).float().mean(dim=-1) ⇒ finds = matches.abs().mean(dim=(1, 2))
        copies = (written.argmax(dim=-1) == own).float().mean(dim=-1) ⇒ copies = written.abs().mean(dim=(1, 2))
        “You have found the heads with the largest numbers. A head can be loud about anything: compare what a word has
        to do with itself and what it has to do with others.”
    sign_lost:
        matches = vectors @ query_weight @ key_weight.mT @ vectors.T ⇒
            matches = (vectors @ query_weight @ key_weight.mT @ vectors.T).abs()
        written = vectors @ value_weight @ output_weight @ vectors.T ⇒
            written = (vectors @ value_weight @ output_weight @ vectors.T).abs()
        finds = (matches.argmax(dim=-1) == own).float().mean(dim=-1) ⇒
            finds = matches.diagonal(dim1=1, dim2=2).mean(dim=-1)
        copies = (written.argmax(dim=-1) == own).float().mean(dim=-1) ⇒
            copies = written.diagonal(dim1=1, dim2=2).mean(dim=-1)
        “You have found heads that do the very opposite: in one, words match themselves least, and the other one writes
        minus the word. The sign counts.”
    own_alone:
        finds = (matches.argmax(dim=-1) == own).float().mean(dim=-1) ⇒
            finds = matches.diagonal(dim1=1, dim2=2).mean(dim=-1)
        copies = (written.argmax(dim=-1) == own).float().mean(dim=-1) ⇒
            copies = written.diagonal(dim1=1, dim2=2).mean(dim=-1)
        “A head whose numbers are all large wins with you, though its rows have larger ones elsewhere. Compare within a
        row: is a word's own number the largest?”
    like_all:
        copies = (written.argmax(dim=-1) == own).float().mean(dim=-1) ⇒
            copies = F.cosine_similarity(vectors @ value_weight @ output_weight, vectors, dim=-1).mean(dim=-1)
        “The head that matches is right. Yours that copies writes what all words have in common: that is like each
        word's own vector, and as like to all the others.”
    one_matrix:
        written = vectors @ value_weight @ output_weight @ vectors.T ⇒
            written = vectors @ value_weight @ value_weight.mT @ vectors.T
        “The head that matches is right. Yours that copies was found from W_V alone; what a head passes on goes through
        W_O as well.”
    from_one: int(finds.argmax()), int(copies.argmax()) ⇒ int(finds.argmax()) + 1, int(copies.argmax()) + 1
        “You count heads from 1; here they are counted from 0.”
    least: argmax()), int(copies.argmax()) ⇒ argmin()), int(copies.argmin())
        “You return the heads that do it least.”
    """,
    also_right="""
    ranks:
        own = torch.arange(len(vectors)) ⇒
        finds = (matches.argmax(dim=-1) == own).float().mean(dim=-1) ⇒
            finds = (matches < matches.diagonal(dim1=1, dim2=2)[..., None]).float().mean(dim=(1, 2))
        copies = (written.argmax(dim=-1) == own).float().mean(dim=-1) ⇒
            copies = (written < written.diagonal(dim1=1, dim2=2)[..., None]).float().mean(dim=(1, 2))
    probability of the word itself:
        finds = (matches.argmax(dim=-1) == own).float().mean(dim=-1) ⇒
            finds = F.normalize(matches, dim=-1).mul(9).softmax(dim=-1).diagonal(dim1=1, dim2=2).mean(dim=-1)
        copies = (written.argmax(dim=-1) == own).float().mean(dim=-1) ⇒
            copies = F.normalize(written, dim=-1).mul(9).softmax(dim=-1).diagonal(dim1=1, dim2=2).mean(dim=-1)
    how far the diagonal stands out:
        finds = (matches.argmax(dim=-1) == own).float().mean(dim=-1) ⇒
            finds = (matches.diagonal(dim1=1, dim2=2).mean(-1) - matches.mean((1, 2))) / matches.std((1, 2))
        copies = (written.argmax(dim=-1) == own).float().mean(dim=-1) ⇒
            copies = (written.diagonal(dim1=1, dim2=2).mean(-1) - written.mean((1, 2))) / written.std((1, 2))
    """,
    hints="""
    - Which product of two matrices tells what matches? Which one tells what is passed on? Both are d_model wide, so a
      word's vector can meet another word's through them.
    - `vectors @ query_weight @ key_weight.mT @ vectors.T` is a table (word, word) for each head. How often is the
      largest number of a row on the diagonal?
    - The share of such rows in each head: `(table.argmax(-1) == torch.arange(len(vectors))).float().mean(-1)`; the head
      is its `argmax()`. The same with W_V and W_O.
    """,
    explanation="""
    The two products tell what a head is made for before it has read a word: W_QK which words match, W_OV what a match
    brings. Large numbers alone tell nothing, and the sign makes the difference between a copy and its opposite.
    """,
)
