"""Live views of the course: a few typed traits, one small ES module, and a picture for where nothing runs.

A widget's module is loaded when its name is first used, so that a notebook pays only for what it shows.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_ROOMS = {
    "Card": "card",
    "ChoiceQuestion": "choice",
    "Mixer": "mixer",
    "ScaleExplorer": "scale_explorer",
    "MaskPainter": "mask_painter",
    "AttentionStepper": "attention_stepper",
    "AttentionViewer": "attention_viewer",
    "HeadTraveller": "head_splitting",
    "HeadBoard": "head_board",
    "CulpritHeads": "pronoun_heads",
    "TransformerMap": "transformer_map",
    "PositionExplorer": "position_explorer",
    "BlockStepper": "block_stepper",
    "DepthLab": "depth_lab",
    "DecodingStepper": "decoding_stepper",
    "BeamTree": "beam_tree",
    "LiveCurves": "live_curves",
    "LayerJourney": "nearest_words",
    "CacheLab": "cache_lab",
    "OrganSwapper": "part_swapper",
    "LogitLens": "logit_lens",
    "Translator": "translator",
    "Flow": "translation_flow",
    "LogitsExplorer": "logits_explorer",
    "FamilyTree": "family_tree",
    "CompareModels": "compare_models",
    "ObjectiveExplorer": "objective_explorer",
    "Ward": "debugging_lab",
}

__all__ = sorted(_ROOMS)


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no widget {name!r}")
    return getattr(import_module(f"{__name__}.{_ROOMS[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_ROOMS])
