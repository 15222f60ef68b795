"""Where a model meets a widget: each function runs a model and gives a widget plain arrays, as `views.head_board` does.

Widgets know no model and models know no widget; the notebooks call these functions to join the two. A module is loaded
when one of its names is first used.
"""

from anatomy_utils import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "attention": "attention_stepper attention_viewer head_board head_splitting mask_painter mixer",
        "bertviz": "head_view model_view",
        "decoder": "cache_lab logit_lens part_swapper",
        "decoding": "beam_tree explore_logits step_through",
        "encoder": "JOURNEY block_stepper depth_lab nearest_words",
        "objectives": "objective_explorer",
        "positions": "position_explorer",
        "pronouns": "pronoun_heads",
        "taxonomy": "compare_models family_tree",
        "translation": "decode translation_flow translator",
    },
)
