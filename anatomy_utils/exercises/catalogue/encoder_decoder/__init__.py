"""Exercises, questions and predictions of notebook 05, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.encoder_decoder import (
    attend_to_memory,
    beam_step,
    closing,
    decoder_inputs,
    decoder_layer,
    learning_rates,
    predictions,
    questions,
    repair,
    smoothed_cross_entropy,
    translate,
)

EXERCISES = (
    attend_to_memory.ATTEND_TO_MEMORY,
    decoder_layer.DECODER_LAYER,
    decoder_inputs.DECODER_INPUTS,
    smoothed_cross_entropy.SMOOTHED_CROSS_ENTROPY,
    learning_rates.LEARNING_RATES,
    translate.TRANSLATE,
    beam_step.BEAM_STEP,
    repair.REPAIR,
)
QUESTIONS = (*questions.QUESTIONS, *predictions.PREDICTIONS, *closing.CLOSING)
