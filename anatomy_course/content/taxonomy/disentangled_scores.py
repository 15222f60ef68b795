"""Notebook 07: DeBERTa's disentangled scores, of content and offset."""

import torch

from anatomy_course.content.writing import Case, Cases, Draw, Generator, Tensor, and_short, written


def disentangled_scores(
    query: Tensor, key: Tensor, offset_query: Tensor, offset_key: Tensor, rows: Tensor
) -> Tensor:  # fmt: skip
    """query, key (batch, heads, position, d_head) of the words; offset_query, offset_key (batch, heads,
    offset, d_head), a table with a row for each offset; rows (position, position): rows[i, j] is the table's
    row for j as seen from i; both tables are read at that row → scores (batch, heads, position, position).
    """
    content_scores = query @ key.transpose(-2, -1)
    query_scores = (query[:, :, :, None] * offset_key[:, :, rows]).sum(dim=-1)
    key_scores = (key[:, :, None] * offset_query[:, :, rows]).sum(dim=-1)
    return (content_scores + query_scores + key_scores) / (3 * query.shape[-1]) ** 0.5


def cases(generator: Generator) -> Cases:
    for kind in ("a batch of texts", "one text", "a batch of texts"):
        draw = Draw(generator, "batch heads position d_head", (2, 3, 5, 7))
        sizes = draw.sizes
        if sizes["position"] == 2:  # with two words, "the other way round" is hard to tell from "the other word"
            sizes["position"], sizes["d_head"] = sizes["d_head"], sizes["position"]
        if kind == "one text":
            sizes["batch"] = 1
        farthest = 2 if sizes["position"] < 5 else 3
        arguments = {name: draw("batch heads position d_head") for name in ("query", "key")}
        for name in ("offset_query", "offset_key"):
            table = draw(f"heads {2 * farthest} d_head")
            # rolled on by one row from text to text: the first one's table is not everyone's
            arguments[name] = torch.stack([table.roll(number, 1) for number in range(sizes["batch"])])
        places = torch.arange(sizes["position"])
        arguments["rows"] = (places[:, None] - places).clamp(-farthest, farthest - 1) + farthest
        yield Case(arguments, kind, sizes)


EXERCISE = written(
    disentangled_scores,
    same_as="anatomy_utils.functional.attention.disentangled_scores",
    title="Disentangled scores",
    task="Add three products for each pair of positions i and j, query i with key j, query i with the offset's key, "
    "key j with the offset's query, and divide by √(3 · d_head).",
    level="hard, 8 minutes",
    returns="scores: heads query key",
    cases=and_short(cases, "position", "texts of one word"),
    stages="""
    content_scores
    query_scores
    key_scores
    """,
    mistakes="""
    content_only: + query_scores + key_scores ⇒
        “Yours are the scores of the contents alone; how far apart two words are makes no difference.”
    content_only_as_ever (content_only): 3 * ⇒
        “Those are the scores of 2017: content with content, divided by √d_head.”
    offsets_only: content_scores + ⇒
        “Both products with offsets are in your scores; the one of query and key is not.”
    key_not_turned: key[:, :, None] ⇒ key[:, :, :, None]
        “Your third product has key i where key j belongs, as if each of its rows were a query's and not a key's.”
    key_looks_the_other_way: offset_query[:, :, rows] ⇒ offset_query[:, :, rows.T]
        “In your third product before and after are swapped: key j takes rows[j, i]. The paper writes it so; the
        published models take rows[i, j].”
    query_looks_the_other_way: offset_key[:, :, rows] ⇒ offset_key[:, :, rows.T]
        “In your second product before and after are swapped: query i takes rows[j, i].”
    both_other_way: [:, :, rows] ⇒ [:, :, rows.T]
        “In both of your products with offsets, before and after are swapped: rows[j, i] instead of rows[i, j].”
    scaled_for_one: 3 * ⇒
        “Your sum is right, but it is divided by √d_head: three products are in it, and its variance is three times as
        large.”
    not_scaled: / (3 * query.shape[-1]) ** 0.5 ⇒
        “Your sum is right, but it comes out undivided.”
    only_contents_scaled:
        key.transpose(-2, -1) ⇒ key.transpose(-2, -1) / (3 * query.shape[-1]) ** 0.5
        key_scores) / (3 * query.shape[-1]) ** 0.5 ⇒ key_scores)
        “Only the first of your three products is divided by √(3 · d_head).”
    """,
    also_right="""
    three tables:
        pairs = rows.expand(*query.shape[:2], *rows.shape)
        query_scores = (query @ offset_key.mT).gather(-1, pairs)
        key_scores = (key @ offset_query.mT).gather(-1, pairs.mT).mT
        return (query @ key.mT + query_scores + key_scores) / (3 * query.shape[-1]) ** 0.5
    rows looked up:
        query @ key.transpose(-2, -1) ⇒ torch.einsum("bhqd,bhkd->bhqk", query, key)
        (query[:, :, :, None] * offset_key[:, :, rows]).sum(dim=-1) ⇒
            torch.einsum("bhqd,bhqkd->bhqk", query, offset_key[:, :, rows])
        (key[:, :, None] * offset_query[:, :, rows]).sum(dim=-1) ⇒
            torch.einsum("bhkd,bhqkd->bhqk", key, offset_query[:, :, rows])
    gathered along the keys (three tables):
        (key @ offset_query.mT).gather(-1, pairs.mT).mT ⇒ (offset_query @ key.mT).gather(-2, pairs)
    """,
    hints="""
    - `offset_key[:, :, rows]` looks the table up for all pairs at once: (batch, heads, query, key, d_head). What must
      it be multiplied by, and over which axis must the product be summed?
    - Query i belongs to row i of the scores: `query[:, :, :, None]` has an axis for j. Key j belongs to column j:
      `key[:, :, None]` has one for i.
    - `query_scores = (query[:, :, :, None] * offset_key[:, :, rows]).sum(dim=-1)`; the third product is written
      likewise. Then add all three and divide once.
    """,
    explanation="""
    He et al. 2020. BERT adds a position to the word, and from then on both share one vector. Here what a word is and
    how far away it is are asked separately: “which noun?” and “which neighbor?”. The paper writes the third product
    with rows[j, i]; its code, and so all published weights, have rows[i, j]. The model multiplies each word by each row
    of the table first and picks afterwards, which takes less memory.
    """,
)
