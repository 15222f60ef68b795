"""Exercises, questions and predictions of notebook 05, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.encoder_decoder import (
    closing,
    layers,
    predictions,
    questions,
    reading,
    repair,
    searching,
    shifting,
    smoothing,
    translating,
    warming,
)

EXERCISES = (
    reading.ATTEND_TO_MEMORY,
    layers.DECODER_LAYER,
    shifting.DECODER_INPUTS,
    smoothing.SMOOTHED_CROSS_ENTROPY,
    warming.LEARNING_RATES,
    translating.TRANSLATE,
    searching.BEAM_STEP,
    repair.REPAIR,
)
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
