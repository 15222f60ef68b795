"""Notebook 04: from hidden states to one logit per token of the vocabulary."""

from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, written


def vocabulary_logits(hidden_states: Tensor, token_table: Tensor) -> Tensor:
    """hidden_states (batch, position, d_model), token_table (vocab_size, d_model), the same table that turns
    ids into vectors → logits (batch, position, vocab_size).
    """
    return hidden_states @ token_table.T


def cases(generator: Generator) -> Cases:
    for kind in ("a batch of texts", "one text", "a batch of texts"):
        draw = Draw(generator, "batch position d_model", (3, 5, 7), kind)
        draw.sizes |= Draw(generator, "vocab_size", (11, 13)).sizes
        yield draw.case(hidden_states=draw("batch position d_model"), token_table=draw("vocab_size d_model"))


EXERCISE = written(
    vocabulary_logits,
    same_as="anatomy_utils.functional.heads.vocabulary_logits",
    title="Logits",
    task="Give each position one logit per token of the vocabulary: the dot product with that token's own vector.",
    level="easy, 2 minutes",
    returns="logits: position vocab_size",
    cases=cases,
    mistakes="""
    scaled: result / token_table.shape[1] ** 0.5
        “Your logits are divided by √d_model, as attention's scores are; here nothing is divided.”
    probabilities: result.softmax(dim=-1)
        “Yours are probabilities already; logits are what the softmax gets.”
    cosines: F.normalize(hidden_states, dim=-1) @ F.normalize(token_table, dim=-1).T
        “Yours are cosines: both vectors were brought to length 1 first.”
    distances: torch.cdist(hidden_states, token_table.expand(len(hidden_states), -1, -1))
        “Yours are distances; the likeliest token would get the smallest number.”
    last_only: hidden_states @ ⇒ hidden_states[:, -1] @
        “You give only the last position's logits. That is enough for writing, but here every position needs its own.”
    best_token: result.argmax(dim=-1)
        “You return the likeliest token of each position; the logits of all tokens are wanted.”
    """,
    also_right="""
    F.linear: F.linear(hidden_states, token_table)
    einsum: torch.einsum("bpd,vd->bpv", hidden_states, token_table)
    token by token: torch.stack([hidden_states @ vector for vector in token_table], dim=-1)
    """,
    hints="""
    - Each row of the table is a token's vector. How well does a state fit it?
    - A product of (batch, position, d_model) with (d_model, vocab_size) has the right shape.
    - `token_table.T` has a column for each token.
    """,
    explanation="""
    The same table at the bottom and at the top: weights are tied, and a vocabulary of 49,152 tokens, as SmolLM2 has in
    section 5, is paid for once. Models that do not tie have a second table of the same shape.
    """,
)
