"""Functional: the mathematics of the Transformer as pure functions of tensors. `nn` has the same as modules.

- `attention`: scores, softmax, weighted average; with a cache, over a memory, with disentangled positions
- `multi_head`: splitting and merging heads, attention in all of them; `masks`: causal, local, padding
- `window_attention`: attention within a window, and BigBird's sparse pattern
- `norm`, `feed_forward`, `embeddings`, `positions`: LayerNorm and RMSNorm, gates, tables, sinusoids and rotations
- `layers`: whole layers of all families; `heads`: logits of words and classes; `spans`: the best span of an answer
- `delta_rule`: a state that each position reads and corrects, and a short convolution
- `routing`: which experts a token passes
- `costs`: parameters and cache bytes by formula
- `comparison`: where two runs differ, and what leaving a word out changes

A function named like its module is in that module: `feed_forward.feed_forward`, `window_attention.window_attention`.
"""

from __future__ import annotations

from anatomy_utils.functional.attention import (
    Attended as Attended,
    AttendedWithCache as AttendedWithCache,
    attend_to_memory as attend_to_memory,
    attend_with_cache as attend_with_cache,
    disentangled_scores as disentangled_scores,
    masked_softmax as masked_softmax,
    project as project,
    scaled_dot_product_attention as scaled_dot_product_attention,
    scores as scores,
    soft_cap as soft_cap,
    softmax_with_sinks as softmax_with_sinks,
    weighted_average as weighted_average,
)
from anatomy_utils.functional.comparison import first_difference as first_difference, leave_one_out as leave_one_out
from anatomy_utils.functional.costs import (
    TwoCounts as TwoCounts,
    cache_bytes as cache_bytes,
    encoder_parameters as encoder_parameters,
)
from anatomy_utils.functional.delta_rule import (
    Recalled as Recalled,
    causal_convolution as causal_convolution,
    gated_delta_rule as gated_delta_rule,
)
from anatomy_utils.functional.embeddings import (
    embed as embed,
    embed_words as embed_words,
    image_patches as image_patches,
    lookup as lookup,
)
from anatomy_utils.functional.feed_forward import (
    clipped_gate as clipped_gate,
    gated_feed_forward as gated_feed_forward,
    gelu_tanh as gelu_tanh,
    quick_gelu as quick_gelu,
)
from anatomy_utils.functional.layers import (
    AllStates as AllStates,
    decoder_layer as decoder_layer,
    dropout as dropout,
    encoder_layer as encoder_layer,
    llama_layer as llama_layer,
    parallel_layer as parallel_layer,
    post_norm as post_norm,
    pre_norm as pre_norm,
    pre_norm_layer as pre_norm_layer,
    run_layers as run_layers,
)
from anatomy_utils.functional.masks import (
    causal as causal,
    causal_with_past as causal_with_past,
    local as local,
    local_causal as local_causal,
    padding as padding,
    padding_at_head as padding_at_head,
    real_positions as real_positions,
)
from anatomy_utils.functional.multi_head import (
    attend_in_heads as attend_in_heads,
    cross_attention as cross_attention,
    head_outputs as head_outputs,
    merge_heads as merge_heads,
    multi_head_attention as multi_head_attention,
    share_heads as share_heads,
    split_heads as split_heads,
    switch_off as switch_off,
)
from anatomy_utils.functional.norm import layer_norm as layer_norm, rms_norm as rms_norm
from anatomy_utils.functional.positions import (
    Rotation as Rotation,
    Yarn as Yarn,
    alibi_slopes as alibi_slopes,
    frequencies as frequencies,
    log_bucket as log_bucket,
    rotary as rotary,
    sinusoids as sinusoids,
    t5_bucket as t5_bucket,
    yarn_frequencies as yarn_frequencies,
)
from anatomy_utils.functional.routing import (
    Routes as Routes,
    route as route,
    route_within_groups as route_within_groups,
)
from anatomy_utils.functional.spans import Spans as Spans, best_span as best_span
from anatomy_utils.functional.window_attention import bigbird_blocks as bigbird_blocks, window_pairs as window_pairs
