"""Notebook 02: merging the heads into vectors of width d_model again."""

from anatomy_course.content.multi_head.shared import one_and_many
from anatomy_course.content.writing import Cases, Generator, Tensor, written
from anatomy_utils.functional import multi_head


def merge_heads(vectors: Tensor) -> Tensor:
    """(batch, heads, position, d_head) → (batch, position, heads·d_head);
    head 0's features come first."""
    return vectors.transpose(1, 2).flatten(2)


def cases(generator: Generator) -> Cases:
    for draw in one_and_many(generator):
        yield draw.case(vectors=draw("batch heads position d_head"))


EXERCISE = written(
    merge_heads,
    same_as=multi_head.merge_heads,
    title="Put the heads together again",
    task="Put the heads' pieces of each position side by side, head 0 first: the way back from the heads to d_model.",
    level="easy, 3 minutes",
    returns="vectors: position d_model",
    cases=cases,
    stages="heads after the positions: vectors.transpose(1, 2)",
    mistakes="""
    reshape_alone: vectors.reshape(len(vectors), vectors.shape[2], -1)
        “Your shape is right, but the numbers are as if no axes had changed places: each of your vectors is filled with
        what lies next to each other, mostly neighboring positions of one head.”
    interleaved: transpose(1, 2) ⇒ permute(0, 2, 3, 1)
        “Your vectors begin with feature 0 of every head, followed by feature 1 of every head; the features of one head
        should stay together.”
    one_below_the_other: vectors.flatten(1, 2)
        “Your heads are one below the other: there are heads · position vectors as narrow as one head.”
    last_head_first: vectors.transpose ⇒ vectors.flip(1).transpose
        “The pieces are joined correctly, but in your vectors the last head comes first.”
    """,
    also_right="""
    transpose and reshape: flatten(2) ⇒ reshape(vectors.shape[0], vectors.shape[2], vectors.shape[1] * vectors.shape[3])
    concatenated: torch.cat(list(vectors.unbind(1)), dim=-1)
    permute and flatten: vectors.permute(0, 2, 1, 3).flatten(-2)
    """,
    again="""
    vectors.transpose(1, 2).flatten(2) ⇒ vectors.permute(0, 2, 3, 1).flatten(2)
        “This time feature 0 of every head comes first, then feature 1 of every head.”
    """,
    hints="""
    - Undo what splitting did, in the opposite order: first move the axes back, then join two of them.
    - `transpose(1, 2)` puts the positions before the heads again. Then heads and d_head are neighbors.
    - `.flatten(2)` joins everything from axis 2 on. (`.view` refuses here: after a transpose the numbers are no longer
      stored in that order; `.reshape` copies them if it must.)
    """,
    explanation="""
    The same axes change places again, and the last two become one. The paper calls this step Concat.
    """,
)
