"""Exercises, questions and predictions of notebook 07, in the notebook's order."""

from __future__ import annotations

from anatomy_utils.exercises.catalogue.capstone import ward
from anatomy_utils.exercises.definition import Exercise

EXERCISES: tuple[Exercise, ...] = ()
QUESTIONS = ward.DIAGNOSES
