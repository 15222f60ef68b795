"""Notebook 02: other values under the same map, so that one word gets the opposite and no other word notices."""

from collections.abc import Callable

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Objection, Output, Tensor, written


def forge_values(weights: Tensor, value: Tensor, word: int) -> Tensor:
    """weights (query, key) of one head, as many keys as queries, rows independent of each other;
    value (key, d_head) → other values (key, d_head). Under the same weights, the output of `word`
    must be the opposite of what it was (times −1), and the outputs of all other words exactly what
    they were."""
    wanted = weights @ value
    wanted[word] = -wanted[word]
    return torch.linalg.solve(weights, wanted)


def cases(generator: Generator) -> Cases:
    for kind in ("a head of few words", "a head that looks at one key from all words", "a longer sentence"):
        draw = Draw(generator, kind=kind, among=(3, 5, 7))
        words = draw["words"] + (6 if kind == "a longer sentence" else 0)
        draw.sizes["words"] = words
        value = draw("words d_head") + 0.5
        scores = draw("words words") + 3 * torch.eye(words)
        word = int(torch.randint(1, words, (), generator=generator))
        if kind == "a head that looks at one key from all words":
            scores[:, 0] += 1.0
            scores[word, 0] = scores[word].amax() + 0.3
        yield draw.case(weights=scores.softmax(-1), value=value, word=word)


def drive(answer: Callable[..., object], weights: Tensor, value: Tensor, word: int) -> tuple[Tensor, ...] | Objection:
    """What the forged values do under the map that stays: to the word, and to all others."""
    before, given = weights @ value, value.clone()
    found = answer(weights, value, word)
    if not isinstance(found, Tensor) or found.shape != given.shape:
        shape = tuple(found.shape) if isinstance(found, Tensor) else type(found).__name__
        return Objection("shape", f"Return the values alone, of shape {tuple(given.shape)}; yours is {shape}.", shape)
    after = weights @ found.to(weights)
    others = torch.arange(len(weights)) != word
    return after[word] / before[word].norm(), (after - before)[others] / before.norm()


EXERCISE = written(
    forge_values,
    title="Forge the evidence",
    task="Change a head's values so that one word gets the opposite, while the map and all other words stay the same.",
    level="hard, 8 minutes",
    returns=(Output("output of the word", "d_head"), Output("change of the other words", "query d_head")),
    cases=cases,
    observe=drive,
    mistakes="""
    all_opposite: -value
        “All words get the opposite, not just this one. The others must not notice.”
    own_value: torch.where((torch.arange(len(value)) == word)[:, None], -value, value)
        “You have turned the value *of* this word. What a word gets comes from all the keys that it looks at.”
    favorite_value: torch.where((torch.arange(len(value)) == weights[word].argmax())[:, None], -value, value)
        “You have turned the value of the key that the word looks at most. The word keeps the rest, and every other word
        that looks there notices.”
    along_own_row: value - 2 * torch.outer(weights[word], weights[word] @ value) / weights[word].square().sum()
        “The word gets its opposite, but you have moved all values along its own weights, and other words look at these
        keys too: they notice.”
    to_zero: wanted[word] = -wanted[word] ⇒ wanted[word] = 0
        “The other words notice nothing, but this one gets nothing in place of the opposite.”
    transposed: solve(weights, wanted) ⇒ solve(weights.T, wanted)
        “Your values fit the map read the other way round, as if its rows were the keys.”
    transposed_for_inverse: torch.linalg.solve(weights, wanted) ⇒ weights.T @ wanted
        “You multiply by the transposed weights. They would undo a rotation; what undoes weights is their inverse.”
    output_as_value: torch.linalg.solve(weights, wanted) ⇒ wanted
        “You return the outputs that are wanted. Values still have to pass through the weights to become outputs.”
    only_the_change: torch.linalg.solve(weights, wanted) ⇒ torch.linalg.solve(weights, wanted) - value
        “You return what has to be added to the values; add it to them.”
    """,
    also_right="""
    the inverse: torch.linalg.inv(weights) @ torch.where(
            (torch.arange(len(weights)) == word)[:, None], -weights @ value, weights @ value
        )
    one column of the inverse: value - 2 * torch.outer(torch.linalg.inv(weights)[:, word], weights[word] @ value)
    least squares: torch.linalg.solve(weights, wanted) ⇒ torch.linalg.lstsq(weights, wanted).solution
    """,
    hints="""
    - Write down the table of outputs that you want: as it was, one row with the opposite sign. Which values give it?
    - outputs = weights @ values. The weights are known, the outputs are wanted: that is a system of linear equations.
    - `wanted = weights @ value`, `wanted[word] = -wanted[word]`, then `torch.linalg.solve(weights, wanted)`.
    """,
    explanation="""
    As long as the rows of a map are independent, any table of outputs has values that make it. So a map by itself says
    nothing about what arrives: with the right values it serves for everything, and for its opposite.
    """,
)
