"""Exercises, questions and predictions of notebook 07, in the notebook's order."""

from __future__ import annotations

from anatomy_course.content.capstone import closing, predictions, questions

EXERCISES = "first_difference llama_layer repair".split()
QUESTIONS = (*predictions.PREDICTIONS, *questions.QUESTIONS, *closing.CLOSING)
