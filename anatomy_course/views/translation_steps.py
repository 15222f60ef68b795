"""A whole translation as the steps of a widget: every tensor with its name and shape, each step in one sentence.

Joins a model to `widgets.translation_flow`, for notebook 05, in `views.translation_flow`. The decoder is causal:
what it computes for a position never changes when more is written. So one run over the whole written text holds the
tensors of every decoding step, as their first rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from anatomy_course.lab.street.batches import Batch
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_course.views.translation_flow.view import DrawnTensor, Moment, TranslationRun
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.tap import Seen, watch

LIKELIEST = 8
VECTORS = ("batch", "{}", "d_model")
SPLIT = ("batch", "heads", "{}", "d_head")


def run_of(model: EncoderDecoder, texts: Batch, written_ids: tuple[int, ...]) -> TranslationRun:
    """All tensors of a translation that is written already.

    Args:
        model: from `small_models.translator`.
        texts: the source, a batch of one.
        written_ids: what the model writes for it, step by step.
    """
    vocabulary = street_vocabulary()
    target_ids = torch.tensor([[vocabulary.bos_id, *written_ids[:-1]]])
    with torch.no_grad(), watch(model) as seen:
        memory = model.encoder(texts.input_ids, texts.attention_mask)
        hidden_states = model.decoder(target_ids, memory=memory)
        logits = model.vocabulary(hidden_states * model.output_scale)[0]  # target vocab_size
        steps = _Steps(model, seen)
        encoder = list(steps.encoder(texts.input_ids, memory))
        decoder = list(steps.decoder(target_ids, memory, hidden_states, logits))
    likeliest = logits.topk(min(LIKELIEST, logits.shape[-1]))
    probabilities = logits.softmax(dim=-1).gather(-1, likeliest.indices)
    choices = [
        list(zip(vocabulary.tokens(ids), row.tolist(), parts.tolist(), strict=True))
        for ids, row, parts in zip(likeliest.indices, likeliest.values, probabilities, strict=True)
    ]
    return TranslationRun(
        source=vocabulary.tokens(texts.input_ids[0]), target=vocabulary.tokens(target_ids[0]),
        written=vocabulary.tokens(written_ids), encoder=encoder, decoder=decoder, choices=choices,
        pre_norm=steps.pre_norm,
    )  # fmt: skip


class _Steps:
    """Makes the steps of one run out of what was seen."""

    def __init__(self, model: EncoderDecoder, seen: Seen) -> None:
        self.model, self.seen = model, seen
        self.layers: list[Any] = list(model.encoder.layers)
        self.decoder_layers: list[Any] = list(model.decoder.layers)
        norms = self.decoder_layers[0].self_attention_norms
        self.pre_norm = isinstance(norms.before, torch.nn.Module)

    def encoder(self, input_ids: Tensor, memory: Tensor) -> Iterator[Moment]:
        side = "source"
        yield _moment(
            "source_tokens", "The source as numbers",
            "Each token becomes its number in the vocabulary. The first token says which language to write.",
            _ids("input_ids", input_ids, side),
        )  # fmt: skip
        yield from self._embedded("encoder", "source_embedding", "encoder_positions", side)
        for i, layer in enumerate(self.layers):
            path, where = f"encoder.layers.{i}", f"Encoder layer {i} of 0–{len(self.layers) - 1}"
            yield _moment(
                "encoder_self_attention", f"{where}: self-attention",
                "Every source word looks at every source word, in each head in its own way. W_O mixes the results. "
                + self._reads(),
                *self._attention(f"{path}.self_attention", side, side),
            )  # fmt: skip
            yield self._added("encoder_add_norm_1", where, f"{path}.after_attention", side)
            yield self._fed("encoder_feed_forward", where, path, layer, "after_attention", side)
            yield self._added("encoder_add_norm_2", where, f"{path}.output", side)
        yield _moment(
            "memory", "The memory",
            "The encoder's output, one vector for each source word. It is computed once, and every decoder layer "
            "reads it at every step." + (" Its last norm is applied here." if self.pre_norm else ""),
            _vectors("memory", memory, side),
        )  # fmt: skip

    def decoder(
        self, target_ids: Tensor, memory: Tensor, hidden_states: Tensor, logits: Tensor
    ) -> Iterator[Moment]:  # fmt: skip
        side = "target"
        yield _moment(
            "target_tokens", "The target so far, shifted by one",
            "A start token, then all that is written so far. At each place the decoder must say the word *after* it.",
            _ids("decoder_input_ids", target_ids, side),
        )  # fmt: skip
        yield from self._embedded("decoder", "target_embedding", "decoder_positions", side)
        for i, layer in enumerate(self.decoder_layers):
            path, where = f"decoder.layers.{i}", f"Decoder layer {i} of 0–{len(self.decoder_layers) - 1}"
            yield _moment(
                "decoder_self_attention", f"{where}: masked self-attention",
                "Each written word looks at itself and those before it. The hatched cells are masked, so no word sees "
                "its future. " + self._reads(),
                *self._attention(f"{path}.self_attention", side, side, causal=True),
            )  # fmt: skip
            yield self._added("decoder_add_norm_1", where, f"{path}.after_self_attention", side)
            yield _moment(
                "cross_attention", f"{where}: cross-attention",
                "The queries come from below, from the words being written. The keys and values come from the "
                "*memory*. Each row shows where its word looks in the source.",
                *self._attention(f"{path}.cross_attention", side, "source"),
            )  # fmt: skip
            yield self._added("decoder_add_norm_2", where, f"{path}.after_cross_attention", side)
            yield self._fed("decoder_feed_forward", where, path, layer, "after_cross_attention", side)
            yield self._added("decoder_add_norm_3", where, f"{path}.output", side)
        yield _moment(
            "final_linear", "Linear: from vectors to logits",
            f"One matrix gives each of the {logits.shape[-1]} words of the vocabulary a score, the logit. Only the "
            "last row counts for the next word.",
            _vectors("hidden_states", hidden_states, side),
            _vectors("logits", logits[None], side, last="vocab_size"),
        )  # fmt: skip
        yield _moment(
            "softmax", "Softmax: from logits to probabilities",
            "The logits become probabilities that sum to 1.",
            _vectors("probabilities", logits[None].softmax(dim=-1), side, last="vocab_size"),
        )  # fmt: skip
        yield _moment(
            "next_token", "The next token",
            "The likeliest word is taken (greedy) and appended to the target; then the decoder runs again. The end "
            "token ends the translation.",
        )  # fmt: skip

    def _embedded(self, stack: str, table: str, positions: str, side: str) -> Iterator[Moment]:
        embeddings: Any = getattr(self.model, stack).embeddings
        tokens = self.seen[f"{stack}.embeddings.tokens"]
        yield _moment(
            table, "Embedding: a row of the table for each token",
            "Each number picks its row of a learned table, the same row wherever the token is. "
            f"It is then multiplied by {embeddings.scale:g}, which is √d_model.",
            _vectors(f"{stack}.embeddings.tokens", tokens, side),
        )  # fmt: skip
        waves = embeddings.positions(torch.arange(tokens.shape[1]))
        yield _moment(
            positions, "Positions are added",
            "Each place has its own vector, added to the token's. Now the same word differs from place to place.",
            _vectors(f"{stack}.embeddings.positions(…)", waves[None], side),
            _vectors(f"{stack}.embeddings.output", self.seen[f"{stack}.embeddings.output"], side),
        )  # fmt: skip

    def _attention(self, path: str, queries: str, keys: str, causal: bool = False) -> Iterator[DrawnTensor]:
        """In the order in which they are needed: query · key → weights, weights × value → output."""
        query, key, value = (self.seen[f"{path}.{name}"] for name in ("query", "key", "value"))
        weights = self.seen[f"{path}.weights"]
        axes = ("batch", "heads", queries, keys)
        yield _shown(f"{path}.query", query, SPLIT, queries, pick=(0, 0))
        yield _shown(f"{path}.key", key, SPLIT, keys, pick=(0, 0))
        yield _tensor(f"{path}.weights", weights[0], axes, weights.shape, kind="weights", causal=causal)
        yield _shown(f"{path}.value", value, SPLIT, keys, pick=(0, 0))
        yield _vectors(f"{path}.output", self.seen[f"{path}.output"], queries)

    def _fed(self, part: str, where: str, path: str, layer: Any, before: str, side: str) -> Moment:
        hidden = self.seen[f"{path}.feed_forward.hidden"]
        fed = layer.feed_forward(layer.feed_forward_norms.before(self.seen[f"{path}.{before}"]))
        return _moment(
            part, f"{where}: feed-forward",
            f"Two linear layers with a nonlinear function between them, on each position alone: up to "
            f"{hidden.shape[-1]} features and down again. {self._reads()}",
            _vectors(f"{path}.feed_forward.hidden", hidden, side, last="d_ff"),
            _vectors(f"{path}.feed_forward(…)", fed, side),
        )  # fmt: skip

    def _added(self, part: str, where: str, name: str, side: str) -> Moment:
        if self.pre_norm:
            title = "add"
            text = "Residual connection: the result is *added* to what came in. This model normalizes before each " \
                   "sub-layer instead (pre-norm)."  # fmt: skip
        else:
            title = "add & norm"
            text = "Residual connection: the result is *added* to what came in, and each vector is normalized."
        return _moment(part, f"{where}: {title}", text, _vectors(name, self.seen[name], side))

    def _reads(self) -> str:
        return "It reads a normalized copy (pre-norm)." if self.pre_norm else ""


def _moment(part: str, title: str, text: str, *tensors: DrawnTensor) -> Moment:
    return Moment(part, title, text.strip(), tensors)


def _vectors(name: str, values: Tensor, side: str, last: str = "d_model") -> DrawnTensor:
    return _shown(name, values, (*VECTORS[:-1], last), side, pick=(0,))


def _ids(name: str, values: Tensor, side: str) -> DrawnTensor:
    return _tensor(name, values[0, :, None], ("batch", side), values.shape, kind="ids")


def _shown(name: str, values: Tensor, axes: tuple[str, ...], side: str, pick: tuple[int, ...]) -> DrawnTensor:
    return _tensor(name, values[pick], tuple(axis.format(side) for axis in axes), values.shape)


def _tensor(name: str, values: Tensor, axes: tuple[str, ...], sizes: torch.Size, **settings: Any) -> DrawnTensor:
    return DrawnTensor(name, values, axes, list(sizes), **settings)
