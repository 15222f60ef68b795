"""Exercises, questions and predictions of notebook 07, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.capstone import closing, parting, predictions, ward, whole_layer

EXERCISES = (parting.FIRST_DIFFERENCE, whole_layer.LLAMA_LAYER)
QUESTIONS = (*predictions.PREDICTIONS, *ward.DIAGNOSES, *closing.CLOSING)
