"""Exercises, questions and predictions of notebook 00, in the notebook's order."""

from __future__ import annotations

from anatomy_course.content.start import questions

EXERCISES = "mean".split()
QUESTIONS = questions.QUESTIONS
