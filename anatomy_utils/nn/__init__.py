"""Modules: the parts of a Transformer with their weights, built on the formulas of `functional`.

- `attention`: multi-head attention; `cache`: its keys and values of earlier positions
- `norm`: LayerNorm, RMSNorm and where they are placed; `dropout`; `feed_forward`, with a gate or without
- `embeddings`: tokens, positions and segments; `positions`, `relative_positions`: all ways to mark positions
- `layer`: what encoder and decoder layers share; `encoder`, `decoder`, `encoder_decoder`: layers and stacks of them
- `heads`: what is put on top of a stack for a task
- `adaptive`: input and output tables of unequal width; `segment_recurrence`: Transformer-XL's memories
- `fast_matmul`: a faster matrix product on some processors
"""

from anatomy_utils import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "adaptive": "AdaptiveSoftmax AdaptiveTokens",
        "attention": "MultiHeadAttention",
        "cache": "KeyValue KeyValueCache LayerCache",
        "decoder": "Decoder DecoderLayer ParallelLayer",
        "embeddings": "Embeddings",
        "encoder": "Encoder EncoderLayer LocalLayer",
        "encoder_decoder": "EncoderDecoder Rewriter",
        "feed_forward": "FeedForward GatedFeedForward",
        "heads": "LanguageModel MaskedLanguageHead MultipleChoice PretrainingHead PretrainingLogits ReplacedTokenHead "
        "SequenceHead SpanHead SpanLogits TokenHead WithHead",
        "layer": "Layer",
        "norm": "LayerNorm Norms RMSNorm",
        "positions": "AlibiBias LearnedPositions RotaryPositions SinusoidalPositions T5Bias",
        "relative_positions": "DisentangledPositions OffsetTable ShawPositions TransformerXLPositions",
        "segment_recurrence": "Memories RecurrentDecoder RecurrentLayer",
    },
)
