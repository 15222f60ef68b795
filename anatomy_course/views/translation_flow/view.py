"""The flow: a whole translation on its way through the figure of 2017, one step at a time, with its real tensors.

The source goes up through the encoder once; then the decoder runs for each word, reads the memory, and the word that it
writes joins its input, until the end token. Notebook 06. The class knows no model: it is given a `TranslationRun`, and
everything happens in the browser, so that it lives on a page without a kernel too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import torch
import traitlets
from torch import Tensor

from anatomy_course.figures import diagrams, transformer_layout
from anatomy_course.figures.picture import Picture
from anatomy_course.lab.street.batches import Batch, to_translate
from anatomy_course.lab.street.text import detokenize
from anatomy_course.lab.street.vocabulary import street_vocabulary
from anatomy_course.views._kit.base import AnatomyWidget, attributes, buffer_trait, float_bytes
from anatomy_course.views._kit.checks import Whole, numbers, word_list
from anatomy_course.views.transformer_map.drawing import drawing
from anatomy_course.views.translator.view import FIRST, decode, read_sentence
from anatomy_utils.nn.encoder_decoder import EncoderDecoder
from anatomy_utils.tap import Seen, watch

MOST_WORDS = 32
MOST_STEPS = 60
FEATURES = 16
"""How many features of each vector travel to the page."""
SELF_ATTENTION = ("encoder_self_attention", "decoder_self_attention")
"""The parts that work once for each layer, on either side."""
DEFAULT_LABEL = "From source to target, step by step"
MOST_FOLLOWED = 31
"""Words of a translation that are followed step by step: one that never ends takes 60 steps then."""
LIKELIEST = 8


@dataclass(frozen=True)
class DrawnTensor:
    """A tensor to be drawn: vectors (position, feature), or weights (heads, position, position)."""

    name: str
    """As `tap.watch` names it, where it has such a name."""
    values: Any
    """All of it for the source's side; for the target's side the rows of the last decoding step, of which earlier
    steps show the first ones: a causal decoder never changes what it has computed."""
    axes: Sequence[str]
    """Names of its axes, from `batch` on; "source" and "target" are the positions on either side."""
    sizes: Sequence[int]
    """The size of each axis."""
    kind: Literal["vectors", "weights", "ids"] = "vectors"
    causal: bool = False
    """Whether the weights of later positions are masked."""


@dataclass(frozen=True)
class Moment:
    """One step: which part of the figure is at work, what happens, and the tensors that come of it."""

    part: str
    """A part's name in `figures.transformer_layout`."""
    title: str
    text: str
    tensors: Sequence[DrawnTensor] = ()


@dataclass(frozen=True)
class TranslationRun:
    """A whole translation."""

    source: Sequence[str]
    """The tokens that the encoder reads."""
    target: Sequence[str]
    """The tokens that the decoder reads: a start token, and all written ones but the last."""
    written: Sequence[str]
    """The tokens that the decoder writes, one per decoding step."""
    encoder: Sequence[Moment]
    decoder: Sequence[Moment]
    """The steps of one decoding step; they repeat for each written token."""
    choices: Sequence[Sequence[tuple[str, Any, Any]]]
    """For each written token the likeliest ones: token, logit, probability."""
    pre_norm: bool = False
    """Whether norms stand in front of the sub-layers, so that the figure's "add & norm" only adds."""


class TranslationFlow(AnatomyWidget):
    """The figure of the encoder–decoder, lit part by part while one sentence is translated.

    Args:
        run: the translation.
        place: the first step shown, from 0; or a part of the figure, at its first time.

    Raises:
        ValueError: tensors or lists that do not fit together, too many words, or a place that does not exist.
    """

    parts = traitlets.List(traitlets.Dict()).tag(sync=True)
    arrows = traitlets.List(traitlets.Dict()).tag(sync=True)
    marks = traitlets.List(traitlets.Dict()).tag(sync=True)
    size = traitlets.List().tag(sync=True)
    source = traitlets.List(traitlets.Unicode()).tag(sync=True)
    target = traitlets.List(traitlets.Unicode()).tag(sync=True)
    written = traitlets.List(traitlets.Unicode()).tag(sync=True)
    encoder = traitlets.List(traitlets.Dict()).tag(sync=True)
    """[{part, title, text, tensors}], the last naming places in `tensors`."""
    decoder = traitlets.List(traitlets.Dict()).tag(sync=True)
    later = traitlets.List(traitlets.Int()).tag(sync=True)
    """The places in `decoder` that are shown again for every word after the first."""
    tensors = traitlets.List(traitlets.Dict()).tag(sync=True)
    """[{name, axes, sizes, kind, causal, start, stored}]: `stored` is the shape of its numbers in `values`."""
    values = buffer_trait()
    """All numbers one tensor after the other, as float32."""
    choices = traitlets.List().tag(sync=True)
    place = Whole("").tag(sync=True)
    """The step: those of the encoder, those of the decoder for the first word, then `later` for each further one."""

    def __init__(self, run: TranslationRun, *, place: int | str = 0, label: str = DEFAULT_LABEL) -> None:
        source = word_list(run.source, "source", at_most=MOST_WORDS)
        target = word_list(run.target, "target", at_most=MOST_WORDS)
        written = word_list(run.written, "written", at_most=MOST_WORDS)
        if not len(target) == len(written) == len(run.choices):
            raise ValueError(
                f"There are {len(target)} target tokens, {len(written)} written ones and choices for "
                f"{len(run.choices)}; give as many of each."
            )
        names = {part.id for part in transformer_layout.parts()}
        if strange := [each.part for each in (*run.encoder, *run.decoder) if each.part not in names]:
            raise ValueError(f"{strange[0]!r} names no part of the figure; its parts are {', '.join(sorted(names))}.")
        if not (run.encoder and run.decoder):
            raise ValueError("There are no steps for the encoder or for the decoder; give at least one for each.")
        positions = {"source": len(source), "target": len(target)}
        shown = [tensor for moment in (*run.encoder, *run.decoder) for tensor in moment.tensors]
        arrays = [_checked(tensor, positions) for tensor in shown]
        starts = np.cumsum([0, *(array.size for array in arrays)])
        at = iter(range(len(shown)))
        moments = [
            [
                {**attributes(moment, "part title text"), "tensors": [next(at) for _ in moment.tensors]}
                for moment in side
            ]
            for side in (run.encoder, run.decoder)
        ]
        super().__init__(
            **_drawing(run), parts=_parts(run.pre_norm), source=source, target=target, written=written,
            encoder=moments[0], decoder=moments[1], later=_later(run), label=label,
            tensors=[{**attributes(tensor, "name kind causal"), "axes": list(tensor.axes), "sizes": list(tensor.sizes),
                      "start": int(start), "stored": list(array.shape)}
                     for tensor, array, start in zip(shown, arrays, starts, strict=False)],
            values=b"".join(map(float_bytes, arrays)),
            choices=[[{"word": word, "logit": float(logit), "probability": float(part)} for word, logit, part in each]
                     for each in run.choices],
        )  # fmt: skip
        self.place = self._first(place) if isinstance(place, str) else place

    def __len__(self) -> int:
        """How many steps there are."""
        return len(self.encoder) + len(self.decoder) + len(self.later) * (len(self.written) - 1)

    def where(self) -> tuple[str, int]:
        """The part at work, and how many tokens the decoder reads meanwhile (0 while the encoder works)."""
        if self.place < len(self.encoder):
            return self.encoder[self.place]["part"], 0
        moment = self.place - len(self.encoder)
        if moment < len(self.decoder):
            return self.decoder[moment]["part"], 1
        step, moment = divmod(moment - len(self.decoder), len(self.later))
        return self.decoder[self.later[moment]]["part"], step + 2

    def tensor(self, name: str) -> npt.NDArray[np.float32]:
        """A tensor's numbers as the browser has them."""
        found = next((each for each in self.tensors if each["name"] == name), None)
        if found is None:
            raise ValueError(f"There is no tensor {name!r}; there are {', '.join(t['name'] for t in self.tensors)}.")
        size = int(np.prod(found["stored"]))
        return np.frombuffer(self.values, "<f4")[found["start"] : found["start"] + size].reshape(found["stored"]).copy()

    def still_picture(self) -> Picture:
        """The figure, with the part at work marked."""
        sentence = " ".join(word for word in self.written if not word.startswith("<"))
        return replace(
            diagrams.transformer_map(self.where()[0]),
            alt=f"The encoder–decoder of 2017 as a map of its parts. In the live view “{' '.join(self.source)}” flows "
            f"through it in {len(self)} steps and becomes “{sentence}”.",
        )

    def _first(self, part: str) -> int:
        order = [moment["part"] for moment in (*self.encoder, *self.decoder)]
        if part not in order:
            raise ValueError(f"place={part!r} names no part at work; try one of {', '.join(dict.fromkeys(order))}.")
        return order.index(part)


def _checked(tensor: DrawnTensor, positions: dict[str, int]) -> npt.NDArray[np.float64]:
    """A tensor's numbers, vectors cut to their first features; or one sentence saying what does not fit."""
    axes = {"weights": tensor.axes[-3:], "vectors": tensor.axes[-2:], "ids": (tensor.axes[-1], "id")}[tensor.kind]
    values = numbers(tensor.values, tensor.name, " ".join(axes), **positions)
    if len(tensor.axes) != len(tensor.sizes):
        raise ValueError(f"{tensor.name} has axes {tensor.axes} and sizes {tensor.sizes}; give one size for each axis.")
    return values if tensor.kind == "weights" else values[:, :FEATURES]


def _later(run: TranslationRun) -> list[int]:
    """What changes from word to word: where it looks in the source, if there is room for that, and what it writes."""
    last = len(run.decoder) - 1
    looks = [i for i, moment in enumerate(run.decoder) if moment.part == "cross_attention" and i < last]
    room = MOST_STEPS - len(run.encoder) - len(run.decoder) >= 2 * (len(run.written) - 1)
    return [*looks[-1:], last] if room else [last]


def _drawing(run: TranslationRun) -> dict[str, Any]:
    """The figure, with the number of layers in place of N."""
    drawn = drawing()
    for mark, side, part in zip(drawn["marks"], (run.encoder, run.decoder), SELF_ATTENTION, strict=False):
        layers = sum(moment.part == part for moment in side)
        mark["text"] = mark["text"].replace("N", str(layers)) if layers else mark["text"]
    return drawn


def _parts(pre_norm: bool) -> list[dict[str, Any]]:
    """The figure's parts as the browser needs them."""
    parts = [attributes(part, "id label role frame x y width height") for part in transformer_layout.parts()]
    return [part | {"label": "add"} if pre_norm and "add_norm" in part["id"] else part for part in parts]


def translation_flow(model: EncoderDecoder, sentence: str = FIRST, *, place: int | str = 0) -> TranslationFlow:
    """The figure of 2017 with the real tensors of one translation, step by step until the end token.

    Args:
        model: from `small_models.translator`.
        sentence: in either language; the other one is written.
        place: see `TranslationFlow`; "cross_attention", for example, at its first time.

    Raises:
        ValueError: the sentence has words that the street does not know or too many, or there is no such place.
    """
    tokens, _, other = read_sentence(sentence)
    decoded = decode(model, to_translate(detokenize(tokens), other))
    return TranslationFlow(run_of(model, decoded.texts, decoded.written_ids[:MOST_FOLLOWED]), place=place)


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
        query, key, value, weights, output = (
            self.seen[f"{path}.{name}"] for name in ("query", "key", "value", "weights", "output")
        )
        axes = ("batch", "heads", queries, keys)
        yield _in_heads(f"{path}.query", query, queries)
        yield _in_heads(f"{path}.key", key, keys)
        yield DrawnTensor(f"{path}.weights", weights[0], axes, weights.shape, "weights", causal)
        yield _in_heads(f"{path}.value", value, keys)
        yield _vectors(f"{path}.output", output, queries)

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
    return DrawnTensor(name, values[0], ("batch", side, last), values.shape)


def _in_heads(name: str, values: Tensor, side: str) -> DrawnTensor:
    """Of the first head."""
    return DrawnTensor(name, values[0, 0], ("batch", "heads", side, "d_head"), values.shape)


def _ids(name: str, values: Tensor, side: str) -> DrawnTensor:
    return DrawnTensor(name, values[0, :, None], ("batch", side), values.shape, "ids")
