"""Notebook 01: attention for all words at once."""

from anatomy_course.content.attention.shared import WITH_HEADS, lift
from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written


def attend_all_words(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """query (…, query, d_head), key (…, key, d_head), value (…, key, d_value)
    → context (…, query, d_value), weights (…, query, key).
    """
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    weights = scores.softmax(dim=-1)
    return weights @ value, weights


def cases(generator: Generator) -> Cases:
    for kind, lead in (*WITH_HEADS, ("strong matches", ())):
        draw = Draw(generator, "query key d_head d_value", kind=kind)
        query, key = 2 * draw("query d_head", lead), draw("key d_head", lead)
        if kind == "strong matches":
            lift(query, key, 144.0)
            query[1, 0] = 1.0  # 132 less: the largest score of the table leaves nothing of this row
        yield draw.case(query=query, key=key, value=draw("key d_value", lead))


EXERCISE = written(
    attend_all_words,
    same_as="anatomy_utils.functional.attention.scaled_dot_product_attention",
    title="Attention, all words at once",
    task="Write softmax(query · key transposed / √d_head) · value, and return the context together with the weights.",
    level="medium, 5 minutes",
    returns="context: query d_value; weights: query key",
    cases=cases,
    look_first="weights context",
    stages="""
    scores: query @ key.mT
    scaled scores: scores
    weights
    """,
    mistakes="""
    no_scale: / query.shape[-1] ** 0.5 ⇒
        “Your weights are too sharp: the scores went into the softmax as bare dot products.”
    no_root: ** 0.5 ⇒
        “Your weights are too even: the scores were divided by d_head itself.”
    root_of_values: query.shape[-1] ⇒ value.shape[-1]
        “Your scores were divided by the root of the values' width, but values take no part in a score.”
    root_of_keys: query.shape[-1] ⇒ key.shape[-2]
        “Your scores were divided by the root of the number of keys; now the weights depend on the sentence's length.”
    wrong_axis: dim=-1 ⇒ dim=-2
        “Your columns sum to 1: the softmax ran over the queries.”
    scaled_afterwards:
        / query.shape[-1] ** 0.5 ⇒
        scores.softmax(dim=-1) ⇒ scores.softmax(dim=-1) / query.shape[-1] ** 0.5
        “Your rows sum to 1/√d_head: the division came after the softmax.”
    no_softmax: .softmax(dim=-1) ⇒
        “Your weights are still the scaled scores; some are negative, and no row sums to 1.”
    scores_returned: weights @ value, weights ⇒ weights @ value, scores
        “Your context is right, but where the weights belong you return the scaled scores.”
    order: weights @ value, weights ⇒ weights, weights @ value
        “Both results are right, but in the wrong order.”
    """,
    also_right="""
    einsum: query @ key.transpose(-2, -1) ⇒ torch.einsum("...qd,...kd->...qk", query, key)
    fused kernel:
        identity = torch.eye(key.shape[-2]).expand(*key.shape[:-1], -1)
        return F.scaled_dot_product_attention(query, key, value), F.scaled_dot_product_attention(query, key, identity)
    float64 inside:
        query @ key.transpose(-2, -1) ⇒ query.double() @ key.double().mT
        return weights @ value, weights ⇒ return (weights @ value.double()).float(), weights.float()
    """,
    again="""
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5 ⇒
        query, key = (each / each.norm(dim=-1, keepdim=True) for each in (query, key))
        scores = 10 * query @ key.transpose(-2, -1)
        “This time each query and each key is brought to length 1 first (QK norm), and the scores are multiplied by
        10 in place of the division.”
    """,
    hints="""
    - You have written every piece: the scaled scores, the softmax over the keys, the weighted average. Put them one
      after the other.
    - scores: (…, query, key). Softmax over the last axis makes the weights. `weights @ value` makes the context.
    - Three lines: `scores = query @ key.transpose(-2, -1) / …`, `weights = scores.softmax(dim=-1)`, `return … ,
      weights`.
    """,
    explanation="""
    Equation 1 of the 2017 paper. Each row of the weights says how much each key counts for one query; the matrix
    product with the values makes all the weighted averages at once.
    """,
)
