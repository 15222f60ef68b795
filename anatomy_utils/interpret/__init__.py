"""Interpret: what a trained model does inside, read off its activations or tested by changing them.

- `activations`: every named tensor of one text, and a word's vectors layer by layer
- `attention_patterns`: what a head attends to, as one number a head
- `head_ablation`: heads switched off or split the wrong way, and how much each one matters
- `attention_as_explanation`: whether attention weights agree with the effects of leaving words out
- `influence`: how much each token affects the last position
- `logit_lens`: what a decoder would predict after each layer
- `parameter_count`: how a model's parameters are divided among its parts
"""

from anatomy_utils import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "activations": "read_activations unit_embeddings word_similarity word_states",
        "attention_as_explanation": "AlternativeWeights WeightsAndEffects find_alternative_weights same_top_word "
        "spearman weights_and_effects weights_and_effects_correlation",
        "attention_patterns": "attention_at_offset attention_entropy attention_from_to attention_on_keys "
        "attention_on_pairs is_special_token pattern_scores punctuation_keys same_token_pairs",
        "head_ablation": "head_importance heads_off scrambled_heads",
        "influence": "token_influence",
        "logit_lens": "LogitLensReading apply_logit_lens",
        "parameter_count": "parameters_by_part",
    },
)
