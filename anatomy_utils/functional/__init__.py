"""Functional: the mathematics of the Transformer as pure functions of tensors. `nn` has the same as modules.

- `attention`: scores, softmax, weighted average; with a cache, over a memory, with disentangled positions
- `multi_head`: splitting and merging heads, attention in all of them; `masks`: causal, local, padding
- `window_attention`: attention within a window, and BigBird's sparse pattern
- `norm`, `feed_forward`, `embeddings`, `positions`: LayerNorm and RMSNorm, gates, tables, sinusoids and rotations
- `layers`: whole layers of all families; `heads`: logits of words and classes; `spans`: the best span of an answer
- `costs`: parameters and cache bytes by formula
- `comparison`: where two runs differ, and what leaving a word out changes

A function named like its module is in that module: `feed_forward.feed_forward`, `window_attention.window_attention`.
"""

from anatomy_utils import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "attention": "Attended AttendedWithCache attend_to_memory attend_with_cache disentangled_scores masked_softmax "
        "project scaled_dot_product_attention scores weighted_average",
        "comparison": "first_difference leave_one_out",
        "costs": "TwoCounts cache_bytes encoder_parameters",
        "embeddings": "embed embed_words lookup",
        "feed_forward": "gated_feed_forward gelu_tanh",
        "heads": "classify vocabulary_logits",
        "layers": "AllStates decoder_layer dropout encoder_layer llama_layer parallel_layer post_norm pre_norm "
        "pre_norm_layer run_layers",
        "masks": "additive causal causal_with_past combine local local_causal padding",
        "multi_head": "attend_in_heads cross_attention head_outputs merge_heads multi_head_attention share_heads "
        "split_heads stack_heads switch_off",
        "norm": "layer_norm rms_norm",
        "positions": "Rotation alibi_slopes frequencies log_bucket offset_bias rotary sinusoids t5_bucket",
        "spans": "Spans best_span",
        "window_attention": "bigbird_blocks window_pairs",
    },
)
