"""Notebook 02: what each head by itself adds to the output."""

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written
from anatomy_utils.functional import multi_head


def head_outputs(context: Tensor, output_weight: Tensor) -> Tensor:
    """context (batch, heads, position, d_head), output_weight (heads·d_head, d_model)
    → (batch, heads, position, d_model).
    Added up over the heads: the output of multi-head attention, bias left out."""
    heads, d_head = context.shape[1], context.shape[3]
    rows = output_weight.view(heads, d_head, -1)
    return context @ rows


def cases(generator: Generator) -> Cases:
    for kind, more in (("a batch of sentences", 0), ("one sentence", 1), ("a batch of sentences", 0)):
        draw = Draw(generator, "batch position heads d_head", (2, 3, 5, 7), kind)
        heads, d_head = draw["heads"], draw["d_head"]
        context = draw("batch heads position d_head")
        output_weight = draw(f"{heads * d_head} {heads * (d_head + more)}")
        yield draw.case(context=context, output_weight=output_weight)


EXERCISE = written(
    head_outputs,
    same_as=multi_head.head_outputs,
    title="What each head adds",
    task="Compute what each head by itself adds to the output: its context through its own rows of W_O.",
    level="medium, 5 minutes",
    returns="outputs: heads position d_model",
    cases=cases,
    stages="rows of each head: rows",
    mistakes="""
    an_even_share: result.mean(1, keepdim=True).expand_as(result)
        “Your heads add up to the right output, but you have given each of them the same share of it.”
    columns: output_weight.view ⇒ output_weight.T.reshape
        “You have cut W_O along its columns. A head's context meets rows: the features that go in.”
    interleaved_rows: .view(heads, d_head, -1) ⇒ .view(d_head, heads, -1).transpose(0, 1)
        “Your heads take rows of W_O that are num_heads apart; the features of one head are neighbors.”
    first_rows_for_all: @ rows ⇒ @ rows[0]
        “The first head is right. Your other heads go through the first head's rows of W_O too.”
    last_head_first: @ rows ⇒ @ rows.flip(0)
        “Your heads go through the right blocks of rows, but in reverse: the first head gets the last block.”
    output_split: result.sum(1).unflatten(-1, (heads, -1)).transpose(1, 2)
        “You have pieces of the finished output. What comes out of W_O has no heads any more: all heads add to every
        feature of it.”
    """,
    also_right="""
    one product: context @ output_weight.unflatten(0, (context.shape[1], -1))
    head by head: context @ rows ⇒ torch.stack([context[:, head] @ rows[head] for head in range(heads)], dim=1)
    einsum: context @ rows ⇒ torch.einsum("bhpd,hdm->bhpm", context, rows)
    """,
    hints="""
    - The contexts side by side, times W_O: which rows of W_O do the features of head 0 meet? And those of head 1?
    - Head h meets the rows from h · d_head to (h + 1) · d_head. `context[:, h] @ output_weight[…]` is its share;
      torch.stack puts them on an axis of their own.
    - Or all at once: `output_weight.unflatten(0, (heads, d_head))` has one block of rows per head, and `@` treats the
      heads like a batch.
    """,
    explanation="""
    Joining and then multiplying gives the same as multiplying and then adding. So W_O is one projection for each head,
    and the output is their sum: each head can be examined, and removed, by itself.
    """,
)
