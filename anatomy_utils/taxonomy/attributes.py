"""How each part of a stack is read off its modules: one small function a part, in the order of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from torch import nn
from torch.nn import functional as F

from anatomy_utils.functional.feed_forward import gelu_tanh, quick_gelu
from anatomy_utils.nn.adaptive_softmax import AdaptiveSoftmax, AdaptiveTokens
from anatomy_utils.nn.delta_rule import GatedDeltaRule
from anatomy_utils.nn.dropout import identity
from anatomy_utils.nn.encoder import Encoder
from anatomy_utils.nn.experts import MixtureOfExperts
from anatomy_utils.nn.feed_forward import GatedFeedForward
from anatomy_utils.nn.heads import CappedVocabulary, MaskedLanguageHead, SequenceHead
from anatomy_utils.nn.latent_attention import LatentAttention
from anatomy_utils.nn.layer import Layer
from anatomy_utils.nn.norm import NormPlaces, RMSNormOfHeads
from anatomy_utils.nn.positions import AlibiBias, LearnedPositions, SinusoidalPositions, T5Bias, YarnPositions
from anatomy_utils.nn.relative_positions import DisentangledPositions, ShawPositions, TransformerXLPositions
from anatomy_utils.nn.segment_recurrence import RecurrentDecoder
from anatomy_utils.nn.signals import ImagePatches, SoundFrames
from anatomy_utils.nn.simple_recurrence import SimpleRecurrence
from anatomy_utils.zoo.clip import TwoTowers
from anatomy_utils.zoo.m2m_100 import Waves

Stack = Any
STATES = (GatedDeltaRule, SimpleRecurrence)
"""What keeps a state of its past, in the place of attention."""
ACTIVATIONS = {F.relu: "ReLU", F.gelu: "GELU", gelu_tanh: "GELU", quick_gelu: "GELU", F.silu: "SiLU"}
"""Activation → its name. GELU's three forms have one: in which of them a model is published is its code's choice, not
its design's (BERT's authors wrote the tanh form, and most checkpoints of BERT are now run in the exact one)."""
GATES = {"ClippedExperts": "near GELU, clipped, beside values + 1"}
"""Class of experts → its gate, where an activation is not all of it."""
ADDED = {
    LearnedPositions: "learned, one vector per place, added to the tokens",
    SinusoidalPositions: "fixed waves, added to the tokens",
    Waves: "fixed waves, added to the tokens",
}
SIGNALS = {
    ImagePatches: "none: patches of an image, projected",
    SoundFrames: "none: frames of a sound, through two convolutions",
}
NORMS = {"GemmaNorm": "RMSNorm, times 1 + weight", "RMSNormOfHeads": "RMSNorm"}
BIASES = {
    T5Bias: "learned numbers per offset, added to the scores",
    AlibiBias: "a penalty per distance, added to the scores",
    ShawPositions: "a learned key per offset, in the scores",
    TransformerXLPositions: "waves of the offset, in the scores",
    DisentangledPositions: "offsets and contents ask each other, in the scores",
}


def over_layers(stack: Stack, read: Callable[[Layer], str]) -> str:
    """What is read off each layer; said once where all agree."""
    different = list(dict.fromkeys(read(layer) for layer in stack.layers))
    return different[0] if len(different) == 1 else "; others: ".join(["some layers: " + different[0], *different[1:]])


def sees(stack: Stack) -> str:
    """Which positions a token may attend to."""
    both = isinstance(stack, Encoder)

    def one(layer: Layer) -> str:
        if layer.block_size is not None:
            return "its block, the nearest, the first, the last and random ones"
        if isinstance(layer.self_attention, STATES):
            return "its past, summed up"
        sink = "" if layer.self_attention.sinks is None else ", or a sink"
        if layer.window is None:
            return ("the whole text" if both else "itself and its past") + sink
        return ("a window to both sides" if both else "itself and a window before") + sink

    return over_layers(stack, one)


def window(stack: Stack) -> str:
    """How many positions the narrowest layer sees."""
    return str(min((layer.window for layer in stack.layers if layer.window is not None), default=""))


def reads(stack: Stack) -> str:
    """What else a layer looks at."""
    return "the encoder's output" if stack.layers[0].cross_attention is not None else ""


def memory(stack: Stack) -> str:
    """What is kept of earlier segments of a text."""
    if isinstance(stack, RecurrentDecoder):
        return "what went into each layer in earlier segments"
    having = [isinstance(layer.self_attention, STATES) for layer in stack.layers]
    where = "" if all(having) else "in some layers "
    return f"{where}one state, carried from token to token" if any(having) else ""


def positions(stack: Stack) -> str:
    """How the model is told the order of the tokens."""
    found = [ADDED.get(type(stack.embeddings.positions), "")]
    rotary = stack.rotary
    if rotary is not None:
        share = "queries and keys" if rotary.d_head == _first(stack).d_head else "a share of queries and keys"
        pairs = {"halves": "first half with second", "neighbors": "neighbors with each other"}[rotary.layout]
        stretched = ", slow turns stretched" if isinstance(rotary, YarnPositions) else ""
        found.append(f"rotary: {share} rotated in pairs, {pairs}{stretched}{_turned_otherwise(stack)}")
    biases = (stack.score_bias, _first(stack).score_positions)
    found += [BIASES.get(type(each), "") for each in biases]
    if isinstance(biases[1], DisentangledPositions) and biases[1].to_key is not _first(stack).to_key:
        found[-1] += ", through projections of their own"
    return " and ".join(filter(None, found))


def _turned_otherwise(stack: Stack) -> str:
    """Which layers do not turn queries and keys as the stack does."""
    bases = {layer.rotary.base for layer in stack.layers if layer.rotary is not None} - {stack.rotary.base}
    unturned = [number for number, layer in enumerate(stack.layers, 1) if not layer.is_rotated]
    other = f", with base {min(bases):,.0f} in a window and {stack.rotary.base:,.0f} elsewhere" if bases else ""
    return other + (f", none in one layer of {unturned[0]}" if unturned else "")


def segments(stack: Stack) -> str:
    """Vectors that tell a first text from a second."""
    table = getattr(stack.embeddings, "segments", None)
    return f"{table.num_embeddings}" if table is not None and table.num_embeddings > 1 else ""


def table_scale(stack: Stack) -> str:
    """What token vectors are multiplied with."""
    return "" if getattr(stack.embeddings, "scale", 1.0) == 1.0 else "√d_model"


def table_width(stack: Stack) -> str:
    """Whether the token table is narrower than the stack."""
    if isinstance(stack.embeddings, (*SIGNALS,)):
        return SIGNALS[type(stack.embeddings)]
    if isinstance(stack.embeddings.tokens, AdaptiveTokens):
        return "narrower for rarer words, then projected"
    narrower = stack.embeddings.tokens.embedding_dim < _width(stack)
    return "narrower than the layers, then projected" if narrower else "as wide as the layers"


def norm(stack: Stack) -> str:
    """Which kind of norm."""
    kinds = dict.fromkeys(NORMS.get(type(each).__name__, type(each).__name__) for each in _norms(stack))
    shifted = any(getattr(each, "bias", None) is not None for each in _norms(stack))
    return " and ".join(kinds) + ("" if shifted or "LayerNorm" not in kinds else " without shift")


def norm_placement(stack: Stack) -> str:
    """Where the norms of a residual connection are."""
    norms = [part for layer in stack.layers for part in layer.modules() if isinstance(part, NormPlaces)]
    places = {
        "before each sub-layer": [each.before for each in norms],
        "on what it gives": [each.output for each in norms],
        "after each residual sum": [each.after for each in norms],
    }
    return " and ".join(place for place, found in places.items() if any(_is_norm(each) for each in found))


def embedding_norm(stack: Stack) -> str:
    """A norm on the embeddings."""
    return "" if getattr(stack.embeddings, "norm", identity) is identity else "yes"


def last_norm(stack: Stack) -> str:
    """A norm on the last layer's output."""
    return "" if isinstance(stack.norm, nn.Identity) or stack.norm is identity else "yes"


def order(stack: Stack) -> str:
    """Whether the sub-layers follow each other."""
    return over_layers(
        stack,
        lambda layer: (
            "attention and feed-forward side by side" if layer.is_parallel else "attention, then feed-forward"
        ),
    )


def heads(stack: Stack) -> str:
    """Whether query heads share keys and values."""
    attention = _first(stack)
    if isinstance(attention, SimpleRecurrence):
        return ""
    if isinstance(attention, LatentAttention):
        return "made for each query head from one narrow vector"
    if attention.num_kv_heads == attention.num_heads:
        return "each query head has its own"
    return "one for all query heads" if attention.num_kv_heads == 1 else "shared by groups of query heads"


def query_key_norms(stack: Stack) -> str:
    """Norms on queries and keys."""
    norm = _first(stack).query_norm
    if norm is identity:
        return ""
    return "of all heads together" if isinstance(norm, RMSNormOfHeads) else "yes"


def gate(stack: Stack) -> str:
    """What attention's output is multiplied with."""
    return "" if _first(stack).to_gate is None else "a sigmoid of what went in"


def scale(stack: Stack) -> str:
    """What scores are multiplied with."""
    attention = _first(stack)
    if isinstance(attention, SimpleRecurrence):
        return ""
    capped = "" if attention.score_cap is None else f", softly kept within ±{attention.score_cap:g}"
    if isinstance(stack.rotary, YarnPositions):  # which raises scores
        own = 1.0 if attention.scale is None else attention.scale * attention.d_head**0.5
        return f"{own * stack.rotary.magnitude**2:.3g}/√d_head"
    if attention.scale is None or abs(attention.scale - attention.d_head**-0.5) < 1e-9:
        return "1/√d_head" + capped
    if abs(attention.scale - (3 * attention.d_head) ** -0.5) < 1e-9:
        return "1/√(3 · d_head)"
    return f"{attention.scale:g}{capped}"


def feed_forward(stack: Stack) -> str:
    """Kind and activation of the feed-forward network."""

    def one(layer: Any) -> str:
        network = layer.feed_forward
        if isinstance(network, MixtureOfExperts):
            shared = "" if network.shared is None else ", and one that all tokens pass"
            return f"experts, some for each token{shared}: {kind(network.experts, gated=True)}"
        return kind(network, gated=isinstance(network, GatedFeedForward))

    def kind(network: Any, *, gated: bool) -> str:
        name = GATES.get(type(network).__name__) or ACTIVATIONS.get(network.activation, "?")
        return f"gated, {name}" if gated else f"two layers, {name}"

    return over_layers(stack, one)


def biases(stack: Stack) -> str:
    """Which matrices have a bias."""
    layer, attention = stack.layers[0], _first(stack)
    if isinstance(attention, SimpleRecurrence):
        attention = layer.cross_attention
    having = {
        "queries": attention.to_query.bias is not None,
        "keys": attention.to_key.bias is not None,
        "values": attention.to_value.bias is not None,
        "attention's output": attention.to_output.bias is not None,
        "feed-forward": _widest(layer).contract.bias is not None,
    }
    if all(having.values()):
        return "everywhere"
    return ", ".join(place for place, there in having.items() if there)


def sharing(stack: Stack) -> str:
    """Whether layers share their weights."""
    layers = stack.layers
    return (
        "each has its own weights" if len({id(layer) for layer in layers}) == len(layers) else "all share one layer's"
    )


def output(model: nn.Module, stacks: list[tuple[str, Stack]]) -> str:
    """What turns the last hidden states into an answer, and whether it reuses the token table."""
    tokens = [stack.embeddings.tokens for _, stack in stacks if hasattr(stack.embeddings, "tokens")]
    tables = {id(weight) for table in tokens for weight in table.parameters()}
    head = "a layer, a norm, then " if any(isinstance(part, MaskedLanguageHead) for part in model.modules()) else ""
    if any(isinstance(part, AdaptiveSoftmax) for part in model.modules()):
        return "the token tables once more, cluster by cluster"
    projection = next((part for name, part in model.named_modules() if name.endswith("vocabulary")), None)
    if any(model is stack for _, stack in stacks):
        return "the vectors themselves"
    if isinstance(model, TwoTowers):
        return "the angle between a text's vector and an image's"
    if any(isinstance(part, SequenceHead) for part in model.modules()) and projection is None:
        return "a number for each label"
    if projection is None:
        return "one number per token"
    capped = f", softly kept within ±{projection.cap:g}" if isinstance(projection, CappedVocabulary) else ""
    return head + ("the token table once more" if id(projection.weight) in tables else "a matrix of its own") + capped


def _first(stack: Stack) -> Any:
    """The first attention that compares queries with keys."""
    found = [layer.self_attention for layer in stack.layers]
    return next((each for each in found if not isinstance(each, STATES)), found[0])


def _width(stack: Stack) -> int:
    """How many features the vectors between the layers have."""
    found = _first(stack)
    last: nn.Linear = found.to_state if isinstance(found, SimpleRecurrence) else found.to_output
    return last.out_features


def _widest(layer: Any) -> Any:
    """The feed-forward network of a layer, or its experts."""
    return layer.feed_forward.experts if isinstance(layer.feed_forward, MixtureOfExperts) else layer.feed_forward


def experts(stack: Stack) -> str:
    """How many experts a token passes, of how many."""
    routers = [layer.feed_forward.router for layer in stack.layers if isinstance(layer.feed_forward, MixtureOfExperts)]
    return f"{routers[0].per_token} of {routers[0].num_experts}" if routers else ""


def _norms(stack: Stack) -> Iterable[nn.Module]:
    return [part for part in stack.modules() if _is_norm(part)]


def _is_norm(part: Any) -> bool:
    return type(part).__name__.endswith("Norm")


def rows_of_positions(stack: Stack) -> str:
    """How many positions, or offsets, have learned vectors or numbers."""
    added, offsets = stack.embeddings.positions, _first(stack).score_positions
    if isinstance(offsets, DisentangledPositions):
        return f"{offsets.num_rows} offsets"
    if isinstance(stack.score_bias, T5Bias):
        return f"{stack.score_bias.num_buckets} offsets"
    return str(getattr(added, "max_positions", ""))


DESIGN: dict[str, Callable[[Stack], str]] = {
    "sees": sees,
    "also reads": reads,
    "remembers": memory,
    "positions": positions,
    "segments": segments,
    "token vectors times": table_scale,
    "token table": table_width,
    "norm on the embeddings": embedding_norm,
    "norm": norm,
    "norms placed": norm_placement,
    "sub-layers": order,
    "keys and values": heads,
    "norms on queries and keys": query_key_norms,
    "scores times": scale,
    "attention's output times": gate,
    "feed-forward": feed_forward,
    "biases": biases,
    "layers": sharing,
    "last norm": last_norm,
}
"""Part → what reads it off a stack; an empty answer means that the stack has nothing there."""

SIZES: dict[str, Callable[[Stack], str]] = {
    "number of layers": lambda stack: str(len(stack.layers)),
    "d_model": lambda stack: str(_width(stack)),
    "heads": lambda stack: str(_first(stack).num_heads),
    "key/value heads": lambda stack: str(_first(stack).num_kv_heads),
    "d_head": lambda stack: str(_first(stack).d_head),
    "d_ff": lambda stack: str(_widest(stack.layers[-1]).contract.in_features),
    "experts": experts,
    "vocabulary": lambda stack: str(getattr(getattr(stack.embeddings, "tokens", None), "num_embeddings", "")),
    "window": window,
    "positions in a table": rows_of_positions,
}
"""The same for parts that are only numbers."""
