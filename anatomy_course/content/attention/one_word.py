"""Notebook 01: attention for one word, step by step."""

from anatomy_course.content.attention.shared import lift
from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, and_short, written


def attend_one_word(query_i: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """query_i (d_head), key (position, d_head), value (position, d_value) → context (d_value)."""
    scores = key @ query_i
    scaled_scores = scores / len(query_i) ** 0.5
    weights = scaled_scores.softmax(dim=-1)
    return weights @ value


def cases(generator: Generator) -> Cases:
    for kind in ("a sentence", "values of a single number", "a sentence with strong matches"):
        draw = Draw(generator, "position d_head d_value", kind=kind)
        if kind == "values of a single number":
            draw.sizes["d_value"] = 1  # a bare squeeze would lose the axis
        query_i, key, value = draw("d_head"), draw("position d_head"), draw("position d_value")
        if kind == "a sentence with strong matches":
            query_i *= 3
            lift(query_i, key, 144.0)
        yield draw.case(query_i=query_i, key=key, value=value)


EXERCISE = written(
    attend_one_word,
    title="Attention for one word",
    task="Take one word's query through the steps: score, scale, softmax, weight the values, sum.",
    level="medium, 6 minutes",
    returns="context: d_value",
    cases=and_short(cases, "position", "a sentence of one word"),
    stages="""
    scores
    scaled_scores
    weights
    weighted values: weights[:, None] * value
    """,
    mistakes="""
    no_scale: / len(query_i) ** 0.5 ⇒
        “Your context comes from weights that are too sharp: the scores went into the softmax as bare dot products.”
    no_root: ** 0.5 ⇒
        “Your context comes from weights that are too even: the scores were divided by d_head itself.”
    root_of_positions: len(query_i) ⇒ len(key)
        “Your scores were divided by the root of the number of words.”
    no_softmax: .softmax(dim=-1) ⇒
        “The values were weighted by the scaled scores themselves. Those are not weights: some are negative.”
    divided_again: result / len(key)
        “Your context is too small by the number of words: the weights already sum to 1.”
    hard: weights @ value ⇒ value[weights.argmax()]
        “Your context is the value of the best match alone; the other words have no part in it.”
    """,
    also_right="""
    word by word:
        scores = torch.stack([torch.dot(query_i, key_j) for key_j in key]) / len(query_i) ** 0.5
        return sum(weight * value_j for weight, value_j in zip(scores.softmax(0), value))
    einsum: torch.einsum("k,kv->v", (torch.einsum("d,kd->k", query_i, key) / len(query_i) ** 0.5).softmax(0), value)
    fused kernel: F.scaled_dot_product_attention(query_i[None, None], key[None], value[None])[0, 0]
    """,
    again="""
    len(query_i) ** 0.5 ⇒ (2 * len(query_i) ** 0.5)
        “This time the scaled scores are divided by 2 once more before the softmax: a temperature of 2.”
    """,
    hints="""
    - `key @ query_i` gives one score per word: the dot product of its key with the query.
    - Divide the scores by the root of the query's width, then `.softmax(dim=-1)`: now there is one weight per word.
    - `weights @ value` weights the values and sums them in one step.
    """,
    explanation="""
    One score per word, one weight per word, one vector in the end: the weighted average of the values. The keys only
    decide the weights; none of their numbers reaches the result.
    """,
)
