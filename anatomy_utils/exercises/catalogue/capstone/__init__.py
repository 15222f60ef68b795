"""Exercises, questions and predictions of notebook 07, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.capstone import closing, debugging, first_difference, llama_layer, predictions

EXERCISES = (first_difference.FIRST_DIFFERENCE, llama_layer.LLAMA_LAYER)
QUESTIONS = (*predictions.PREDICTIONS, *debugging.DIAGNOSES, *closing.CLOSING)
