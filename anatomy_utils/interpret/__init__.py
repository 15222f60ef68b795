"""Interpret: what a trained model does inside, read off its activations or tested by changing them.

- `activations`: every named tensor of one text, and a word's vectors layer by layer
- `attention_patterns`: what a head attends to, as one number a head
- `head_ablation`: heads switched off or split the wrong way, and how much each one matters
- `head_circuits`: the two products of a head's matrices, which words match and what is passed on
- `residual_stream`: what each part adds to the stream, and what becomes of it without one
- `attention_as_explanation`: whether attention weights agree with the effects of leaving words out
- `influence`: how much each token affects the last position
- `logit_lens`: what a decoder would predict after each layer
- `neurons`: what makes a neuron fire, what it writes, and the model without it
- `word_times`: when a word was said, by where a model that listens looks as it writes it
- `parameter_count`: how a model's parameters are divided among its parts, and how many a token meets
"""

from __future__ import annotations

from anatomy_utils.interpret.activations import (
    read_activations as read_activations,
    unit_embeddings as unit_embeddings,
    word_similarity as word_similarity,
    word_states as word_states,
)
from anatomy_utils.interpret.attention_as_explanation import (
    AlternativeWeights as AlternativeWeights,
    WeightsAndEffects as WeightsAndEffects,
    find_alternative_weights as find_alternative_weights,
    same_top_word as same_top_word,
    spearman as spearman,
    weights_and_effects as weights_and_effects,
    weights_and_effects_correlation as weights_and_effects_correlation,
)
from anatomy_utils.interpret.attention_patterns import (
    attention_at_offset as attention_at_offset,
    attention_entropy as attention_entropy,
    attention_on_keys as attention_on_keys,
    attention_on_pairs as attention_on_pairs,
    pattern_scores as pattern_scores,
    punctuation_keys as punctuation_keys,
    same_token_pairs as same_token_pairs,
)
from anatomy_utils.interpret.head_ablation import (
    head_importance as head_importance,
    heads_off as heads_off,
    mean_contexts as mean_contexts,
    nothing_from as nothing_from,
    scrambled_heads as scrambled_heads,
)
from anatomy_utils.interpret.head_circuits import (
    WordCircuits as WordCircuits,
    output_value_matrices as output_value_matrices,
    query_key_matrices as query_key_matrices,
    word_circuits as word_circuits,
    word_vectors as word_vectors,
)
from anatomy_utils.interpret.influence import token_influence as token_influence
from anatomy_utils.interpret.logit_lens import (
    LogitLensReading as LogitLensReading,
    apply_logit_lens as apply_logit_lens,
)
from anatomy_utils.interpret.neurons import (
    neuron_activations as neuron_activations,
    neurons_off as neurons_off,
    value_vectors as value_vectors,
    words_written as words_written,
)
from anatomy_utils.interpret.parameter_count import (
    active_parameters as active_parameters,
    parameters_by_part as parameters_by_part,
)
from anatomy_utils.interpret.residual_stream import (
    StreamParts as StreamParts,
    WithoutParts as WithoutParts,
    read_residual_stream as read_residual_stream,
    without_each_part as without_each_part,
)
from anatomy_utils.interpret.word_times import (
    WHISPER_TINY_EN as WHISPER_TINY_EN,
    monotonic_path as monotonic_path,
    token_times as token_times,
)
