"""Notebook 03: what goes into an encoder, the sum of token, position and segment embeddings."""

import torch

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, and_short, written


def embed(
    input_ids: Tensor, segment_ids: Tensor,
    token_table: Tensor, position_table: Tensor, segment_table: Tensor,
) -> Tensor:  # fmt: skip
    """input_ids and segment_ids (batch, position); three tables, (rows, d_model) each
    → vectors (batch, position, d_model). Positions count from 0."""
    positions = torch.arange(input_ids.shape[1])
    return token_table[input_ids] + position_table[positions] + segment_table[segment_ids]


def cases(generator: Generator) -> Cases:
    """The position table has more rows than any text here has positions, and than there are tokens; once the segment
    table has more rows than a text has segments."""
    for kind, first, second, segments in (
        ("a batch of texts", 0, 1, 2),
        ("one text", 0, 1, 2),
        ("texts of a single segment", 0, 0, 2),
        ("a batch of texts", 1, 0, 4),
    ):
        draw = Draw(generator, "batch position d_model", (3, 5, 7), kind)
        later = torch.arange(draw["position"]) >= draw["position"] // 2
        yield draw.case(
            input_ids=draw.ids(13, "batch position"),
            segment_ids=torch.where(later, second, first).repeat(draw["batch"], 1),
            token_table=draw("13 d_model"),
            position_table=draw("17 d_model"),
            segment_table=draw(f"{segments} d_model"),
        )


EXERCISE = written(
    embed,
    same_as="anatomy_utils.functional.embeddings.embed",
    title="Token, position, segment",
    task="Look up the vector of each token, of its position and of its segment, and add the three.",
    level="easy, 4 minutes",
    returns="vectors: position d_model",
    cases=and_short(cases, "position", "texts of one word"),
    stages="""
    token vectors: token_table[input_ids]
    position vectors: position_table[positions]
    segment vectors: segment_table[segment_ids]
    tokens and positions: token_table[input_ids] + position_table[positions]
    """,
    mistakes="""
    positions_by_id: [positions] ⇒ [input_ids]
        “Your position vectors belong to the tokens' ids: a token that occurs twice gets the same one both times.”
    positions_by_row: torch.arange(input_ids.shape[1]) ⇒ torch.arange(len(input_ids))[:, None]
        “All words of a text get the same position vector: you number the texts of the batch, not the words.”
    from_the_end: [positions] ⇒ [positions.flip(0)]
        “Your positions count from the end of the text: its last word is at position 0.”
    first_position_for_all: [positions] ⇒ [0]
        “All your words are at position 0.”
    from_one: [positions] ⇒ [positions + 1]
        “Your positions begin with 1, as if the table had no row 0.”
    last_positions: [positions] ⇒ [-len(positions) :]
        “Your positions are the last rows of the table, not the first ones.”
    one_segment: [segment_ids] ⇒ [0]
        “All your words belong to segment 0, whatever segment_ids contains.”
    side_by_side:
        positions = torch.arange(input_ids.shape[1]).expand(input_ids.shape)
        return torch.cat((token_table[input_ids], position_table[positions], segment_table[segment_ids]), dim=-1)
        “Your three vectors are joined side by side: the result is three times as wide as d_model.”
    tokens_enlarged: token_table[input_ids] ⇒ token_table[input_ids] * token_table.shape[1] ** 0.5
        “Your token vectors are multiplied by √d_model. The model of 2017 does that; here they are added as they are.”
    normalized: torch.nn.functional.layer_norm(result, result.shape[-1:])
        “Your sum is already normalized. BERT does that next, but it is a step of its own.”
    """,
    also_right="""
    F.embedding:
        token_table[input_ids] ⇒ F.embedding(input_ids, token_table)
        segment_table[segment_ids] ⇒ F.embedding(segment_ids, segment_table)
    positions for each text: torch.arange(input_ids.shape[1]) ⇒ torch.arange(input_ids.shape[1]).expand(input_ids.shape)
    a slice: token_table[input_ids] + position_table[: input_ids.shape[1]] + segment_table[segment_ids]
    """,
    hints="""
    - Three look-ups and two plus signs. For two of the look-ups you are given the ids.
    - The positions are 0, 1, 2 …, one for each token: `torch.arange(input_ids.shape[1])`.
    - `token_table[input_ids]` is (batch, position, d_model), the position vectors (position, d_model): torch adds them
      to every text of the batch.
    """,
    explanation="""
    The sum keeps the width. With 384 or 512 features there is room for the layers to tell the three apart again. This
    is figure 2 of the BERT paper; the 2017 Transformer has no segments.
    """,
)
