"""Live views of the course: a few typed traits, one small ES module, and a picture for where nothing runs.

A widget's module is loaded when its name is first used, so that a notebook pays only for what it shows.
"""

from anatomy_utils import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "attention_stepper": "AttentionStepper",
        "attention_viewer": "AttentionViewer",
        "beam_tree": "BeamTree",
        "block_stepper": "BlockStepper",
        "cache_lab": "CacheLab",
        "card": "Card",
        "choice": "ChoiceQuestion",
        "compare_models": "CompareModels",
        "debugging_lab": "DebuggingLab",
        "decoding_stepper": "DecodingStepper",
        "depth_lab": "DepthLab",
        "family_tree": "FamilyTree",
        "head_board": "HeadBoard",
        "head_splitting": "HeadSplitting",
        "live_curves": "LiveCurves",
        "logit_lens": "LogitLens",
        "logits_explorer": "LogitsExplorer",
        "mask_painter": "MaskPainter",
        "mixer": "Mixer",
        "nearest_words": "NearestWords",
        "objective_explorer": "ObjectiveExplorer",
        "part_swapper": "PartSwapper",
        "position_explorer": "PositionExplorer",
        "pronoun_heads": "PronounHeads",
        "scale_explorer": "ScaleExplorer",
        "transformer_map": "TransformerMap",
        "translation_flow": "TranslationFlow",
        "translator": "Translator",
    },
)
