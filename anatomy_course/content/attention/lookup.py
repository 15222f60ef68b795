"""Notebook 01: the embedding table, a row of it for each token id."""

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, and_short, written


def lookup(table: Tensor, input_ids: Tensor) -> Tensor:
    """One row of `table` (vocab_size, d_model) per id: input_ids (…, position) → (…, position, d_model)."""
    return table[input_ids]


def cases(generator: Generator) -> Cases:
    for kind, lead in (("one sentence", ()), ("one sentence", ()), ("a batch of sentences", (2,))):
        draw = Draw(generator, "position d_model", (3, 5, 7), vocab_size=11, kind=kind)
        ids = torch.randint(11, (*lead, draw["position"]), generator=generator)
        ids[..., 0], ids[..., 1] = 9, 1  # never sorted
        ids[..., -1] = ids[..., 0]  # one word occurs twice
        yield draw.case(table=draw("vocab_size d_model"), input_ids=ids)


EXERCISE = written(
    lookup,
    same_as="anatomy_utils.functional.embeddings.lookup",
    title="From ids to vectors",
    task="Fetch the row of the table that each id names.",
    level="easy, 2 minutes",
    returns="vectors: position d_model",
    cases=and_short(cases, "position", "a single word"),
    mistakes="""
    counts_from_one: table[input_ids - 1]
        “Each of your vectors is the row before the one that the id names.”
    by_place: table[: input_ids.shape[-1]].expand(*input_ids.shape, -1)
        “You have the first rows of the table: row 0 for the first word, row 1 for the second, whatever their ids are.”
    sorted: table[input_ids.sort(-1).values]
        “Your vectors are the right ones, but in the order of the ids, not of the words.”
    ids_repeated: input_ids[..., None].expand(*input_ids.shape, table.shape[1]).float()
        “Your vectors contain the ids themselves, over and over, and nothing from the table.”
    """,
    also_right="""
    embedding: F.embedding(input_ids, table)
    one-hot product: F.one_hot(input_ids, len(table)).float() @ table
    gather: table.gather(0, input_ids.reshape(-1, 1).expand(-1, table.shape[1])).reshape(*input_ids.shape, -1)
    """,
    hints="""
    - The table has one row per entry of the vocabulary. An id is just the number of a row.
    - A tensor of whole numbers can be an index: `table[…]` takes one row for each of them.
    - `input_ids` is such a tensor, whatever its shape; put it between the brackets.
    """,
    explanation="""
    Indexing with a tensor of ids takes one row per id and keeps the leading axes of the ids. Equal ids get equal
    vectors: a fixed vector cannot know its neighbors.
    """,
)
