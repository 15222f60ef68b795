"""Notebook 06: cross-attention over a padded memory."""

from anatomy_course.content.attention.shared import lift
from anatomy_course.content.writing import Cases, Draw, Generator, Tensor, real_words, written
from anatomy_utils.functional import attention


# fmt: off
def attend_to_memory(query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor) -> Tensor:
    """query (batch, heads, query, d_head) from the decoder; key, value (batch, heads, key, d_head) from the
    memory; attention_mask (batch, key) of the source, 1 = real token, 0 = padding, first or last
    → context, shaped like query.
    """
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    padding = attention_mask[:, None, None, :] == 0
    weights = scores.masked_fill(padding, float('-inf')).softmax(dim=-1)
    return weights @ value
# fmt: on


def cases(generator: Generator) -> Cases:
    best, head, single = "padding that matches best", "padding at the head", "a single position that asks"
    for kind in ("padded texts", "one text", head, single, best):
        draw = Draw(generator, "batch heads query d_head", (2, 3, 5, 7), kind)
        draw.sizes |= {"key": 11, "query": 1} if kind == single else {"key": 11}
        real = real_words(generator, kind, draw["batch"], 11, range(4, 9), 10)
        real = real.flip(1) if kind == head else real
        query, key = 1.5 * draw("batch heads query d_head"), 1.5 * draw("batch heads key d_head")
        value = draw("batch heads key d_head")
        if kind == best:
            lift(query, key, -144.0 * real[:, None])
        elif kind == "one text":
            key[:, :, 1] = 0.0  # a real word, though all its scores are 0
        yield draw.case(query=query, key=key, value=value, attention_mask=real.long())


EXERCISE = written(
    attend_to_memory,
    same_as=attention.attend_to_memory,
    title="Attention to the memory",
    task="Let the decoder's queries attend to the memory's keys and average its values; padding gets no weight.",
    level="medium, 5 minutes",
    returns="context: heads query d_head",
    cases=cases,
    stages="""
    scores
    weights
    """,
    mistakes="""
    no_mask: .masked_fill(padding, float('-inf')) ⇒
        “Your weights do not leave out padding: every position of the memory counts, real or not.”
    mask_turned_round:
        == 0 ⇒ == 1
        float('-inf') ⇒ -1e9
        “Only padding gets weight: your mask is the wrong way round.”
    masked_after_softmax: .masked_fill(padding, float('-inf')).softmax(dim=-1) ⇒ .softmax(dim=-1) * ~padding
        “Padding adds nothing, but it has had its share in the softmax: the weights of the real tokens do not sum to 1.”
    zero_scores: float('-inf') ⇒ 0.0
        “Your scores of padding are 0. Since e⁰ is 1, padding still gets weight.”
    mask_added: scores.masked_fill(padding, float('-inf')) ⇒ (scores + attention_mask[:, None, None, :])
        “A real token gains only 1 over padding, as if the mask itself were added to the scores: padding keeps weight.”
    first_text_for_all: attention_mask[:, ⇒ attention_mask[:1,
        “You use the mask of the first text for all texts.”
    by_lengths:
        attention_mask[:, None, None, :] == 0 ⇒
            torch.arange(key.shape[2]) >= attention_mask.sum(dim=1)[:, None, None, None]
        “With padding at the end all is right. With padding in front you take as many positions as there are real
        tokens, but from the beginning: do not count them, look at which ones are real.”
    by_scores: (padding, ⇒ (padding | (scores == 0),
        “A real token whose score is 0 gets no weight in yours. The mask alone should say what is hidden.”
    not_scaled: / query.shape[-1] ** 0.5 ⇒
        “The padding is right, but your scores are not divided by √d_head.”
    over_queries (masked_after_softmax): dim=-1 ⇒ dim=-2
        “Your softmax runs over the positions that ask. It should run over those that are asked.”
    causal: == 0 ⇒ * torch.ones(query.shape[2], key.shape[2]).tril() == 0
        “Your mask is causal as well: the first position sees only the first word of the source. The whole source has
        been read; nothing of it lies in the future.”
    causal_with_a_number (causal): float('-inf') ⇒ -1e9
        “Your mask is causal as well: a position sees no word of the source after its own place. The whole source has
        been read; nothing of it lies in the future.”
    """,
    also_right="""
    torch's attention:
        torch.nn.functional.scaled_dot_product_attention(query, key, value, attention_mask[:, None, None, :] == 1)
    a large negative number: float('-inf') ⇒ -1e9
    a mask that is added: scores.masked_fill(padding, float('-inf')) ⇒ (scores + padding * -1e9)
    """,
    hints="""
    - It is the attention of notebook 01, with a mask that says which keys are real. Where do the queries come from, and
      where the keys and values?
    - The scores are (batch, heads, query, key). The mask is (batch, key): insert two axes of length 1, so that it
      counts for every head and every query.
    - `mask = attention_mask[:, None, None, :] == 0` is True for padding; `masked_fill(mask, float('-inf'))` before the
      softmax.
    """,
    explanation="""
    Queries come from the text that is being written, keys and values from the text that was read. The two lengths are
    independent of each other. No causal mask is needed, since all of the source is known.
    """,
)
