"""Modules: the parts of a Transformer with their weights, built on the formulas of `functional`.

- `attention`: multi-head attention; `cache`: its keys and values of earlier positions; `latent_attention` keeps less
- `delta_rule`: a state in place of keys and values
- `norm`: LayerNorm, RMSNorm and where they are placed; `dropout`; `feed_forward`, with a gate or without
- `experts`: many feed-forward networks, a few of them for each token
- `embeddings`: tokens, positions and segments; `positions`, `relative_positions`: all ways to mark positions
- `signals`: images and sounds cut into tokens, and the encoder that reads them
- `layer`: what encoder and decoder layers share; `encoder`, `decoder`, `encoder_decoder`: layers and stacks of them
- `heads`: what is put on top of a stack for a task
- `adaptive_softmax`: input and output tables of unequal width; `segment_recurrence`: Transformer-XL's memories
"""

from __future__ import annotations

from anatomy_utils.nn.adaptive_softmax import AdaptiveSoftmax as AdaptiveSoftmax, AdaptiveTokens as AdaptiveTokens
from anatomy_utils.nn.attention import MultiHeadAttention as MultiHeadAttention
from anatomy_utils.nn.cache import KeyValue as KeyValue, KeyValueCache as KeyValueCache
from anatomy_utils.nn.decoder import Decoder as Decoder, DecoderLayer as DecoderLayer, ParallelLayer as ParallelLayer
from anatomy_utils.nn.delta_rule import GatedDeltaRule as GatedDeltaRule
from anatomy_utils.nn.embeddings import Embeddings as Embeddings
from anatomy_utils.nn.encoder import Encoder as Encoder, EncoderLayer as EncoderLayer, LocalLayer as LocalLayer
from anatomy_utils.nn.encoder_decoder import EncoderDecoder as EncoderDecoder, Rewriter as Rewriter
from anatomy_utils.nn.experts import (
    Experts as Experts,
    GroupRouter as GroupRouter,
    MixtureOfExperts as MixtureOfExperts,
    Router as Router,
)
from anatomy_utils.nn.feed_forward import FeedForward as FeedForward, GatedFeedForward as GatedFeedForward
from anatomy_utils.nn.heads import (
    CappedVocabulary as CappedVocabulary,
    LanguageModel as LanguageModel,
    MaskedLanguageHead as MaskedLanguageHead,
    MultipleChoice as MultipleChoice,
    PretrainingHead as PretrainingHead,
    PretrainingLogits as PretrainingLogits,
    ReplacedTokenHead as ReplacedTokenHead,
    SequenceHead as SequenceHead,
    SpanHead as SpanHead,
    SpanLogits as SpanLogits,
    TokenHead as TokenHead,
    WithHead as WithHead,
)
from anatomy_utils.nn.latent_attention import LatentAttention as LatentAttention
from anatomy_utils.nn.layer import Layer as Layer
from anatomy_utils.nn.norm import (
    LayerNorm as LayerNorm,
    NormPlaces as NormPlaces,
    RMSNorm as RMSNorm,
    RMSNormOfHeads as RMSNormOfHeads,
)
from anatomy_utils.nn.positions import (
    AlibiBias as AlibiBias,
    LearnedPositions as LearnedPositions,
    RotaryPositions as RotaryPositions,
    SinusoidalPositions as SinusoidalPositions,
    T5Bias as T5Bias,
    YarnPositions as YarnPositions,
)
from anatomy_utils.nn.relative_positions import (
    DisentangledPositions as DisentangledPositions,
    OffsetTable as OffsetTable,
    ShawPositions as ShawPositions,
    TransformerXLPositions as TransformerXLPositions,
)
from anatomy_utils.nn.segment_recurrence import (
    Memories as Memories,
    RecurrentDecoder as RecurrentDecoder,
    RecurrentLayer as RecurrentLayer,
)
from anatomy_utils.nn.signals import (
    ImagePatches as ImagePatches,
    SignalEncoder as SignalEncoder,
    SoundFrames as SoundFrames,
)
