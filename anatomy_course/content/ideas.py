"""What mistakes of several exercises have in common: whoever makes one of them again reads the idea behind both."""

from typing import NamedTuple


class Idea(NamedTuple):
    sentence: str
    mistakes: str  # their names
    exercises: str  # whose mistakes of these names it is; one of another exercise may be something else


IDEAS = (
    Idea(
        "A dot product of d numbers spreads by √d. Divided by just that, scores are about as large in a wide head "
        "as in a narrow one, and a softmax can tell them apart.",
        "no_scale no_root not_scaled multiplied root_of_keys scaled_by_d_model",
        "attention.one_word attention.scores attention.attention attention.repair multi_head.multi_head_attention "
        "multi_head.repair decoder.attend_with_cache encoder_decoder.attend_to_memory taxonomy.disentangled_scores "
        "workshop.causal_self_attention workshop.grouped_attention",
    ),
    Idea(
        "A mean of squares is as large as a square. Its root is as large as the numbers themselves, so that divides "
        "them.",
        "no_root",
        "encoder.layer_norm decoder.rms_norm workshop.adamw_step",
    ),
    Idea(
        "A small ε keeps a division from 0 by 0. It is part of what is computed: without it, numbers near 0 come "
        "out differently.",
        "no_epsilon",
        "encoder.layer_norm decoder.rms_norm workshop.adamw_step",
    ),
    Idea(
        "In a residual stream each part reads the states, and what it gives is *added* to them as they were: not to "
        "a normed copy, and not in their place.",
        "no_residuals no_first_residual no_second_residual second_residual_from_below normed_residuals "
        "first_residual_normed second_residual_normed side_by_side",
        "encoder.encoder_layer encoder_decoder.decoder_layer capstone.llama_layer workshop.block workshop.llama_block",
    ),
    Idea(
        "Two parts of one shape change places without any error. Say which norm belongs to which part when you "
        "write the line, and read it once more.",
        "norms_swapped one_norm_twice",
        "encoder.encoder_layer encoder_decoder.decoder_layer capstone.llama_layer workshop.block "
        "workshop.llama_block workshop.own_name",
    ),
    Idea(
        "A causal mask hides what comes later and nothing else: the diagonal stays open, or the first position has "
        "nothing to look at.",
        "not_itself",
        "attention.causal_mask decoder.attend_with_cache decoder.repair taxonomy.window_mask "
        "workshop.causal_self_attention",
    ),
    Idea(
        "The features of one head are neighbors: the last axis is cut into (heads, d_head) in this order, and put "
        "together again in the same.",
        "interleaved",
        "multi_head.split_heads multi_head.merge_heads multi_head.multi_head_attention multi_head.switch_off "
        "multi_head.repair",
    ),
    Idea(
        "Whatever has a number here is counted from 0: positions, heads, blocks, rows of a table.",
        "from_one",
        "multi_head.pick_heads encoder.embed positions.sinusoids positions.repair_positions decoder.whose_prompt "
        "encoder_decoder.smallest_swap workshop.own_name",
    ),
    Idea(
        "One too many or one too few is best found with the smallest case: work out by hand what should come of 1, "
        "and of none.",
        "one_too_many one_too_few",
        "decoder.top_k decoder.top_p decoder.write encoder_decoder.translate taxonomy.window_mask "
        "taxonomy.prefix_mask workshop.next_id",
    ),
    Idea(
        "What computes further wants logits or logarithms: the softmax comes once, where a probability is really "
        "needed.",
        "probabilities softmax_twice",
        "encoder.classifier_head encoder.train_step decoder.top_k decoder.top_p encoder_decoder.beam_step "
        "workshop.gpt workshop.training_step workshop.next_id workshop.repair",
    ),
    Idea(
        "A softmax runs over those that compete for one whole: keys for a query, tokens for the next place, experts "
        "for a token. Name them before you write its axis.",
        "wrong_axis over_positions over_queries",
        "attention.softmax attention.attention attention.masked_softmax decoder.cross_entropy "
        "encoder_decoder.attend_to_memory taxonomy.soft_loss organs.route workshop.causal_self_attention "
        "workshop.judged_loss",
    ),
    Idea(
        "e⁰ is 1. What must not count gets −∞ *before* the softmax: a score of 0 still counts, and a weight that is "
        "made 0 afterwards leaves a row that no longer sums to 1.",
        "zero zero_afterwards",
        "attention.masked_softmax attention.repair multi_head.repair decoder.top_k decoder.top_p workshop.next_id",
    ),
    Idea(
        "A mean over tokens is the sum over those that count, divided by how many count. Padding is in neither, and "
        "a token weighs the same in a short text as in a long one.",
        "padding_counted divided_by_all per_text texts_alike",
        "decoder.cross_entropy encoder_decoder.smoothed_cross_entropy workshop.judged_loss",
    ),
    Idea(
        "Computers have a largest and a smallest number: eˢ leaves it upward and a softmax downward. Take the "
        "maximum away first, and a logarithm together with its softmax.",
        "overflow log_of_softmax",
        "attention.softmax decoder.cross_entropy decoder.top_p encoder_decoder.smoothed_cross_entropy "
        "organs.sink_softmax",
    ),
    Idea(
        "Labels are the same text one token later. They are shifted once, at one place, and the ends are filled, "
        "not brought round.",
        "not_shifted shifted_again backwards rolled",
        "decoder.batch_of decoder.cross_entropy encoder_decoder.decoder_inputs "
        "encoder_decoder.smoothed_cross_entropy workshop.random_windows",
    ),
    Idea(
        "A step of training has one order: clear, loss, backward, shorten the *whole* gradient if it is too long, "
        "step.",
        "never_cleared not_clipped clipped_by_value each_parameter_clipped always_that_long",
        "encoder.train_step workshop.training_step workshop.repair",
    ),
    Idea(
        "Rotary positions turn queries *and* keys, and no values: only then does a score know the offset between "
        "two words, and a value what the word is.",
        "not_turned query_alone key_alone all_turned",
        "capstone.llama_layer workshop.grouped_attention",
    ),
    Idea(
        "A mask says where padding is. How many tokens are real says it only where padding is at the end.",
        "by_lengths",
        "encoder_decoder.attend_to_memory encoder_decoder.repair",
    ),
)
