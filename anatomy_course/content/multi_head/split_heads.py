"""Notebook 02: splitting vectors of width d_model into heads."""

from anatomy_course.content.multi_head.shared import one_and_many
from anatomy_course.content.writing import Case, Cases, Generator, Tensor, normal, written
from anatomy_utils.functional import multi_head


def split_heads(vectors: Tensor, num_heads: int) -> Tensor:
    """(batch, position, d_model) → (batch, heads, position, d_head);
    head 0 has the first d_head features."""
    batch, position, d_model = vectors.shape
    heads = vectors.view(batch, position, num_heads, d_model // num_heads)
    return heads.transpose(1, 2)


def cases(generator: Generator) -> Cases:
    for draw in list(one_and_many(generator)):  # all sizes before the first numbers
        vectors = draw("batch position heads d_head").flatten(2)
        yield draw.case(vectors=vectors, num_heads=draw["heads"])
    sizes = {"batch": 3, "position": 2, "heads": 1, "d_head": 5}
    yield Case({"vectors": normal(generator, 3, 2, 5), "num_heads": 1}, "a single head", sizes)


EXERCISE = written(
    split_heads,
    same_as=multi_head.split_heads,
    title="Split into heads",
    task="Cut each vector into num_heads pieces of equal width, and put the heads before the positions.",
    level="medium, 5 minutes",
    returns="heads: heads position d_head",
    cases=cases,
    stages="vectors, cut: heads",
    mistakes="""
    view_alone:
        position, num_heads, ⇒ num_heads, position,
        .transpose(1, 2) ⇒
        “Your shape is right, but you have cut the sentence instead of the vectors: the first head has all of the first
        words, the last head all of the last ones.”
    interleaved:
        num_heads, d_model // num_heads ⇒ d_model // num_heads, num_heads
        .transpose(1, 2) ⇒ .permute(0, 3, 1, 2)
        “The axes are right, but each head takes one feature here and one there: its features are num_heads apart, and
        should be neighbors.”
    swapped_sizes: num_heads, d_model // num_heads ⇒ d_model // num_heads, num_heads
        “num_heads and d_head have changed places: your heads are num_heads wide.”
    everything_to_everyone: vectors[:, None].expand(-1, num_heads, -1, -1)
        “The heads are in the right place, but each of them has the whole vector.”
    """,
    also_right="""
    view and transpose: vectors.view(len(vectors), vectors.shape[1], num_heads, -1).transpose(1, 2)
    unflatten and permute: vectors.unflatten(-1, (num_heads, -1)).permute(0, 2, 1, 3)
    chunks, stacked: torch.stack(vectors.chunk(num_heads, dim=-1), dim=1)
    """,
    again="""
    vectors.view(batch, position, num_heads, d_model // num_heads) ⇒
        vectors.view(batch, position, d_model // num_heads, num_heads)
    heads.transpose(1, 2) ⇒ heads.permute(0, 3, 1, 2)
        “This time head 0 has the features 0, num_heads, 2 · num_heads and so on, head 1 has 1, num_heads + 1, 2 ·
        num_heads + 1 and so on.”
    """,
    hints="""
    - Two steps. First the last axis, d_model, becomes two axes. Then two axes change places.
    - `vectors.unflatten(-1, (num_heads, -1))` (or a `view`) makes (batch, position, heads, d_head). Which two axes must
      change places now?
    - `.transpose(1, 2)` moves the heads before the positions. A `view` straight to the last shape would keep the
      numbers in their old order.
    """,
    explanation="""
    `view` reads the same numbers in the same order under another shape; `transpose` changes which axis comes first.
    Cutting the last axis needs only the first, moving the heads needs the second.
    """,
)
