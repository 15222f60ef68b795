"""Notebook 04's case: find out what is wrong with `colleagues_embedding`, and write it right."""

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, and_short, written
from anatomy_utils.functional.embeddings import embed_words


def repaired_embedding(input_ids: Tensor, token_table: Tensor, position_table: Tensor) -> Tensor:
    """input_ids (batch, position); two tables, (rows, d_model) each
    → vectors (batch, position, d_model)."""
    positions = torch.arange(input_ids.shape[1])
    return token_table[input_ids] + position_table[positions]


def cases(generator: Generator) -> Cases:
    for kind in ("a batch of texts", "one text", "a batch of texts"):
        draw = Draw(generator, "batch position d_model", (3, 5, 7), kind)
        yield draw.case(
            input_ids=draw.ids(13, "batch position"),
            token_table=draw("13 d_model"),
            position_table=draw("37 d_model"),
        )


EXERCISE = written(
    repaired_embedding,
    same_as=embed_words,
    title="The case: a colleague's embedding",
    task="Write the embedding that `colleagues_embedding` should have been: the vector of each word plus that of its "
    "position.",
    level="easy, 3 minutes",
    returns="vectors: position d_model",
    cases=and_short(cases, "position", "texts of one word"),
    stages="""
    word vectors: token_table[input_ids]
    position vectors: position_table[positions]
    """,
    mistakes="""
    unchanged:
        from anatomy_course.lab.debugging.colleague.position_offset import colleagues_embedding
        return colleagues_embedding(input_ids, token_table, position_table)
        “This is what the patient computes: all words of a text still get the same position vector.”
    both: result + position_table[torch.arange(len(input_ids))][:, None]
        “Each word now has its position, but the vector that numbers the texts is still added.”
    counted_through: torch.arange(input_ids.shape[1]) ⇒ torch.arange(input_ids.numel()).view(input_ids.shape)
        “Your positions continue from text to text; every text should begin at 0.”
    text_added: [positions] ⇒ [torch.arange(len(input_ids))[:, None] + positions]
        “Your words know their order now, but each text begins one position later than the text before.”
    from_the_end: [positions] ⇒ [positions.flip(0)]
        “Your positions count from the end of the text.”
    from_one: [positions] ⇒ [positions + 1]
        “Your positions begin with 1, as if the table had no row 0.”
    by_id: [positions] ⇒ [input_ids]
        “Your position vectors depend on the words' ids, not on their positions.”
    all_at_0: [positions] ⇒ [0]
        “All words of all texts are at position 0: the batch no longer matters, but neither does the order.”
    multiplied: + position_table ⇒ * position_table
        “The right rows are looked up, but they are multiplied; they should be added.”
    """,
    also_right="""
    a slice: token_table[input_ids] + position_table[: input_ids.shape[1]]
    text by text: torch.stack([token_table[text] + position_table[: len(text)] for text in input_ids])
    a running sum: torch.arange(input_ids.shape[1]) ⇒ torch.ones_like(input_ids).cumsum(1) - 1
    """,
    hints="""
    - Look at the last line of the symptoms: what changes when the sentence becomes the second text of a batch?
    - `len(input_ids)` is the number of texts. Which axis counts the words?
    - `torch.arange(input_ids.shape[1])` numbers the words. Their vectors are (position, d_model). Torch adds them to
      (batch, position, d_model) as they are, without a new axis.
    """,
    explanation="""
    The patient numbers the texts of the batch, not the words of a text. So each text gets one position vector, and a
    new axis makes torch add it to all words of the text: nothing crashes. Inside a text the same vector is added to
    every word, so attention cannot tell their order.
    """,
)
