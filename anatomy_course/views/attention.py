"""An encoder's attention, for notebooks 01 and 02: its weights, its six steps, its heads."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from anatomy_course.views.attention_stepper.view import AttentionStepper, Steps
from anatomy_course.views.attention_viewer.view import AttentionViewer
from anatomy_course.views.head_board.view import HeadBoard
from anatomy_course.views.head_splitting.view import HeadSplitting, Lane, SplitHeads
from anatomy_course.views.mask_painter.view import MaskPainter
from anatomy_course.views.mixer.view import Mixer
from anatomy_utils.interpret import activations, attention_patterns, head_ablation
from anatomy_utils.nn.attention import MultiHeadAttention
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.tap import watch
from anatomy_utils.zoo.tokenizer import Tokenizer

STEPPER_TOKENS = 24
"""More tokens than this do not fit beside each other in the stepper's drawings."""
IMPORTANCE = "effect on the output when off"
"""The head board's name for `head_ablation.head_importance`."""


def attention_viewer(
    encoder: Encoder, tokenizer: Tokenizer, text: str, *, layer: int = 0, head: int = 0, word: str = ""
) -> AttentionViewer:
    """Every head of every layer of an encoder as it reads `text`; the row of `word` is picked out at first."""
    tokens, seen = activations.read_activations(encoder, tokenizer, text)
    weights = [each[0] for each in seen.matching("layers.*.self_attention.weights").values()]
    query = tokens.index(word) if word in tokens else 0
    return AttentionViewer(torch.stack(weights), tokens, layer=layer, head=head, query=query)


def attention_stepper(
    encoder: Encoder, tokenizer: Tokenizer, sentence: str, *, layer: int = 0, head: int = 0, word: str = ""
) -> AttentionStepper:
    """The six steps of one head of an encoder, on any sentence that the reader types, at first for `word`."""

    def compute(text: str) -> Steps:
        tokens, seen = activations.read_activations(encoder, tokenizer, text)
        if len(tokens) > STEPPER_TOKENS:
            raise ValueError(
                f"That makes {len(tokens)} tokens; the drawing has room for {STEPPER_TOKENS}: shorten the sentence."
            )
        before = seen["embeddings.output"] if layer == 0 else seen[f"layers.{layer - 1}.output"]
        path = f"layers.{layer}.self_attention"
        query, key, value, scores, weights = (
            seen[f"{path}.{name}"][0, head] for name in ("query", "key", "value", "scores", "weights")
        )
        return Steps(
            tokens=tokens,
            hidden=before[0].numpy(),
            query=query.numpy(),
            key=key.numpy(),
            value=value.numpy(),
            scores=scores.numpy(),
            weights=weights.numpy(),
            context=(weights @ value).numpy(),
        )

    tokens = compute(sentence).tokens
    return AttentionStepper(compute, sentence=sentence, query=tokens.index(word) if word in tokens else None)


def mask_painter(
    encoder: Encoder,
    tokenizer: Tokenizer,
    sentence: str,
    *,
    layer: int = 0,
    head: int = 0,
    mask: Bool[Tensor, "query key"] | None = None,
) -> MaskPainter:
    """The real scores of one head, for the reader to mask; `mask` is painted at first."""
    tokens, seen = activations.read_activations(encoder, tokenizer, sentence)
    return MaskPainter(tokens, seen[f"layers.{layer}.self_attention.scores"][0, head], mask=mask)


def mixer(
    encoder: Encoder,
    tokenizer: Tokenizer,
    words: list[str],
    *,
    focus: str,
    towards: tuple[str, str],
    weights: dict[str, float] | None = None,
    presets: dict[str, dict[str, float]] | None = None,
) -> Mixer:
    """Words of the encoder's vocabulary on a plane, to be mixed by hand.

    Args:
        words: single-token words.
        focus: the word whose new vector is mixed.
        towards: two words; a point's coordinates are the dot products with them, all at length 1.
        weights: of the words at first; all on `focus` when left out.
        presets: name → weight of each word.
    """
    vectors = activations.unit_embeddings(encoder, tokenizer, words)
    plane = vectors @ activations.unit_embeddings(encoder, tokenizer, towards).T  # word 2
    right, up = towards
    return Mixer(words, plane, focus=focus, axes=(f"like “{right}”", f"like “{up}”"), weights=weights, presets=presets)


def head_board(
    encoder: Encoder,
    tokenizer: Tokenizer,
    text: str,
    *,
    word: str = "",
    towards: str = "",
    rank: str = "the chosen pair",
    order: str = "highest",
) -> HeadBoard:
    """Every head of an encoder ranked by what it does with `text`, and the encoder without the heads switched off.

    Args:
        word: the query token chosen at first; the last word when left out.
        towards: the key token chosen at first.
        rank: the measure to rank by at first: one of `attention_patterns.measures`, `IMPORTANCE`, or "the chosen pair".
        order: "highest", "lowest" or "layer".
    """
    tokens, seen = activations.read_activations(encoder, tokenizer, text)
    weights = torch.stack([each[0] for each in seen.matching("layers.*.self_attention.weights").values()])
    input_ids = tokenizer(text).input_ids

    def switch(off: list[tuple[int, int]]) -> Tensor:
        with torch.no_grad(), head_ablation.heads_off(encoder, off):
            return encoder(input_ids)[0]

    measures = attention_patterns.pattern_scores(weights, tokens)
    measures[IMPORTANCE] = head_ablation.head_importance(encoder, input_ids)
    query = tokens.index(word) if word in tokens else None
    key = tokens.index(towards) if towards in tokens else 0
    board = HeadBoard(weights, tokens, measures, switch=switch, rank=rank, order=order, query=query, key=key)
    board.layer, board.head = board.ranked()[0]
    return board


def head_splitting(
    attention: MultiHeadAttention,
    hidden_states: Float[Tensor, "1 position d_model"],
    tokens: Sequence[str],
    *,
    position: int = 0,
    feature: int = 0,
) -> HeadSplitting:
    """One number's way through a small module's heads and back, and the way that a wrong `view` sends it.

    Args:
        attention: a module with as many key/value heads as heads, and at most 16 features.
        hidden_states: what it reads, at most 8 positions.
        tokens: a word for each position.
        position: the word whose number is followed at first.
        feature: which of its numbers.

    Raises:
        ValueError: the heads share keys and values, or there is no room to draw so much.
    """
    if attention.num_kv_heads != attention.num_heads:
        raise ValueError(
            f"{attention.num_heads} heads share {attention.num_kv_heads} key/value heads here; "
            "give a module in which each head has its own."
        )

    def lane() -> Lane:
        with torch.no_grad(), watch(attention) as seen:
            attention(hidden_states)
        context = seen["weights"][0] @ seen["value"][0]
        return Lane(weights=seen["weights"][0], context=context, output=seen["output"][0])

    right = lane()
    with head_ablation.scrambled_heads(attention):
        wrong = lane()
    with torch.no_grad():
        value = attention.to_value(hidden_states)[0]
    journey = SplitHeads(
        tokens, hidden_states[0], attention.to_value.weight.T, value, attention.to_output.weight.T, right, wrong
    )
    return HeadSplitting(journey, position=position, feature=feature)
